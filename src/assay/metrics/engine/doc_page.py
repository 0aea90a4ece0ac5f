"""How a metric's page of documentation begins: what the metric says of itself. What a reader must know comes below it.

python -m assay.metrics.engine.doc_page wer > docs/metrics/wer.md
"""

from __future__ import annotations

import sys

from assay.metrics import Metric, resolve
from assay.specs_help import options_of


def doc_page(metric: Metric) -> str:
    """Summary, numbers, needs, options and citation as Markdown.

    What an option means is Markdown in the metric's own words; `show.tables` would write its marks as plain text.
    """
    directions = sorted({part.better or "neither, it describes" for part in metric.parts()})
    numbers = ", ".join(f"`{part.name}`" for part in metric.parts())
    options = [
        f"| `{option.name}` | {_values(option.values)} | {_word(getattr(metric, option.name))} | {option.meaning} |\n"
        for option in options_of(type(metric))
    ]
    table = f"| option | values | default | |\n|---|---|---|---|\n{''.join(options)}\n" if options else ""
    needs = ", ".join(metric.needs) or "nothing but outputs"
    return (
        f"# {metric.name}\n\n{metric.summary[:1].upper()}{metric.summary[1:]}.\n\n"
        f"{' '.join((type(metric).__doc__ or '').split())}\n\n"
        f"Numbers: {numbers}.\n\nNeeds: {needs}. Better: {'; '.join(directions)}.\n\n{table}"
        f"Reference: {metric.citation}\n"
    )


def _values(text: str) -> str:
    return "true, false" if text == "bool" else text.replace("|", "or")


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


if __name__ == "__main__":
    sys.stdout.write(doc_page(resolve(sys.argv[1])[0].metric))
