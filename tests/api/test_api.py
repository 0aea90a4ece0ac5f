"""The Python calls: the same answers as the commands, from whatever a caller has at hand."""

from __future__ import annotations

import inspect
import io
import json
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import polars
import pytest

import assay
from assay.cli import main
from assay.errors import AssayError, UsageError
from assay.store.config_records import Config, Dataset, System

SAMPLE = Path(assay.__file__).parent / "sample"
NEWS = SAMPLE / "news.jsonl"
JUDGEMENTS = SAMPLE / "judgements.jsonl"


def printed(*arguments: str | Path) -> dict[str, Any]:
    """What a command prints with --json."""
    said = io.StringIO()
    with redirect_stdout(said), pytest.raises(SystemExit) as end:
        main([*map(str, arguments), "--json"])
    assert not end.value.code
    found: dict[str, Any] = json.loads(said.getvalue())
    return found


@pytest.mark.parametrize(
    "kind",
    [
        lambda texts: texts,
        lambda texts: dict(enumerate_from_one(texts)),
        lambda texts: polars.DataFrame({"id": [i for i, _ in enumerate_from_one(texts)], "output": texts}),
        lambda texts: [{"id": i, "output": text} for i, text in enumerate_from_one(texts)],
        lambda texts: [assay.Output(id=i, output=text) for i, text in enumerate_from_one(texts)],
    ],
    ids=["list", "dict", "frame", "mappings", "records"],
)
def test_outputs_may_be_whatever_is_at_hand(kind: Callable[[list[str]], Any]) -> None:
    given = kind(["the cat sat", "a dog"])
    result = assay.score(given, {"1": "the cat sat", "2": ["a dog ran", "a dog"]}, metrics="rouge1")
    assert result.per_example["rouge1"].to_list() == [1.0, 1.0]


def enumerate_from_one(texts: list[str]) -> list[tuple[str, str]]:
    return [(str(i), text) for i, text in enumerate(texts, 1)]


def test_score_and_compare_say_what_the_commands_print() -> None:
    paths = [SAMPLE / "outputs" / name / "news.jsonl" for name in ("lead", "rewrite")]
    arguments = ("-e", NEWS, "-m", "rouge,chrf")
    scored = [assay.score(path, examples=NEWS, metrics="rouge,chrf", ci=50) for path in paths]
    assert scored[0].to_dict() == printed("score", paths[0], *arguments, "--ci", "50")
    compared = printed("compare", *paths, *arguments, "--samples", "50")
    assert assay.compare(*scored, samples=50).to_dict()["metrics"] == compared["metrics"]


def test_a_run_is_loaded_by_text_or_path(tmp_path: Path) -> None:
    saved = assay.score(["the cat"], ["the cat sat"], metrics="rouge", save=str(tmp_path / "run"))
    for path in (tmp_path / "run", str(tmp_path / "run")):
        assert assay.load_run(path).to_dict() == saved.to_dict()


def test_a_benchmark_from_a_config_in_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SAMPLE)
    lines: list[str] = []
    config = Config(
        name="mine",
        datasets=[Dataset(name="news", examples="news.jsonl", metrics=["rouge1"])],
        systems=[
            System(name="rewrite", outputs="outputs/rewrite/{dataset}.jsonl"),
            System(name="absent", outputs="nowhere/{dataset}.jsonl"),
        ],
        ci=0,
    )
    folder = assay.run(config, tmp_path / "out", more=["lead:k=1"], say=lines.append)
    assert list(folder) == ["news"]
    assert list(folder["news"]) == ["rewrite", "lead-k-1"]
    assert [(entry.system, entry.failed) for entry in folder.missing] == [("absent", False)]
    assert len(lines) == 3
    assert (tmp_path / "out" / "results.json").exists()
    assert folder["news"]["rewrite"].scores["rouge1"].value == pytest.approx(
        assay.score("outputs/rewrite/news.jsonl", examples="news.jsonl", metrics="rouge1").values["rouge1"]
    )
    with pytest.raises(KeyError):
        folder["weather"]
    with pytest.raises(UsageError, match="no such system"):
        assay.run(config, tmp_path / "out", only=["niosy"])
    with pytest.raises(AssayError, match="config mine: no datasets"):
        assay.run(Config(name="mine", datasets=[], systems=config.systems), tmp_path / "none")


def test_generated_texts_are_kept_and_taken_up_again(tmp_path: Path) -> None:
    path = tmp_path / "lead.jsonl"
    first = assay.generate(NEWS, "lead:k=1", path, limit=3)
    assert [output.system for output in first] == ["lead:k=1"] * 3
    written = path.read_bytes()
    assert assay.generate(NEWS, "lead:k=1", path, limit=3) == first
    assert path.read_bytes() == written
    assert assay.generate(NEWS, "lead:k=1", limit=3) == first
    with pytest.raises(AssayError, match="force"):
        assay.generate(NEWS, "lead:k=2", path, limit=3)
    assert len(assay.generate(NEWS, "lead:k=2", path, limit=2, force=True, name="two")) == 2
    with pytest.raises(AssayError, match="pass them as train"):
        assay.generate(NEWS, "frequency", limit=1)


def test_people_and_metrics_as_the_commands_print_them(tmp_path: Path) -> None:
    rows = [{"id": str(i), "fluency": i % 4, "model_name": "ab"[i % 2], "hash": str(i)} for i in range(30)]
    scores = [{"hash": str(i), "model_name": "ab"[i % 2], "bleu": (i % 4) + i / 40, "chrf": i % 3} for i in range(30)]
    for name, found in (("human.json", rows), ("scores.json", scores)):
        (tmp_path / name).write_text(json.dumps(found), encoding="utf-8")
    said = printed(
        "metric", "correlate", "--human", tmp_path / "human.json", "--scores", tmp_path / "scores.json",
        "--column", "fluency",
        "--control", "model_name", "--method", "spearman,pearson", "--williams", "--ci", "50", "--by", "model_name",
    )  # fmt: skip
    asked = assay.correlate(
        rows, polars.DataFrame(scores), column="fluency", controls=["model_name"], methods=["spearman", "pearson"],
        williams=True, ci=50, by="model_name",
    )  # fmt: skip
    assert json.loads(json.dumps(asked)) == said
    assert list(asked["metrics"]["bleu"]) == ["spearman", "pearson"]
    judgements = JUDGEMENTS
    assert json.loads(json.dumps(assay.agreement(judgements, ci=50))) == printed(
        "analyze", "agreement", judgements, "--ci", "50"
    )
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"methods": ["speerman"]}, "--method speerman: unknown method"),
        ({"level": "systems"}, "--level systems: unknown level"),
        ({"cluster": "hash", "classical": True}, "--cluster has no effect on classical values"),
    ]
    for options, why in wrong:
        with pytest.raises(UsageError, match=why):
            assay.correlate(rows, scores, **options)


def test_reproduce_names_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="no released data"):
        assay.reproduce(data=tmp_path)
    with pytest.raises(UsageError, match="franc: unknown reproduction"):
        assay.reproduce("franc", tmp_path)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: assay.score(["a"], ["a"], metrics="bleu", ci=20, seed=-1), "seed=-1 is negative"),
        (lambda: assay.score(["a"], ["a"], metrics="bleu", ci=5), "ci=5: intervals need at least 20"),
        (
            lambda: assay.score(["a"], ["a"], metrics="bleu", ci=95),
            "ci=95 would be the number of resamples; the level is",
        ),
        (lambda: assay.agreement(JUDGEMENTS, ci=5), "ci=5: intervals need at least 20"),
        (lambda: assay.agreement(JUDGEMENTS, seed=-1), "seed=-1 is negative"),
        (lambda: assay.load_run(__file__), "not a finished run"),
    ],
)
def test_calls_that_make_no_sense_are_refused_in_words(call: Callable[[], object], said: str) -> None:
    with pytest.raises(assay.AssayError, match=said):
        call()


def test_calls_show_the_keywords_they_share() -> None:
    shared = ("examples", "metrics", "suite", "seed", "language", "allow_missing", "workers", "engine", "executor")
    for call in (assay.score, assay.score_all, assay.audit):
        shown = inspect.signature(call).parameters
        assert [shown[name].kind for name in shared] == [inspect.Parameter.KEYWORD_ONLY] * len(shared), call
        assert (shown["seed"].default, shown["metrics"].default, shown["metrics"].annotation) == (0, None, "Metrics")
    assert "ci" not in inspect.signature(assay.audit).parameters


def test_an_unknown_keyword_is_named() -> None:
    with pytest.raises(TypeError, match=r"score\(\) got an unexpected keyword argument 'metric' \(did you mean"):
        assay.score(["a"], ["a"], metric="rouge")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"audit\(\) got an unexpected keyword argument 'ci'"):
        assay.audit({"a": ["a"]}, ["a"], ci=10)  # type: ignore[call-arg]
