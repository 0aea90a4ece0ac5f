"""The generated beginning of a metric's documentation page; pitfalls and links are written below it by hand.

python -m assay.metrics.engine.doc_page wer > docs/metrics/wer.md
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from textwrap import fill

from assay.metrics import Metric, resolve
from assay.specs_help import options_of

WIDTH = 120
TYPES = {"bool": "true or false", "int": "integer", "float": "number", "str": "text", "int | None": "integer or none",
         "float | None": "number or none", "str | None": "text or none"}  # fmt: skip


def doc_page(metric: Metric) -> str:
    """Return summary, example, scores, options, presets and citation of a metric as Markdown."""
    data = " -e examples.jsonl" if metric.needs else ""
    options = "\n".join(_options(metric))
    presets = "; ".join(f"`{metric.name}:{name}` ({_choices(values)})" for name, values in metric.presets.items())
    parts = ", ".join(f"`{part.name}`" for part in metric.parts())
    blocks = [
        f"# {metric.name}",
        fill(f"{metric.summary[:1].upper()}{metric.summary[1:]}.", WIDTH),
        f"    assay score outputs.jsonl{data} -m {metric.name}",
        *(fill(" ".join(block.split()), WIDTH) for block in (inspect.getdoc(type(metric)) or "").split("\n\n")),
        "## Scores",
        fill(f"{parts}. {_direction(metric)}. Requires {', '.join(metric.needs) or 'outputs only'}.", WIDTH),
        *(["## Options", options] if options else []),
        *([fill(f"Presets: {presets}.", WIDTH, break_on_hyphens=False)] if presets else []),
        fill(f"Citation: {metric.citation}", WIDTH, break_on_hyphens=False),
    ]
    return "\n\n".join(blocks) + "\n"


def _direction(metric: Metric) -> str:
    directions = {part.better for part in metric.parts()}
    if len(directions) == 1:
        return f"{(directions.pop() or 'neither direction').capitalize()} is better"
    stated = {
        better: ", ".join(f"`{part.name}`" for part in metric.parts() if part.better == better)
        for better in ("higher", "lower", None)
        if better in directions
    }
    return "; ".join(f"{better or 'neither direction'} is better for {names}" for better, names in stated.items())


def _options(metric: Metric) -> Iterator[str]:
    for option in options_of(type(metric)):
        default = _word(getattr(metric, option.name))
        stated = f"- `{option.name}` ({TYPES.get(option.values, option.values)}; default: {default or 'empty'})"
        text = f"{stated}: {option.meaning}" if option.meaning else f"{stated}."
        yield fill(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)


def _choices(values: object) -> str:
    assert isinstance(values, dict)
    return ", ".join(f"{name}={_word(value)}" for name, value in values.items())


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


if __name__ == "__main__":
    sys.stdout.write(doc_page(resolve(sys.argv[1])[0].metric))
