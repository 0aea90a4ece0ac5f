"""`assay compare --like`: what the differences mean to annotators, and where there is no evidence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]


def test_differences_are_explained_where_there_is_evidence(here: Run, tmp_path: Path) -> None:
    words = "the old mill by the river burned down last night and nobody was hurt".split()
    references = write_jsonl(
        tmp_path / "ex.jsonl", [{"id": str(i), "references": [" ".join(words)]} for i in range(40)]
    )
    good, bad = (
        write_jsonl(
            tmp_path / f"{name}.jsonl",
            [{"id": str(i), "output": " ".join(words[: size + i % 3])} for i in range(40)],
        )
        for name, size in (("good", 9), ("bad", 8))
    )
    common = ("compare", bad, good, "-e", references, "-m", "rouge,ttr", "--like", "summarization")
    call = here(*common)
    assert call.code == 0, call.err
    lines = [line for line in call.out.splitlines() if line.startswith("rouge1 +")]
    assert "annotators agree with the sign in " in lines[0]
    assert "ttr: no evidence for summarization" in call.out
    stored = here(*common, "--json").json["meaning"][0]
    assert 0.4 < stored["rouge1"]["share"] < 1
    assert stored["rouge1"]["difference"] == pytest.approx(float(lines[0].split()[1].rstrip(":")), rel=1e-3)
    assert "no evidence" in stored["ttr"]["why"]
    assert "did you mean summarization" in here(*common[:-1], "sumarization").err
    assert "cannot be combined" in here(*common, "--format", "latex").err
