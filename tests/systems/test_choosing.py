"""Equivalence classes: counts, laws and vectors, on real classes and synthetic announcements."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.challenges.equivalence import augment, find, instances
from assay.datasets.equivalence_classes import Classes
from assay.datasets.fomc import equivalence_classes
from assay.datasets.statements import corpus_statistics
from assay.datasets.synthetic_announcements import synthetic_announcements
from assay.execution.loading import load_items
from assay.execution.request import choose as choose_metrics
from assay.execution.scoring import score_items
from assay.inputs.spans import spans_of_text
from assay.records import Example
from assay.systems import system
from assay.systems.answering import answer
from assay.systems.tasks import Choose
from tests.conftest import Call

Run = Callable[..., Call]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def real(shared_data: Callable[[str], Path]) -> list[Classes]:
    return [Classes.of(example) for example in equivalence_classes(shared_data("fomc/equivalence_classes.json"))]


def test_pairs_of_the_published_classes(real: list[Classes]) -> None:
    """Ordered pairs of distinct members of different classes, of any length and of like length."""
    for limit, pairs in ((-1, 43_674), (2, 27_628)):
        assert sum(len(one.negatives(member, limit)) for one in real for member in one.home) == pairs
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
    labels = Classes("act labels", "act", [["Did raise"], ["Did cut"]], "label")
    (label,) = find(labels, text)
    assert label.prefix == "[STD_SENTENCE_START] [ACT_START] raised rates"
    assert labels.scored(label.member) == "(Did raise)"
    (act,) = find(Classes("act", "act", [["raised rates"], ["cut rates"]], "act"), text)
    assert act.member == "raised rates"  # the act without a comment is no positive
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
    return classes, synthetic_announcements(classes, documents=50, seed=2)


def test_synthetic_announcements_have_what_is_needed(corpus: tuple[list[Classes], list[Example]]) -> None:
    classes, examples = corpus
    assert {example.split for example in examples} == {"train", "validation", "test"}
    counts = {len(example.references) for example in examples}
    assert counts >= {1, 2, 3}
    assert max(counts) > 10
    assert {text.count("<sent>") for example in examples for text in example.references} >= {0, 1, 2}
    for example in examples:
        for text in example.references:
            opened, closed = spans_of_text(text, whitespace=False)
            assert opened == closed.total()
    assert all(one.positives for one in instances(classes, examples))
    assert synthetic_announcements(classes, documents=50, seed=2) == examples


PUBLISHED = {
    "targets a source": 2.38, "sentences a source": 262.6, "words a source": 6054.1, "statements a target": 1.60,
    "words a target": 123.6, "markers a target": 18.2, "act a target": 1.60, "actor a target": 1.60,
    "reference a target": 1.60, "attribution a target": 0.87, "motive a target": 0.39, "evidence a target": 1.22,
    "scope a target": 0.21,
}  # fmt: skip


def test_synthetic_announcements_have_the_published_proportions(real: list[Classes]) -> None:
    found = corpus_statistics(synthetic_announcements(real, documents=400, seed=0))
    for name, mean in PUBLISHED.items():
        assert found[name].mean == pytest.approx(mean, rel=0.15), name
    assert found["words a source"].sd > 6000
    assert found["targets a source"].most > 20
    for name, sd in (("statements", 0.93), ("attribution", 1.18), ("evidence", 1.41), ("scope", 0.45)):
        assert found[f"{name} a target"].sd == pytest.approx(sd, rel=0.15), name


def test_what_is_frequent_beats_a_coin(real: list[Classes], tmp_path: Path) -> None:
    """Even word bigrams of the training targets tell true spans from others in the synthetic corpus."""
    examples = synthetic_announcements(real, documents=150, seed=1)
    train, test = ([one for one in examples if one.split == split] for split in ("train", "test"))
    asked = [one for made in instances(real, test, goal=40) for one in made.instances]
    right = {}
    for spec in ("ngram:n=2", "random"):
        made = system(spec)
        made.prepare(train)
        answer(Choose(), made, asked, tmp_path / f"{spec[:5]}.jsonl")
        items = load_items(tmp_path / f"{spec[:5]}.jsonl", examples=asked)
        result = score_items(items, choose_metrics("eq_accuracy", None), ci=300)
        right[spec] = result.scores["eq_accuracy"]
    assert right["ngram:n=2"].low > 0.5  # type: ignore[operator]
    assert right["random"].low < 0.5 < right["random"].high  # type: ignore[operator]


@pytest.mark.parametrize(("spec", "share"), [("gold", 1.0), ("gold:wrong=true", 0.0)])
def test_choosing_end_to_end(
    corpus: tuple[list[Classes], list[Example]], tmp_path: Path, spec: str, share: float
) -> None:
    classes, examples = corpus
    asked = [one for made in instances(classes, examples) for one in made.instances]
    answer(Choose(), system(spec), asked, tmp_path / "c.jsonl")
    result = score_items(load_items(tmp_path / "c.jsonl", examples=asked), choose_metrics("eq_accuracy", None))
    assert result.values == {"eq_accuracy": share, "eq_accuracy.macro": share}


def test_a_model_of_words_beats_a_coin(corpus: tuple[list[Classes], list[Example]], tmp_path: Path) -> None:
    classes, examples = corpus
    asked = [one for made in instances(classes, [e for e in examples if e.split == "test"]) for one in made.instances]
    coin_toss = system("random")
    done = answer(Choose(), coin_toss, asked, tmp_path / "r.jsonl")
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
    arguments = [
        "system",
        "choose",
        folder / "test.jsonl",
        "--classes",
        folder / "equivalence_classes.json",
        "--goal",
        "20",
    ]
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
    drawn = re.findall(r">(\d+) of (\d+)</text>", (tmp_path / "m.svg").read_text())
    assert sorted((int(wrong), int(n)) for wrong, n in drawn) == sorted((c["mistakes"], c["n"]) for c in cells)
    text = here(*arguments, "--system", "random", "-o", tmp_path / "r.jsonl").out
    assert "not significant" in text
    assert "Mean of 6 main evaluations" in text
