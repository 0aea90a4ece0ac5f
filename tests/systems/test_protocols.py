"""Equivalence classes and entity aggregation: counts, laws and vectors, on real classes and made-up data."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.api import choose as choose_metrics
from assay.api import load_items, score_items
from assay.datasets.fomc import equivalence_classes
from assay.errors import AssayError
from assay.metrics.markers import spans_of_text
from assay.records import Example, read_scored, scores_of, write_scored
from assay.systems import system, work
from assay.systems.base import candidates_of
from assay.systems.protocols.aggregation import Features, annotation, normalise, split_examples, with_candidates
from assay.systems.protocols.equivalence import Classes, augment, find, instances
from assay.systems.protocols.made_up_announcements import made_up_announcements
from assay.systems.protocols.made_up_entities import made_up_entities
from conftest import ENTITIES, Call

Run = Callable[..., Call]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def real(shared_data: Callable[[str], Path]) -> list[Classes]:
    return [Classes.of(example) for example in equivalence_classes(shared_data("fomc/equivalence_classes.json"))]


def test_pairs_of_the_published_classes(real: list[Classes]) -> None:
    assert sum(one.pairs() for one in real) == 43_674
    assert sum(one.pairs(2) for one in real) == 27_628
    by_name = {one.evaluation: one for one in real}
    assert (
        min(
            len(by_name["act label modals (positive)"].negatives(m))
            for m in by_name["act label modals (positive)"].home
        )
        == 0
    )
    assert Counter(one.family for one in real) == {"whole": 7, "label": 4, "act": 4}


def test_the_law_of_drawing_negatives(real: list[Classes]) -> None:
    act = next(one for one in real if one.evaluation == "act")
    pool = act.negatives("left interest rates unchanged")
    total = sum(weight for _, _, weight in pool)
    assert len(pool) == 27
    assert total / (len(act.classes) - 1) == pytest.approx(543 / 572)
    shares = Counter[int]()
    for _, place, weight in pool:
        shares[place] += weight / total  # type: ignore[assignment]
    assert [round(shares[place], 4) for place in (1, 6, 2)] == [0.0663, 0.0718, 0.0958]


def targets(n: int, text: str = "dear bread") -> list[Example]:
    marked = f"[STD_SENTENCE_START] a [EVIDENCE_START] {text} [EVIDENCE_END] and b [STD_SENTENCE_END]"
    return [Example(id=str(i), references=(marked,), source="s") for i in range(n)]


@pytest.mark.parametrize(
    ("n", "total"),
    [(0, 0), (29, 87), (37, 74), (44, 88), (45, 90), (34, 68), (51, 51), (100, 100), (101, 101), (336, 336)],
)
def test_how_many_instances_come_of_n_positives(n: int, total: int) -> None:
    classes = Classes("evidence", "evidence", [["dear bread"], [f"thing {i}" for i in range(200)]])
    (made,) = instances([classes], targets(n))
    assert (made.positives, len(made.instances)) == (n, total)
    for instance in made.instances:
        assert instance.input is not None
        assert instance.input["negative"] != instance.input["positive"]
    pairs = [(instance.parent, (instance.input or {})["negative"]) for instance in made.instances]
    assert len(pairs) == len(set(pairs))  # without replacement


def test_spans_are_found_with_their_prefix() -> None:
    text = (
        "[STD_SENTENCE_START] x [EVIDENCE_START] dear bread [EVIDENCE_END] and [EVIDENCE_START] idle ports "
        "[EVIDENCE_END] [STD_SENTENCE_END]<sent>[STD_SENTENCE_START] [ACT_START] raised rates (Did raise) [ACT_END] "
        "[ACT_START] cut rates [ACT_END] [STD_SENTENCE_END]"
    )
    evidence = Classes("evidence", "evidence", [["dear bread"], ["idle ports"]])
    first, second = find(evidence, text)
    assert first.prefix == "[STD_SENTENCE_START] x [EVIDENCE_START]"
    assert second.prefix.endswith("[EVIDENCE_END] and [EVIDENCE_START]")  # the space after the marker stays
    (label,) = find(Classes("act labels", "act", [["Did raise"], ["Did cut"]], "label"), text)
    assert label.prefix == "[STD_SENTENCE_START] [ACT_START] raised rates"
    assert label.continuation == "(Did raise)"
    (act,) = find(Classes("act", "act", [["raised rates"], ["cut rates"]], "act"), text)
    assert act.continuation == "raised rates"  # the act without a comment is no positive
    (whole,) = find(Classes("act", "act", [["raised rates"], ["cut rates"]], "act"), text, "target")
    assert whole.prefix.startswith("[STD_SENTENCE_START] x")
    assert not list(find(evidence, "[EVIDENCE_END] dear bread [EVIDENCE_START] dear bread"))


def test_length_limit_replacement_and_seed() -> None:
    classes = Classes("evidence", "evidence", [["dear bread", "bread that costs"], ["a b c d e f g"], ["idle ports"]])
    (near,) = instances([classes], targets(2), goal=4)
    assert {(one.input or {})["negative"] for one in near.instances} == {"idle ports"}
    assert near.exhausted == 2
    (far,) = instances([classes], targets(2), goal=4, limit=-1)
    assert len(far.instances) == 4
    (other,) = instances([classes], targets(1), goal=1, replace=True)
    assert (other.instances[0].input or {})["positive"] == "bread that costs"
    assert instances([classes], targets(2), seed=3) == instances([classes], targets(2), seed=3)


def test_augmentation_exchanges_members_of_a_class() -> None:
    classes = Classes("evidence", "evidence", [["dear bread", "costly bread"], ["idle ports"]])
    made = augment(targets(2), [classes])
    assert len(made) == 4
    assert "[EVIDENCE_START] costly bread [EVIDENCE_END]" in made[2].references[0]
    assert made[2].parent == "0"


@pytest.fixture(scope="module")
def corpus() -> tuple[list[Classes], list[Example]]:
    classes = [Classes.of(one) for one in equivalence_classes(ROOT / "examples/fomc/equivalence_classes.json")]
    return classes, made_up_announcements(classes, documents=50, seed=2)


def test_made_up_announcements_have_what_is_needed(corpus: tuple[list[Classes], list[Example]]) -> None:
    classes, examples = corpus
    assert {example.split for example in examples} == {"train", "validation", "test"}
    assert {len(example.references) for example in examples} >= {1, 2, 3, 12}
    assert {text.count("<sent>") for example in examples for text in example.references} == {0, 1, 2}
    for example in examples:
        for text in example.references:
            opened, closed = spans_of_text(text, whitespace=False)
            assert opened == closed.total()
    assert all(one.positives for one in instances(classes, examples))
    assert made_up_announcements(classes, documents=50, seed=2) == examples


@pytest.mark.parametrize(("spec", "share"), [("gold", 1.0), ("gold:wrong=true", 0.0)])
def test_choosing_end_to_end(
    corpus: tuple[list[Classes], list[Example]], tmp_path: Path, spec: str, share: float
) -> None:
    classes, examples = corpus
    asked = [one for made in instances(classes, examples) for one in made.instances]
    work.choose(system(spec), asked, tmp_path / "c.jsonl")
    result = score_items(load_items(tmp_path / "c.jsonl", examples=asked), choose_metrics("eq_accuracy", None))
    assert result.values == {"eq_accuracy": share, "eq_accuracy.macro": share}


def test_a_model_of_words_beats_a_coin(corpus: tuple[list[Classes], list[Example]], tmp_path: Path) -> None:
    classes, examples = corpus
    asked = [one for made in instances(classes, [e for e in examples if e.split == "test"]) for one in made.instances]
    coin_toss = system("random")
    done = work.choose(coin_toss, asked, tmp_path / "r.jsonl")
    n = len(asked)
    assert sum(row["correct"] for row in done.rows) / n == pytest.approx(0.5, abs=4 * math.sqrt(0.25 / n))


def test_scoring_arithmetic() -> None:
    """Sums of logs, strict inequality: seventy small probabilities do not vanish, and a tie is wrong."""
    from assay.systems.base import Logprob

    small, smaller = Logprob((math.log(1e-5),) * 70), Logprob((math.log(1e-6),) * 70)
    assert small.sum() > smaller.sum()
    long, short = Logprob(tuple(map(math.log, (0.9, 0.2, 0.9, 0.9)))), Logprob(tuple(map(math.log, (0.4, 0.4))))
    assert long.sum() < short.sum()
    assert math.exp(long.mean()) == pytest.approx(0.618, abs=1e-3)
    phrase = Logprob((-1.2,), end=-0.2, start=(-0.1,))
    assert math.exp(phrase.mean()) == pytest.approx(0.606531, abs=1e-6)
    assert math.exp(phrase.sum(end=True, start=True)) == pytest.approx(0.223130, abs=1e-6)


def test_choose_command(here: Run, tmp_path: Path) -> None:
    folder = ROOT / "examples/fomc"
    arguments = ["choose", folder / "test.jsonl", "--classes", folder / "equivalence_classes.json", "--goal", "20"]
    call = here(*arguments, "--system", "ngram", "--train", folder / "train.jsonl", "-o", tmp_path / "c.jsonl",
                "--confusion", "evidence", "--plot", tmp_path / "m.svg", "--json")  # fmt: skip
    assert call.code == 0, call.err
    shown = call.json["evaluations"]
    assert set(shown) == {
        "act",
        "act labels",
        "act label negation",
        "attribution",
        "motive",
        "evidence",
        "temporal scope",
    }
    assert all(one["low"] <= one["accuracy"] <= one["high"] for one in shown.values())
    cells = call.json["confusion"]
    assert sum(cell["n"] for cell in cells) == shown["evidence"]["n"]
    assert sum(cell["mistakes"] for cell in cells) == shown["evidence"]["n"] - shown["evidence"]["correct"]
    assert (tmp_path / "m.svg").read_text().count("<rect") == len(cells) + 1
    text = here(*arguments, "--system", "random", "-o", tmp_path / "r.jsonl").out
    assert "like chance" in text
    assert "Mean of 6 main evaluations" in text


# -- ranking -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def entities() -> list[Example]:
    return made_up_entities(1718)


def test_made_up_entities_have_the_real_proportions(entities: list[Example]) -> None:
    assert Counter(example.split for example in entities) == {"train": 858, "validation": 430, "test": 430}
    assert Counter(len(example.references) for example in entities) == {1: 89, 2: 644, 3: 705, 4: 259, 5: 20, 6: 1}
    assert Counter(example.tags["type"] for example in entities) == {"person": 941, "location": 629, "org": 148}
    for example in entities[:50]:
        candidates, labels = candidates_of(example)
        assert len(candidates) == 24
        assert sum(labels) == len(example.references)


def test_random_on_made_up_entities_is_what_chance_gives(entities: list[Example], tmp_path: Path) -> None:
    test = [example for example in entities if example.split == "test"]
    work.rank(system("random"), test, tmp_path / "r.jsonl")
    values = score_items(load_items(tmp_path / "r.jsonl", examples=test), choose_metrics("ranking", None)).values
    for name, expected, low, high in (("map", 0.2195, 0.205, 0.234), ("recall@10", 0.4167, 0.388, 0.446),
                                      ("mrr", 0.2870, 0.260, 0.314)):  # fmt: skip
        assert low <= values[name] <= high, name
        assert values[f"{name}.chance"] == pytest.approx(expected, abs=0.003)


def test_what_learns_beats_what_counts_beats_chance(entities: list[Example], tmp_path: Path) -> None:
    train = [example for example in entities if example.split == "train"][:200]
    test = [example for example in entities if example.split == "test"][:100]
    found = {}
    for spec in ("random", "frequency", "logistic:epochs=5"):
        made = system(spec)
        made.prepare(train)
        done = work.rank(made, test, tmp_path / f"{made.name}.jsonl")
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
    ("answer", "phrase"),
    [
        ("The two cities", "cities"), ("THE CHESS CHAMPIONS", "chess champions"),
        ("In this article, X and Y are discussed. The two West Coast states...", "west coast states"),
        ("The  two   major cities .", "major cities"), ("U.S. cities.", "u.s. cities"), ("the 2 cities", "2 cities"),
        ("these countries", "these countries"), ("seven cities", "seven cities"), ("The two", "two"),
        ("the two the cities", "the cities"), ("The white and black", None), ("the financial/media concern", None),
        ("Both are political entities", None), ("NA", None), ("the", None), ("people", None), ("...", None), ("", None),
    ],
)  # fmt: skip
def test_answers_are_normalised(answer: str, phrase: str | None) -> None:
    assert normalise(answer).phrase == phrase


def test_records_and_extended_rules() -> None:
    assert annotation(["Two companies", "the companies"]) == ["companies"]
    assert annotation(["cities"], impossible=True) == []
    assert normalise("all 2 cities", extended=True).phrase == "cities"
    assert normalise("people").why == "only the type"


def test_candidates_that_cannot_be_made() -> None:
    few = [Example(id="a", references=("x",), input={"type": "org"}), Example(id="b", input={"type": "org"})]
    with pytest.raises(AssayError, match="id a: 0 other phrases of type org cannot fill 24"):
        with_candidates(few[:1])
    with pytest.raises(AssayError, match="id b: no gold phrase"):
        with_candidates([*few[1:]])
    assert Counter(one.split for one in split_examples([few[0]] * 1718)) == {
        "train": 858,
        "validation": 430,
        "test": 430,
    }


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "no candidates"),
        ({"candidates": ["a"], "labels": []}, "0 or 1 for each of 1"),
        (
            {"candidates": ["a", "b"], "labels": [0, 0]},
            "no candidate is gold and a ranking without gold has no score; leave it out",
        ),
        ({"candidates": ["a", "a"], "labels": [0, 1]}, "stands twice"),
    ],
)
def test_candidate_lists_without_gold_are_refused(
    here: Run, tmp_path: Path, given: dict[str, Any], message: str
) -> None:
    file = tmp_path / "e.jsonl"
    file.write_text(json.dumps({"id": "r1", "source": "s", "input": {"kind": "entities", **given}}) + "\n")
    call = here("rank", file, "--system", "random", "-o", tmp_path / "o.jsonl")
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
