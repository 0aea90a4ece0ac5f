"""Permutations: the identity gives the observed difference, and p is at least one over their number."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import assay
from assay.metrics import METRICS
from assay.records import Example, write_scored
from assay.records.types import Message, Passage
from assay.results.permutation import LEAST, permute_systems, permuted_differences
from assay.results.result import Result

WORDS = "the a cat dog sat ran on mat in house tree big".split()
ANSWERS = ("citations", "retrieval", "abstention", "conversation", "instructions")
"""Metrics over contexts, tags, messages and checks; their examples are below."""
NOT_HERE = ("nbest", "filler_recall", "imported", "reconstruction", "consistency")
"""Beam lists and models, tested where they are made."""
CHEAP = [
    name
    for name in METRICS
    if name not in (*NOT_HERE, *ANSWERS, "markers") and "inputs" not in METRICS.get(name).needs
    if not METRICS.get(name)().why_not()
]


def pair(n: int, seed: int, metrics: str) -> tuple[Result, Result]:
    chance = np.random.default_rng(seed)
    texts = [[" ".join(chance.choice(WORDS, chance.integers(5, 12))) for _ in range(n)] for _ in range(4)]
    a, b, references, sources = texts
    results = [assay.score(outputs, references, sources, metrics=metrics, language="en") for outputs in (a, b)]
    return results[0], results[1]


@pytest.mark.parametrize(
    "metric",  # bartscore converts its weights first where the cache is empty
    [pytest.param(name, marks=pytest.mark.slow) if name == "bartscore" else name for name in CHEAP],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_swap_that_changes_nothing_gives_the_observed_difference(metric: str, seed: int) -> None:
    identity_holds(*pair(6, seed, metric))


def identity_holds(a: Result, b: Result) -> None:
    """Of six items: the first swap changes nothing, the last one everything."""
    assert a.parts, a.skipped or a.failed
    (found,) = permuted_differences([(a, b, list(a.parts))], 100, 0)
    for name, gaps in found.items():
        difference = b.values[name] - a.values[name]
        assert len(gaps) == 64
        if not np.isnan(difference):
            assert gaps[0] == pytest.approx(difference, abs=1e-9), name
            assert gaps[-1] == pytest.approx(-difference, abs=1e-9), name


def templates(chance: np.random.Generator) -> str:
    return json.dumps([{"type": "arson", "victim": chance.choice(["cat", "dog", "mat", "x"], 2).tolist()}])


def marked(chance: np.random.Generator) -> str:
    return " ".join(chance.choice(["[ACT_START]", "a", "[ACT_END]", "[ACTOR_START]", "[ACTOR_END]"], 7))


def scored(chance: np.random.Generator) -> str:
    return write_scored(["a", "b"], chance.random(2).tolist())


def words(chance: np.random.Generator) -> str:
    return " ".join(chance.choice(WORDS, 8))


def cited(chance: np.random.Generator) -> str:
    return f"The {chance.choice(WORDS)} sat on the {chance.choice(WORDS)} [{chance.choice(['c1', 'c2'])}]."


def declined(chance: np.random.Generator) -> str:
    return str(chance.choice(["I don't know.", "The cat sat on the mat."]))


CONTEXTS = (Passage("c1", "The cat sat on the mat."), Passage("c2", "The dog ran in the house."))
CHAT = (("user", "the cat ran"), ("assistant", "the dog sat on the mat"), ("user", "the tree"))
MESSAGES = tuple(Message(role=role, content=text) for role, text in CHAT)
CHECKS = {"max_words": 4, "contains": "dog"}
VICTIM = [[{"text": text, "start": 0} for text in entity] for entity in (["cat", "dog"], ["mat"])]
TURNS = [{"speaker": ("user", "sys")[i % 2], "text": f"the {WORDS[i]} sat on the mat"} for i in range(6)]
WITH_INPUTS: dict[str, tuple[Callable[[np.random.Generator], str], dict[str, Any]]] = {
    "slot_error": (words, {"kind": "slots", "slots": [["food", "cat"], ["place", "house"]]}),
    "concept_coverage": (words, {"kind": "concepts", "concepts": ["cat", "dog", "tree"]}),
    "ceaf_ree": (templates, {"kind": "events", "templates": [{"type": "arson", "Victim": VICTIM}]}),
    "context_bleu": (words, {"kind": "acts", "service": "A_1", "acts": [], "context": TURNS}),
    "eq_accuracy": (scored, {"kind": "choice", "prefix": "", "positive": "a", "negative": "b"}),
    "ranking": (scored, {"kind": "entities", "candidates": ["a", "b"], "labels": [0, 1]}),
    "markers": (marked, {}),
    "originality": (words, {}),
    "per_hits": (words, {}),
    "citations": (cited, {}),
    "retrieval": (words, {}),
    "abstention": (declined, {}),
    "conversation": (words, {}),
    "instructions": (words, {}),
}
"""What an output of a metric over typed inputs or files looks like, and the input."""


@pytest.mark.parametrize("metric", WITH_INPUTS)
def test_the_identity_gives_the_observed_difference_of_metrics_over_inputs_and_files(
    metric: str, tmp_path: Path
) -> None:
    make, given = WITH_INPUTS[metric]
    chance = np.random.default_rng(5)
    file = tmp_path / "texts.jsonl"
    texts = [
        {"id": str(i), "references": [text], "text": text, "tags": {"user": str(i % 3)}, "document": str(i)}
        for i, text in enumerate(words(chance) for _ in range(9))
    ]
    if metric == "originality":
        texts = [{"text": row["text"], "document": row["document"], "author": "A"} for row in texts]
    file.write_text("".join(json.dumps(row) + "\n" for row in texts), encoding="utf-8")
    spec = {"originality": f"originality:corpus={file}", "per_hits": f"per_hits:users={file}:k=1"}.get(metric, metric)
    tags = [{"evaluation": ("act", "motive")[i % 2], "target": str(i // 2), "user": str(i % 3)} for i in range(6)]
    for i, each in enumerate(tags):
        each["answerable"] = ("true", "false")[i % 2]
    examples = [Example(id=str(i), input=given or None, tags=tags[i], language="en") for i in range(6)]
    if metric in ANSWERS:
        examples = [
            replace(
                example,
                contexts=CONTEXTS,
                references=(CONTEXTS[0].text,),
                messages=MESSAGES,
                expected={"checks": CHECKS},
            )
            for example in examples
        ]
    a, b = (assay.score([make(chance) for _ in range(6)], examples=examples, metrics=[spec]) for _ in "ab")
    identity_holds(a, b)
    # retrieval is about the contexts of the items, which both systems share
    assert metric == "retrieval" or any(a.values[name] != b.values[name] for name in a.parts)


def test_every_metric_that_runs_here_is_swapped() -> None:
    runs = {name for name in METRICS if not METRICS.get(name)().why_not()}
    assert runs <= {*CHEAP, *WITH_INPUTS, *NOT_HERE}


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6))
def test_p_is_at_least_one_over_all_swaps(seed: int, n: int) -> None:
    """Three items: the smallest p is .25, of CIDEr and self-BLEU too."""
    comparison = assay.compare(*pair(n, seed, "cider,self_bleu,nist,bleu,vocab-1"))
    for name, row in comparison.items():
        assert row.p is None or row.p >= 2 / 2**n - 1e-12, name


def test_cider_is_weighed_before_it_is_swapped() -> None:
    """What CIDEr says of an item depends on the references of all; those stay when outputs change sides."""
    a, b = pair(7, 3, "cider")
    rows = [result.per_example["cider"].to_numpy() for result in (a, b)]
    gaps = permuted_differences([(a, b, ["cider"])], 100, 0)[0]["cider"]
    swapped = (np.arange(128)[:, None] >> np.arange(7)) & 1
    expected = [np.mean(np.where(s, rows[0], rows[1])) - np.mean(np.where(s, rows[1], rows[0])) for s in swapped]
    assert gaps == pytest.approx(expected)


@pytest.mark.parametrize("samples", [None, 300])
def test_pairs_that_are_swapped_together_count_as_each_alone(samples: int | None) -> None:
    """More pairs than are computed in one go, of whole numbers, of fractions, of words and of dependent items."""
    names = ["bleu", "rouge1", "chrf", "vocab-1", "self_bleu"]
    results = [pair(40, seed, ",".join(names))[seed % 2] for seed in range(8)]
    pairs = [(results[0], other, names) for other in results[1:]]
    together = permute_systems(pairs, samples, 2000, 3)
    assert together == [permute_systems([each], samples, 2000, 3)[0] for each in pairs]


def test_drawing_stops_where_p_is_known_well_and_goes_on_where_it_is_small() -> None:
    a, b = pair(60, 5, "rouge1,vocab-1")
    found = permute_systems([(a, b, ["rouge1", "vocab-1"])], None, 50_000, 0)[0]
    for counted in found.values():
        assert counted.extreme >= 100
        assert LEAST <= counted.drawn < 50_000
    good = assay.score(["the cat sat"] * 60, ["the cat sat"] * 60, metrics="rouge1")
    bad = assay.score(["a dog"] * 60, ["the cat sat"] * 60, metrics="rouge1")
    assert permute_systems([(good, bad, ["rouge1"])], None, 20_000, 0)[0]["rouge1"].drawn >= 20_000
    row = assay.compare(good, bad)["rouge1"]
    assert row.floor
    assert permute_systems([(good, bad, ["rouge1"])], 300, 20_000, 0)[0]["rouge1"].drawn == 300


def test_many_tests_do_not_multiply_a_floor_into_insignificance() -> None:
    """84 tests of 1,000 swaps could never be below .05 after correction: there are as many swaps as tests take."""
    chance = np.random.default_rng(0)
    references = [" ".join(chance.choice(WORDS, 8)) for _ in range(40)]
    systems = {"base": [" ".join(chance.choice(WORDS, 8)) for _ in references]}
    systems |= {f"s{i}": references for i in range(21)}
    results = assay.score_all(systems, references, metrics="rouge")
    comparisons = assay.compare_all(results["base"], [results[f"s{i}"] for i in range(21)])
    assert all((row.p_adjusted or 1) < 0.05 for each in comparisons for row in each.values())
    assert comparisons[0].how.tests == 4 * 21 * 22 / 2
    assert all(row.floor for each in comparisons for row in each.values())
    others = [results[f"s{i}"] for i in range(3)]
    few = assay.compare_all(results["base"], others, samples=400, correction="holm")
    assert any("Increase --samples" in warning for each in few for warning in each.warnings)


def test_families_of_tests() -> None:
    chance = np.random.default_rng(1)
    references = [" ".join(chance.choice(WORDS, 8)) for _ in range(30)]
    systems = {name: [" ".join(chance.choice(WORDS, 8)) for _ in references] for name in "abc"}
    results = assay.score_all(systems, references, metrics="rouge1,rouge2,chrf")
    tests = {
        family: assay.compare_all(results["a"], [results["b"], results["c"]], family=family)[0].how
        for family in ("all", "pair", "metric")
    }
    assert {family: how.tests for family, how in tests.items()} == {"all": 9, "pair": 3, "metric": 3}
    assert tests["metric"].words().endswith("Westfall-Young max-T correction over 3 tests per metric")


def test_many_pairs_have_the_swaps_of_one() -> None:
    """Sums that are moved once for all pairs are those of each pair alone, to the last bit."""
    results = [result for seed in (1, 2) for result in pair(40, seed, "bleu,rouge,vocab-1,chrf")]
    pairs = [(a, b, list(a.shown)) for a, b in combinations(results, 2)]
    together = permuted_differences(pairs, 700, 3)
    for asked, found in zip(pairs, together, strict=True):
        (alone,) = permuted_differences([asked], 700, 3)
        assert all((found[name] == alone[name]).all() for name in alone)
