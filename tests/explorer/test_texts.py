"""Examples: found by tag, text, score and difference, a page at a time."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.errors import AssayError
from assay.explorer.queries import Queries
from assay.explorer.texts import parse_query
from assay.store.saved_run import load_run


@pytest.fixture(scope="module")
def queries(sample: Path) -> Queries:
    return Queries([sample])


def ids(queries: Queries, **query: Any) -> list[str]:
    pairs = [
        (name, str(one)) for name, value in query.items() for one in (value if isinstance(value, list) else [value])
    ]
    found = queries.examples("news", [*pairs, ("limit", "200")])
    assert found.matching == len(found.examples)
    return [example.id for example in found.examples]


def examples(sample: Path) -> list[dict[str, Any]]:
    lines = (sample / "news" / "examples.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_examples_are_in_file_order(queries: Queries, sample: Path) -> None:
    assert ids(queries) == [example["id"] for example in examples(sample)]


def test_pages_of_examples_are_contiguous(queries: Queries) -> None:
    pages = [queries.examples("news", [("offset", str(at)), ("limit", "7")]) for at in range(0, 40, 7)]
    assert [e.id for page in pages for e in page.examples] == ids(queries)
    assert {page.matching for page in pages} == {40}


def test_examples_by_tag_and_text(queries: Queries, sample: Path) -> None:
    german = [e["id"] for e in examples(sample) if e["language"] == "de"]
    assert ids(queries, where="language=de") == german
    topic = examples(sample)[0]["tags"]["topic"]
    both = [e["id"] for e in examples(sample) if e["tags"]["topic"] == topic and e["language"] == "en"]
    assert ids(queries, where=[f"topic={topic}", "language=en"]) == both
    assert ids(queries, text="HARROWMERE") == [
        e["id"] for e in examples(sample) if "harrowmere" in json.dumps(e).lower()
    ]
    assert ids(queries, text="(") == ids(queries, text="(")  # a bracket is a bracket, not a pattern
    assert ids(queries, text="no such words at all") == []


def test_examples_by_score_and_difference(queries: Queries, sample: Path) -> None:
    lead, copy = (load_run(sample / "news" / name).per_example for name in ("lead", "copy"))
    values = lead["rouge1"].to_numpy()
    order = [lead["id"][int(i)] for i in np.argsort(values, kind="stable")]
    assert ids(queries, metric="rouge1", system="lead", order="up") == order
    high = {id for id, value in zip(lead["id"], values, strict=True) if 0.4 <= value <= 0.6}
    assert set(ids(queries, metric="rouge1", system="lead", low=0.4, high=0.6)) == high
    gap = np.abs(values - copy["rouge1"].to_numpy())
    largest = lead["id"][int(np.argmax(gap))]
    assert ids(queries, metric="rouge1", system="lead", against="copy", order="size")[0] == largest


def test_example_has_input_outputs_and_judgements(queries: Queries, sample: Path) -> None:
    found = queries.examples("news", [("id", "news-03")]).examples[0]
    stored = next(e for e in examples(sample) if e["id"] == "news-03")
    assert found.source == stored["source"]
    assert found.references == stored["references"]
    assert [output.system for output in found.outputs] == ["lead", "copy", "template", "rewrite"]
    per_example = {row["id"]: row for row in load_run(sample / "news" / "lead").per_example.to_dicts()}
    assert found.outputs[0].scores["rouge1"] == pytest.approx(per_example["news-03"]["rouge1"], abs=1e-6)


def test_deleted_texts_keep_scores(sample: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(sample, copied)
    for file in copied.rglob("*.jsonl"):
        file.unlink()
    found = Queries([copied]).examples("news", [])
    assert found.total == 40
    assert found.examples[0].outputs[0].text is None
    assert found.examples[0].outputs[0].scores["rouge1"] is not None
    assert any("not in the folder" in note for note in found.notes)


def test_number_of_examples_is_limited(queries: Queries) -> None:
    assert len(queries.examples("news", [("limit", "1000000")]).examples) == 40
    with pytest.raises(AssayError, match="integer"):
        parse_query("news", [("limit", "-1")])
