"""Columns whose names suggest a field of a record that the rows lack: they are not used, and users are told."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assay.records.recognize import ID_FIELDS, OUTPUT_FIELDS, REFERENCE_FIELDS, SOURCE_FIELDS, Table

ROLES: dict[str, tuple[frozenset[str], Collection[str]]] = {
    "id": (
        frozenset(
            ("item_id", "sample_id", "prompt_id", "question_id", "query_id", "task_id", "qid", "uid", "uuid", "idx")
        ),
        ID_FIELDS,
    ),
    "system": (frozenset(("model", "model_name", "model_id", "system_name", "system_id", "generator")), ("system",)),
    "output": (
        frozenset(("model_output", "completion", "candidate", "generation", "system_output", "mt")),
        (*OUTPUT_FIELDS, "predictions"),
    ),
    "reference": (
        frozenset(
            ("gold", "gold_answer", "gold_summary", "golden", "ground_truth", "groundtruth", "expected_output",
             "ideal", "reference_text", "reference_answer", "reference_summary", "gold_reference", "target_text")
        ),
        (*REFERENCE_FIELDS, "expected"),
    ),
    "source": (frozenset(("src_text", "source_text", "input_text", "original_text")), (*SOURCE_FIELDS, "input")),
}  # fmt: skip
"""For each field: other names that people use for it, and the names by which it is known."""


def misnamed_columns(table: Table, roles: Sequence[str]) -> tuple[str, ...]:
    """Return a note about columns that look like a field which the table lacks; empty if there are none.

    They are not taken for that field: `model` may name the judge, and `gold` a label.

    Args:
        table: A table without rows of other tools, whose fields are known.
        roles: Fields that this kind of file may have.
    """
    if not table.rows:
        return ()
    columns = {name.lower().replace(" ", "_").replace("-", "_"): name for name in table.rows[0].fields}
    renamed = [
        f'{columns[name]} (for the {role}: rename it "{role}")'
        for role in roles
        for name in sorted(ROLES[role][0] & columns.keys())
        if not any(known in table.rows[0].fields for known in ROLES[role][1])
    ]
    return (f"{table.path}: not used: {', '.join(renamed)}",) if renamed else ()
