"""Dependence of items: clusters by default, diagnosis, and warnings of every command."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.results.dependence import diagnose, groupings
from assay.results.index import ItemIndex, default_cluster
from assay.results.result import Result
from assay.results.sentences import null_test_conclusion

WORDS = [f"word{i}" for i in range(2000)]
Systems = tuple[Result, Result]


def examples_of(documents: int, each: int, seed: int = 0, **fields: Any) -> list[dict[str, Any]]:
    """Return items whose references differ by one word within a document."""
    draw = random.Random(seed)
    made = []
    for document in range(documents):
        base = draw.choices(WORDS, k=20)
        for number in range(each):
            words = list(base)
            words[draw.randrange(20)] = draw.choice(WORDS)
            example: dict[str, Any] = {"id": f"{document}-{number}", "references": [" ".join(words)]}
            for field, value in fields.items():
                example[field] = value(document) if callable(value) else value
            made.append(example)
    return made


def scored(examples: Sequence[dict[str, Any]], seed: int = 1, by: str = "document", **options: Any) -> Systems:
    """Return two systems whose losses are the same for all items of a document (or differ item by item)."""
    results = []
    for system in "ab":
        draw = random.Random(f"{seed}{system}")
        losses: dict[str, int] = {}
        outputs = {}
        for example in examples:
            key = example["id"].partition("-")[0] if by == "document" else example["id"]
            lost = losses.setdefault(key, draw.randrange(2, 12))
            outputs[example["id"]] = " ".join(example["references"][0].split()[lost:])
        results.append(assay.score(outputs, examples=examples, metrics="rouge1,chrf", system=system, **options))
    return results[0], results[1]


def tagged(document: int) -> dict[str, str]:
    return {"document": f"d{document}"}


def index(**columns: list[str | None]) -> ItemIndex:
    n = len(next(iter(columns.values())))
    plain: dict[str, list[str | None]] = {"id": [str(i) for i in range(n)], "parent": [None] * n}
    return ItemIndex(plain | columns)


SEVEN = [f"d{i // 2}" for i in range(14)]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"parent": ["x", "x", "y", None]}, "parent"),
        ({"parent": ["x", "y", "z", None]}, None),  # one variant of each original
        ({"parent": [None, "0", None, None]}, "parent"),  # an original next to its variant
        ({"tags.document": SEVEN}, "document"),
        ({"tags.Dialogue_ID": SEVEN}, "Dialogue_ID"),
        ({"tags.document": ["a", "a", "b", "b"]}, "document"),  # few documents are clusters, too
        ({"tags.document": ["a", "a", "a", "a"]}, None),  # all items are of one
        ({"tags.topic": SEVEN}, None),
        ({"tags.document": [f"d{i}" for i in range(14)]}, None),
        ({"parent": [f"p{i // 4}" for i in range(14)], "tags.document": SEVEN}, "parent"),  # the fewest clusters
        ({"tags.document": SEVEN, "tags.article": [f"a{i // 2}" if i < 12 else None for i in range(14)]}, "document"),
    ],
)
def test_default_clusters(columns: dict[str, list[str | None]], expected: str | None) -> None:
    assert default_cluster(index(**columns)) == expected


def test_every_call_resamples_documents_by_default() -> None:
    a, b = scored(examples_of(20, 10, tags=tagged), ci=200)
    alone, other = scored(examples_of(20, 10, tags=tagged), ci=200, cluster="none")
    compared, naive = assay.compare(a, b), assay.compare(alone, other)
    row = compared["rouge1"]
    assert (row.n, row.clusters) == (200, 20)
    assert row.effective_n == pytest.approx(20, abs=3)
    assert "clustered by document (20 clusters)" in compared.test
    assert compared.to_dict()["clusters"] == 20
    assert naive["rouge1"].clusters is None
    assert (row.high or 0) - (row.low or 0) > 2 * ((naive["rouge1"].high or 0) - (naive["rouge1"].low or 0))
    assert assay.compare(a, b, cluster="none")["rouge1"].low == naive["rouge1"].low
    assert assay.compare(alone, other, cluster="auto")["rouge1"].low == row.low
    score, single = a.scores["rouge1"], alone.scores["rouge1"]
    assert (score.high or 0) - (score.low or 0) > 2 * ((single.high or 0) - (single.low or 0))
    assert a.to_dict()["clusters"] == 20
    assert a.to_dict()["scores"]["rouge1"]["effective_n"] == pytest.approx(20, abs=3)
    assert "20 clusters by document" in repr(a)
    table = assay.table([a, b])
    assert table.to_dict()["sets"][0]["clusters"] == 20
    assert "200 in 20 clusters by document" in table.write("markdown")
    checked = assay.check(b, a, {"rouge1": 0.1})
    assert checked.to_dict()["clusters"] == 20
    assert "200 items in 20 clusters by document" in repr(checked)


def test_subsets_of_few_documents_stay_clustered() -> None:
    examples = examples_of(20, 10, tags=lambda document: {"document": f"d{document}", "topic": f"t{document % 4}"})
    a, b = scored(examples)
    assert a.subset("topic=t0").units == 5
    compared = assay.compare(a.subset("topic=t0"), b.subset("topic=t0"))
    assert (compared["rouge1"].p or 0) >= 2 / 32  # of 32 permutations
    assert compared["rouge1"].why == "no interval: 5 clusters, at least 10 are needed"
    assert "No result could be significant" in repr(compared)
    one = a.take(np.arange(10))
    assert one.units == 1
    assert a.take(np.arange(0, 200, 10)).clusters_by is None  # one item of each document
    assert a.clustered("none").subset("topic=t0").units == 50
    for row in assay.group_differences(a, "topic").rows:
        assert (row.low, row.why) == (None, "no interval: 5 clusters, at least 10 are needed")
    assert any(row.low is not None for row in assay.group_differences(a, "topic", cluster="none").rows)


def test_group_differences_name_what_items_share() -> None:
    examples = examples_of(40, 5, tags=lambda document: {"footage": f"d{document}", "half": str(document % 2)})
    a, _ = scored(examples)
    found = assay.group_differences(a, "half")
    assert "Use --cluster footage" in found.warnings[0]
    assert found.to_dict()["warnings"] == list(found.warnings)
    clustered = assay.group_differences(a, "half", cluster="footage")
    assert not clustered.warnings
    assert "clustered by footage (40 clusters)" in repr(clustered)
    wide, narrow = ((each.rows[0].high or 0) - (each.rows[0].low or 0) for each in (clustered, found))
    assert wide > 1.5 * narrow
    with pytest.raises(AssayError, match="one cluster field"):
        assay.group_differences(a, "half", cluster="footage,half")
    assert not assay.group_differences(a, "footage", least=2).warnings  # the groups themselves are no clusters


def test_numbers_of_sets_without_such_fields_do_not_move() -> None:
    a, b = scored(examples_of(40, 1), ci=200)
    alone, other = scored(examples_of(40, 1), ci=200, cluster="none")
    assert a.scores == alone.scores
    assert assay.compare(a, b).to_dict() == assay.compare(alone, other).to_dict()
    assert assay.compare(a, b)["rouge1"].effective_n == 40


def test_a_second_result_without_the_field_gets_the_clusters_of_the_first() -> None:
    examples = examples_of(20, 4, tags=tagged)
    a, _ = scored(examples)
    _, b = scored([{key: value for key, value in one.items() if key != "tags"} for one in examples])
    for pair in ((a, b), (b, a)):
        assert assay.compare(*pair)["rouge1"].clusters == 20


def test_similar_references_are_found_and_warned_of() -> None:
    a, b = scored(examples_of(20, 10), ci=100)
    expected = r"Items are not independent: on average, 10 share similar references \(n = 200, .*p may be far too"
    (warning,) = (line for line in assay.compare(a, b).warnings if "not independent" in line)
    assert warning.endswith("Use --cluster similar-references.")
    assert re.match(expected, warning)
    assert assay.compare(a, b)["rouge1"].effective_n == pytest.approx(20, abs=3)
    assert any("not independent" in line for line in a.warnings)
    assert any("not independent" in line for line in assay.table([a, b]).warnings)
    assert any("not independent" in line for line in assay.check(b, a, {"rouge1": 0.1}).comparison.warnings)
    clustered = assay.compare(a, b, cluster="similar-references")
    assert 20 <= (clustered["rouge1"].clusters or 0) <= 22
    assert not any("not independent" in line for line in clustered.warnings)


@pytest.mark.parametrize("field", ["source", "input", "references"])
def test_identical_texts_are_a_grouping(field: str) -> None:
    texts: dict[str, Any] = {
        "source": lambda d: f"the source of document number {d}",
        "input": lambda d: {"kind": "concepts", "concepts": [f"document {d}", "and more of it"]},
        "references": lambda d: [f"the one and only reference of document {d}"],
    }
    examples = examples_of(12, 3, **{field: texts[field]})
    a, _ = scored(examples)
    assert field in dict(groupings(a))


def test_short_sources_are_shared_like_long_ones() -> None:
    examples = [each | {"references": [f"reference number {i} alone"]} for i, each in enumerate(examples_of(12, 3))]
    a, _ = scored([each | {"source": f"d{i // 3}"} for i, each in enumerate(examples)])
    assert "source" in dict(groupings(a))


def test_short_answers_are_no_copies() -> None:
    """Items with the same label are independent, even if systems are better on one label."""
    ids = [str(i) for i in range(100)]
    labels = ["yes" if i % 2 else "no" for i in range(100)]
    a, b = (
        assay.score(dict(zip(ids, texts, strict=True)), dict(zip(ids, labels, strict=True)), metrics="rouge1")
        for texts in (["yes"] * 100, ["no"] * 100)
    )
    assert diagnose([a, b]) == []


def test_random_groups_raise_no_alarm() -> None:
    """Items that share references by design, and nothing else: at most 1 % are warned of."""
    alarms = 0
    for seed in range(40):
        a, b = scored(examples_of(20, 5, seed), seed, by="item")
        alarms += any(each.dependent for each in diagnose([a, b]))
    assert alarms <= 2


def tagged_as(name: str, value: str, properties: bool = False) -> Any:
    def tags(document: int) -> dict[str, str]:
        return {name: value.format(document), **({"size": str(document % 12), "genre": "g"} if properties else {})}

    return tags


def different(documents: int, each: int, **fields: Any) -> list[dict[str, Any]]:
    """Return items of documents whose references have no words in common."""
    draw = random.Random(5)
    examples = examples_of(documents, each, **fields)
    return [one | {"references": [" ".join(draw.choices(WORDS, k=20))]} for one in examples]


@pytest.mark.parametrize(
    ("name", "value", "unless"),
    [("footage", "v{}", True), ("number", "{}", True), ("genre", "g{}", True), ("speaker", "s{}", False)],
)
def test_any_tag_that_explains_the_differences_is_warned_of(name: str, value: str, unless: bool) -> None:
    """Documents under another name: without clusters, half of true null hypotheses are rejected."""
    a, b = scored(different(20, 10, tags=tagged_as(name, value)))
    (warning,) = (line for line in assay.compare(a, b).warnings if "not independent" in line)
    assert f"Use --cluster {name}" in warning
    assert ("unless its values are fixed categories" in warning) == unless
    assert assay.compare(a, b, cluster=name)["rouge1"].clusters == 20


@pytest.mark.parametrize("name", ["video", "Conversation_ID", "article_id", "thread", "clip"])
def test_documents_of_every_usual_name_are_clusters(name: str) -> None:
    a, b = scored(different(20, 10, tags=tagged_as(name, "d{}")))
    assert assay.compare(a, b)["rouge1"].clusters == 20


def test_tags_of_independent_items_raise_no_alarm() -> None:
    alarms = 0
    for seed in range(25):
        examples = different(20, 5, tags=tagged_as("footage", "v{}", properties=True))
        alarms += any(each.dependent for each in diagnose(scored(examples, seed, by="item")))
    assert alarms <= 1


def test_a_number_that_scores_follow_is_a_property() -> None:
    """A longer text is more difficult: its length is no origin."""
    examples = different(300, 1)
    draw = random.Random(0)
    outputs: dict[str, dict[str, str]] = {"a": {}, "b": {}}
    for place, one in enumerate(examples):
        one["tags"] = {"facts": str(place % 15)}
        words = one["references"][0].split()
        outputs["a"][one["id"]] = " ".join(words[4 + draw.randrange(4) :])
        outputs["b"][one["id"]] = " ".join(words[place % 15 // 2 + draw.randrange(4) :])
    scores = assay.score_all(outputs, examples=examples, metrics="rouge1")
    (found,) = (each for each in diagnose(list(scores.values())) if each.field == "facts")
    assert not found.dependent


def test_equal_scores_do_not_agree_by_the_number_of_a_tag() -> None:
    """The trend of equal values was 1e-16, the same for items of one number: an intraclass correlation of 1."""
    numbers = [str(1 + i % 11) for i in range(100)]
    examples: list[dict[str, Any]] = [
        {"id": f"i{i}", "references": [f"one two three {i}"], "tags": {"targets": number}}
        for i, number in enumerate(numbers)
    ]
    result = assay.score({each["id"]: "one" for each in examples}, examples=examples, metrics="rouge1")
    assert not [each for each in diagnose([result]) if each.field == "targets"]


def test_the_null_test_simulates_dependence() -> None:
    a, b = scored(examples_of(20, 10))
    found = assay.null_test([a, b], draws=60, samples=199)
    assert found.cluster == "similar-references"
    assert found.by_name["rouge1"].share > 0.3
    assert found.by_name is found.without_clusters
    assert found.with_clusters["rouge1"].share <= 0.15
    assert "rejects too often on rouge1" in null_test_conclusion(found)
    assert "With --cluster similar-references" in null_test_conclusion(found)
    assert found.to_dict()["dependence"][0]["dependent"]  # type: ignore[index]


def test_the_null_test_uses_clusters_of_compare() -> None:
    found = assay.null_test(scored(examples_of(20, 10, tags=tagged)), draws=60, samples=199)
    assert (found.cluster, found.clusters) == ("document", 20)
    assert found.by_name is found.with_clusters
    assert found.without_clusters["rouge1"].share > 0.3
    assert "keeps its level for clusters by document" in null_test_conclusion(found)


def test_a_lead_of_one_system_is_no_dependence() -> None:
    """Swapping the outputs of whole clusters turned the mean difference into dependence."""
    examples = examples_of(20, 10, tags=tagged)
    a, b = scored(examples, by="item")
    worse = assay.score({one["id"]: "nothing" for one in examples}, examples=examples, metrics="rouge1", system="c")
    found = assay.null_test([a, worse], draws=100, samples=199)
    assert found.without_clusters["rouge1"].share <= 0.12
    assert b.n == 200


def test_keeps_its_level_always_has_a_condition() -> None:
    found = assay.null_test(scored(examples_of(60, 1), by="item"), draws=20, samples=99)
    assert found.cluster is None
    assert found.to_dict()["assumes_independent_items"]
    assert "keeps its level if items are independent" in null_test_conclusion(found)


def test_an_unknown_cluster_field_is_an_error_when_scoring() -> None:
    with pytest.raises(AssayError, match="items have no such field"):
        scored(examples_of(3, 2), cluster="documant")


def test_saved_runs_keep_the_cluster_field(tmp_path: Any) -> None:
    examples = examples_of(20, 5, tags=tagged)
    outputs = {one["id"]: one["references"][0] for one in examples}
    for name, cluster in (("plain", None), ("none", "none"), ("texts", "similar-references")):
        assay.score(outputs, examples=examples, metrics="rouge1", save=tmp_path / name, cluster=cluster)
    loaded = {name: assay.load_run(tmp_path / name) for name in ("plain", "none", "texts")}
    assert loaded["plain"].clusters_by == "document"
    assert loaded["none"].clusters_by is None
    assert loaded["texts"].clusters_by == "similar-references"
    assert loaded["texts"].units == 20
