"""Invalid statistics are refused with a one-line error and never reach a kernel."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest
from numpy.typing import NDArray

import assay
from assay.errors import AssayError
from assay.metrics import METRICS, resolve
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import DamagedError, Dense, Floats, Tokens
from assay.records.digests import SEAL
from assay.stats.resample import all_items

ROOT = Path(__file__).parents[3]
WORDS = ("a", "b", "c")
TOKENS = Tokens(np.array([0, 1, 2, 1], dtype=np.int32), np.array([0, 2, 2, 4]), WORDS)
DENSE = Dense(("hits", "all"), np.array([[1.0, 2.0], [0.0, 3.0], [2.0, 2.0]]))
Arrays = dict[str, NDArray[Any]]


def of_words(*lists: list[str | None] | None, inner: Any = None) -> polars.DataFrame:
    kind = polars.List(polars.Enum(WORDS) if inner is None else inner)
    return polars.DataFrame({"tokens": polars.Series(lists, dtype=kind)})


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (of_words(["a", None], ["b"]), "items span 3 tokens, but there are 2"),
        (of_words([None, None, None], ["b"]), "items span 4 tokens, but there are 1"),
        (of_words(["a"], None), "column tokens contains a null"),
        (of_words(["a"], inner=polars.String), "lists of words"),
        (of_words(["a"], inner=polars.Categorical), "lists of words"),
        (polars.DataFrame({"tokens": ["a b"]}), "lists of words"),
        (polars.DataFrame({"tokens": [[1, 2]]}), "lists of words"),
    ],
)
def test_damaged_frames_of_tokens(frame: polars.DataFrame, why: str) -> None:
    with pytest.raises(DamagedError, match=why):
        Tokens.from_frame(frame)


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        ({"hits": [1.0, None]}, "column hits contains a null"),
        ({"hits": [1.0, float("nan")]}, "hits of row 2 is not finite"),
        ({"all": [1.0, 2.0], "hits": [float("-inf"), float("inf")]}, "hits of row 1 is not finite"),
        ({"hits": ["1", "2"]}, "column hits is String, expected numbers"),
        ({"hits": [[1.0], [2.0]]}, "expected numbers"),
        ({"hits": [b"1"]}, "expected numbers"),
    ],
)
def test_damaged_frames_of_numbers(frame: Mapping[str, Any], why: str) -> None:
    with pytest.raises(DamagedError, match=why):
        Dense.from_frame(polars.DataFrame(frame))


def starts(*values: int) -> Callable[[Arrays], None]:
    return lambda arrays: arrays.update(starts=np.array(values, dtype=np.int64))


def ids(*values: float, kind: Any = np.int32) -> Callable[[Arrays], None]:
    return lambda arrays: arrays.update(ids=np.array(values, dtype=kind))


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (ids(0, 1, 3, 1), "outside the vocabulary of 3 words"),
        (ids(0, 1, -1, 1), "outside the vocabulary of 3 words"),
        (ids(0, 1, 2), "items span 4 tokens, but there are 3"),
        (ids(0, 1, 2, 1, kind=np.float64), "expected one row of integers"),
        (ids(0, 1, 2, 2**31, kind=np.int64), "tokens are out of range for int32"),
        (ids(0, 1, 2, 2**63, kind=np.uint64), "tokens are out of range for int32"),
        (lambda arrays: arrays.update(ids=np.zeros((2, 2), dtype=np.int32)), "expected one row of integers"),
        (starts(0, 3, 2, 4), "starts of items are not in ascending order"),
        (starts(1, 2, 2, 4), "starts of items are not in ascending order"),
        (starts(0, 2, 2, 5), "items span 5 tokens"),
        (starts(0, 2, 2, 2**62), "items span"),
        (starts(0, -(2**62), 2, 4), "starts of items are not in ascending order"),
        (starts(), "starts of items are not in ascending order"),
    ],
)
def test_damaged_arrays_of_tokens(damage: Callable[[Arrays], None], why: str) -> None:
    arrays = TOKENS.to_arrays()
    damage(arrays)
    with pytest.raises(DamagedError, match=why):
        Tokens.from_arrays(arrays)


@pytest.mark.parametrize(
    "values", [np.zeros(3), np.zeros((3, 1)), np.zeros((3, 2), dtype="S3"), np.full((3, 2), np.inf)]
)
def test_damaged_arrays_of_numbers(values: NDArray[Any]) -> None:
    with pytest.raises(DamagedError):
        Dense.from_arrays({**DENSE.to_arrays(), "values": values})


def test_valid_statistics_are_unchanged() -> None:
    for rows in (TOKENS, Tokens(np.zeros(0, dtype=np.int32), np.array([0]), ())):
        for again in (Tokens.from_frame(rows.to_frame()), Tokens.from_arrays(rows.to_arrays())):
            assert again.ids.tolist() == rows.ids.tolist()
            assert again.starts.tolist() == rows.starts.tolist()
            assert again.vocabulary == rows.vocabulary
    for dense in (Dense.from_frame(DENSE.to_frame()), Dense.from_arrays(DENSE.to_arrays())):
        assert dense.columns == DENSE.columns
        assert np.array_equal(dense.values, DENSE.values)
    largest = np.full((2, 1), np.finfo(np.float64).max)  # finite, although the sum is not
    assert Dense(("a",), largest).values.tolist() == largest.tolist()


def test_numbers_of_other_types_are_converted_or_refused() -> None:
    """Plug-ins need not know the array types of kernels."""
    assert Dense(("hits",), np.array([[1], [2]])).values.dtype.name == "float64"
    wide = Tokens(np.array([0, 1]), np.array([0, 1, 2], dtype=np.int32), WORDS)
    assert [wide.ids.dtype.name, wide.starts.dtype.name] == ["int32", "int64"]


@pytest.mark.parametrize("spec", ["ngrams", "msttr", "ttr", "yules_i", "lengths", "self_bleu", "nist", "cider", "bleu"])
def test_statistics_of_other_items_or_metrics_are_not_folded(spec: str) -> None:
    """Resamples of more items than rows would make a kernel read outside its arrays."""
    metric = resolve(spec)[0].metric
    right, wrong = (DENSE, TOKENS) if spec == "bleu" else (TOKENS, DENSE)
    for n in (2, 4):
        with pytest.raises(AssayError, match=f"3 rows for {n} items"):
            metric.fold(right, all_items(n))
    with pytest.raises(AssayError, match=r"(Tokens|Dense) rows, expected (Tokens|Dense)"):
        metric.fold(wrong, all_items(3))


DENSE_METRICS = [
    name
    for name in METRICS
    if isinstance(made := resolve(name)[0].metric, SumMetric) and name not in ("nist", "cider") and not made.why_not()
]
"""All but nist and cider, which are folded from tokens, and metrics whose weights are not installed."""


@pytest.mark.parametrize("spec", DENSE_METRICS)
def test_statistics_of_another_metric_are_refused_by_their_columns(spec: str) -> None:
    """For any number of columns: a value computed from them would be meaningless."""
    metric = resolve(spec)[0].metric
    assert isinstance(metric, SumMetric)
    own = metric.columns()
    assert own
    for others in (("a",), tuple(f"c{i}" for i in range(len(own))), (*own, "more"), own[::-1] if len(own) > 1 else ()):
        with pytest.raises(AssayError, match=f"{re.escape(metric.name)}: statistics of another metric .columns are"):
            metric.fold(Dense(others, np.ones((3, len(others)))), all_items(3))
    assert metric.misfit(Dense(own, np.ones((3, len(own))))) is None


def test_a_metric_without_column_names_explains_the_error() -> None:
    class Ratio(SumMetric):
        name = "ratio"

        def parts(self) -> tuple[Part, ...]:
            return (Part("ratio"),)

        def values(self, sums: Floats) -> Values:
            return {"ratio": sums[:, 0] / sums[:, 1]}

    with pytest.raises(AssayError, match="ratio: cannot compute a value from statistics with 1 column"):
        Ratio().fold(Dense(("a",), np.ones((3, 1))), all_items(3))


def test_a_stored_file_of_another_metric_is_named(tmp_path: Path) -> None:
    """A run folder without digests, as earlier versions wrote it, in which one file was replaced by another."""
    texts = ["the cat sat on the mat .", "a dog ran off .", "nobody sings here ."]
    assay.score(texts, texts, metrics="bleu,chrf", save=tmp_path / "run")
    manifest = json.loads((tmp_path / "run/run.json").read_text())
    plain = {key: value for key, value in manifest.items() if key not in ("files", SEAL)}
    (tmp_path / "run/run.json").write_text(json.dumps(plain))
    bleu, chrf = (next((tmp_path / "run/statistics").glob(f"{name}*")) for name in ("bleu", "chrf"))
    shutil.copy(chrf, bleu)
    with pytest.raises(AssayError, match=r"bleu-.*parquet: damaged .columns are .*; bleu has .*assay store verify"):
        assay.load_run(tmp_path / "run")


@pytest.mark.slow
def test_kernels_stay_inside_their_arrays(tmp_path: Path) -> None:
    """Compiled with bounds checks and under the address sanitizer, over valid and damaged statistics."""
    gcc = shutil.which("gcc")
    actual = subprocess.run([gcc, "-print-file-name=libasan.so"], capture_output=True, text=True).stdout if gcc else ""
    if not Path(actual.strip()).is_absolute():
        pytest.skip("needs gcc with the address sanitizer")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("*.so", "__pycache__", "static"))
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    environment = {**os.environ, "ASSAY_KERNELS": "checked", "PYTHONPATH": str(tmp_path / "src")}
    build = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
    subprocess.run(build, cwd=tmp_path, env=environment, capture_output=True, check=True)
    environment |= {"LD_PRELOAD": actual.strip(), "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}
    script = Path(__file__).with_name("watched_kernels.py")
    done = subprocess.run([sys.executable, script, "400"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    report = json.loads(done.stdout)
    assert report["wrong"] == []
    assert report["refused"] > 100
    assert report["folded"] > 50
