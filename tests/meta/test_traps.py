"""Traps: made from documents by seed, paired with their originals, and scored by metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.challenges.traps import CONTROL, KINDS, Trap, make_traps
from assay.errors import AssayError
from assay.meta.trap_files import read_documents, read_traps
from assay.meta.traps import lexical_metrics, nearest, pair_traps, probe
from assay.metrics import resolve
from assay.records import Example
from assay.stats.interval import clustered_wilson_interval
from tests.conftest import write_jsonl

PLACES = "Wexley Thornbeck Harrowmere Kessaly Velmouth Tandril Pinnock Dunmere".split()


def documents(n: int = 8) -> list[Example]:
    """Synthetic reports that have a name, a number, a pronoun and an auxiliary each."""
    made = []
    for i in range(n):
        here, there = PLACES[i % 8], PLACES[(i + 3) % 8]
        text = (
            f"The council of {here} has closed the old bridge to {there} for the winter. "
            f"Engineers found {20 + i} cracks in it after a flood. "
            f"The mayor said she was worried about the {here} market and its {300 + i} traders. "
            f"Buses will take people across the river near {there} until spring {i}. "
            f"Nobody was hurt when the {i + 2} stones fell."
        )
        made.append(Example(id=f"d{i}", source=text, language="en"))
    return made


def test_a_trap_of_every_kind_for_every_document() -> None:
    given = documents()
    made = list(make_traps(given, seed=1))
    assert Counter(trap.kind for trap in made) == dict.fromkeys(KINDS, len(given))
    assert len({trap.id for trap in made}) == len(made)
    sources = {example.id: example.source or "" for example in given}
    for trap in made:
        assert (trap.text in sources[trap.document]) == (trap.kind == CONTROL)
        assert trap.value == int(trap.kind == CONTROL)
        assert (trap.error == "") == (trap.kind == CONTROL)
        assert (trap.original is None) == (trap.kind == "foreign-sentence")
        if trap.original:
            assert trap.original in sources[trap.document]
        if trap.kind == "foreign-sentence":
            assert any(trap.text in text for id, text in sources.items() if id != trap.document)


def test_traps_depend_on_seed_and_document_alone() -> None:
    given = documents()
    assert list(make_traps(given, seed=1)) == list(make_traps(given, seed=1))
    assert list(make_traps(given, seed=1)) != list(make_traps(given, seed=2))
    kinds = [
        kind for kind in KINDS if kind not in ("foreign-sentence", "entity-swap")
    ]  # these take from other documents
    alone = list(make_traps(given[3:4], kinds, seed=1))
    assert alone == [trap for trap in make_traps(given, kinds, seed=1) if trap.document == "d3"]


def test_a_foreign_sentence_speaks_the_language_of_the_document() -> None:
    german = "Der Rat hat die alte Brücke für den Winter geschlossen. Die Leute fahren nun mit dem Bus über den Fluss."
    given = [*documents(2), Example(id="de", source=german, language="de")]
    made = list(make_traps(given, ["foreign-sentence"], each=2))
    assert {trap.document for trap in made} == {"d0", "d1"}  # the German one has no other to take from
    assert not any("Brücke" in trap.text for trap in made)


def test_wrong_kinds_are_refused() -> None:
    with pytest.raises(AssayError, match="did you mean negation"):
        list(make_traps(documents(1), ["negatoin"]))
    with pytest.raises(AssayError, match="must be 1 or more"):
        list(make_traps(documents(1), each=0))


@pytest.mark.parametrize(
    ("trap", "original"),
    [
        ("they closed the bridge", "she closed the bridge"),
        ("she closed the bridge", "she closed the bridge"),
        ("she has not closed it again today", "she has closed it again today"),
        ("it was not raining when he came", "it was raining when he came"),
    ],
)
def test_the_nearest_stretch(trap: str, original: str) -> None:
    document = "in spring . she closed the bridge . then she has closed it again today . it was raining when he came ."
    assert " ".join(nearest(trap.split(), document.split())) == original


def test_pairs_of_what_has_no_original() -> None:
    text = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen."
    trap = Trap(id="t", document="d", kind="foreign-sentence", text="Quite another sentence about bees.", value=0)
    (pair,) = pair_traps([trap], {"d": text})
    assert not pair.original
    assert len(pair.other.split()) == len(pair.text.split()) == 6
    assert pair.other in text.lower().replace(".", " .")
    with pytest.raises(AssayError, match=r"Trap t: document d is missing"):
        pair_traps([trap], {})


def test_metrics_see_what_they_look_at() -> None:
    given = documents(40)
    made = list(make_traps(given, seed=3))
    found = probe(made, {example.id: example.source or "" for example in given}, resolve("rouge1,rouge2,fkgl"))
    at = {(row.kind, row.metric): row for row in found.rows}
    shuffled = at["shuffle-words", "rouge1.precision"]
    assert (shuffled.above, shuffled.tied) == (0.0, 1.0)  # a bag of words has no order
    assert at["shuffle-words", "rouge2"].above == 1.0
    assert at["number-swap", "rouge2"].above > 0.9
    assert at["foreign-sentence", "rouge2"].low > 0.5
    assert not any(kind == CONTROL for kind, _ in at)
    assert found.counts[CONTROL] == {"n": 40, "with_original": 40, "one_word_apart": 0, "verbatim": 40}
    assert all(row.low <= row.above <= row.high for row in found.rows)
    assert all(row.above + row.tied + row.below == pytest.approx(1) for row in found.rows)


def test_intervals_know_of_documents() -> None:
    hits = np.repeat([1.0, 0.0], 50)
    alone = clustered_wilson_interval(hits, np.arange(100))
    together = clustered_wilson_interval(hits, np.repeat(np.arange(10), 10))
    assert alone == pytest.approx((0.404, 0.596), abs=0.002)  # Wilson, 50 of 100
    assert together[1] - together[0] > 2.5 * (alone[1] - alone[0])
    assert clustered_wilson_interval(np.ones(30), np.arange(30))[1] == pytest.approx(1.0)


def test_intervals_cover_in_simulation() -> None:
    """Shares of 70 % in clusters that differ: at least nine in ten intervals hold it."""
    draw = np.random.default_rng(0)
    held = 0
    for _ in range(300):
        shares = draw.beta(7, 3, size=60)
        clusters = np.repeat(np.arange(60), 3)
        low, high = clustered_wilson_interval((draw.random(180) < shares[clusters]).astype(float), clusters)
        held += low <= 0.7 <= high
    assert held / 300 > 0.91


def test_intervals_cover_where_documents_stand_as_one() -> None:
    """Traps of a document are nearly all above or all below: often all of a sample are, and 200 are worth 20."""
    draw, inside = np.random.default_rng(3), 0
    clusters = np.repeat(np.arange(20), 10)
    for _ in range(400):
        shares = draw.beta(0.95 / 9, 0.05 / 9, 20)
        low, high = clustered_wilson_interval((draw.random(200) < shares[clusters]).astype(float), clusters)
        inside += low <= 0.95 <= high
    assert inside / 400 > 0.88  # counted as 200 it was in 64 of 100


def test_documents_keep_their_language() -> None:
    """ROUGE takes what is said to be English for words of a to z, and Russian has none."""
    text = "Рано утром старый лодочник ушёл по мосту за рекой."
    given = [Example(id=f"d{i}", source=text, language="ru") for i in range(10)]
    made = list(make_traps(given, ["shuffle-words"]))
    assert {trap.language for trap in made} == {"ru"}
    found = probe(made, {example.id: text for example in given}, resolve("rouge2"))
    assert found.rows[0].above == 1.0


def test_files_of_ours_and_of_frank(tmp_path: Path) -> None:
    ours = [{"document": "d", "kind": "negation", "text": "it is not so", "original": "it is so", "id": "1"}]
    released = [{"hash": "d", "code": "F6", "text": "she is so"}, {"hash": "d", "code": "F0", "text": "it is so"}]
    (trap,) = read_traps(write_jsonl(tmp_path / "ours.jsonl", [{**ours[0], "language": "en"}]))
    assert (trap.kind, trap.original, trap.value, trap.language) == ("negation", "it is so", 0, "en")
    read = read_traps(write_jsonl(tmp_path / "frank.jsonl", released))
    assert [(each.kind, each.id, each.value) for each in read] == [("pronoun-swap", "d/0", 0), (CONTROL, "d/1", 1)]
    texts = [{"hash": "d", "article": "It is so."}, {"hash": "d", "article": "It is so."}]
    assert read_documents(write_jsonl(tmp_path / "texts.jsonl", texts)) == {"d": "It is so."}
    assert read_documents(write_jsonl(tmp_path / "e.jsonl", [{"id": "d", "source": "It is."}])) == {"d": "It is."}
    write_jsonl(tmp_path / "bad.jsonl", [{"document": "d", "kind": "joke", "text": "x"}])
    with pytest.raises(AssayError, match=r"bad\.jsonl:1: field 'kind'"):
        read_traps(tmp_path / "bad.jsonl")


def test_the_released_traps_are_paired(shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("frank")
    traps = read_traps(folder / "traps.jsonl")
    assert len(traps) == 2808
    found = probe(traps, read_documents(folder / "texts.jsonl"), resolve("rouge2.precision"))
    counts = found.counts
    assert counts["pronoun-swap"]["n"] == 598
    assert counts["pronoun-swap"]["one_word_apart"] >= 589
    assert counts[CONTROL] == {"n": 415, "with_original": 415, "one_word_apart": 0, "verbatim": 415}
    assert counts["shuffle-words"]["with_original"] < 0.05 * counts["shuffle-words"]["n"]
    assert counts["foreign-sentence"]["with_original"] < 0.01 * counts["foreign-sentence"]["n"]
    at = {row.kind: row for row in found.rows}
    assert at["pronoun-swap"].above > 0.95
    assert {request.metric.name for request in lexical_metrics()} >= {"rouge", "bleu", "chrf", "ter", "nist", "cider"}
