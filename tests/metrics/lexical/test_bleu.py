"""BLEU against sacrebleu: statistics, values, sentences, signature."""

from __future__ import annotations

import csv
from collections.abc import Callable
from itertools import product, zip_longest
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from assay.metrics import resolve
from assay.text._kernels.words import Vocabulary
from assay.text.tokenize import read
from tests.support import TEXT, WORDY, each, items, sacrebleus, score, without_version

SENTENCE = st.one_of(WORDY, TEXT, st.lists(st.sampled_from("a b c d e , .".split()), max_size=14).map(" ".join))
CORPUS = st.lists(st.tuples(SENTENCE, st.lists(SENTENCE, min_size=1, max_size=3)), min_size=1, max_size=5)
OPTIONS = st.sampled_from(
    [
        ({}, ""),
        ({"lowercase": True}, ":lowercase=true"),
        ({"smooth_method": "floor"}, ":smoothing=floor"),
        ({"smooth_method": "floor", "smooth_value": 0.5}, ":smoothing=floor:smooth_value=0.5"),
        ({"smooth_method": "add-k"}, ":smoothing=add-k"),
        ({"smooth_method": "none"}, ":smoothing=none"),
        ({"effective_order": True}, ":effective_order=true"),
        ({"tokenize": "intl"}, ":tokenizer=intl"),
        ({"tokenize": "char"}, ":tokenizer=char"),
        ({"tokenize": "zh"}, ":tokenizer=zh"),
        ({"tokenize": "none"}, ":tokenizer=none"),
    ]
)


@settings(max_examples=150)
@given(corpus=CORPUS, options=OPTIONS)
def test_equal_to_sacrebleu(corpus: list[tuple[str, list[str]]], options: tuple[dict[str, object], str]) -> None:
    outputs, references = [output for output, _ in corpus], [list(refs) for _, refs in corpus]
    theirs = BLEU(force=True, **options[0])
    streams = [list(stream) for stream in zip_longest(*references)]
    expected = theirs.corpus_score(outputs, streams)
    actual = score("bleu" + options[1], outputs, references)
    assert actual["bleu"] == pytest.approx(expected.score, rel=1e-12, abs=1e-12)
    assert actual["bleu.brevity"] == pytest.approx(expected.bp, rel=1e-12)
    nrefs = str(theirs.num_refs) if theirs.num_refs > 0 else "var"
    assert sacrebleus(resolve("bleu" + options[1])[0].metric.signature(nrefs)) == without_version(theirs)


@settings(max_examples=100)
@given(output=SENTENCE, references=st.lists(SENTENCE, min_size=1, max_size=3))
def test_single_examples(output: str, references: list[str]) -> None:
    expected = BLEU(effective_order=True, force=True).sentence_score(output, references).score
    assert each("bleu", [output], [references])["bleu"][0] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_mean_of_sentences_has_its_own_name() -> None:
    outputs, references = ["a b c d e", "x y z w"], ["a b c d f", "x y q w"]
    mean = sum(each("bleu", outputs, references)["bleu"]) / 2
    assert score("sentence_bleu", outputs, references)["sentence_bleu"] == pytest.approx(mean)
    assert score("bleu", outputs, references)["bleu"] != pytest.approx(mean, abs=0.5)


def test_gem_vector() -> None:
    from tests.conftest import OUTPUTS, REFERENCES

    assert score("bleu:gem", OUTPUTS, REFERENCES)["bleu"] == pytest.approx(32.562, abs=5e-4)
    assert score("bleu", REFERENCES, REFERENCES)["bleu"] == pytest.approx(100)
    assert score("bleu", [""] * 3, REFERENCES)["bleu"] == 0


@pytest.mark.parametrize(("system", "published"), [("tgen", 65.93), ("slug", 66.19)])
def test_published_e2e_systems(shared_data: Callable[[str], Path], system: str, published: float) -> None:
    references: dict[str, list[str]] = {}
    with shared_data("e2e/testset_w_refs.csv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            references.setdefault(row["mr"], []).append(row["ref"])
    with shared_data(f"e2e/outputs/{system}.tsv").open(encoding="utf-8") as stream:
        actual = dict(list(csv.reader(stream, delimiter="\t", quotechar='"'))[1:])
    outputs = [actual[mr] for mr in references]
    value = score("bleu:lowercase=true", outputs, list(references.values()))["bleu"]
    assert round(value, 2) == published


def test_warnings() -> None:
    (request,) = resolve("bleu")
    assert "zh" in request.metric.notes(items(["你好"], ["你好"], language="zh"))[0]
    assert not resolve("bleu:tokenizer=zh")[0].metric.notes(items(["你好"], ["你好"], language="zh"))


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ru"])
def test_webnlg_outputs_score_as_in_sacrebleu(shared_data: Callable[[str], Path], language: str) -> None:
    """All available submissions of WebNLG 2020, with one to several references per item."""
    name = f"webnlg/{language}/test/rdf-to-text-generation-test-data-with-refs-{language}.xml"
    references = [
        [lex.text or "" for lex in entry.findall("lex") if lex.get("lang", language) in (language, "")]
        for entry in ElementTree.parse(shared_data(name)).getroot().iter("entry")
    ]
    streams = [list(stream) for stream in zip_longest(*references)]
    paths = sorted(shared_data(f"webnlg/outputs-2020/{language}").glob("*.txt"))
    assert paths
    for path in paths:
        lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        theirs = BLEU().corpus_score(lines, streams).score
        assert score("bleu", lines, references)["bleu"] == pytest.approx(theirs, abs=1e-9), path.stem


PIECES = [
    "<skipped>",
    "<SKIPPED>",
    "-",
    "\n",
    "&",
    "&amp;",
    "lt;",
    "&quot;",
    "<",
    "skipped>",
    "a",
    "B7",
    ".",
    " ",
    "\x85",
]


@pytest.mark.parametrize("lowercase", [False, True])
def test_hostile_texts_are_tokenized_as_in_sacrebleu(lowercase: bool) -> None:
    """Tags, entities and line breaks that appear only after others are removed: all combinations of four pieces."""
    texts = ["x" + "".join(four) + end for four in product(PIECES, repeat=4) for end in ("y", "")]
    vocabulary = Vocabulary()
    ids, starts = read(vocabulary, texts, "13a", lowercase)
    words, theirs = vocabulary.words(), BLEU(lowercase=lowercase)
    for k, text in enumerate(texts):
        actual = [words[number] for number in ids[starts[k] : starts[k + 1]]]
        assert actual == theirs._preprocess_segment(text).split(), repr(text)


@pytest.mark.parametrize(
    ("text", "tokens"), [("well-<skipped>\nknown", ["wellknown"]), ("a &<skipped>amp; b", ["a", "&", "b"])]
)
def test_skipped_parts_are_removed_first(text: str, tokens: list[str]) -> None:
    vocabulary = Vocabulary()
    ids, _ = read(vocabulary, [text], "13a", False)
    assert [vocabulary.words()[number] for number in ids.tolist()] == tokens


def test_easse_is_bleu_of_lower_cased_tokens() -> None:
    """EASSE lower-cases and tokenizes first, then calls sacrebleu without a tokenizer."""
    outputs = ['The U.S. said: "No, 3.5 % isn\'t enough."', "A Dog ran (home), happily.", "Nothing at all"]
    references = [
        ["The U.S. said no, 3.5% is not enough."] * 2,
        ["A dog ran home, happily!", "The dog went home."],
        ["All of it", "nothing"],
    ]
    cut = Tokenizer13a()
    theirs = BLEU(tokenize="none", force=True).corpus_score(
        [cut(text.lower()) for text in outputs],
        [[cut(texts[i].lower()) for texts in references] for i in range(2)],
    )
    assert score("bleu:easse", outputs, references)["bleu"] == pytest.approx(theirs.score)
    assert score("bleu", outputs, references)["bleu"] != pytest.approx(theirs.score)
