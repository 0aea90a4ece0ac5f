"""Per-Hits@k: the counts of the published table, the rule for ties, and users' own models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.errors import AssayError
from assay.metrics import resolve
from assay.metrics.semantic.user_models import KneserNeyModel, UserModel, rank_of
from assay.records import Example, Items
from tests.support import score

RANKS = [1] * 142 + [2] * 94 + [3] * 63 + [4] * 46 + [5] * 36 + [6] * 1119
"""Of the people's own responses in the published table."""


def ranked(tmp_path: Path, rows: list[dict[str, object]]) -> str:
    path = tmp_path / "ranks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def responses(users: list[str], outputs: list[str] | None = None) -> Items:
    examples = [Example(id=str(i), tags={"user": user}) for i, user in enumerate(users)]
    return Items(tuple(outputs or ["x"] * len(users)), tuple(examples))


def test_published_counts(tmp_path: Path) -> None:
    path = ranked(tmp_path, [{"id": str(i), "rank": rank} for i, rank in enumerate(RANKS)])
    found = score(f"per_hits:given={path}", responses(["u"] * len(RANKS)))
    shown = [round(100 * found[f"per_hits@{k}"], 2) for k in range(1, 6)]
    assert shown == [9.47, 15.73, 19.93, 23.00, 25.40]
    assert round(100 * found["per_hits"], 2) == 18.71


def test_perplexities_of_all_users(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"id": str(i), "perplexities": {"1": 10, "2": 20, "3": 30}} for i in range(3)]
    found = score(f"per_hits:k=3:given={ranked(tmp_path, rows)}", responses(["1", "2", "3"]))
    assert [found[f"per_hits@{k}"] for k in (1, 2, 3)] == pytest.approx([1 / 3, 2 / 3, 1])
    assert found["per_hits.rank"] == 2


@pytest.mark.parametrize(("ties", "rank"), [("optimistic", 2), ("mean", 3), ("pessimistic", 4)])
def test_the_rule_for_ties_is_in_the_signature(tmp_path: Path, ties: str, rank: float) -> None:
    path = ranked(tmp_path, [{"id": "0", "perplexities": {"a": 2, "b": 2, "c": 2, "d": 1, "e": 3}}])
    made = responses(["a"])
    result = assay.score(["x"], examples=list(made.examples), metrics=[f"per_hits:ties={ties}:given={path}"])
    assert result.scores["per_hits.rank"].value == rank
    assert f"ties:{ties}" in result.scores["per_hits@1"].signature


def test_a_user_who_wrote_nothing_has_no_model(tmp_path: Path) -> None:
    texts = {"a": "x y", "b": " "}
    rows: list[dict[str, object]] = [
        {"id": user, "references": [text], "tags": {"user": user}} for user, text in texts.items()
    ]
    with pytest.raises(AssayError, match="id 1: no text of user b in"):
        score(f"per_hits:users={ranked(tmp_path, rows)}", responses(["a", "b"]))


@given(st.floats(1, 9), st.lists(st.floats(1, 9), max_size=8))
def test_ranks_lie_between_the_first_and_the_last(own: float, others: list[float]) -> None:
    best, mean, worst = (rank_of(own, others, ties) for ties in ("optimistic", "mean", "pessimistic"))
    assert 1 <= best <= mean <= worst <= len(others) + 1


WROTE = {
    "sailor": ["the sea was rough and the wind was high", "we sailed the sea at night", "the wind at sea is cold"],
    "cook": ["boil the rice and add some salt", "add salt to the soup", "boil some soup with rice"],
    "judge": ["the court will hear the case", "the case was heard in court", "the court has ruled on the case"],
}


@pytest.fixture
def written(tmp_path: Path) -> str:
    rows = [{"id": f"{user}{i}", "references": [text], "tags": {"user": user}}
            for user, texts in WROTE.items() for i, text in enumerate(texts)]  # fmt: skip
    path = tmp_path / "users.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_what_sounds_like_its_user_ranks_first(written: str) -> None:
    own = responses(list(WROTE), ["the sea at night is rough", "add rice to the soup", "the court heard the case"])
    assert score(f"per_hits:users={written}:k=1", own)["per_hits@1"] == 1
    others = responses(["cook", "judge", "sailor"], list(own.outputs))
    found = score(f"per_hits:users={written}:k=3", others)
    assert found["per_hits@1"] == 0
    assert found["per_hits@3"] == 1


def test_an_empty_response_is_a_miss(written: str) -> None:
    found = score(f"per_hits:users={written}:k=5", responses(["cook", "cook"], ["add salt", " \u200b"]))
    assert found["per_hits@5"] == 0.5


@pytest.mark.parametrize("row", [{"rank": 1}, {"perplexities": {"cook": 1.0, "farmer": 2.0}}])
def test_an_empty_response_is_a_miss_whatever_rank_it_was_given(tmp_path: Path, row: dict[str, object]) -> None:
    path = ranked(tmp_path, [{"id": "0", **row}, {"id": "1", **row}])
    found = score(f"per_hits:given={path}", responses(["cook", "cook"], ["add salt", " "]))
    assert found["per_hits@5"] == 0.5


def test_probabilities_of_a_user_model_sum_to_one() -> None:
    words = sorted({word for texts in WROTE.values() for text in texts for word in text.split()})
    model = UserModel(WROTE["cook"], 1, frozenset(words))
    # a text of one word: its own probability times that of the end
    end = 1 / model.perplexity("") ** 1
    each = [1 / model.perplexity(word) ** 2 / end for word in [*words, "unheard"]]
    assert sum(each) + end == pytest.approx(1)


def test_kneser_ney_counts_the_words_before_and_sums_to_one() -> None:
    words = frozenset("ab")
    model = KneserNeyModel(["a b", "a a", "b"], 2, words)
    every = ["a", "b", "</s>", "<unk>"]
    for context in ("<s>", "a", "b"):
        assert sum(model.probability([context, word], 1) for word in every) == pytest.approx(1)
    # Different words before: a after <s> and a, b after <s> and a, </s> after a and b; six pairs in all.
    shortest = (2 - 0.75) / 6 + 0.75 * 3 / 6 * (1 / 4)
    # After <s>: a twice, b once.
    assert model.probability(["<s>", "a"], 1) == pytest.approx((2 - 0.75) / 3 + 0.75 * 2 / 3 * shortest)
    assert model.probability(["<s>", "</s>"], 1) == pytest.approx(0.75 * 2 / 3 * shortest)


def test_smoothing_is_in_the_signature_and_users_with_one_text_are_named(tmp_path: Path) -> None:
    texts = [("ann", "salt it"), ("bob", "plough"), ("bob", "sow seed")]
    examples = [Example(id=text, references=(text,), tags={"user": user}) for user, text in texts]
    path = tmp_path / "users.jsonl"
    path.write_text(
        "".join(json.dumps({"id": e.id, "references": e.references, "tags": e.tags}) + "\n" for e in examples)
    )
    made = assay.score(
        ["salt", "plough", "seed"], examples=examples, metrics=[f"per_hits:users={path}:smoothing=kneser-ney"]
    )
    score_of = next(iter(made.scores.values()))
    assert "smoothing:kneser-ney" in score_of.signature
    assert any("1 user has one text only (ann)" in note for note in made.notes)


def test_what_is_missing_is_named(tmp_path: Path, written: str) -> None:
    bare = assay.score(["x"], examples=[Example(id="1")], metrics=["per_hits"])
    assert "users=FILE" in bare.skipped[0].why
    nobody = assay.score(["x"], examples=[Example(id="1")], metrics=[f"per_hits:users={written}"])
    assert "needs the tag `user`" in nobody.skipped[0].why
    other = assay.score(
        ["x"], examples=[Example(id="1", tags={"user": "nobody"})], metrics=[f"per_hits:users={written}"]
    )
    assert "no text of user nobody" in other.failed[0].why
    path = ranked(tmp_path, [{"id": "1", "rank": 0}])
    wrong = assay.score(["x"], examples=[Example(id="1")], metrics=[f"per_hits:given={path}"])
    assert "ranks.jsonl:1: expected" in wrong.failed[0].why


def test_models_and_ranks_are_not_both_given(written: str, tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="give either users=FILE or given=FILE, not both"):
        resolve(f"per_hits:users={written}:given={tmp_path / 'ranks.jsonl'}")


def test_a_rank_among_few_users_says_so(tmp_path: Path) -> None:
    def users(names: str) -> str:
        path = tmp_path / f"{names}.jsonl"
        rows = [{"id": f"{name}{i}", "references": [f"{name} word {i}"], "tags": {"user": name}}
                for name in names for i in range(3)]  # fmt: skip
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return str(path)

    with pytest.raises(AssayError, match="texts of 1 user; a rank needs those of at least two users"):
        score(f"per_hits:users={users('a')}", responses(["a"]))
    both = responses(["a", "b"])
    noted = assay.score(both.outputs, examples=both.examples, metrics=[f"per_hits:users={users('ab')}"]).notes
    assert any("with 2 users" in note and "from per_hits@2 on" in note for note in noted)
