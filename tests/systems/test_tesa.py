"""Names for groups of entities: proportions, chance, features, logistic regression, and lists that are refused."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.datasets.synthetic_entities import synthetic_entities
from assay.errors import AssayError
from assay.execution.loading import load_items
from assay.execution.request import choose as choose_metrics
from assay.execution.scoring import score_items
from assay.models.word_vectors import hashed_vector, missing_vectors, word_vectors
from assay.records import Example, read_scored, scores_of, write_jsonl, write_scored
from assay.records.inputs import Candidates, read_input
from assay.stats.retrieval import average_precision, gold_ranks
from assay.systems import system
from assay.systems.answering import answer
from assay.systems.logistic import Logistic
from assay.systems.tasks import Rank
from assay.systems.tesa_features import Features, cosine
from tests.conftest import ENTITIES, Call

Run = Callable[..., Call]


@pytest.fixture(scope="module")
def entities() -> list[Example]:
    return synthetic_entities(1718)


def test_synthetic_entities_have_the_real_proportions(entities: list[Example]) -> None:
    assert Counter(example.split for example in entities) == {"train": 858, "validation": 430, "test": 430}
    assert Counter(len(example.references) for example in entities) == {1: 89, 2: 644, 3: 705, 4: 259, 5: 20, 6: 1}
    assert Counter(example.tags["type"] for example in entities) == {"person": 941, "location": 629, "org": 148}
    for example in entities[:50]:
        given = read_input(example, Candidates)
        assert len(given.candidates) == 24
        assert sum(given.labels) == len(example.references)


def test_random_on_synthetic_entities_is_what_chance_gives(entities: list[Example], tmp_path: Path) -> None:
    test = [example for example in entities if example.split == "test"]
    answer(Rank(), system("random"), test, tmp_path / "r.jsonl")
    values = score_items(load_items(tmp_path / "r.jsonl", examples=test), choose_metrics("ranking", None)).values
    for name, expected, low, high in (("map", 0.2195, 0.205, 0.234), ("recall@10", 0.4167, 0.388, 0.446),
                                      ("mrr", 0.2870, 0.260, 0.314)):  # fmt: skip
        assert low <= values[name] <= high, name
        assert values[f"{name}.chance"] == pytest.approx(expected, abs=0.003)


def test_synthetic_phrases_are_used_as_often_as_the_real_ones(entities: list[Example]) -> None:
    """Published: 1,681 phrases, 74 % of them gold for one instance alone, the first for 213."""
    counts = Counter(phrase for example in entities for phrase in example.references)
    assert len(counts) == pytest.approx(1681, rel=0.05)
    assert sum(count == 1 for count in counts.values()) / len(counts) == pytest.approx(0.74, abs=0.02)
    assert 150 < max(counts.values()) < 250


def test_counting_is_as_good_as_it_is_on_the_real_data(entities: list[Example], tmp_path: Path) -> None:
    """Published for the frequency of phrases: MAP .570 on the test set, .557 on the validation set."""
    made = system("frequency")
    made.prepare([example for example in entities if example.split == "train"])
    test = [example for example in entities if example.split == "test"]
    answer(Rank(), made, test, tmp_path / "f.jsonl")
    values = score_items(load_items(tmp_path / "f.jsonl", examples=test), choose_metrics("ranking", None)).values
    assert values["map"] == pytest.approx(0.57, abs=0.02)
    assert values["recall@10"] == pytest.approx(0.655, abs=0.03)
    assert values["mrr"] == pytest.approx(0.761, abs=0.04)


def test_what_learns_beats_what_counts_beats_chance(entities: list[Example], tmp_path: Path) -> None:
    train = [example for example in entities if example.split == "train"][:200]
    test = [example for example in entities if example.split == "test"][:100]
    found = {}
    for spec in ("random", "frequency", "logistic:epochs=5:vectors=hashed"):
        made = system(spec)
        made.prepare(train)
        done = answer(Rank(), made, test, tmp_path / f"{made.name}.jsonl")
        result = score_items(
            load_items(tmp_path / f"{made.name}.jsonl", examples=test), choose_metrics("ranking", None)
        )
        found[made.name] = result.values["map"]
        assert len(done.rows) == 100
    assert found["random"] < found["frequency"] < found["logistic"]


def test_logistic_regression_moves_as_torch_does(entities: list[Example]) -> None:
    """One update each way, against automatic differentiation: a single softmax, and the published double one."""
    torch = pytest.importorskip("torch")
    from assay.systems.logistic import Logistic, _Adam

    rows = np.random.default_rng(0).normal(size=(4, 15))
    labels = np.array([0, 1, 0, 1])
    for faithful in (False, True):
        made = Logistic(faithful=faithful)
        made.weights = np.random.default_rng(1).normal(size=(15, 2)) * 0.1
        layer = torch.nn.Linear(15, 2, dtype=torch.float64)
        layer.weight.data = torch.tensor(made.weights.T.copy())
        layer.bias.data = torch.zeros(2, dtype=torch.float64)
        optimiser = torch.optim.Adam(layer.parameters(), lr=3e-3)
        moments = _Adam(3e-3)
        for _ in range(3):
            made._update(moments, rows, labels)
            out = layer(torch.tensor(rows))
            loss = torch.nn.functional.cross_entropy(out.softmax(-1) if faithful else out, torch.tensor(labels))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        assert made.weights == pytest.approx(layer.weight.detach().numpy().T, abs=1e-9)


def test_the_validation_examples_choose_the_epoch(entities: list[Example], here: Run, tmp_path: Path) -> None:
    """Learned from all training examples; with other validation examples another epoch is the best."""
    parts = {split: [e for e in entities if e.split == split] for split in ("train", "validation", "test")}
    alone, checked = system("logistic:epochs=3:vectors=hashed"), system("logistic:epochs=3:vectors=hashed")
    alone.prepare(parts["train"][:60])
    checked.prepare(parts["train"][:60], parts["validation"][:30])
    assert alone.usage()["valid_map"] != checked.usage()["valid_map"]
    assert alone.fingerprint() != checked.fingerprint()
    assert isinstance(checked, Logistic)
    rows = [checked._rows(example, own=False) for example in parts["validation"][:30]]
    values = [average_precision(gold_ranks(checked._score(x).tolist(), y.tolist()), int(y.sum())) for x, y in rows]
    assert checked.usage()["valid_map"] == pytest.approx(float(np.mean(values)))
    for split, some in parts.items():
        write_jsonl(tmp_path / f"{split}.jsonl", some[:30])
    arguments = ["system", "rank", tmp_path / "test.jsonl", "--system", "logistic:epochs=2:vectors=hashed", "--ci", 0]
    arguments += ["--train", tmp_path / "train.jsonl", "--valid", tmp_path / "validation.jsonl"]
    call = here(*arguments, "-o", tmp_path / "o.jsonl", "--json")
    assert call.code == 0, call.err
    assert call.json["valid_map"] > 0


def test_word_vectors_know_meaning(tmp_path: Path) -> None:
    """Of a package: near words are nearer than far ones, which hashed directions cannot tell."""
    if missing_vectors("wordllama"):
        pytest.skip("needs the package wordllama")
    vector = word_vectors("wordllama")
    pairs = [("cities", "towns"), ("politicians", "senators"), ("companies", "firms")]
    for near, other in pairs:
        far = cosine(vector(near), vector("giraffe"))
        assert cosine(vector(near), vector(other)) > far + 0.1
        assert abs(cosine(hashed_vector(near), hashed_vector(other))) < 0.4


def test_word_vectors_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("2 3\nport 1 0 0.5\nharbour 1 0 .25\n")
    vector = word_vectors(str(path))
    assert cosine(vector("port"), vector("harbour")) > 0.9
    assert vector("mill") is None
    for text, message in (
        ("port 1 x\n", ":1: expected a word"),
        ("a 1 2\nb 1\n", ":2: expected 2 finite numbers, got 1"),
        ("1 1\n", "no vectors"),
    ):
        other = tmp_path / f"{len(text)}.txt"
        other.write_text(text)
        with pytest.raises(AssayError, match=message):
            word_vectors(str(other))


def test_logistic_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import util

    monkeypatch.setattr(util, "find_spec", lambda name, *more: None)
    assert "vectors=FILE" in (system("logistic").why_not() or "")
    assert system("logistic:vectors=hashed").why_not() is None


@pytest.mark.parametrize(
    ("candidate", "expected"),
    [
        ("multinational technology companies", (4, 2, 2, 2, 1, 1, 5, 2, 2)),
        ("consumer electronics makers", (2, 2, 0, 1, 1, 1, 3, 3, 1)),
        ("companies", (0, 0, 0, 0, 0, 0, 0, 0, 0)),
        ("company", (2, 1, 1, 2, 0, 0, 2, 1, 1)),
        ("the alpha makers", (1, 1, 0, 1, 2, 2, 4, 2, 2)),
        ("american rivals", (1, 1, 0, 1, 0, 0, 1, 1, 0)),
    ],
)
def test_features_of_words(candidate: str, expected: tuple[int, ...]) -> None:
    row = Features().rows(ENTITIES, [candidate])[0]
    assert tuple(int(row[i - 1]) for i in (2, 3, 4, 5, 8, 9, 11, 12, 13)) == expected


def test_features_of_vectors() -> None:
    known = {"technology": (1, 0), "multinational": (0, 1), "company": (1, 1), "companies": (1, 1),
             "console": (-1, 0), "consumer": (0, -1)}  # fmt: skip
    features = Features(vectors=lambda word: np.array(known[word], dtype=float) if word in known else None)
    row = features.rows(ENTITIES, ["multinational technology companies"])[0]
    expected = [0.989949, 1, -0.707107, 1, 0.948683]
    assert [row[i - 1] for i in (6, 7, 10, 14, 15)] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "input.candidates is missing"),
        ({"candidates": ["a"], "labels": []}, "0 or 1 for each of the 1 candidates"),
        (
            {"candidates": ["a", "b"], "labels": [0, 0]},
            "no candidate is gold, so a ranking has no score. Leave the item out.",
        ),
        ({"candidates": ["a", "a"], "labels": [0, 1]}, "is repeated"),
    ],
)
def test_candidate_lists_without_gold_are_refused(
    here: Run, tmp_path: Path, given: dict[str, Any], message: str
) -> None:
    file = tmp_path / "e.jsonl"
    file.write_text(json.dumps({"id": "r1", "source": "s", "input": {"kind": "entities", **given}}) + "\n")
    call = here("system", "rank", file, "--system", "random", "-o", tmp_path / "o.jsonl")
    assert call.code == 1
    assert "id r1: " in call.err
    assert message in call.err


@given(st.dictionaries(st.text("abc ", min_size=1).map(str.strip).filter(bool).map(lambda t: " ".join(t.split())),
                       st.floats(-1e6, 1e6), min_size=1, max_size=8))  # fmt: skip
def test_scored_lists_are_read_back(scores: dict[str, float]) -> None:
    text = write_scored(list(scores), list(scores.values()))
    assert dict(read_scored(text)) == scores
    assert scores_of(text, list(scores)) == list(scores.values())
    values = [score for _, score in read_scored(text)]
    assert values == sorted(values, reverse=True)
