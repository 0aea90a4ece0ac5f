"""Strangers' texts are read in linear time: four times the text takes about four times as long, not sixteen."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from assay.benchmark.cards.card import Card, Section, parse_card
from assay.benchmark.cards.check import check_card
from assay.benchmark.cards.fill import BEGIN, END
from assay.benchmark.cards.html import sections_of_html
from assay.benchmark.cards.page import contents
from assay.challenges.manipulations.meaning import names_in
from assay.cli.shared.help import with_details
from assay.datasets.nli import without_image_ids
from assay.datasets.structures import MR_SLOT
from assay.errors import AssayError
from assay.execution.executors import ADDRESS
from assay.inputs.controls import strip_controls
from assay.inputs.serialised import parts
from assay.inputs.spans import SPACE_BEFORE
from assay.inputs.triples import TripleTree
from assay.judges.plain_text import RATING
from assay.meta.scales import parse_scale, stated_points
from assay.records.documents import parse_json, parse_toml, parse_yaml
from assay.records.positions import in_order_of_ids
from assay.studies.events import Task, Text
from assay.studies.server.training import make_reading_tests
from assay.studies.support import supporting_sentences
from assay.text.sentences import END as SENTENCE_END
from assay.text.spacy_words import spacy_words
from assay.text.spans import find_span, remove_spans
from tests.support.processor_time import processor_seconds

SIZE = 8_000
FACTOR = 4
MOST = 9.0
"""Growth over FACTOR times the text that is still accepted; quadratic growth is 16."""
QUICK = 0.08
"""Seconds below which growth is not measured."""
PIECES = (
    "<!--", "<!-- a\n", "a\n", "a\n=\n", "- **a", "- **", "> ", "[a](", "[", "*a", "`", "```\n", "<b>", "## a\n",
    "[a]: <b\n", "1 ", "1", "- a\n", "| a ", BEGIN, "{", "(", "\\", " ", "---\n", "a: b\n", "http://a ", "1-", "[[",
    "<a>", "<a> ", "__subj__ ", "__subj__ a __pred__ ", "1jpg", "]", "]]a", "km", "...",
)  # fmt: skip


def card(text: str) -> Card:
    return parse_card(f"# t\n\n## Languages\n\n{text}\n\n## Licensing Information\n\nMIT")


READERS: dict[str, Callable[[str], Any]] = {
    "card": card,
    "card check": lambda text: check_card(Card("", "", (Section(1, "Languages", text),))),
    "card page": lambda text: contents(Card("", "", (Section(1, "Languages", text),))),
    "card from html": lambda text: sections_of_html(f"<h3>a</h3>{text}", "x"),
    "spans": lambda text: (remove_spans(text, "<!--", "-->"), find_span(text, BEGIN, END)),
    "scale": parse_scale,
    "points": stated_points,
    "json": lambda text: parse_json(text.encode(), "x"),
    "toml": lambda text: parse_toml(text, "x"),
    "slots": MR_SLOT.match,
    "names": names_in,
    "ids": lambda text: in_order_of_ids([f"{text}a", "1"], ["", ""], ["", ""]),
    "control tokens": strip_controls,
    "cluster addresses": ADDRESS.fullmatch,
    "image names": without_image_ids,
    "help texts": with_details,
    "words of card statistics": spacy_words,
    "ratings": lambda text: RATING.findall(f"rating{text}"),
    "serialised inputs": parts,
    "tagged triples": TripleTree().read,
    "ends of sentences": lambda text: SENTENCE_END.search(f"{text}a"),
    "marked spans": lambda text: SPACE_BEFORE.sub("", text),
    "yaml": lambda text: parse_yaml(text[:SIZE], "x"),
}


def seconds(reader: Callable[[str], Any], text: str) -> float:
    def read() -> None:
        with suppress(AssayError):
            reader(text)

    return processor_seconds(read, quick=QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_time_grows_with_the_length_of_the_text(name: str) -> None:
    for piece in PIECES:
        long = seconds(READERS[name], piece * (FACTOR * SIZE // len(piece)))
        if long < QUICK:
            continue
        short = seconds(READERS[name], piece * (SIZE // len(piece)))
        assert long < MOST * short, f"{piece!r}: {short:.3f} s for {SIZE:,} characters, {long:.3f} s for {FACTOR} times"


def articles(n: int) -> list[Task]:
    """Tasks whose articles have two names each that no other has."""
    names = ["".join(chr(97 + i // 26**k % 26) for k in range(4)).title() for i in range(2 * n)]
    sources = [f"Yesterday {a} met {b}. Then {a} left with {b}." for a, b in zip(names[::2], names[1::2], strict=True)]
    return [Task(f"t{i}", (Text("x", "s", "A text."),), source) for i, source in enumerate(sources)]


def words(letter: str, n: int) -> str:
    return " ".join(f"{letter}{i}" for i in range(n))


GROWING: dict[str, tuple[int, Callable[[int], Callable[[], Any]]]] = {
    "reading tests": (400, lambda n: partial(make_reading_tests, articles(n), 1)),
    "highlighted sentences": (8_000, lambda n: partial(supporting_sentences, [words("a", n)], words("b", n))),
    "highlighted repetitions": (2_000, lambda n: partial(supporting_sentences, ["a " * n], "a a a a b " * n)),
}
"""What tasks of a study are read with: a size, and the call for a size."""


@pytest.mark.slow
@pytest.mark.parametrize("name", GROWING)
def test_time_grows_with_the_tasks_of_a_study(name: str) -> None:
    """A file of tasks froze all studies of a server: each name was looked for in each article."""
    size, call = GROWING[name]
    short, long = (processor_seconds(call(n), quick=QUICK) for n in (size, FACTOR * size))
    assert long < max(QUICK, MOST * short), f"{short:.3f} s for {size:,}, {long:.3f} s for {FACTOR} times"


def test_a_number_of_points_is_bounded() -> None:
    """A scale of a billion points was built as a list."""
    assert parse_scale("Likert scale of 999999999") is None
    assert parse_scale("Likert scale of 7") is not None
