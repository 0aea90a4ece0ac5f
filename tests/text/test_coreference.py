"""Coreference: annotated entities, and rules for pronouns."""

from __future__ import annotations

from pathlib import Path

from assay.text.conllu import Sentence, read_conllu
from assay.text.coreference import Coreference, antecedents

Row = tuple[str, str, int, str, str]


def sentences(folder: Path, *rows: list[Row]) -> list[Sentence]:
    """Write and read CoNLL-U; a row has form, part of speech, head, relation and the last field."""
    lines = []
    for own in rows:
        for number, (form, pos, head, relation, rest) in enumerate(own, 1):
            several = "Number=Plur" if form.endswith("s") and pos == "NOUN" else "Number=Sing"
            lines.append(f"{number}\t{form}\t{form.lower()}\t{pos}\t_\t{several}\t{head}\t{relation}\t_\t{rest}")
        lines.append("")
    path = folder / "a.conllu"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return list(read_conllu(path))


def resolved(parsed: list[Sentence], method: Coreference) -> dict[str, str]:
    forms = {(n, token.id): token.form for n, one in enumerate(parsed) for token in one.tokens}
    return {forms[pronoun]: forms[mention] for pronoun, mention in antecedents(parsed, method).items()}


SAW = [
    ("Ada", "PROPN", 2, "nsubj", "Entity=(e1-person-1)"), ("saw", "VERB", 0, "root", "_"),
    ("dogs", "NOUN", 2, "obj", "Entity=(e2"),
    ("of", "ADP", 5, "case", "_"),
    ("Reed", "PROPN", 3, "nmod", "Entity=(e3)e2)"),
    ("near", "ADP", 8, "case", "_"),
    ("a", "DET", 8, "det", "Entity=(e4-place"), ("mill", "NOUN", 2, "obl", "Entity=e4)"),
]  # fmt: skip
FED = [
    ("She", "PRON", 2, "nsubj", "Entity=(e3)"), ("fed", "VERB", 0, "root", "_"),
    ("them", "PRON", 2, "obj", "Entity=(e2)"),
    ("behind", "ADP", 5, "case", "_"), ("it", "PRON", 2, "obl", "SpaceAfter=No|Entity=(e4)"),
]  # fmt: skip


def test_rules(tmp_path: Path) -> None:
    parsed = sentences(tmp_path, SAW, FED)
    assert resolved(parsed, "rules") == {"She": "Ada", "them": "dogs", "it": "mill"}
    assert antecedents(parsed, "none") == {}


def test_annotated_entities_decide(tmp_path: Path) -> None:
    parsed = sentences(tmp_path, SAW, FED)
    assert resolved(parsed, "entities") == {"She": "Reed", "them": "dogs", "it": "mill"}


def test_a_pronoun_beside_its_mention_is_another_person(tmp_path: Path) -> None:
    own = [
        ("Ada", "PROPN", 2, "nsubj", "_"), ("helped", "VERB", 0, "root", "_"), ("her", "PRON", 2, "obj", "_"),
    ]  # fmt: skip
    assert antecedents(sentences(tmp_path, own), "rules") == {}
    other = [("Cleo", "PROPN", 2, "nsubj", "_"), ("ran", "VERB", 0, "root", "_")]
    assert resolved(sentences(tmp_path, other, own), "rules") == {"her": "Cleo"}


def test_rules_agree_in_number_and_do_not_look_far(tmp_path: Path) -> None:
    joined = [("Bo", "PROPN", 4, "nsubj", "_"), ("and", "CCONJ", 3, "cc", "_"), ("Dan", "PROPN", 1, "conj", "_"),
              ("ran", "VERB", 0, "root", "_")]  # fmt: skip
    they, he = ([(form, "PRON", 2, "nsubj", "_"), ("slept", "VERB", 0, "root", "_")] for form in ("They", "He"))
    assert resolved(sentences(tmp_path, joined, they), "rules") == {"They": "Bo"}  # Bo and Dan
    assert resolved(sentences(tmp_path, joined, he), "rules") == {}
    between = [("Rain", "NOUN", 2, "nsubj", "_"), ("fell", "VERB", 0, "root", "_")]
    assert resolved(sentences(tmp_path, joined, between, between, they), "rules") == {"They": "Bo"}
    assert resolved(sentences(tmp_path, joined, between, between, between, they), "rules") == {}
