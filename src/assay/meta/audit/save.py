"""Save an audit in a results folder for the explorer."""

from __future__ import annotations

from pathlib import Path

from assay.errors import AssayError
from assay.meta.audit.report import Audit
from assay.records.files import to_json, write_text
from assay.store.saved_audit import FILE, SavedAudit, TrustCard


def save_audit(audit: Audit, folder: Path) -> Path:
    """Write an audit to an existing folder of `assay run`, of saved runs, or of one run.

    Raises:
        AssayError: The folder does not exist.
    """
    if not folder.is_dir():
        raise AssayError(f"{folder}: no such folder. Give a folder of `assay run` or `assay score --save`.")
    fields = set(TrustCard.__struct_fields__) - {"line", "signature"}
    cards = [
        TrustCard(
            line=verdict.line, signature=audit.signatures[verdict.metric],
            **{name: getattr(verdict, name) for name in fields},
        )
        for verdict in audit.verdicts
    ]  # fmt: skip
    saved = SavedAudit(
        cards=cards, systems=audit.systems, n=audit.n, repeats=audit.repeats, strength=audit.strengths[-1],
        seed=audit.seed,
    )  # fmt: skip
    write_text(folder / FILE, to_json(saved) + "\n")
    return folder / FILE
