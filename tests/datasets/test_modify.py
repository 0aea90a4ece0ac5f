"""GEM's changes: what goes, what stays, and the counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.datasets import dataset, modify
from assay.errors import AssayError
from assay.records import Example
from tests.datasets.synthetic_files import write


def _examples(*sources: str) -> list[Example]:
    return [Example(id=str(i), source=source, split="train") for i, source in enumerate(sources)]


def test_mlsum_loses_duplicates_and_other_languages() -> None:
    changes: list[modify.Change] = []
    examples = _examples("ein Satz", "una frase", "ein Satz", "noch einer")
    kept = list(modify.gem("mlsum_de", examples, changes, detect=lambda text: "es" if "una" in text else "de"))
    assert [example.id for example in kept] == ["0", "3"]
    assert [(change.before, change.after, change.removed) for change in changes] == [
        (4, 3, {"duplicate input": 1}),
        (3, 2, {"language es": 1}),
    ]


def test_xsum_keeps_what_lies_strictly_above_the_threshold() -> None:
    changes: list[modify.Change] = []
    scores = {"0": 0.8, "1": 0.800001, "2": 0.1}
    kept = list(modify.gem("xsum", _examples("a", "b", "c"), changes, scores=scores))
    assert [example.id for example in kept] == ["1"]
    assert changes[0].removed == {"faithfulness not above 0.8": 2}
    with pytest.raises(AssayError, match="id 0: no faithfulness score"):
        list(modify.gem("xsum", _examples("a"), [], scores={}))
    with pytest.raises(AssayError, match="--scores"):
        modify.gem("xsum", _examples("a"), [])


@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from(("es", "ru", "tr"))), min_size=1), st.integers(0, 5))
def test_no_article_stands_in_two_splits_in_any_language(items: list[tuple[int, str]], seed: int) -> None:
    examples = [
        Example(id=str(i), language=language, split=("train", "test")[i % 2], tags={"article": str(article)})
        for i, (article, language) in enumerate(items)
    ]

    def key(example: Example) -> str:
        return example.tags["article"]

    change = modify.Change("resplit")
    shares = {"train": 0.7, "validation": 0.1, "test": 0.2}
    made = modify.resplit(examples, key, shares, change, seed)
    splits: dict[str, set[str | None]] = {}
    for example in made:
        splits.setdefault(key(example), set()).add(example.split)
    assert all(len(assigned) == 1 for assigned in splits.values())
    assert [example.id for example in made] == [example.id for example in examples]
    assert change.before == change.after == len(examples)
    # A new article never moves an old one.
    more = [*examples, Example(id="new", tags={"article": "999"})]
    assert modify.resplit(more, key, shares, modify.Change("again"), seed)[:-1] == made


def test_shares_of_a_resplit_are_kept_roughly() -> None:
    examples = [Example(id=str(i), tags={"article": str(i)}) for i in range(4000)]
    made = modify.resplit(examples, lambda e: e.id, {"train": 0.8, "test": 0.2}, modify.Change("x"))
    assert 700 < sum(example.split == "test" for example in made) < 900
    with pytest.raises(AssayError, match="add up to 1"):
        modify.resplit(examples, lambda e: e.id, {"train": 0.8}, modify.Change("x"))


def test_wiki_lingua_articles_are_known_by_their_english_text(tmp_path: Path) -> None:
    write("wiki_lingua", tmp_path / "es_en")
    write("wiki_lingua", tmp_path / "ru_en")
    (tmp_path / "ru_en" / "test.src.es").rename(tmp_path / "ru_en" / "test.src.ru")
    examples = list(dataset("wiki_lingua").read(tmp_path))
    assert [example.language for example in examples] == ["es", "es", "ru", "ru"]
    articles = [example.tags["article"] for example in examples]
    assert articles[:2] == articles[2:]
    assert len(set(articles)) == 2
    changes: list[modify.Change] = []
    assert len(list(modify.gem("wiki_lingua", examples, changes))) == 4
