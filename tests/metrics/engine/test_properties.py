"""Properties of every metric, on arbitrary texts."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.metrics import METRICS, SUITES, Metric, resolve, resolve_suite
from assay.metrics.engine.doc_page import doc_index, doc_page
from assay.metrics.engine.statistics import concat
from assay.records import Items
from assay.specs import type_of
from assay.stats.resample import all_items, bootstrap
from tests.support import TEXT, WORDY, items, score, statistics
from tests.test_docs import contributed

# Metrics over typed inputs cannot score arbitrary texts, and some need weights or lists that are not installed; they
# have their own tests. Metrics over models larger than an encoder are in test_learned.py, with tiny models.
OF_TEXTS = [
    name
    for name in METRICS
    if "inputs" not in METRICS.get(name).needs
    and getattr(METRICS.get(name), "model_kind", "encoder") == "encoder"
    and not METRICS.get(name)().why_not()
]
LEARNED = [n for n in OF_TEXTS if METRICS.get(n).compute is not Metric.compute]
SENTENCE = st.one_of(WORDY, TEXT)
CORPUS = st.lists(st.tuples(SENTENCE, st.lists(SENTENCE, min_size=1, max_size=3), SENTENCE), min_size=2, max_size=6)


def corpus(rows: list[tuple[str, list[str], str]]) -> Items:
    return items([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])


@pytest.mark.parametrize("name", [name for name in OF_TEXTS if name not in LEARNED])
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(rows=CORPUS, cut=st.integers(1, 5), seed=st.integers(0, 3))
def test_adding_up(name: str, rows: list[tuple[str, list[str], str]], cut: int, seed: int) -> None:
    """Values do not change when rows are split and merged or stored, or items permuted (except for streams); every
    part has a value within its bounds in every resample."""
    (request,) = resolve(name)
    if name == "nbest":  # a tab separates score and phrase; other uses are refused
        rows = [(output.replace("\t", " "), references, source) for output, references, source in rows]
    check_adding_up(request.metric, rows, cut, seed)


@pytest.mark.parametrize("name", [*LEARNED, "Closeness"])
@settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow])
@given(rows=CORPUS, cut=st.integers(1, 5), seed=st.integers(0, 3))
def test_a_model_adds_up(name: str, rows: list[tuple[str, list[str], str]], cut: int, seed: int) -> None:
    """The same for metrics that run a model, including the one of CONTRIBUTING.md."""
    metric = resolve(name)[0].metric if name in METRICS else contributed("A metric", 1)[name]()
    if why_not := metric.why_not():
        pytest.skip(why_not)
    check_adding_up(metric, rows, cut, seed)


def check_adding_up(metric: Metric, rows: list[tuple[str, list[str], str]], cut: int, seed: int) -> None:
    """Values of models vary in their last digits with the texts of the batch."""
    close = 1e-5 if type(metric).compute is not Metric.compute else 1e-12
    whole_set = corpus(rows)
    made = statistics(metric, whole_set)
    merged = concat([statistics(metric, part) for part in whole_set.shards(cut)])
    (resamples,) = bootstrap(len(rows), 10, seed)
    values, again = metric.fold(made, resamples), metric.fold(merged, resamples)
    stored = type(made).from_frame(made.to_frame())
    restored = metric.fold(stored, resamples)
    assert set(values) == {part.name for part in metric.parts()}
    for part in metric.parts():
        assert values[part.name].shape == (10,)
        np.testing.assert_allclose(again[part.name], values[part.name], rtol=close, atol=close)
        np.testing.assert_allclose(restored[part.name], values[part.name], rtol=1e-12, atol=1e-12)
        known = values[part.name][~np.isnan(values[part.name])]
        low, high = part.bounds
        assert low is None or (known >= low - 1e-9).all()
        assert high is None or (known <= high + 1e-9).all()
    if metric.name != "msttr":
        order = np.random.default_rng(seed).permutation(len(rows))
        shuffled = statistics(metric, corpus([rows[i] for i in order]))
        before, after = metric.fold(made, all_items(len(rows))), metric.fold(shuffled, all_items(len(rows)))
        for part_name, value in before.items():
            np.testing.assert_allclose(after[part_name], value, rtol=max(close, 1e-9), atol=max(close, 1e-9))


@given(
    texts=st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=5, max_size=9).map(" ".join), min_size=2, max_size=4)
)
def test_identical_texts_score_the_maximum(texts: list[str]) -> None:
    for spec, part, best in (
        ("rouge", "rougeLsum", 1),
        ("rouge_more", "rouge4", 1),
        ("bleu", "bleu", 100),
        ("sentence_bleu", "sentence_bleu", 100),
        ("chrf", "chrf", 100),
        ("chrf++", "chrf++", 100),
        ("ter", "ter", 0),
        ("wer", "wer", 0),
        ("levenshtein", "levenshtein", 1),
        ("local_recall", "local_recall-1", 1),
        ("sari:gem", "sari", 100),
    ):
        actual = score(spec, texts, texts, ["source text"] * len(texts))[part]
        assert actual == pytest.approx(best), spec


NUMBERS = [
    (name, field.name)
    for name in OF_TEXTS
    for field in fields(METRICS.get(name))  # type: ignore[arg-type]
    if field.init and {int, float} & {type_of(METRICS.get(name), field), *get_args(type_of(METRICS.get(name), field))}
]


@pytest.mark.parametrize("value", ["-1", "0", "-0.5", "1e-300", "nan", "inf", "1e300", str(10**30)])
@pytest.mark.parametrize(("name", "option"), NUMBERS)
def test_an_option_out_of_its_range_is_refused(name: str, option: str, value: str) -> None:
    """Any number gives either an error that names the option, or defined values."""
    texts = ["a b c d", "a c"], [["a b c d", "b c"], "a c d"]
    try:
        values, refusal = score(f"{name}:{option}={value}", *texts), ""
    except AssayError as error:
        values, refusal = {}, str(error)
    if refusal:
        assert re.search(f"{option}=.+(: give a|must be)", refusal)
    else:
        defined = {part for part, value in score(name, *texts).items() if np.isfinite(value)}
        assert values
        assert all(np.isfinite(values[part]) for part in defined & set(values))


def test_numeric_options_are_detected() -> None:
    assert {"chrf", "nist", "msttr", "cider", "local_recall", "rouge_more", "nbest", "bleu"} <= {n for n, _ in NUMBERS}


@pytest.mark.parametrize("smoothing", ["floor", "add-k"])
def test_a_smoothing_value_below_zero_is_refused(smoothing: str) -> None:
    with pytest.raises(AssayError, match=r"metric bleu: smooth_value=-1\.0 must be from 0 to 1000"):
        resolve(f"bleu:smoothing={smoothing}:smooth_value=-1")


def test_long_texts() -> None:
    """A hundred thousand tokens against a few, and against themselves for metrics that are not quadratic."""
    long = " ".join(f"w{i % 977}" for i in range(100_000))
    for spec in ("rouge", "bleu", "chrf", "wer", "ngrams", "msttr", "nist", "local_recall", "sari", "repetition"):
        values = score(spec, [long, "a b"], [["a short reference", "another"], "a b"], ["some source", "text"])
        assert any(not np.isnan(value) for value in values.values()), spec
    assert score("rouge", [long], [long])["rougeL"] == 1
    assert score("bleu", [long], [long])["bleu"] == pytest.approx(100)


def test_suites_resolve() -> None:
    for name in SUITES:
        assert resolve_suite(name)
    names = {request.metric.name for request in resolve_suite("gem-light")}
    wanted = "bleu chrf rouge ngrams msttr ttr yules_i nist cider local_recall sari".split()
    assert set(wanted) <= names


@pytest.mark.parametrize("name", list(METRICS))
def test_described(name: str) -> None:
    """Every metric has a summary, a citation and a signature."""
    metric = resolve(name)[0].metric
    assert metric.summary
    assert metric.citation
    assert metric.signature("1")
    assert all(part.name for part in metric.parts())
    for part in metric.parts():
        assert metric.undefined(part.name)


@pytest.mark.parametrize("name", list(METRICS))
def test_one_file_one_test_one_page(name: str) -> None:
    """All have the same name; the page names every option and every score."""
    cls = METRICS.get(name)
    module = cls.__module__.rpartition(".")[2]
    root = Path(__file__).parents[3]
    room = cls.__module__.split(".")[2]
    assert (root / f"tests/metrics/{room}/test_{module}.py").exists()
    metric = resolve(name)[0].metric
    remedy = f"generate its beginning with: python -m assay.metrics.engine.doc_page {name} > docs/metrics/{module}.md"
    page = root / f"docs/metrics/{module}.md"
    assert page.exists(), remedy
    for text in (page.read_text(encoding="utf-8"), doc_page(metric)):
        for named in (*metric.options(), *(part.name for part in metric.parts())):
            assert f"`{named}`" in text, named


def test_generated_beginning_of_a_page() -> None:
    beginning = doc_page(resolve("wer")[0].metric)
    written = (Path(__file__).parents[3] / "docs/metrics/wer.md").read_text(encoding="utf-8")
    assert beginning.startswith(
        "# wer\n\nWord edits that turn the output into the closest reference.\n\n    assay score "
    )
    assert beginning[beginning.index("## Scores") :] in written


def test_every_metric_is_in_the_index() -> None:
    index = (Path(__file__).parents[3] / "docs/metrics/index.md").read_text(encoding="utf-8")
    links = re.findall(r"^- (\[\S+\]\(\w+\.md\)):", doc_index(), flags=re.MULTILINE)
    assert len(links) == len(list(METRICS))
    assert [link for link in links if link not in index] == []
