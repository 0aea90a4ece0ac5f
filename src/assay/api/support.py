"""Check which sentences of outputs are supported."""

from __future__ import annotations

from assay.execution.support import SupportReport, check_outputs
from assay.records.types import Data


def support(
    outputs: Data,
    sources: Data | None = None,
    *,
    examples: Data | None = None,
    system: str | None = None,
    checker: str = "assay",
    claims: str = "sentences",
    allow_missing: bool = False,
    skip_bad: bool = False,
) -> dict[str, SupportReport]:
    """Check which sentences of outputs their contexts or sources support.

    Args:
        outputs: System outputs; a file may have several systems.
        sources: Source texts, one per output.
        examples: Examples with contexts or sources.
        system: Check this system only (default: all of the file).
        checker: What decides, e.g. `"minicheck:model=PATH"` (default: `"assay"`).
        claims: What is checked: `"sentences"`, `"clauses"`, or `"chat:MODEL"`, claims that a chat model writes.
        allow_missing: Check the items that have outputs (default: missing outputs are an error).
        skip_bad: Skip lines that cannot be read (default: they are an error).

    Returns:
        Reports by system: `rate()` with its confidence interval, `records()` with one record per sentence.

    Raises:
        AssayError: The checker cannot run, items have neither contexts nor source, or are not English.

    Example:
        >>> outputs = [{"id": "1", "output": "Revenue was 7 million dollars in May.", "system": "bart"}]
        >>> examples = [{"id": "1", "source": "Revenue was 4 million dollars in May.", "language": "en"}]
        >>> assay.support(outputs, examples=examples)["bart"].records()[0]["verdict"]
        'contradicted'
    """
    return check_outputs(
        outputs, sources, examples=examples, system=system, checker=checker, claims=claims,
        allow_missing=allow_missing, skip_bad=skip_bad,
    )  # fmt: skip
