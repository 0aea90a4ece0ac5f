"""The generated beginning of a metric's documentation page; pitfalls and links are written below it by hand.

python -m assay.metrics.engine.doc_page wer > docs/metrics/wer.md
python -m assay.metrics.engine.doc_page     # the list of docs/metrics/index.md
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from textwrap import fill
from typing import get_args

from assay.metrics import METRICS, Metric, resolve
from assay.metrics.checks.linter import depends_on_size
from assay.metrics.engine.base import Category
from assay.specs_help import options_of

WIDTH = 120
MANY, ROW = 16, 5
"""More scores than this are listed in rows of this length."""
TYPES = {"bool": "true or false", "int": "integer", "float": "number", "str": "text", "int | None": "integer or none",
         "float | None": "number or none", "str | None": "text or none"}  # fmt: skip


def doc_page(metric: Metric) -> str:
    """Return summary, example, scores, options, presets and citation of a metric as Markdown."""
    data = " -e examples.jsonl" if metric.needs else ""
    options = "\n".join(_options(metric))
    presets = "; ".join(f"`{metric.name}:{name}` ({_choices(values)})" for name, values in metric.presets.items())
    blocks = [
        f"# {metric.name}",
        fill(f"{metric.summary[:1].upper()}{metric.summary[1:]}.", WIDTH),
        f"    assay score outputs.jsonl{data} -m {metric.name}",
        *(fill(" ".join(block.split()), WIDTH) for block in (inspect.getdoc(type(metric)) or "").split("\n\n")),
        "## Scores",
        *_scores(metric),
        *(["## Options", options] if options else []),
        *([fill(f"Presets: {presets}.", WIDTH, break_on_hyphens=False)] if presets else []),
        fill(f"Citation: {metric.citation}", WIDTH, break_on_hyphens=False),
    ]
    return "\n\n".join(blocks) + "\n"


def _scores(metric: Metric) -> Iterator[str]:
    """Yield the names of the scores, their direction, and the data that the metric requires."""
    named: dict[str | None, list[str]] = {}
    for part in metric.parts():
        named.setdefault(part.better, []).append(f"`{part.name}`")
    for better, names in named.items():
        direction = f"{better} is better" if better else "descriptive, neither direction is better"
        if len(names) <= MANY:
            yield fill(f"{', '.join(names)}: {direction}.", WIDTH, break_on_hyphens=False)
        else:
            rows = [names[i : i + ROW] for i in range(0, len(names), ROW)]
            listed = "\n".join(fill(f"- {', '.join(row)}", WIDTH, subsequent_indent="  ") for row in rows)
            yield f"{direction.capitalize()}:\n\n{listed}"
    size = " Depends on the number of items: see [rarefied values](../scores.md#rarefied-values)."
    yield f"Requires {', '.join(metric.needs) or 'outputs only'}.{size if depends_on_size(metric) else ''}"


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


def doc_index() -> str:
    """Return the list of all metrics by category, each linked to its page."""
    entries: dict[str, list[str]] = {category: [] for category in get_args(Category)}
    for name in METRICS:
        cls = METRICS.get(name)
        link = f"- [{name}]({cls.__module__.rpartition('.')[2]}.md): {cls.summary}"
        entries[cls.category].append(fill(link, WIDTH, subsequent_indent="  ", break_on_hyphens=False))
    listed = (f"## {category.capitalize()}\n\n" + "\n".join(lines) for category, lines in entries.items() if lines)
    return "\n\n".join(listed) + "\n"


if __name__ == "__main__":
    sys.stdout.write(doc_page(resolve(sys.argv[1])[0].metric) if len(sys.argv) > 1 else doc_index())
