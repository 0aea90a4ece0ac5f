"""Rarefaction: the mean over all subsets, by enumeration, by formula and by random subsets."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.metrics import METRICS, resolve
from assay.results.rarefied import rarefy
from assay.stats.subsets import exhaustive, subsets
from tests.conftest import Call, write_jsonl

METRICS_BY_SIZE = ["nist", "nist:gem", "cider", "cider:plain", "ngrams", "ttr", "self_bleu", "lengths"]


def sentences(seed: int, count: int) -> list[str]:
    """Few words are frequent and ever more are rare, as in a language."""
    draw = Random(seed)
    return [" ".join(f"w{int(draw.paretovariate(0.8))}" for _ in range(draw.randint(2, 9))) for _ in range(count)]


def altered(seed: int, texts: list[str]) -> list[str]:
    """What a system might say instead: one word in four is another."""
    draw = Random(seed)
    other = iter(" ".join(sentences(seed, 20 * len(texts))).split())
    return [" ".join(next(other) if draw.random() < 0.25 else word for word in text.split()) for text in texts]


def result_of(outputs: list[str], references: list[str], metrics: Any, **options: Any) -> assay.Result:
    return assay.score(outputs, references, metrics=metrics, **options)


@pytest.mark.parametrize("metric", METRICS_BY_SIZE)
def test_the_mean_over_all_smaller_sets(metric: str) -> None:
    """Each smaller set is scored for itself: NIST and CIDEr weigh their words anew in it."""
    outputs, references = sentences(1, 7), sentences(2, 7)
    found = rarefy({"all": result_of(outputs, references, metric)}, items=4)["all"]
    alone = [
        result_of([outputs[i] for i in chosen], [references[i] for i in chosen], metric).values
        for chosen in combinations(range(7), 4)
    ]
    assert found
    for name, number in found.items():
        expected = np.mean([values[name] for values in alone])
        assert number.value == pytest.approx(expected, rel=1e-12), name
        assert (number.items, number.draws, number.error) == (4, 0, 0.0)


def test_numbers_of_types_by_formula_are_what_drawing_gives() -> None:
    result = result_of(sentences(3, 120), sentences(4, 120), "ngrams")
    (metric,) = (measurement.metric for measurement in result.measurements)
    exact = metric.expected(result.measurements[0].rows, 30)
    assert {name.partition("-")[0] for name in exact} == {"vocab", "unique"}
    drawn = [metric.fold(result.measurements[0].rows, block) for block in subsets(120, 30, 4000, 1)]
    for name, value in exact.items():
        values = np.concatenate([each[name] for each in drawn])
        assert value == pytest.approx(values.mean(), abs=5 * values.std() / np.sqrt(len(values)) + 1e-9), name


def test_all_items_give_the_value_itself() -> None:
    result = result_of(sentences(5, 12), sentences(6, 12), METRICS_BY_SIZE[:-1])
    for name, number in rarefy({"all": result})["all"].items():
        assert number.value == pytest.approx(result.values[name], rel=1e-12), name


@pytest.mark.parametrize("name", ["nist", "vocab-1", "distinct-2", "entropy-2", "ttr", "self_bleu"])
def test_groups_of_one_kind_differ_by_size_alone_and_rarefied_they_agree(name: str) -> None:
    references = sentences(7, 270)
    outputs = altered(8, references)
    places = {"few": slice(0, 20), "more": slice(20, 70), "many": slice(70, 270)}
    groups = {group: result_of(outputs[cut], references[cut], name) for group, cut in places.items()}
    raw = {group: result.values[name] for group, result in groups.items()}
    found = {group: numbers[name].value for group, numbers in rarefy(groups, draws=400).items()}
    assert found["few"] == pytest.approx(raw["few"])
    assert all(numbers[name].items == 20 for numbers in rarefy(groups, draws=50).values())
    spread = [value for value in found.values() if value is not None]
    assert max(spread) - min(spread) < 0.35 * (max(raw.values()) - min(raw.values()))


def test_drawn_values_say_how_exact_they_are() -> None:
    result = result_of(sentences(9, 60), sentences(10, 60), "distinct-2,cider")
    first, second = (rarefy({"all": result}, items=20, draws=300, seed=seed)["all"] for seed in (0, 1))
    assert first == rarefy({"all": result}, items=20, draws=300, seed=0)["all"]
    for name in ("distinct-2", "cider"):
        assert first[name].draws == 300
        assert first[name].error > 0
        gap = abs((first[name].value or 0) - (second[name].value or 0))
        assert 0 < gap < 5 * np.hypot(first[name].error, second[name].error)


def test_what_has_no_value_in_a_smaller_set_says_why() -> None:
    result = result_of(sentences(11, 5), sentences(12, 5), "cider")
    number = rarefy({"all": result}, items=1)["all"]["cider"]
    assert number.value is None
    assert number.to_dict()["why"] == "document frequencies need at least two items"
    with pytest.raises(AssayError, match="items=6 must be from 1 to 5, the size of all"):
        rarefy({"all": result}, items=6)
    with pytest.raises(AssayError, match="draws=1 must be at least"):
        rarefy({"all": result}, draws=1)
    assert rarefy({}) == {}


def test_subsets_are_all_there_are_or_drawn_without_repeats() -> None:
    (block,) = subsets(5, 2, 10, 0)
    assert block.indices.tolist() == [list(pair) for pair in combinations(range(5), 2)]
    assert not exhaustive(30, 15, 10_000)
    drawn = np.concatenate([block.indices for block in subsets(30, 15, 2000, 0)])
    assert drawn.shape == (2000, 15)
    assert (np.diff(drawn, axis=1) > 0).all()
    assert np.bincount(drawn.ravel()) == pytest.approx(np.full(30, 1000), abs=120)


def test_which_numbers_depend_on_the_number_of_items() -> None:
    marked = {part.name for name in METRICS for part in METRICS.get(name)().parts() if METRICS.get(name)().sized(part)}
    families = {name.removesuffix("-nopunct").rstrip("123").rstrip("-") for name in marked}
    counts = {"distinct", "unique", "vocab", "entropy", "cond_entropy", "total_length", "ttr", "yules_i"}
    assert families == counts | {"nist", "cider", "self_bleu", "mauve", "mauve.star", "mauve.frontier"}


def test_the_command_warns_and_rarefies(tmp_path: Path, here: Callable[..., Call]) -> None:
    outputs, references = sentences(16, 30), sentences(17, 30)
    write_jsonl(tmp_path / "outputs.jsonl", [{"id": str(i), "output": text} for i, text in enumerate(outputs)])
    examples = [
        {"id": str(i), "references": [text], "tags": {"topic": "rare" if i < 6 else "usual"}}
        for i, text in enumerate(references)
    ]
    write_jsonl(tmp_path / "examples.jsonl", examples)
    asked = ["score", tmp_path / "outputs.jsonl", "-e", tmp_path / "examples.jsonl", "-m", "nist,cider,vocab-1,bleu"]
    unequal = "nist, cider, ngrams: scores depend on the number of outputs, and the groups have 6 to 24"
    plain = json.loads(here(*asked, "--by", "topic", "--json").out)
    assert any(warning.startswith(unequal) for warning in plain["warnings"])
    assert "rarefied" not in plain
    assert unequal not in here(*asked).err
    shown = json.loads(here(*asked, "--by", "topic", "--rarefy", "--json").out)
    assert not any(warning.startswith(unequal) for warning in shown["warnings"])
    usual, rare = shown["by"]["usual"], shown["by"]["rare"]
    assert set(usual["rarefied"]) == {"nist", "cider", "vocab-1"}
    assert usual["rarefied"]["vocab-1"]["value"] < usual["scores"]["vocab-1"]["value"]
    assert usual["rarefied"]["vocab-1"] == {
        "value": usual["rarefied"]["vocab-1"]["value"],
        "items": 6,
        "draws": 0,
        "error": 0.0,
    }
    assert rare["rarefied"]["nist"]["value"] == pytest.approx(rare["scores"]["nist"]["value"])
    assert shown["rarefied"]["nist"]["items"] == 6
    text = here(*asked, "--by", "topic", "--rarefy").out
    assert "  rarefied       nist " in text
    assert "rarefied: expected scores in random samples of 6 outputs, the size of rare" in text
    assert here(*asked, "--rarefy").code == 2


def test_the_command_says_of_a_metric_that_it_depends_on_size(here: Callable[..., Call]) -> None:
    shown = json.loads(here("metric", "list", "--json").out)["metrics"]
    assert {name for name, about in shown.items() if about["size_dependent"]} == {
        "nist", "cider", "ngrams", "ttr", "yules_i", "self_bleu", "mauve",
    }  # fmt: skip
    by_number = {number["name"]: number["size_dependent"] for number in shown["lengths"]["numbers"]}
    assert by_number == {
        "mean_length": False, "total_length": True, "mean_length-nopunct": False, "total_length-nopunct": True,
    }  # fmt: skip
    assert "depends on the number of items" in here("metric", "list", "cider").out
    assert resolve("nist")[0].metric.size_dependent is False  # how intervals are made is another question
