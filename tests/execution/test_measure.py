"""Several systems at once: the same numbers as one after the other, corrected over all of them."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

import assay
from assay.execution import measure
from assay.stats.adjust import holm

SAMPLE = Path(assay.__file__).parent / "sample"
SYSTEMS = ("lead", "copy", "template")


def outputs(dataset: str) -> dict[str, Path]:
    return {name: SAMPLE / "outputs" / name / f"{dataset}.jsonl" for name in SYSTEMS}


@pytest.mark.parametrize("most", [0, 100_000], ids=["apart", "together"])
def test_scores_are_those_of_each_alone(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(measure, "MOST", most)
    examples = SAMPLE / "places.jsonl"
    scored = assay.score_all(outputs("places"), examples=examples, suite="gem-light", ci=100)
    for name, path in outputs("places").items():
        alone = assay.score(path, examples=examples, suite="gem-light", ci=100)
        assert scored[name].system == name
        assert scored[name].notes == alone.notes
        assert [missing.metric for missing in scored[name].skipped] == [missing.metric for missing in alone.skipped]
        assert list(scored[name].scores) == list(alone.scores)
        for label, score in alone.scores.items():
            own = scored[name].scores[label]
            for mine, theirs in ((own.value, score.value), (own.low, score.low)):
                assert (mine is None) == (theirs is None), label
                if mine is not None:
                    assert mine == pytest.approx(theirs, rel=1e-9, abs=1e-12), label
            assert scored[name].scores[label].signature == score.signature


def test_shards_may_cut_an_item(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.execution.measure.SHARD", 7)  # 40 items of 3 systems
    scored = assay.score_all(outputs("places"), examples=SAMPLE / "places.jsonl", metrics="bleu,chrf,ngrams")
    for name, path in outputs("places").items():
        alone = assay.score(path, examples=SAMPLE / "places.jsonl", metrics="bleu,chrf,ngrams")
        assert scored[name].values == pytest.approx(alone.values, rel=1e-12)


def test_systems_with_other_items_are_scored_on_their_own() -> None:
    both = {"a": {"1": "the cat sat", "2": "a dog"}, "b": {"2": "a dog ran"}}
    scored = assay.score_all(both, {"1": "the cat sat", "2": "a dog ran"}, metrics="rouge1", allow_missing=True)
    assert {name: result.n for name, result in scored.items()} == {"a": 2, "b": 1}
    (comparison,) = assay.compare_all(scored["a"], [scored["b"]], samples=50)
    assert comparison["rouge1"].n == 1
    assert any("Items differ" in warning for warning in comparison.warnings)


def test_correction_is_over_all_comparisons() -> None:
    scored = list(assay.score_all(outputs("places"), examples=SAMPLE / "places.jsonl", metrics="rouge,chrf").values())
    together = assay.compare_all(scored[0], scored[1:], samples=200, correction="holm", family="metric")
    alone = [assay.compare(scored[0], other, samples=200) for other in scored[1:]]
    rows = [row for comparison in together for row in comparison.values()]
    assert [row.p for row in rows] == [row.p for comparison in alone for row in comparison.values()]
    for name in together[0]:
        of_all = {pair: assay.compare(*pair, samples=200)[name].p or 0 for pair in combinations(scored, 2)}
        wanted = dict(zip(of_all, holm(list(of_all.values())), strict=True))
        for other, comparison in zip(scored[1:], together, strict=True):
            assert comparison[name].p_adjusted == pytest.approx(wanted[scored[0], other])
