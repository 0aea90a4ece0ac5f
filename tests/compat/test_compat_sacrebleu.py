"""`assay.compat.sacrebleu` against the original: its README's example, every field, any text."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import sacrebleu as theirs
from hypothesis import given
from hypothesis import strategies as st

from assay.compat import sacrebleu as ours
from assay.errors import AssayError
from tests.support import WORDY

SYSTEM = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."]
REFERENCES: list[list[str | None]] = [
    ["The dog bit the man.", "It was not unexpected.", "The man bit him first."],
    ["The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."],
]
CALLS = ("corpus_bleu", "corpus_chrf", "corpus_ter")


def fields(score: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(score).items() if not name.startswith("_")}


def close(one: Any, other: Any) -> None:
    mine, original = fields(one), fields(other)
    assert mine.keys() == original.keys()
    for name, value in original.items():
        assert mine[name] == (value if isinstance(value, str) else pytest.approx(value)), name
    assert type(one) is type(other)
    assert str(one) == str(other)


@pytest.mark.parametrize("call", CALLS)
def test_the_example_of_its_readme(call: str) -> None:
    close(getattr(ours, call)(SYSTEM, REFERENCES), getattr(theirs, call)(SYSTEM, REFERENCES))
    assert ours.corpus_bleu(SYSTEM, REFERENCES).score == pytest.approx(48.530827, abs=1e-6)


@given(
    rows=st.lists(st.tuples(WORDY, WORDY, st.one_of(st.none(), st.just(""), WORDY)), min_size=1, max_size=4),
    call=st.sampled_from(CALLS),
)
def test_any_set(rows: list[tuple[str, str, str | None]], call: str) -> None:
    outputs = [row[0] for row in rows]
    streams = [[row[1] or "x" for row in rows], [row[2] for row in rows]]
    close(getattr(ours, call)(outputs, streams), getattr(theirs, call)(outputs, streams))


@pytest.mark.parametrize(
    ("call", "options"),
    [
        (
            "corpus_bleu",
            {"smooth_method": "floor", "smooth_value": 0.2, "lowercase": True, "use_effective_order": True},
        ),
        ("corpus_bleu", {"tokenize": "char", "force": True}),
        ("corpus_bleu", {"tokenize": "intl", "smooth_method": "add-k"}),
        ("corpus_chrf", {"word_order": 2, "beta": 3, "remove_whitespace": False, "eps_smoothing": True}),
        ("corpus_ter", {"normalized": True, "no_punct": True, "case_sensitive": True}),
        ("raw_corpus_bleu", {}),
    ],
)
def test_every_option_gives_the_score_of_sacrebleu(call: str, options: dict[str, Any]) -> None:
    close(getattr(ours, call)(SYSTEM, REFERENCES, **options), getattr(theirs, call)(SYSTEM, REFERENCES, **options))


@pytest.mark.parametrize("call", ["sentence_bleu", "sentence_chrf", "sentence_ter"])
def test_sentences(call: str) -> None:
    for i, output in enumerate(SYSTEM):
        texts = [str(stream[i]) for stream in REFERENCES]
        close(getattr(ours, call)(output, texts), getattr(theirs, call)(output, texts))


def test_classes() -> None:
    for name, options in (("BLEU", {"lowercase": True}), ("CHRF", {"word_order": 2}), ("TER", {"normalized": True})):
        mine, original = getattr(ours, name)(**options), getattr(theirs, name)(**options)
        close(mine.corpus_score(SYSTEM, REFERENCES), original.corpus_score(SYSTEM, REFERENCES))
        shared = str(original.get_signature()).rpartition("|version:")[0]
        assert f"|{shared}|version:assay-" in mine.get_signature()


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match="list of lists"):
        ours.corpus_bleu(["a"], ["a"])
    with pytest.raises(EOFError, match="different lengths"):  # which the original scores as far as the shorter goes
        ours.corpus_bleu(["a", "b"], [["a"]])
    with pytest.raises(TypeError):
        ours.sentence_bleu(["a"], ["a"])  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="output 2 has no reference"):
        ours.corpus_bleu(["a", "b"], [["a", None]])
    with pytest.raises(AssayError, match="Use sacrebleu"):
        ours.BLEU(max_ngram_order=2)


def test_modules_are_imported_on_first_use() -> None:
    """`import assay` alone gave an AttributeError."""
    code = (
        "import assay, sys; assert 'assay.compat' not in sys.modules; "
        "print(assay.compat.sacrebleu.corpus_bleu(['a b c d'], [['a b c d']]).score > 99); "
        "print(assay.compat.evaluate.__name__)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["True", "assay.compat.evaluate"]
