"""Static vectors: greedy and mover against linear programs of scipy, and a table made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.errors import AssayError
from assay.metrics import resolve
from assay.metrics._kernels import mover
from assay.models.subword_vectors import StaticVectors
from assay.records import Example, Items
from tests.support import each, interpreted, score

WORDS = {"cat": [1.0, 0, 0], "dog": [0.8, 0.6, 0], "tax": [0, 0, 1.0], "law": [0, 0.6, 0.8], "[UNK]": [0, 0, 0]}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Five words and their vectors; all else is unknown, and like nothing."""
    safetensors = pytest.importorskip("safetensors.numpy")
    tokenizers = pytest.importorskip("tokenizers")
    folder = tmp_path / "table"
    folder.mkdir()
    safetensors.save_file(
        {"embeddings": np.array(list(WORDS.values()), dtype=np.float32)}, folder / "model.safetensors"
    )
    model = tokenizers.models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]")
    made = tokenizers.Tokenizer(model)
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.save(str(folder / "tokenizer.json"))
    return folder


def least_cost(costs: Any, supply: Any, demand: Any) -> float:
    """By linear programming."""
    optimize = pytest.importorskip("scipy.optimize")
    n, m = costs.shape
    rows = np.zeros((n + m, n * m))
    for i in range(n):
        rows[i, i * m : (i + 1) * m] = 1
    for j in range(m):
        rows[n + j, j::m] = 1
    return float(optimize.linprog(costs.ravel(), A_eq=rows, b_eq=np.concatenate([supply, demand])).fun)


@settings(max_examples=40)
@given(n=st.integers(1, 8), m=st.integers(1, 8), seed=st.integers(0, 10**6), ties=st.booleans())
def test_moving_is_as_cheap_as_can_be(n: int, m: int, seed: int, ties: bool) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(1, 4, n), rng.integers(1, 4, m)
    costs = rng.integers(0, 3, (n, m)).astype(np.float64) if ties else rng.random((n, m))
    supply, demand = a * b.sum(), b * a.sum()
    found = mover.moved(costs, supply, demand)
    assert found == pytest.approx(least_cost(costs, supply, demand), rel=1e-7, abs=1e-7)
    assert interpreted("mover").moved(costs, supply, demand) == found


def test_by_hand(table: Path) -> None:
    found = each(
        f"word_vectors:model={table}", ["cat", "cat tax", "cat cat dog", "", "x"], ["dog", "tax dog", "cat", "cat", "y"]
    )
    greedy, moved, average = found.values()
    assert greedy == pytest.approx([0.8, 0.9, ((1 + 1 + 0.8) / 3 + 1) / 2, 0, 0], abs=1e-6)
    assert moved == pytest.approx([0.8, 0.9, (1 + 1 + 0.8) / 3, 0, 0], abs=1e-6)
    mean = np.array([2.8, 0.6, 0])
    assert average[0] == pytest.approx(0.8, abs=1e-6)
    assert average[2] == pytest.approx(mean[0] / np.linalg.norm(mean), abs=1e-6)


def test_moving_sees_what_greedy_matching_does_not(table: Path) -> None:
    """Twice the same word finds its one partner twice; it can be moved there once."""
    found = score(f"word_vectors:model={table}", ["cat cat tax"], ["cat tax tax"])
    assert found["word_vectors.greedy"] == pytest.approx(1)
    assert found["word_vectors.mover"] == pytest.approx(1 - 1 / 3, abs=1e-6)


def test_what_is_no_table_is_a_reason(table: Path, tmp_path: Path) -> None:
    assert "model.safetensors is missing. Give a folder with" in str(StaticVectors(str(tmp_path)).why_not())
    assert StaticVectors(str(table)).why_not() is None
    before = StaticVectors(str(table)).label
    held = np.array(list(WORDS.values()), dtype=np.float32)
    for wrong, told in (
        (held[:3], "the tokenizer has more subwords than the 3 rows"),
        (held * np.nan, "is not finite"),
    ):
        pytest.importorskip("safetensors.numpy").save_file({"embeddings": wrong}, table / "model.safetensors")
        with pytest.raises(AssayError, match=f"not a table of vectors .*{told}"):
            score(f"word_vectors:model={table}", ["law"], ["cat"])
    (table / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(AssayError, match="not a table of vectors"):
        score(f"word_vectors:model={table}", ["a"], ["b"])
    assert before.startswith("table-")
    assert "|model:gone|" in resolve("word_vectors:model=nowhere")[0].metric.signature("1")


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.models import subword_vectors

    monkeypatch.setitem(subword_vectors.PACKAGES, "wordllama", ("not_there", "a", "b"))
    assert (
        resolve("word_vectors")[0].metric.why_not()
        == "weights for wordllama not found; pip install --no-deps not_there"
    )


@pytest.mark.skipif(bool(why_not := StaticVectors().why_not()), reason=str(why_not))
def test_the_package_works_offline() -> None:
    near = assay.score(["A cat sat on the mat."], ["The kitten sat on a rug."], metrics="word_vectors").scores
    far = assay.score(["A cat sat on the mat."], ["Taxes rose by a tenth."], metrics="word_vectors").scores
    for name, value in near.items():
        assert (value.value or 0) > (far[name].value or 0) + 0.1
    assert score("word_vectors", ["a cat"], ["a cat"]) == pytest.approx(dict.fromkeys(near, 1.0))


def test_languages_that_the_table_does_not_have_are_not_judged(table: Path) -> None:
    items = Items(
        ("a cat", "un chat"), tuple(Example(id=name, references=("a",), language=name) for name in ("en", "fr-CA"))
    )
    why = resolve("word_vectors")[0].metric.unfit(items)
    assert (why or "").startswith("wordllama supports en, but 1 of 2 items are fr")
    spelled = ("word_vectors:languages=EN+fr_CA", "word_vectors:languages=any", "word_vectors:languages=en+fr")
    for spec in (*spelled, f"word_vectors:model={table}"):
        assert resolve(spec)[0].metric.unfit(items) is None
