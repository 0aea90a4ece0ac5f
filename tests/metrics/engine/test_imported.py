"""Imported scores: means, intervals and tests agree with numpy and scipy; missing scores are reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import permutation_test

import assay
from assay.errors import AssayError
from assay.execution.imported_scores import read_scores
from tests.conftest import Call, write_jsonl

N = 60
RNG = np.random.default_rng(3)
SCORES = {"a": RNG.normal(0.7, 0.1, N), "b": RNG.normal(0.75, 0.1, N)}
TEXTS = {str(i): f"text number {i}" for i in range(N)}
ROWS = [{"id": str(i), "system": name, "comet": float(x)} for name, each in SCORES.items() for i, x in enumerate(each)]


def test_means_intervals_and_tests() -> None:
    """The same inference as for other metrics, compared with numpy and scipy."""
    results = assay.score_all({"a": TEXTS, "b": TEXTS}, TEXTS, metrics="rouge1", scores=ROWS, ci=2000)
    for name, result in results.items():
        score = result.scores["comet"]
        assert score.value == pytest.approx(SCORES[name].mean())
        resamples = np.random.default_rng(0).choice(SCORES[name], (4000, N)).mean(axis=1)
        assert (score.low, score.high) == pytest.approx(tuple(np.quantile(resamples, (0.025, 0.975))), abs=0.003)
    row = assay.compare(results["a"], results["b"], samples=4000)["comet"]
    exact = permutation_test(
        (SCORES["b"], SCORES["a"]), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=4000, rng=1
    )
    assert row.difference == pytest.approx(float(SCORES["b"].mean() - SCORES["a"].mean()))
    assert row.p == pytest.approx(float(exact.pvalue), abs=0.02)
    assert results["a"].scores["comet"].signature.startswith("imported|column:comet|better:higher|")


def test_subsets_and_saved_runs(tmp_path: Path) -> None:
    examples = [{"id": id, "references": [text], "tags": {"half": str(int(id) % 2)}} for id, text in TEXTS.items()]
    scores = [row for row in ROWS if row["system"] == "a"]
    result = assay.score(TEXTS, examples=examples, metrics="rouge1", scores=scores, system="a", save=tmp_path / "run")
    assert result.by("half")["1"].scores["comet"].value == pytest.approx(SCORES["a"][1::2].mean())
    again = assay.load_run(tmp_path / "run")
    assert again.scores["comet"].value == result.scores["comet"].value
    assert again.per_example["comet"].to_list() == result.per_example["comet"].to_list()


def test_missing_scores_are_counted() -> None:
    some = [{"id": str(i), "judge": i % 5, "ter": 0.5} for i in range(N - 4)]
    result = assay.score(TEXTS, TEXTS, metrics="rouge1", scores=some)
    assert result.scores["judge"].value == pytest.approx(np.mean([i % 5 for i in range(N - 4)]))
    assert any("4 of 60 items have no judge in <scores> (56, 57, 58 …)" in note for note in result.notes)
    assert [part.better for _, part in result.parts.values()][-2:] == ["higher", "lower"]


def test_one_file_a_system(tmp_path: Path) -> None:
    for name, values in SCORES.items():
        rows = [{"id": str(i), "comet": float(value)} for i, value in enumerate(values)]
        write_jsonl(tmp_path / f"{name}.jsonl", rows)
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    results = assay.score_all({"a": TEXTS, "b": TEXTS}, TEXTS, metrics="rouge1", scores=files)
    assert results["b"].scores["comet"].value == pytest.approx(SCORES["b"].mean())


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "0", "note": "good"}], "no numeric column"),
        ([{"id": "x", "comet": 1.0}], "no score of an item of outputs"),
        ([{"id": "0", "comet": 1.0}, {"id": "0", "comet": 2.0}], "a second comet of item 0"),
        ([{"id": "0", "system": "z", "comet": 1.0}], "no score of an item of outputs"),
    ],
)
def test_invalid_scores_are_refused(rows: list[dict[str, object]], message: str) -> None:
    with pytest.raises(AssayError, match=message):
        assay.score(TEXTS, TEXTS, metrics="rouge1", scores=rows)


def test_the_command(here: Callable[..., Call], tmp_path: Path) -> None:
    outputs = write_jsonl(tmp_path / "a.jsonl", [{"id": id, "output": text} for id, text in TEXTS.items()])
    scores = write_jsonl(tmp_path / "comet.jsonl", ROWS)
    references = tmp_path / "r.json"
    references.write_text(json.dumps(TEXTS))
    actual = here("score", outputs, "-r", references, "-m", "rouge1", "--scores", scores, "--ci", 100, "--json").json
    assert actual["scores"]["comet"]["low"] < actual["scores"]["comet"]["value"] < actual["scores"]["comet"]["high"]
    assert here("score", outputs, "-m", "imported").code == 1


def several(folder: Path) -> tuple[list[Path], Path]:
    """Return the outputs of three systems, and their references."""
    files = [
        write_jsonl(folder / f"{name}.jsonl", [{"id": id, "output": f"{text} {name}"} for id, text in TEXTS.items()])
        for name in ("a", "b", "c")
    ]
    return files, write_jsonl(folder / "r.jsonl", [{"id": id, "references": [text]} for id, text in TEXTS.items()])


def test_one_file_without_systems_is_not_about_all_of_them(here: Callable[..., Call], tmp_path: Path) -> None:
    """Otherwise the scores of one system would be used for all, and all would tie."""
    files, references = several(tmp_path)
    scores = write_jsonl(
        tmp_path / "comet.jsonl", [{"id": str(i), "comet": float(x)} for i, x in enumerate(SCORES["a"])]
    )
    for command in ("compare", "table"):
        call = here(command, *files[:2], "-r", references, "-m", "rouge1", "--scores", scores)
        assert call.code == 1
        assert "comet.jsonl: no system column, and there are several systems" in call.err


def test_saved_runs_accept_scores_like_files(here: Callable[..., Call], tmp_path: Path) -> None:
    files, references = several(tmp_path)
    scores = write_jsonl(tmp_path / "comet.jsonl", ROWS)
    for file in files[:2]:
        assert here("score", file, "-r", references, "-m", "rouge1", "--save", tmp_path / "runs" / file.stem).code == 0
    arguments = ("--scores", scores, "--better", "comet=lower", "--json")
    of_files = here("table", *files[:2], "-r", references, "-m", "rouge1", *arguments).json["sets"][0]["scores"]
    of_runs = here("table", tmp_path / "runs", *arguments).json["sets"][0]["scores"]
    assert of_files == of_runs
    assert of_files["a"]["comet"]["verdict"] == "best"
    compared = here("compare", tmp_path / "runs/a", tmp_path / "runs/b", *arguments).json["metrics"]["comet"]
    assert compared["difference"] == pytest.approx(float(SCORES["b"].mean() - SCORES["a"].mean()))


def test_a_system_without_scores_is_named(here: Callable[..., Call], tmp_path: Path) -> None:
    files, references = several(tmp_path)
    scores = write_jsonl(tmp_path / "comet.jsonl", ROWS)
    actual = here("table", *files, "-r", references, "-m", "rouge1", "--scores", scores, "--json").json
    assert actual["sets"][0]["scores"]["c"]["comet"]["value"] is None
    assert actual["sets"][0]["left_out"]["comet"] == "some systems do not have it"
    call = here("table", *files, "-r", references, "-m", "rouge1", "--scores", scores)
    assert "c: no score of its items in" in call.err


@pytest.mark.parametrize("form", ["lines", "column", "comet"])
def test_scores_in_the_order_of_the_outputs(form: str, tmp_path: Path) -> None:
    """One number per line, a single column, and the JSON of COMET: lists by the name of the outputs file."""
    texts = list(TEXTS.values())
    path = tmp_path / ("judge.txt" if form == "lines" else "scores.json")
    lines = [str(x) for x in SCORES["a"]]
    if form == "comet":
        items = {f"{name}.txt": [{"mt": "x", "judge": x} for x in each] for name, each in SCORES.items()}
        path.write_text(json.dumps(items))
    else:
        path.write_text("\n".join(["judge", *lines] if form == "column" else lines))
    result = assay.score(texts, texts, metrics="rouge1", scores=path, system="a")
    assert result.scores["judge"].value == pytest.approx(SCORES["a"].mean())
    with pytest.raises(AssayError, match="60 scores without ids for the 59 outputs of a"):
        assay.score(texts[1:], texts[1:], metrics="rouge1", scores=path, system="a")


def test_direction_of_scores(here: Callable[..., Call], tmp_path: Path) -> None:
    names = {"ter": "lower", "ter-2": "lower", "metricx_24": "lower", "terseness": "higher", "cerise": "higher"}
    scores = [{"id": id, **dict.fromkeys(names, 0.5)} for id in TEXTS]
    result = assay.score(TEXTS, TEXTS, metrics="rouge1", scores=scores)
    assert {name: result.parts[name][1].better for name in names} == names
    scored = assay.score(TEXTS, TEXTS, metrics="rouge1", scores=scores, better={"cerise": "neither", "ter": "higher"})
    assert (scored.parts["cerise"][1].better, scored.parts["ter"][1].better) == (None, "higher")
    outputs = write_jsonl(tmp_path / "a.jsonl", [{"id": "1", "output": "x", "references": ["x"]}])
    for options, message in (
        (["--better", "comet=lower"], "--better requires --scores"),
        (["--scores", outputs, "--better", "comet=down"], "is not NAME=lower"),
    ):
        call = here("score", outputs, "-m", "rouge1", *options)
        assert (call.code, message in call.err) == (2, True)
    twice = [write_jsonl(tmp_path / f"{name}.jsonl", ROWS) for name in ("x", "y")]
    with pytest.raises(AssayError, match="comet of a occurs twice"):
        assay.score(TEXTS, TEXTS, metrics="rouge1", scores=twice, system="a")


def test_answers_of_samples_are_no_scores(tmp_path: Path) -> None:
    """Numeric answers and fields that `metrics` does not declare are not read as scores."""
    samples = [
        {
            "doc_id": i, "doc": {"answer": "7"}, "target": "7", "arguments": [["How many?", {}]],
            "resps": [["42"]], "filtered_resps": ["42"], "filter": "none", "metrics": ["exact_match"], "seconds": 1.5,
            "exact_match": float(i % 2),
        }
        for i in range(4)
    ]  # fmt: skip
    scores = read_scores(write_jsonl(tmp_path / "samples_sums.jsonl", samples))
    assert {column for columns in scores.values.values() for column in columns} == {"exact_match"}
    older = [{key: value for key, value in row.items() if key not in ("metrics", "seconds")} for row in samples]
    scores = read_scores(write_jsonl(tmp_path / "samples_old.jsonl", older))
    assert {column for columns in scores.values.values() for column in columns} == {"exact_match"}
    plain = write_jsonl(tmp_path / "plain.jsonl", [{"id": "1", "output": "42", "reference": "7", "acc": 0.0}])
    assert list(read_scores(plain).values[None]) == ["acc"]
