"""arcs: which dependencies of an output its source has, from parses in CoNLL-U, and parses that are damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.metrics import resolve
from assay.metrics.faithfulness.parsed_metric import read_parses
from tests.support import score

MILL = [("The", "the", "DET", 2, "det"), ("mill", "mill", "NOUN", 3, "nsubj"), ("burned", "burn", "VERB", 0, "root")]
RIVER = [
    ("mill", "mill", "NOUN", 2, "nsubj:pass"),
    ("burns", "burn", "VERB", 0, "root"),
    ("rivers", "river", "NOUN", 2, "obj"),
]

ROW = "1\tmill\tmill\tNOUN\t_\t_\t0\troot\t_\t_\n"


def parsed(path: Path, documents: dict[str, list[list[tuple[str, str, str, int, str]]]]) -> Path:
    """A file in CoNLL-U."""
    lines = []
    for id, sentences in documents.items():
        for k, sentence in enumerate(sentences):
            lines += [f"# newdoc id = {id}"] * (k == 0)
            for place, (form, lemma, upos, head, relation) in enumerate(sentence, 1):
                lines.append("\t".join([str(place), form, lemma, upos, "_", "_", str(head), relation, "_", "_"]))
            lines.append("")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_share_of_arcs_that_the_source_has(tmp_path: Path) -> None:
    """Of mill-burn and burn-river the source has the first; with the relation its subtype does not matter."""
    outputs, sources = parsed(tmp_path / "o.conllu", {"0": [RIVER]}), parsed(tmp_path / "s.conllu", {"0": [MILL]})
    spec = f"arcs:outputs={outputs}:sources={sources}"
    assert score(spec, ["mill burns rivers"])["arcs"] == pytest.approx(1 / 2)
    assert score(f"{spec}:relation=same", ["mill burns rivers"])["arcs"] == pytest.approx(1 / 2)
    turned = [(*RIVER[0][:4], "obj"), RIVER[1], (*RIVER[2][:4], "nsubj")]
    parsed(outputs, {"0": [turned]})
    assert score(spec, ["mill burns rivers"])["arcs"] == pytest.approx(1 / 2)
    assert score(f"{spec}:relation=same", ["mill burns rivers"])["arcs"] == 0


def test_empty_outputs_and_missing_parses(tmp_path: Path) -> None:
    outputs, sources = (
        parsed(tmp_path / "o.conllu", {"0": [RIVER]}),
        parsed(tmp_path / "s.conllu", {"0": [MILL], "1": [MILL]}),
    )
    spec = f"arcs:outputs={outputs}:sources={sources}"
    assert score(spec, ["mill burns rivers", ""])["arcs"] == pytest.approx(1 / 2)
    (failed,) = assay.score(["mill burns rivers", "unread"], metrics=spec, references=[["x"], ["x"]]).failed
    assert "no parse of id 1. Write `# newdoc id = 1` before its sentences" in failed.why
    assert "needs a parser or parses. Give arcs:parser=spacy:PIPELINE, or arcs:outputs=FILE.conllu" in str(
        resolve("arcs")[0].metric.why_not()
    )


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("1\tmill\n", ":1: has 2 fields and not the 10"),
        ("mill\n", ":1: has 1 field and not the 10"),
        ("²\tmill\tmill\tNOUN\t_\t_\t0\troot\t_\t_\n", ":1: the first field is a number; here it is '²'"),
        ("1\tmill\tmill\tNOUN\t_\t_\t²\troot\t_\t_\n", ":1: the head is '²'"),
        (
            "1-2\tmills\t_\t_\t_\t_\t_\t_\t_\t_\n1\tmill\tmill\tNOUN\t_\t_\t0\troot\t_\t_\n"
            "2\ts\ts\tX\t_\t_\t9\tdep\t_\t_\n\n",
            ":3: the head of s is 9, and the sentence has no such word; parse the text again",
        ),
        (
            f"# newdoc id = 0\n{ROW}\n# newdoc\n{ROW}\n",
            "sentence 2: document without an id. Write `# newdoc id",
        ),
        (f"# newdoc id =\n{ROW}\n", "sentence 1: document without an id"),
        (
            f"# newdoc id = 0\n{ROW}\n# newdoc id = 1\n{ROW}\n# newdoc id = 0\n{ROW}\n",
            "sentence 3: document 0 appears twice. Keep one.",
        ),
        ("1\tmill\tmill\tNOUN\t_\t_\t0\troot\t_\t_\n\n", "sentences before the first `# newdoc id = ID`"),
    ],
)
def test_damage_is_named(tmp_path: Path, content: str, told: str) -> None:
    (tmp_path / "bad.conllu").write_text(content, encoding="utf-8")
    good = parsed(tmp_path / "s.conllu", {"0": [MILL]})
    assert told in str(resolve(f"arcs:outputs={tmp_path / 'bad.conllu'}:sources={good}")[0].metric.why_not())


def test_a_mark_of_byte_order_and_an_id_before_every_sentence_are_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "marked.conllu"
    path.write_text(f"# newdoc id = 0\n{ROW}\n# newdoc id = 0\n{ROW}\n", encoding="utf-8-sig")
    assert [len(parse) for parse in read_parses(str(path), "x").values()] == [2]


def test_files_count_by_their_content(tmp_path: Path) -> None:
    one, same = parsed(tmp_path / "a.conllu", {"0": [MILL]}), parsed(tmp_path / "b.conllu", {"0": [MILL]})
    other = parsed(tmp_path / "c.conllu", {"0": [RIVER]})
    signed = [resolve(f"arcs:outputs={path}:sources={one}")[0].metric.signature("1") for path in (one, same, other)]
    assert signed[0] == signed[1] != signed[2]
