"""Source filters: known selections, and the greedy oracle against the plain definition."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score import rouge_scorer

from assay.errors import AssayError
from assay.inputs import filters
from assay.records import Example
from assay.text.english import stemmed_words

SENTENCES = [
    "The meeting opened on Tuesday .",
    "Members noted weak growth in output .",
    "The Committee voted to raise interest rates by a quarter point .",
    "Oil prices were high and rates rose .",
    "The Committee voted to raise interest rates by a quarter point .",
    "The next meeting is in May .",
]
TARGETS = ["The Fed voted to raise interest rates .", "High oil prices worried members ."]
TWO_MORE = filters.whitespace_length(2)


@pytest.mark.parametrize(
    ("budget", "oracle", "lead"),
    [
        (10, [3], [0]),
        (14, [2], [0]),
        (20, [2], [0, 1]),
        (24, [2, 3], [0, 1]),
        (34, [0, 2, 3], [0, 1, 2]),
        (45, [0, 1, 2, 3], [0, 1, 2, 3]),
        (60, [0, 1, 2, 3, 5], [0, 1, 2, 3, 5]),
    ],
)
def test_known_selections(budget: int, oracle: list[int], lead: list[int]) -> None:
    assert filters.oracle(SENTENCES, TARGETS, budget, TWO_MORE, stemmed_words) == oracle
    assert filters.lead(SENTENCES, budget, TWO_MORE) == lead


def test_a_first_sentence_that_is_too_long_is_kept_alone() -> None:
    sentences = ["a b c d e f g h i j k l m", "x y z"]
    assert filters.lead(sentences, 6, TWO_MORE) == [0]
    assert filters.oracle(sentences, ["nothing in common"], 6, TWO_MORE) == [0]


def test_a_repeated_sentence_is_taken_once() -> None:
    assert filters.lead(["A b c .", "A b c .", "D e ."], 18, TWO_MORE) == [0, 2]


def _plain(sentences: list[str], targets: list[str], budget: int) -> list[int]:
    """The definition, with recall computed anew for every candidate by the reference implementation."""
    scorer = rouge_scorer.RougeScorer(["rouge2"], use_stemmer=True)

    def recall(chosen: list[int]) -> float:
        text = "\n".join(sentences[i] for i in sorted(chosen))
        return float(scorer.score("\n".join(targets), text)["rouge2"].recall)

    taken: list[int] = []
    pool = list(range(len(sentences)))
    while True:
        best, best_gain = -1, 0.0
        current = recall(taken) if taken else 0.0
        for i in list(pool):
            used = sum(TWO_MORE(sentences[j]) for j in taken)
            if used + TWO_MORE(sentences[i]) > budget or sentences[i] in {sentences[j] for j in taken}:
                pool.remove(i)
                continue
            gain = (recall([*taken, i]) - current) / TWO_MORE(sentences[i])
            if abs(gain) < 1e-12:
                pool.remove(i)
            elif gain > best_gain + 1e-12:
                best, best_gain = i, gain
        if best < 0:
            break
        taken.append(best)
        pool.remove(best)
    chosen = set(taken)
    for i, sentence in enumerate(sentences):
        if i in chosen or sentence in {sentences[j] for j in chosen}:
            continue
        if chosen and sum(TWO_MORE(sentences[j]) for j in chosen) + TWO_MORE(sentence) > budget:
            break
        chosen.add(i)
    return sorted(chosen)


@pytest.mark.parametrize(
    ("sentences", "target", "budget", "expected"),
    [
        # A shorter sentence with a smaller gain is worth more for its length.
        (["b d", "d d a c", "d", "d b", "a d c", "b"], "d d d c b c a", 6, [4]),
        # A sentence that would break a bigram between its neighbours now may help later, and stays in the pool.
        (
            ["d", "d a", "a a", "d", "d a a", "d a b", "b c a", "b d c", "a d", "d c"],
            "d a d c c a c a d d b",
            34,
            [0, 1, 2, 4, 6, 7, 8, 9],
        ),
    ],
)
def test_gain_for_length_and_losses_that_turn(
    sentences: list[str], target: str, budget: int, expected: list[int]
) -> None:
    assert filters.oracle(sentences, [target], budget, TWO_MORE, stemmed_words) == expected
    assert _plain(sentences, [target], budget) == expected


SENTENCE = st.lists(st.sampled_from(("rates", "rose", "the", "Fed", "raised", "...")), min_size=1, max_size=5).map(
    " ".join
)


@given(st.lists(SENTENCE, min_size=1, max_size=7), st.lists(SENTENCE, min_size=1, max_size=2), st.integers(1, 40))
def test_the_oracle_is_the_plain_definition(sentences: list[str], targets: list[str], budget: int) -> None:
    assert filters.oracle(sentences, targets, budget, TWO_MORE, stemmed_words) == _plain(sentences, targets, budget)


@given(st.lists(SENTENCE, min_size=1, max_size=8), st.integers(1, 40), st.data())
def test_selections_are_in_order_and_within_the_budget(sentences: list[str], budget: int, data: st.DataObject) -> None:
    scores = data.draw(st.lists(st.floats(-5, 5), min_size=len(sentences), max_size=len(sentences)))
    for chosen in (
        filters.lead(sentences, budget, TWO_MORE),
        filters.oracle(sentences, ["the Fed raised rates"], budget, TWO_MORE),
        filters.learned(sentences, scores, budget, TWO_MORE),
    ):
        assert chosen == sorted(set(chosen))
        assert len(chosen) == 1 or sum(TWO_MORE(sentences[i]) for i in chosen) <= budget


def test_learned_scores_stop_at_the_first_that_does_not_fit() -> None:
    sentences = ["a b", "c d e f g h", "i"]
    assert filters.learned(sentences, [3, 2, 1], 5, filters.whitespace_length()) == [0]
    assert filters.learned(sentences, [3, 1, 2], 5, filters.whitespace_length()) == [0, 2]
    with pytest.raises(AssayError, match="2 scores for 3 sentences"):
        filters.learned(sentences, [1, 2], 5, filters.whitespace_length())
    with pytest.raises(AssayError, match="score 2 is nan"):
        filters.learned(sentences, [1, float("nan"), 2], 5, filters.whitespace_length())


def test_any_tokenizer_counts_with_its_special_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is replaced by one with the same interface: no weights are needed to count."""

    class AutoTokenizer:
        @classmethod
        def from_pretrained(cls, name: str, trust_remote_code: bool) -> AutoTokenizer:
            assert not trust_remote_code
            if name == "missing":
                raise OSError("missing is not a local folder\nand more")
            return cls()

        def encode(self, text: str) -> list[int]:
            return [0, *map(len, text), 1]

    module = ModuleType("transformers")
    module.AutoTokenizer = AutoTokenizer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "transformers", module)
    assert filters.tokenizer_length("any")("four") == 6
    with pytest.raises(AssayError, match="tokenizer missing: not found"):
        filters.tokenizer_length("missing")
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(AssayError, match="transformers is not installed"):
        filters.tokenizer_length("any")


def test_sources_without_removed_sentences_are_no_training_data() -> None:
    alike = [Example(id="a", source="One fox ran.", references=("One fox ran.",))]
    with pytest.raises(AssayError, match=r"no training data for a filter: .* 1 sources \(first: a\)"):
        filters.sentence_pairs(alike)
    assert filters.sentence_pairs([]) == []


def test_training_labels_of_a_filter() -> None:
    """No filling up, and it ends where the best sentence would reach the budget; vectors of the published selector."""
    sentences = [
        "The meeting opened on Tuesday .", "Members noted weak growth in output .",
        "The Committee voted to raise interest rates by a quarter point .", "Oil prices were high and rates rose .",
        "The next meeting is in May .",
    ]  # fmt: skip
    targets = ["The Fed voted to raise interest rates .", "High oil prices worried members ."]
    for budget, expected in ((10, [2]), (14, [2]), (24, [2]), (25, [2, 3]), (512, [2, 3])):
        assert filters.taught(sentences, targets, budget, filters.whitespace_length(2)) == expected, budget
    assert filters.taught(["a b c"], ["x y"], 9, filters.whitespace_length()) == []
