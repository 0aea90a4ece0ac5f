"""Edits of meaning representations: the worked example, the published sets, and what cannot be edited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.challenges import perturbation
from assay.challenges.drs_clauses import edit_between, speaking, tense_of, with_other_polarity, with_tense
from assay.challenges.drs_pairs import drs_pairs
from assay.challenges.perturbation import challenge_set
from assay.datasets import dataset
from assay.errors import AssayError
from assay.inputs.drs import clause_words
from assay.records import Example, write_jsonl
from assay.records.inputs import read_input
from assay.records.kinds import Drs

Find = Callable[[str], Path]
HAS = """
b1 REF x1 | b1 Name x1 "tom" | b1 PRESUPPOSITION b2 | b1 male "n.02" x1 | b2 REF e1 | b2 REF t1 | b2 EQU t1 "now"
| b2 Pivot e1 x1 | b2 Theme e1 x2 | b2 Time e1 t1 | b2 have "v.04" e1 | b2 time "n.08" t1 | b2 REF x2
| b2 Quantity x2 "3000" | b2 book "n.02" x2
"""
HAS_NOT = """
b1 REF x1 | b1 Name x1 "tom" | b1 PRESUPPOSITION b2 | b1 male "n.02" x1 | b2 NEGATION b3 | b3 REF e1 | b2 REF t1
| b2 EQU t1 "now" | b3 Pivot e1 x1 | b3 Theme e1 x2 | b3 Time e1 t1 | b3 have "v.04" e1 | b2 time "n.08" t1 | b3 REF x2
| b3 Quantity x2 "3000" | b3 book "n.02" x2
"""


def clauses(text: str) -> list[list[str]]:
    return [clause_words(part) for part in text.replace("\n", " ").split("|")]


def item(text: str = HAS, reference: str = "Tom has three thousand books.") -> Example:
    return Example(id="p1", references=(reference,), input=Drs(clauses=clauses(text)).plain(), language="en")


def made(spec: str, example: Example | None = None, seed: int = 0) -> Example:
    (changed,) = challenge_set(perturbation(spec), [example or item()], seed=seed).examples
    return changed


def now(example: Example) -> list[list[str]]:
    return [list(clause) for clause in read_input(example, Drs).clauses]


@pytest.mark.parametrize(
    ("to", "clause"), [("past", 'TPR t1 "now"'), ("future", 'TPR "now" t1'), ("present", 'EQU t1 "now"')]
)
def test_tense_of_clauses_is_changed(to: str, clause: str) -> None:
    changed = with_tense(clauses(HAS), to)  # type: ignore[arg-type]
    assert [" ".join(c[1:]) for c in changed if tense_of(c)] == [clause]
    assert tense_of(next(c for c in changed if tense_of(c))) == to
    assert edit_between(clauses(HAS), changed, "tense") == ("none" if to == "present" else f"present -> {to}")


def test_a_negation_comes_and_goes() -> None:
    negated = with_other_polarity(clauses(HAS))
    assert negated == clauses(HAS_NOT)
    assert edit_between(clauses(HAS), clauses(HAS_NOT), "polarity") == "added"
    assert with_other_polarity(clauses(HAS_NOT)) == clauses(HAS)
    assert with_other_polarity(clauses('b1 REF x1 | b1 Name x1 "tom"')) is None


def test_each_phenomenon_as_a_challenge() -> None:
    changed = made("drs:phenomenon=names")
    assert changed.tags["edit"].startswith("tom -> ")
    name = changed.tags["edit"].removeprefix("tom -> ").title()
    assert changed.references == (f"{name} has three thousand books.",)
    assert speaking(now(changed), "names") == [["b1", "Name", "x1", f'"{name.lower()}"']]
    changed = made("drs:phenomenon=quantity")
    new = int(changed.tags["edit"].removeprefix("3000 -> "))
    assert 2 <= new <= 10_000
    assert new != 3000
    assert "three thousand" not in changed.references[0]
    changed = made("drs:phenomenon=number")
    assert changed.tags["edit"] == "3000 -> 1"
    assert (changed.references, changed.tags["reference"]) == ((), "to be written")
    assert (changed.id, changed.tags["challenge"]) == ("p1/drs-number", "drs-number")
    single = made("drs:phenomenon=number", item(HAS.replace('| b2 Quantity x2 "3000"', "")))
    assert single.tags["edit"].startswith("(none) -> ")
    assert made("drs:phenomenon=polarity").tags["edit"] == "added"
    assert made("drs:to=past").tags["edit"] == "present -> past"


def test_references_from_a_file_and_excluded_training_names(tmp_path: Path) -> None:
    written, train = tmp_path / "texts.jsonl", tmp_path / "train.jsonl"
    write_jsonl(written, [Example(id="x", parent="p1", references=("Tom had three thousand books.",))])
    changed = made(f"drs:to=past:texts={written}")
    assert changed.references == ("Tom had three thousand books.",)
    assert "reference" not in changed.tags
    names = ("alaric", "evander", "lysander", "osric")
    write_jsonl(train, [item(HAS.replace('"tom"', f'"{name}"')) for name in names[:1]])
    seen = {made(f"drs:phenomenon=names:train={train}", seed=seed).tags["edit"] for seed in range(30)}
    assert "tom -> alaric" not in seen
    assert len(seen) == 4


def test_what_has_nothing_to_change_is_left_out() -> None:
    bare = Example(id="a", input=Drs(clauses=clauses('b1 REF x1 | b1 cat "n.01" x1')).plain())
    for phenomenon in ("tense", "polarity", "names", "quantity"):
        assert challenge_set(perturbation(f"drs:phenomenon={phenomenon}"), [bare]).unchanged == ["a"]
    assert challenge_set(perturbation("drs"), [Example(id="a", source="text")]).unchanged == ["a"]


def test_pairs_show_the_clauses() -> None:
    parent = item()
    (pair,) = drs_pairs([parent], [made("drs:to=past", parent)])
    assert (pair.edit, pair.before, pair.after) == ("present -> past", ['b2 EQU t1 "now"'], ['b2 TPR t1 "now"'])
    assert not pair.unchanged
    with pytest.raises(AssayError, match="its parent p1 is not among the originals"):
        drs_pairs([], [made("drs", parent)])
    with pytest.raises(AssayError, match="has no parent"):
        drs_pairs([parent], [parent])


def test_the_published_sets(shared_data: Find) -> None:
    """All 500 have a parent, and were changed as the paper says; one structure is its parent's."""
    examples = list(dataset("drs").read(shared_data("drs"), None))
    children = [example for example in examples if example.parent]
    pairs = drs_pairs([example for example in examples if example.split == "test"], children)
    assert len(pairs) == len(children) == 500
    sizes = Counter(pair.phenomenon for pair in pairs)
    assert sizes == {"tense": 200, "polarity": 100, "number": 100, "names": 50, "quantity": 50}
    edits = Counter((pair.phenomenon, pair.edit) for pair in pairs)
    tenses = ("present -> past", "past -> present", "past -> future", "future -> past", "present -> future")
    assert [edits["tense", edit] for edit in tenses] == [95, 64, 25, 5, 5]
    assert (edits["polarity", "added"], edits["polarity", "removed"]) == (90, 10)
    assert edits["quantity", "none"] == 1


def test_edits_of_the_real_structures_are_well_formed(shared_data: Find) -> None:
    """Every box that is named holds something, nothing is lost, and a negation can be taken back."""
    examples = list(dataset("drs").read(shared_data("drs"), "test"))
    checked = 0
    for example in examples:
        before = now(example)
        if any(clause[1] in ("NEGATION", "NOT") for clause in before):
            continue
        after = with_other_polarity(before)
        if after is None:
            continue
        checked += 1
        assert len(after) == len(before) + 1
        (negation,) = [clause for clause in after if clause[1] == "NEGATION"]
        assert any(clause[0] == negation[2] for clause in after)
        assert with_other_polarity(after) == before
    assert checked > 800
