"""Scores, confidence intervals, subsets and workers: all folds over the same statistics."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars
import pytest
import sacrebleu

import assay
from assay.errors import AssayError
from assay.execution import measure as measuring
from assay.execution.loading import load_items
from assay.execution.scoring import score_items
from assay.metrics import MeanMetric, MetricRequest, Part, resolve
from assay.metrics.engine.statistics import Dense
from assay.records import Items
from assay.results.index import in_order
from assay.results.measurement import named_parts
from assay.specs import Spec
from assay.stats.resample import bootstrap
from tests.conftest import OUTPUTS, REFERENCES

SAMPLE = Path(assay.__file__).parent / "sample"


def sample(system: str, dataset: str = "news", **options: object) -> assay.Result:
    outputs = SAMPLE / "outputs" / system / f"{dataset}.jsonl"
    return assay.score(outputs, examples=SAMPLE / f"{dataset}.jsonl", **options)  # type: ignore[arg-type]


def test_the_call_of_the_readme() -> None:
    result = assay.score(OUTPUTS, REFERENCES, metrics=["rouge", "bleu"], ci=200, seed=0)
    score = result.scores["bleu"]
    assert score.value == pytest.approx(32.562, abs=5e-4)
    assert (score.low, score.high, score.why) == (None, None, "no interval: 3 items, at least 10 are needed")
    assert score.signature == f"bleu|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:assay-{assay.__version__}"
    assert isinstance(result.per_example, polars.DataFrame)
    assert result.per_example.columns[:2] == ["id", "rouge1"]
    assert len(result.per_example) == 3


@pytest.mark.parametrize("kind", ["lists", "dicts", "frames"])
def test_kinds_of_data_agree(kind: str) -> None:
    expected = assay.score(OUTPUTS, REFERENCES, metrics="rouge1").scores["rouge1"].value
    ids = ["a", "b", "c"]
    if kind == "lists":
        result = assay.score(OUTPUTS, [[text] for text in REFERENCES], metrics="rouge1")
    elif kind == "dicts":
        result = assay.score(
            dict(zip(ids, OUTPUTS, strict=True)),
            dict(zip(reversed(ids), reversed(REFERENCES), strict=True)),
            metrics="rouge1",
        )
    else:
        result = assay.score(
            polars.DataFrame({"id": ids, "output": OUTPUTS}),
            polars.DataFrame({"id": ids, "references": [[text] for text in REFERENCES]}),
            metrics="rouge1",
        )
    assert result.scores["rouge1"].value == expected


def test_bootstrap_is_sacrebleus() -> None:
    """Same draws, same values: mean and half-width of 1,000 resamples; sacrebleu adds up in single precision."""
    items = load_items(SAMPLE / "outputs/template/places.jsonl", examples=SAMPLE / "places.jsonl")
    streams = [list(column) for column in zip(*[(*r, None, None)[:3] for r in items.references], strict=True)]
    theirs = sacrebleu.BLEU().corpus_score(list(items.outputs), streams, n_bootstrap=1000)
    result = score_items(items, resolve("bleu"))
    ours = result.fold(bootstrap(result.n, 1000, 12345))["bleu"]
    assert ours.mean() == pytest.approx(theirs._mean, abs=1e-6)
    ordered = np.sort(ours)[25:-25]
    assert (ordered[-1] - ordered[0]) / 2 == pytest.approx(theirs._ci, abs=1e-6)


def test_same_seed_same_interval_twice() -> None:
    first, second = (sample("lead", ci=300, seed=7).to_dict() for _ in range(2))
    assert first == second
    assert sample("lead", ci=300, seed=8).to_dict() != first


def test_shards_and_workers_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sample("template", suite="summarization", ci=50).to_dict()
    monkeypatch.setattr(measuring, "SHARD", 7)
    assert sample("template", suite="summarization", ci=50).to_dict() == whole
    assert sample("template", suite="summarization", ci=50, workers=2).to_dict() == whole


def test_a_subset_is_the_score_of_its_items() -> None:
    whole = sample("rewrite", suite="summarization")
    german = whole.subset("language=de")
    ids = german.index["id"].to_list()
    assert len(ids) == 4
    rows = {row["id"]: row for row in map(json.loads, (SAMPLE / "news.jsonl").read_text("utf-8").splitlines())}
    texts = {
        row["id"]: row["output"]
        for row in map(json.loads, (SAMPLE / "outputs/rewrite/news.jsonl").read_text("utf-8").splitlines())
    }
    alone = assay.score(
        [{"id": id, "output": texts[id]} for id in ids],
        examples=[rows[id] for id in ids],
        suite="summarization",
    )
    for name, score in alone.scores.items():
        assert german.scores[name].value == pytest.approx(score.value), name


def test_by_covers_every_item_once() -> None:
    result = sample("lead")
    groups = result.by("topic")
    assert sum(group.n for group in groups.values()) == result.n
    assert sorted(id for group in groups.values() for id in group.index["id"]) == sorted(result.index["id"])


def test_conditions_that_fit_nothing() -> None:
    result = sample("lead", metrics="lengths")
    with pytest.raises(AssayError, match=r"langage: items have no such field \(did you mean language\?\)"):
        result.subset("langage=de")
    with pytest.raises(AssayError, match=r"no item matches\. Values of language: cs, de, en, ru, th\."):
        result.subset("language=fr")
    with pytest.raises(AssayError, match=r"use key=value"):
        result.subset("language")


def test_skipped_says_why() -> None:
    result = assay.score(OUTPUTS, metrics="rouge,lengths")
    assert [(missing.metric, missing.why) for missing in result.skipped] == [
        ("rouge", "needs references, and none were given")
    ]
    assert result.scores["mean_length"].value == 11


@dataclass(frozen=True)
class Broken(MeanMetric):
    """Fails on some input, as real metrics do."""

    name: ClassVar = "broken"
    category: ClassVar = "lexical"
    summary: ClassVar = "always fails"

    def parts(self) -> tuple[Part, ...]:
        return (Part("broken"),)

    def statistics(self, items: Items) -> Dense:
        raise ZeroDivisionError("on purpose")


def test_a_failing_metric_is_listed_and_the_others_go_on() -> None:
    items = load_items(OUTPUTS, REFERENCES)
    result = score_items(items, [MetricRequest(Spec("broken"), Broken(), None), *resolve("bleu")])
    assert [missing.metric for missing in result.failed] == ["broken"]
    assert "ZeroDivisionError: on purpose" in result.failed[0].why
    assert result.scores["bleu"].value == pytest.approx(32.562, abs=5e-4)


def test_two_variants_of_one_metric_have_names() -> None:
    result = assay.score(OUTPUTS, REFERENCES, metrics="rouge1,rouge1:stemmer=true")
    assert [name for name in result.scores if "." not in name] == ["rouge1", "rouge1:stemmer=true"]


def test_undefined_numbers_say_why() -> None:
    result = assay.score(["short"], ["short"], metrics="msttr,cond_entropy-3", ci=50)
    shown = result.to_dict()["scores"]
    assert shown["msttr"]["value"] is None
    assert shown["msttr"]["why"] == "the outputs have fewer than 100 tokens in total"
    assert shown["cond_entropy-3"]["value"] is None
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    "texts",
    [
        ["", ""],
        ["word " * 100_000, "word"],
        ["مرحبا بالعالم", "שלום עולם"],
        ["e\u0301a\u0308", "नमस्ते दुनिया"],
        ["👩‍👩‍👧‍👦 😀🏳️‍🌈", "😀"],
        ["สวัสดีชาวโลก", "你好，世界"],
        ["\x00\ufeff\u202e", "a\tb\nc"],
    ],
    ids=["empty", "100,000 tokens", "right to left", "combining", "emoji", "no spaces", "controls"],
)
def test_any_text_is_scored(texts: list[str]) -> None:
    result = assay.score(texts, [[text, "another one"] for text in texts], ci=20)
    assert not result.failed
    assert not result.skipped
    json.dumps(result.to_dict(), allow_nan=False)


def test_thai_is_not_zero() -> None:
    score = assay.score(["สวัสดีชาวโลก"], ["สวัสดีชาวโลก"], metrics="rouge").scores["rouge2"]
    assert score.value == 1


def test_intervals_of_type_counts_are_sane() -> None:
    """The half-sample spread of distinct-2 is about that of independent corpora of the same size."""
    random = np.random.default_rng(0)

    def corpus() -> list[str]:
        return [" ".join(f"w{word}" for word in random.zipf(1.5, size=20) % 5000) for _ in range(60)]

    independent = [assay.score(corpus(), metrics="distinct-2").scores["distinct-2"].value for _ in range(60)]
    spread = assay.score(corpus(), metrics="distinct-2").resampled(500, 0)["distinct-2"]
    assert 0.6 < spread.std() / np.std([value for value in independent if value is not None]) < 1.6


def test_gem_unit_test_vectors() -> None:
    """Every published number of GEM's unit tests that asks only which words are equal."""
    metrics = "rouge:rouge_score,bleu,ngrams,msttr:segment=12,lengths"
    values = assay.score(OUTPUTS, REFERENCES, metrics=metrics).values
    expected = {
        "bleu": 32.562, "total_length": 33, "total_length-nopunct": 29, "mean_length-nopunct": 9.6667,
        "distinct-1": 0.636364, "distinct-2": 0.833333, "distinct-3": 0.888889, "vocab-1": 21, "unique-2": 20,
        "entropy-1": 4.233640, "entropy-2": 4.573557, "entropy-3": 4.532665,
        "cond_entropy-2": 0.220993, "cond_entropy-3": -0.040892,
        "distinct-1-nopunct": 0.689655, "distinct-3-nopunct": 0.913043, "vocab-3-nopunct": 21, "unique-3-nopunct": 19,
        "entropy-1-nopunct": 4.211261, "cond_entropy-2-nopunct": 0.179185, "cond_entropy-3-nopunct": -0.046443,
        "msttr": 0.875, "msttr-nopunct": 0.91667,
        "rouge1.precision": 0.673016, "rouge1.recall": 0.577778, "rouge1": 0.620395,
        "rouge2.precision": 0.361305, "rouge2.recall": 0.320513, "rouge2": 0.339506,
        "rougeL.precision": 0.578571, "rougeL.recall": 0.506349, "rougeL": 0.539198,
    }  # fmt: skip
    for name, value in expected.items():
        assert values[name] == pytest.approx(value, abs=5e-4 if name == "bleu" else 5e-5 if value > 5 else 5e-6), name


def test_gem_vector_with_empty_outputs() -> None:
    text = "token number one token number two token number three"
    values = assay.score(["", text, ""], metrics="ngrams,lengths").values
    expected = {
        "total_length": 9, "mean_length": 3, "distinct-1": 0.555556, "unique-1": 3, "entropy-1": 2.113283,
        "distinct-2": 0.75, "entropy-2": 2.405639, "cond_entropy-2": 0.424436, "distinct-3": 1, "entropy-3": 2.807355,
    }  # fmt: skip
    for name, value in expected.items():
        assert values[name] == pytest.approx(value, abs=5e-7), name


@pytest.mark.parametrize("order", ["rouge1,rouge1:stemmer=true", "rouge1:stemmer=true,rouge1"])
def test_variants_keep_their_names_in_any_order(order: str) -> None:
    both = assay.score(["cats running"], ["cat runs"], metrics=order)
    assert {label: score.value for label, score in both.scores.items() if "." not in label} == {
        "rouge1": 0.0,
        "rouge1:stemmer=true": 1.0,
    }
    assert both.only("rouge1:stemmer=true").scores["rouge1:stemmer=true"].value == 1.0
    alone = assay.score(["cats running"], ["cat runs"], metrics="rouge1:stemmer=true")
    assert alone.scores["rouge1"].value == 1.0


def test_two_metrics_never_share_a_name() -> None:
    request = resolve("rouge1")[0]
    with pytest.raises(AssayError, match="both give rouge1"):
        named_parts([request, MetricRequest(Spec("mine"), request.metric, request.part_names)])


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("10 2 1 (none) 30", "1 2 10 30 (none)"),
        ("6-9 10+ 2-5", "2-5 6-9 10+"),
        ("de en cs", "de en cs"),
        ("3 few 1", "3 few 1"),
        ("2.5 -1 2", "-1 2 2.5"),
    ],
)
def test_sizes_stand_in_their_order(given: str, wanted: str) -> None:
    assert in_order(given.split()) == wanted.split()


def test_groups_by_size_are_in_order() -> None:
    examples = [assay.Example(id=size, references=("a b",), tags={"size": size}) for size in ("10", "2", "1")]
    result = assay.score(["a"] * 3, examples=examples, metrics="rouge1")
    assert list(result.by("size")) == ["1", "2", "10"]


def test_suite_dialog_measures_diversity_as_multiwoz_does() -> None:
    result = assay.score(["a b a b", "a c"], ["a b", "a c"], suite="dialog")
    assert result.scores["entropy-1"].value == pytest.approx(1.459148, abs=1e-6)
    assert result.scores["cond_entropy-2"].value == pytest.approx(0.625815, abs=1e-6)
    assert result.scores["mean_length"].value == 3.0
    assert result.scores["entropy-1"].label == "entropy-1:multiwoz"
    assert {"bleu", "chrf++", "rouge1", "msttr"} <= result.scores.keys()
