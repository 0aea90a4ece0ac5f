"""Sets whose statistics stay on disk: the same numbers as in memory, read again without loading, within bounds."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.execution import measure
from assay.metrics.engine import merged_types, row_collectors, spill
from assay.metrics.engine.statistics import Dense, Rows, Tokens
from assay.records import lazy_files
from assay.store.column_files import read_columns, write_columns

SAMPLE = Path(assay.__file__).parent / "sample"
NEWS: dict[str, Any] = {"outputs": SAMPLE / "outputs/lead/news.jsonl", "examples": SAMPLE / "news.jsonl"}
LIMIT = 1000.0
"""Megabytes that the commanding process may take for 200,000 pairs."""


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is large, files too, and hardly anything is held."""
    monkeypatch.setattr(row_collectors, "LARGE_SET", 5)
    monkeypatch.setattr(spill, "LARGE", 10)
    monkeypatch.setattr(spill, "BLOCK", 300)
    monkeypatch.setattr(merged_types, "PARTITION", 100)
    monkeypatch.setattr(measure, "SHARD", 7)
    monkeypatch.setattr(lazy_files, "LARGE", 10)


def plain(result: assay.Result) -> dict[str, Any]:
    return {name: (score.value, score.low, score.high, score.signature) for name, score in result.scores.items()}


def _values(scores: dict[str, Any]) -> dict[str, Any]:
    return {name: (value, signature) for name, (value, _, _, signature) in scores.items()}


@pytest.mark.parametrize("ci", [0, 100])
@pytest.mark.parametrize("save", [True, False])
def test_same_numbers(tmp_path: Path, request: pytest.FixtureRequest, ci: int, save: bool) -> None:
    expected = plain(assay.score(**NEWS, suite="gem-light", ci=ci))
    request.getfixturevalue("tiny")
    folder = tmp_path / "run"
    found = assay.score(**NEWS, suite="gem-light", ci=ci, save=folder if save else None)
    assert _values(plain(found)) == _values(expected)
    for name, (_, *ends, _) in plain(found).items():  # sums over words in a draw are made in another order
        known = expected[name][1:3]
        assert ends == ([None, None] if None in known else pytest.approx(known, rel=1e-12)), name
    if save:
        assert {path.suffix for path in (folder / "statistics").iterdir()} == {".npz"}
        stored = assay.load_run(folder)
        assert plain(stored) == plain(found)
        assert stored.per_example.equals(found.per_example)
        assert not list(folder.rglob("*.partial"))


@pytest.mark.usefixtures("tiny")
def test_two_workers_write_the_same_bytes(tmp_path: Path) -> None:
    for workers in (1, 2):
        assay.score(**NEWS, metrics="rouge,ngrams,nist", workers=workers, save=tmp_path / str(workers))
    one, two = (sorted((tmp_path / str(workers) / "statistics").iterdir()) for workers in (1, 2))
    assert [path.name for path in one] == [path.name for path in two]
    for a, b in zip(one, two, strict=True):
        assert a.read_bytes() == b.read_bytes()


@pytest.mark.usefixtures("tiny")
def test_a_metric_is_added_and_damage_is_mended(tmp_path: Path) -> None:
    assay.score(**NEWS, metrics="rouge", save=tmp_path)
    both = assay.score(**NEWS, metrics="rouge,ngrams", save=tmp_path)
    log = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    assert log[-1]["computed"] == ["ngrams"]
    (file,) = (tmp_path / "statistics").glob("tokens-*.npz")
    file.write_bytes(file.read_bytes()[:-20] + bytes(20))
    with pytest.raises(AssayError, match=r"tokens-.*npz: damaged .*--repair"):
        assay.load_run(tmp_path)
    command = [sys.executable, "-m", "assay", "store", "verify", str(tmp_path), "--repair"]
    subprocess.run(command, check=True, capture_output=True)  # there, where nothing is large
    assert plain(assay.load_run(tmp_path)) == plain(both)


@pytest.mark.parametrize(
    "rows",
    [
        Dense(("a", "bc"), np.array([[1.0, 2.5], [0.0, -3.0], [7.0, 1e300]])),
        Tokens(np.array([0, 1, 1], np.int32), np.array([0, 0, 2, 3]), ("é", "x y")),
        Tokens(np.zeros(0, np.int32), np.array([0, 0, 0, 0]), ()),
    ],
)
def test_columns_come_back_as_they_were(tmp_path: Path, rows: Rows) -> None:
    write_columns(tmp_path / "rows.npz", rows, "these")
    again = read_columns(tmp_path, "rows.npz", "these", {})
    for name, array in rows.to_arrays().items():
        found = again.to_arrays()[name]
        assert found.dtype == array.dtype
        assert found.tobytes() == array.tobytes()
        assert found.ctypes.data % found.dtype.itemsize == 0
    with np.load(tmp_path / "rows.npz") as anywhere:  # for whoever has no assay
        assert set(anywhere) == {"items", *rows.to_arrays()}
    with pytest.raises(AssayError, match="belongs to another run"):
        read_columns(tmp_path, "rows.npz", "others", {})
    (tmp_path / "rows.npz").write_bytes(b"PK nothing")
    with pytest.raises(AssayError, match="damaged"):
        read_columns(tmp_path, "rows.npz", "these", {})


@pytest.mark.usefixtures("tiny")
def test_tags_ids_and_order_of_a_file_that_is_not_loaded(tmp_path: Path) -> None:
    examples = [
        {"id": f"i{i}", "references": ["a cat"], **({"language": "de", "tags": {"t": "x"}} if i % 3 == 0 else {})}
        for i in range(20)
    ]
    outputs = [{"id": each["id"], "output": "the cat"} for each in examples]
    random.Random(0).shuffle(outputs)
    for name, records in (("o", outputs), ("e", examples)):
        (tmp_path / name).write_text("\n".join(map(json.dumps, records)) + "\n", encoding="utf-8")
    result = assay.score(tmp_path / "o", examples=tmp_path / "e", metrics="rouge1,bleu")
    assert result.index["id"].to_list() == [f"i{i}" for i in range(20)]
    assert result.index.columns == ["id", "language", "split", "parent", "tags.t"]
    assert result.subset("language=de", "t=x").n == 7
    twice = [*outputs, outputs[0]]
    (tmp_path / "o").write_text("\n".join(map(json.dumps, twice)) + "\n", encoding="utf-8")
    with pytest.raises(AssayError, match="1 id more than once"):
        assay.score(tmp_path / "o", examples=tmp_path / "e", metrics="rouge1")


@pytest.mark.slow
def test_memory_for_many_pairs(tmp_path: Path) -> None:
    """200,000 pairs, with everything that folds over all of them, stay below a bound, all of it in one process."""
    rng = random.Random(0)
    words = [f"w{i}" for i in range(30_000)]
    heights = np.cumsum(1 / (np.arange(len(words)) + 10)).tolist()

    def text(length: int) -> str:
        return " ".join(rng.choices(words, cum_weights=heights, k=length))

    with (tmp_path / "o").open("w") as outputs, (tmp_path / "e").open("w") as examples:
        for i in range(200_000):
            outputs.write(json.dumps({"id": f"{i:06d}", "output": text(12)}) + "\n")
            examples.write(json.dumps({"id": f"{i:06d}", "references": [text(12)]}) + "\n")
    code = (
        "import re, sys\n"
        "from pathlib import Path\n"
        "from assay.metrics.engine import spill\n"
        "from assay.records import lazy_files\n"
        "spill.LARGE, spill.BLOCK, lazy_files.LARGE = 1_000_000, 1_000_000, 1 << 20\n"
        "import assay\n"
        "result = assay.score(sys.argv[1], examples=sys.argv[2], metrics='bleu,ngrams,nist,cider', save=sys.argv[3])\n"
        "assert result.n == 200_000 and result.scores['nist'].value\n"
        # of this program alone: what getrusage says is never less than what the process that started it had
        "print(int(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1]) / 1024)\n"
    )
    arguments = [sys.executable, "-c", code, str(tmp_path / "o"), str(tmp_path / "e"), str(tmp_path / "run")]
    peak = float(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout)
    assert peak < LIMIT, f"{peak:.0f} MB"
