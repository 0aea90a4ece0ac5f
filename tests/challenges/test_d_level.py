"""D-levels from parses: a synthetic sentence for every level, parsed by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.challenges.contrast import contrast, tagged
from assay.challenges.contrast.d_level import d_level
from assay.errors import AssayError
from assay.records import Example
from assay.text.conllu import read_conllu

SENTENCES = {
    "Rain fell .": (0, "Rain NOUN 2 nsubj|fell VERB 0 root|. PUNCT 2 punct"),
    "He tried to sing .": (1, "He PRON 2 nsubj|tried VERB 0 root|to PART 4 mark|sing VERB 2 xcomp|. PUNCT 2 punct"),
    "He seemed tired .": (0, "He PRON 2 nsubj|seemed VERB 0 root|tired ADJ 2 xcomp|. PUNCT 2 punct"),
    "Ada and Tom came .": (2, "Ada PROPN 4 nsubj|and CCONJ 3 cc|Tom PROPN 1 conj|came VERB 0 root|. PUNCT 4 punct"),
    "He saw Ada and Tom .": (
        0, "He PRON 2 nsubj|saw VERB 0 root|Ada PROPN 2 obj|and CCONJ 5 cc|Tom PROPN 3 conj|. PUNCT 2 punct",
    ),
    "He came and sang .": (2, "He PRON 2 nsubj|came VERB 0 root|and CCONJ 4 cc|sang VERB 2 conj|. PUNCT 2 punct"),
    "He came , ate and sang .": (  # one coordination, of three
        2, "He PRON 2 nsubj|came VERB 0 root|, PUNCT 4 punct|ate VERB 2 conj|and CCONJ 6 cc|sang VERB 2 conj",
    ),
    "He said it rained .": (
        3, "He PRON 2 nsubj|said VERB 0 root|it PRON 4 nsubj|rained VERB 2 ccomp VerbForm=Fin|. PUNCT 2 punct",
    ),
    "He saw boats that sank .": (
        3, "He PRON 2 nsubj|saw VERB 0 root|boats NOUN 2 obj|that PRON 5 nsubj|sank VERB 3 acl:relcl|. PUNCT 2 punct",
    ),
    "It helps to sing .": (3, "It PRON 2 expl|helps VERB 0 root|to PART 4 mark|sing VERB 2 csubj|. PUNCT 2 punct"),
    "He told Ada to sing .": (
        4, "He PRON 2 nsubj|told VERB 0 root|Ada PROPN 2 obj|to PART 5 mark|sing VERB 2 xcomp|. PUNCT 2 punct",
    ),
    "He is older than Tom .": (
        4, "He PRON 3 nsubj|is AUX 3 cop|older ADJ 0 root|than ADP 5 case|Tom PROPN 3 obl|. PUNCT 3 punct",
    ),
    "He came when it rained .": (
        5, "He PRON 2 nsubj|came VERB 0 root|when ADV 5 mark|it PRON 5 nsubj|rained VERB 2 advcl|. PUNCT 2 punct",
    ),
    "Boats that leak sank .": (
        6, "Boats NOUN 4 nsubj|that PRON 3 nsubj|leak VERB 1 acl:relcl|sank VERB 0 root|. PUNCT 4 punct",
    ),
    "Singing helps .": (6, "Singing VERB 2 csubj|helps VERB 0 root|. PUNCT 2 punct"),
    "He tried to sing and left .": (
        7, "He PRON 2 nsubj|tried VERB 0 root|to PART 4 mark|sing VERB 2 xcomp|and CCONJ 6 cc|left VERB 2 conj",
    ),
}  # fmt: skip


def conllu(words: str, *comments: str) -> str:
    lines = [f"# {comment}" for comment in comments]
    for number, word in enumerate(words.split("|"), 1):
        form, upos, head, relation, *features = word.split()
        lines.append("\t".join([str(number), form, form, upos, "_", *(features or ["_"]), head, relation, "_", "_"]))
    return "\n".join(lines) + "\n\n"


def test_sentences_have_the_published_d_levels(tmp_path: Path) -> None:
    path = tmp_path / "parses.conllu"
    path.write_text("".join(conllu(words) for _, words in SENTENCES.values()), encoding="utf-8")
    levels = dict(zip(SENTENCES, map(d_level, read_conllu(path)), strict=True))
    assert levels == {text: level for text, (level, _) in SENTENCES.items()}


def test_sentences_belong_to_items_by_id_or_text(tmp_path: Path) -> None:
    path = tmp_path / "parses.conllu"
    simple, sure = SENTENCES["Rain fell ."][1], SENTENCES["Singing helps ."][1]
    path.write_text(
        conllu(simple, "sent_id = n-1-1") + conllu(sure, "sent_id = n-1-2") + conllu(simple, "text = Rain fell."),
        encoding="utf-8",
    )
    items = [Example(id="n-1", source="x"), Example(id="z", source="Rain  fell.")]
    assert [each.tags["d_level"] for each in tagged(contrast(f"d-level:parses={path}"), items)] == ["6", "0"]
    with pytest.raises(AssayError, match=r"id q: .*has no parse of it"):
        tagged(contrast(f"d-level:parses={path}"), [Example(id="q", source="Other.")])
    with pytest.raises(AssayError, match="parses=FILE is required"):
        tagged(contrast("d-level"), items)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1\tRain\tfell", ":1: has 3 fields"),
        ("x\tRain\t_\tNOUN\t_\t_\t0\troot\t_\t_", ":1: the first field is a number"),
        ("1\tRain\t_\tNOUN\t_\t_\t_\troot\t_\t_", ":1: the head is '_'"),
        ("1\tRain\t_\tNOUN\t_\t_\t7\troot\t_\t_", "the head of Rain is 7"),
    ],
)
def test_invalid_parses_are_reported(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "parses.conllu"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(AssayError, match=said):
        list(read_conllu(path))


def test_words_of_several_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "parses.conllu"
    path.write_text("1-2\tdont" + "\t_" * 8 + "\n" + conllu(SENTENCES["Rain fell ."][1]), encoding="utf-8")
    assert [token.form for token in next(read_conllu(path)).tokens] == ["Rain", "fell", "."]


def test_parses_without_lemmas_and_with_strange_spaces(tmp_path: Path) -> None:
    path = tmp_path / "parses.conllu"
    words = conllu(SENTENCES["He is older than Tom ."][1]).replace("than\tthan", "than\t_").replace("Tom", "T\u2028m")
    path.write_text(words, encoding="utf-8")
    assert [d_level(sentence) for sentence in read_conllu(path)] == [4]
