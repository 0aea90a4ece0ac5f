"""Discourse representation structures as text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.datasets import dataset
from assay.errors import AssayError
from assay.inputs import form
from assay.inputs.drs import absolute, relative, unintroduced
from assay.records import Example, kinds
from assay.records.inputs import read_input

BOOKS = [
    ("b1 REF x1", "$NEW REF"),
    ('b1 Name x1 "tom"', '$0 Name @0 "tom"'),
    ("b1 PRESUPPOSITION b2", "$0 PRESUPPOSITION $NEW"),
    ('b1 male "n.02" x1', "$-1 male.n.02 @0"),
    ("b2 REF e1", "$0 REF"),
    ("b2 REF t1", "$0 REF"),
    ('b2 EQU t1 "now"', '$0 EQU @0 "now"'),
    ("b2 Pivot e1 x1", "$0 Pivot @-1 @-2"),
    ("b2 Theme e1 x2", "$0 Theme @-1 @1"),
    ("b2 Time e1 t1", "$0 Time @-1 @0"),
    ('b2 have "v.04" e1', "$0 have.v.04 @-1"),
    ('b2 time "n.08" t1', "$0 time.n.08 @0"),
    ("b2 REF x2", "$0 REF"),
    ('b2 Quantity x2 "3000"', '$0 Quantity @0 "3000"'),
    ('b2 book "n.02" x2', "$0 book.n.02 @0"),
]
EXAMPLE = Example(id="x", input={"kind": "drs", "clauses": [line.split() for line, _ in BOOKS]})
FLAT = (
    '$NEW REF $0 Name @0 t o m $0 PRESUPPOSITION $NEW $-1 male.n.02 @0 $0 REF $0 REF $0 EQU @0 "now" $0 Pivot @-1 @-2 '
    "$0 Theme @-1 @1 $0 Time @-1 @0 $0 have.v.04 @-1 $0 time.n.08 @0 $0 REF $0 Quantity @0 3 0 0 0 $0 book.n.02 @0"
)


def test_the_relative_form_clause_by_clause() -> None:
    lines = form("drs:layout=lines").render(EXAMPLE).split("\n")
    assert lines == [expected for _, expected in BOOKS]


def test_the_flat_forms() -> None:
    assert form("drs").render(EXAMPLE) == FLAT
    quoted = form("drs:literals=quoted").render(EXAMPLE)
    assert 'Name @0 " t o m " $0' in quoted
    assert '" 3 0 0 0 "' in quoted
    assert 'EQU @0 "now"' in quoted


def test_every_published_structure_survives_the_way_there_and_back(shared_data: Callable[[str], Path]) -> None:
    """Names change on the way, so the relative form of what comes back is compared."""
    chosen = form("drs:layout=lines")
    count = 0
    for example in dataset("drs").read(shared_data("drs"), "test"):
        clauses = read_input(example, kinds.Drs).clauses
        lines = relative(clauses)
        if not unintroduced(clauses):
            assert relative(absolute(lines)) == lines, example.id
            count += 1
        assert "\n".join(" ".join(line) for line in lines) == chosen.render(example)
    assert count > 1000


BOXES = st.sampled_from(("b1", "b2", "b3"))


@given(st.lists(st.tuples(BOXES, st.sampled_from(("x1", "x2", "e1"))), min_size=1, max_size=8), st.data())
def test_relative_and_back(introductions: list[tuple[str, str]], data: st.DataObject) -> None:
    """Any order of introductions and uses; what is introduced twice is another referent there."""
    clauses = [[box, "REF", name] for box, name in dict.fromkeys(introductions)]
    names = [name for _, name in introductions]
    for _ in range(data.draw(st.integers(0, 4))):
        clause = [
            data.draw(BOXES),
            "Agent",
            data.draw(st.sampled_from(names)),
            data.draw(st.sampled_from((*names, '"now"'))),
        ]
        clauses.insert(data.draw(st.integers(0, len(clauses))), clause)
    lines = relative(clauses)
    assert relative(absolute(lines)) == lines
    assert len(absolute(lines)) == len(clauses)


def test_a_referent_of_two_boxes_is_two_referents() -> None:
    clauses = [["b1", "REF", "t1"], ["b2", "REF", "t1"], ["b2", "Time", "t1"], ["b1", "Time", "t1"]]
    assert relative(clauses) == [["$NEW", "REF"], ["$NEW", "REF"], ["$0", "Time", "@0"], ["$-1", "Time", "@-1"]]
    assert unintroduced([["b1", "Agent", "e1", "x1"], ["b1", "REF", "e1"]]) == ["x1"]


def test_the_flat_layout_is_not_read_back() -> None:
    with pytest.raises(AssayError, match="layout=lines"):
        form("drs").read("x")
