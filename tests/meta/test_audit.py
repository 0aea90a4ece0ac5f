"""The audit: every strength as if its texts had been scored, conclusions that hold under chance, published figures."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.challenges.manipulations import manipulate, manipulation
from assay.errors import AssayError
from assay.execution.loading import load_all
from assay.meta.audit import Audit, audit_systems
from assay.meta.audit.pool import pool_of
from assay.meta.audit.report import ScoreChange, verdicts
from assay.meta.audit.score_changes import ChangeEstimate
from assay.meta.audit.sweep import negligible_change
from assay.metrics import Dense, Items, MeanMetric, MetricRequest, Part, resolve
from assay.specs import Spec
from assay.store.saved_audit import SavedAudit, TrustCard
from tests.support import items, score

WORDS = "harbour ferry tide lantern gull anchor bell rope cabin deck storm island captain sailor night".split()
SIX = ("random-period", "random-the", "replace-longest", "replace-rand-period", "replace-rand-the", "combination")


def corpus(n: int, seed: int = 0) -> tuple[list[str], list[str], list[str]]:
    """Outputs, references and sources of synthetic words, each a little different from the other."""
    draw = np.random.default_rng(seed)
    texts = []
    for _ in range(n):
        words = list(draw.choice(WORDS, size=int(draw.integers(6, 14))))
        texts.append([" ".join([*(word for word in words if draw.random() > drop), "."]) for drop in (0.2, 0.1, 0.0)])
    outputs, references, sources = (list(column) for column in zip(*texts, strict=True))
    return outputs, references, sources


SPECS = "bleu,rouge1,chrf,sari,fkgl,nist,cider,distinct-1,msttr:segment=20,mean_length"


def test_every_strength_is_what_scoring_its_texts_gives() -> None:
    outputs, references, sources = corpus(30)
    loaded = items(outputs, references, sources)
    found = audit_systems(
        [loaded], resolve(SPECS), manipulations=["random-the", "shuffle-words"], strengths=[30, 100], repeats=2, seed=5
    )
    for name in ("random-the", "shuffle-words"):
        for strength in (30, 100):
            direct = []
            for repeat in (0, 1):
                made = manipulate(manipulation(name), outputs, sources=sources, keys=loaded.ids, seed=5, repeat=repeat)
                texts = made.at(strength / 100)
                direct.append(assay.score(texts, references, sources, metrics=SPECS).values)
            for row in found.of(manipulation=name, strength=strength):
                values = [each[row.metric] for each in direct]
                assert row.after == pytest.approx(np.mean(values), rel=1e-9, abs=1e-9), (name, strength, row.metric)
                assert row.low is None or row.low <= row.after <= row.high  # type: ignore[operator]


def test_a_text_is_measured_once_and_its_twins_stand_beside_it() -> None:
    outputs, references, sources = corpus(5)
    pool = pool_of(items(outputs, references, sources), [manipulation("replace-longest")], 3, 0)
    assert len(pool.items) == 10  # three repeats of a rule without chance come out alike
    assert [pool.items.outputs[place] for place in pool.own] == outputs
    assert (pool.twins["replace-longest", 0] == pool.own + 1).all()
    assert (pool.mixture("replace-longest", 1, 0.4) != pool.own).sum() == 2


@given(st.lists(st.sampled_from([("cat", 1), ("water", 2), ("banana", 3), ("discovery", 4)]), min_size=2, max_size=30))
def test_what_the_makes_of_a_grade(chosen: list[tuple[str, int]]) -> None:
    """One more word of one syllable: 0.39 + 11.8 (1 - s) / (L + 1), where it is one sentence before and after."""
    words = [word for word, _ in chosen]
    length, sounds = len(words), sum(count for _, count in chosen) / len(words)
    text = " ".join(words) + "."
    changed = manipulate(manipulation("random-the"), [text]).changed[0]
    assert changed is not None
    moved = score("fkgl", [changed])["fkgl"] - score("fkgl", [text])["fkgl"]
    assert moved == pytest.approx(0.39 + 11.8 * (1 - sounds) / (length + 1), abs=1e-9)


def test_the_true_formula_does_not_reward_the() -> None:
    """14 words of 18 syllables (about 1.28 a word): half a dozen grades would have to fall, and it rises."""
    text = "The cat sat by the river and ate a banana on a rainy day."
    changed = manipulate(manipulation("random-the"), [text]).changed[0]
    assert changed is not None
    assert 0.1 < score("fkgl", [changed])["fkgl"] - score("fkgl", [text])["fkgl"] < 0.3


@dataclass(frozen=True)
class Chance(MeanMetric):
    """A number that depends on the text and means nothing."""

    salt: str = ""
    name: ClassVar = "chance"
    category: ClassVar = "lexical"
    summary: ClassVar = "nothing"
    needs: ClassVar = ()

    def parts(self) -> tuple[Part, ...]:
        return (Part("chance"),)

    def statistics(self, items: Items) -> Dense:
        digests = [hashlib.sha256((self.salt + text).encode()).digest() for text in items.outputs]
        return self.rows({"chance": np.array([int.from_bytes(each[:4], "big") / 2**32 for each in digests])})


def test_a_number_that_means_nothing_is_seldom_said_to_move() -> None:
    """At most one audit in twenty calls it raised or fallen anywhere: 60 audits, three standard errors."""
    outputs, _, _ = corpus(40)
    alarms = covered = cells = 0
    for salt in range(60):
        request = MetricRequest(Spec("chance"), Chance(str(salt)), None)
        found = audit_systems(
            [items(outputs)], [request], manipulations=SIX[:4], strengths=[50, 100], repeats=2, seed=salt
        )
        alarms += any(row.gained or row.fell for row in found.rows)
        for row in found.of(strength=100):  # over other items it would not have moved at all
            assert row.low is not None
            assert row.high is not None
            assert row.before is not None
            cells += 1
            covered += row.low <= row.before <= row.high
    assert alarms <= 60 * 0.05 + 3 * np.sqrt(60 * 0.05 * 0.95)
    assert 0.88 < covered / cells < 0.995


@dataclass(frozen=True)
class Periods(MeanMetric):
    """Counts periods, and calls many of them good."""

    name: ClassVar = "periods"
    category: ClassVar = "lexical"
    summary: ClassVar = "periods"
    needs: ClassVar = ()

    def parts(self) -> tuple[Part, ...]:
        return (Part("periods", bounds=(0, None)),)

    def statistics(self, items: Items) -> Dense:
        return self.rows({"periods": np.array([float(text.count(".")) for text in items.outputs])})


def periods(*systems: Items, **asked: object) -> Audit:
    request = MetricRequest(Spec("periods"), Periods(), None)
    chosen = {"manipulations": ["random-period", "truncate", "replace-longest"], "strengths": [10, 50, 100], **asked}
    return audit_systems(systems, [request], **chosen)  # type: ignore[arg-type]


def test_what_raises_a_number_is_named_and_so_is_what_it_misses() -> None:
    outputs, _, _ = corpus(60)
    found = periods(items(outputs))
    (verdict,) = found.verdicts
    assert verdict.raised_by == ["random-period"]
    assert verdict.noticed == ["truncate"]
    assert verdict.missed == ["replace-longest"]
    assert verdict.line == (
        "detects 1 of 3 degradations; misses replace-longest; improved by random-period; "
        "do not rank systems by it alone"
    )
    rows = {row.strength: row for row in found.of(manipulation="random-period")}
    assert [rows[strength].change for strength in (10, 50, 100)] == pytest.approx([0.1, 0.5, 1.0])
    assert all(rows[strength].raised_by_worse for strength in (50, 100))
    assert not any(row.raised_by_worse for row in found.of(manipulation="replace-longest"))
    assert all(row.why for row in found.of(manipulation="replace-longest"))  # nothing moved: no interval, and said so


def test_who_gets_past_whom_and_at_which_strength() -> None:
    outputs, _, _ = corpus(60)
    worse = Items(tuple(text.rstrip(" .") for text in outputs[:12]) + tuple(outputs[12:]), items(outputs).examples, "b")
    better = Items(tuple(outputs), items(outputs).examples, "a")
    found = periods(better, worse)
    (flip,) = [each for each in found.flips if each.manipulation == "random-period"]
    assert (flip.system, flip.overtakes, flip.sure, flip.strength) == ("b", "a", True, 50)
    assert flip.before < flip.other < flip.after
    assert found.verdicts[0].flips == 1
    assert not [each for each in found.flips if each.system == "a"]


def test_same_seed_same_audit_and_another_seed_another() -> None:
    outputs, references, sources = corpus(20)
    loaded = items(outputs, references, sources)

    def once(seed: int) -> dict[str, object]:
        return audit_systems([loaded], resolve("bleu"), strengths=[50], repeats=1, seed=seed).to_dict()

    assert once(1) == once(1)
    assert once(1) != once(2)


def test_a_number_that_describes_is_read_as_people_read_it() -> None:
    outputs, _, _ = corpus(60)
    found = audit_systems([items(outputs)], resolve("fkgl"), manipulations=["random-period"], strengths=[100])
    by_name = {verdict.metric: verdict for verdict in found.verdicts}
    assert by_name["fkgl"].raised_by == ["random-period"]
    assert by_name["fkgl"].describes
    assert by_name["fkgl.words_per_sentence"].direction is None
    assert "no better direction" in by_name["fkgl.words_per_sentence"].line


def test_few_items_tell_nothing_and_it_is_said() -> None:
    outputs, references, _ = corpus(6)
    found = audit_systems([items(outputs, references)], resolve("bleu"), strengths=[100])
    assert not any(row.gained or row.fell or row.raised_by_worse for row in found.rows)
    assert all(row.low is None and row.why for row in found.rows)
    assert "no interval: 6 items, at least 10 are needed: no change can be significant" in found.warnings


def test_what_cannot_be_audited_is_refused() -> None:
    outputs, references, _ = corpus(12)
    loaded = items(outputs, references)
    other = Items(loaded.outputs[:5], loaded.examples[:5], "other")
    with pytest.raises(AssayError, match="have different items"):
        audit_systems([loaded, other], resolve("bleu"))
    with pytest.raises(AssayError, match="same name"):
        audit_systems([loaded, loaded], resolve("bleu"))
    with pytest.raises(AssayError, match=r"No metric could be computed \(sari: needs sources"):
        audit_systems([loaded], resolve("sari"), strengths=[100], repeats=1)
    with pytest.raises(AssayError, match="did you mean random-the"):
        audit_systems([loaded], resolve("bleu"), manipulations=["random-th"])
    with pytest.raises(AssayError, match="from 1 to 100"):
        audit_systems([loaded], resolve("bleu"), strengths=[0])


def test_the_turk_outputs_move_as_published(shared_data: Callable[[str], Path]) -> None:
    """At 100 %, three repeats: full stops at random lower the grade by more than two, and SARI hardly notices."""
    folder = shared_data("turkcorpus")
    systems = load_all(
        [folder / "outputs" / name for name in ("Dress-Ls", "ACCESS")],
        examples=f"turk:{folder / 'test.truecase.detok.orig'}",
    )
    found = audit_systems(
        systems, resolve("fkgl,bleu,sari,sari:xu2016,sari:gem"), manipulations=SIX, strengths=[100], repeats=3
    )
    at = {(row.system, row.manipulation, row.metric): row for row in found.rows}
    for system, before, after in (("Dress-Ls", 9.79, 7.1), ("ACCESS", 9.24, 6.5)):
        grade = at[system, "random-period", "fkgl"]
        assert grade.before == pytest.approx(before, abs=0.005)
        assert grade.after == pytest.approx(after, abs=0.1)
        assert grade.raised_by_worse
        assert -8.5 < (at[system, "random-period", "bleu"].change or 0) < -4
        assert at[system, "random-period", "bleu"].fell
        for name in SIX:
            assert abs(at[system, name, "sari"].change or 9) <= 1.5
        order = ("combination", "replace-rand-period", "random-period", "replace-longest", "replace-rand-the")
        grades = [at[system, name, "fkgl"].after or 0 for name in order]
        assert grades[0] == min(grades)
        assert grades[-1] == max(grades)
    # the variants of SARI are apart, and do not move alike
    assert (at["Dress-Ls", "random-period", "sari:gem"].change or 0) < -4
    assert (at["Dress-Ls", "random-period", "sari:xu2016"].change or 0) > 0.5
    flips = [flip for flip in found.flips if flip.metric == "fkgl" and flip.sure]
    assert {(flip.system, flip.overtakes) for flip in flips} == {("Dress-Ls", "ACCESS")}


def test_a_card_is_that_of_the_variant() -> None:
    """A run with one variant of a number calls it by its plain name; what was found of another is told apart."""

    def card(metric: str, line: str, signature: str) -> TrustCard:
        lists: dict[str, list[str]] = {"noticed": [], "missed": [], "raised_by": [], "flattered_by": []}
        return TrustCard(metric=metric, label=metric, line=line, signature=signature, flips=0, **lists)

    cards = [card("sari", "usual", "s|1"), card("sari:xu2016", "first", "s|2"), card("sari.add", "part", "s|1")]
    saved = SavedAudit(cards=cards, systems=["a"], n=9, repeats=1, strength=100, seed=0)
    assert saved.words("sari", {"s|1"}).startswith("usual (")
    assert saved.words("sari", {"s|2"}).startswith("first (")
    assert saved.words("sari.add", {"s|1"}).startswith("part (")
    assert saved.words("sari", {"s|3"}).startswith("Computed with another signature (s|1): usual (")
    assert saved.words("bleu", {"s|1"}) == ""


def test_a_change_that_is_not_significant_is_missed_only_if_it_is_shown_to_be_negligible() -> None:
    """Few changed outputs: the audit cannot say. Many, and a change below a hundredth of the range: missed."""
    estimates = {
        "wide": ChangeEstimate(-0.004, 0.01, 199),
        "narrow": ChangeEstimate(-0.0004, 0.0005, 199),
        "unmoved": ChangeEstimate(0.0, None, 0, "no interval: all values are equal", True),
        "unknown": ChangeEstimate(0.0, None, 0, "no interval: 4 items"),
    }
    margin = 0.15 * negligible_change(Part("x", bounds=(0, 1)), 0.4)
    assert margin == pytest.approx(0.0015)
    negligible = {name: each.within(margin) for name, each in estimates.items()}
    assert negligible == {"wide": False, "narrow": True, "unmoved": True, "unknown": False}
    rows = [
        ScoreChange("s", name, "worse", 100, "x", 0.4, 0.4, changed=0.15, negligible=each)
        for name, each in negligible.items()
    ]
    (verdict,) = verdicts(rows, [], {"x": ("x", Part("x", bounds=(0, 1)))})
    assert verdict.missed == ["narrow", "unmoved"]
    assert verdict.unclear == ["wide", "unknown"]
    assert verdict.line == "detects 0 of 4 degradations; misses narrow, unmoved; cannot say for wide, unknown"
    (single,) = verdicts(rows[:1], [], {"x": ("x", Part("x", bounds=(0, 1)))})
    assert single.line == "detects 0 of 1 degradation; cannot say for wide"


def test_negligible_without_bounds_is_relative_to_the_score() -> None:
    assert negligible_change(Part("x", bounds=(0, None)), 20.0) == pytest.approx(0.2)
