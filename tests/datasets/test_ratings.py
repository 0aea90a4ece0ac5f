"""Published ratings as judgements: how many, of whom, at which place; what is not a rating is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.datasets import dataset
from assay.errors import AssayError
from tests.conftest import Call

Find = Callable[[str], Path]
ASSET = "original_sentence_id,aspect,worker_id,rating\n"
HEAD = "unit,worker,mr_id," + ",".join(f"{name}{i}" for i in range(1, 6) for name in ("sys", "quality", "check")) + "\n"


def test_webnlg_2020(shared_data: Find) -> None:
    judgements = list(dataset("web_nlg_en").judgements(shared_data("webnlg")))
    assert len(judgements) == 5 * 3025
    assert (judgements[0].id, judgements[0].system, judgements[0].criterion, judgements[0].value) == (
        "Id3", "Amazon_AI_(Shanghai)", "Correctness", 98.5,
    )  # fmt: skip
    assert len(list(dataset("web_nlg_ru").judgements(shared_data("webnlg")))) == 5 * 880


def test_e2e_rows_rank_five_systems(shared_data: Find) -> None:
    judgements = list(dataset("e2e_nlg").judgements(shared_data("e2e")))
    quality = [j for j in judgements if j.criterion == "quality"]
    assert len(quality) == 5 * 2979
    assert Counter(j.position for j in quality) == dict.fromkeys(range(1, 6), 2979)
    assert len({j.id for j in quality}) == 630
    assert len({j.system for j in quality}) == 21
    examples = {e.id: e.source for e in dataset("e2e_nlg:version=original").read(shared_data("e2e"), "test")}
    assert {j.id for j in quality} == examples.keys()
    assert {j.value for j in judgements if j.criterion == "check"} >= {"ok", "missing", "added", "added+missing"}


def test_asset_has_4500_ratings(shared_data: Find) -> None:
    judgements = list(dataset("asset").judgements(shared_data("asset")))
    assert Counter(j.criterion for j in judgements) == {"meaning": 1500, "fluency": 1500, "simplicity": 1500}
    sources = {example.id for example in dataset("asset").read(shared_data("asset"), "test")}
    assert {j.id for j in judgements} <= sources
    assert len({j.id for j in judgements}) == 100


def test_narrative_ratings(shared_data: Find) -> None:
    reader = dataset("narrative")
    judgements = list(reader.judgements(shared_data("narrative")))
    assert Counter(j.criterion for j in judgements) == dict.fromkeys(
        ("interesting", "coherent", "fluent", "relevant"), 3335
    )
    best = [float(j.value) for j in judgements if j.criterion == "interesting" and j.system == "p0.9"]
    assert (len(best), round(sum(best) / len(best), 3)) == (475, 2.962)
    assert len(list(reader.outputs(shared_data("narrative")))) == 700


@pytest.mark.parametrize(
    ("name", "file", "text", "problem"),
    [
        ("e2e_nlg", "human_quality.csv", HEAD + "1,w,1" + ",a,9,ok" * 4 + ",b,x,ok\n", "quality5"),
        ("e2e_nlg", "human_quality.csv", HEAD + "1,w,x" + ",a,9,ok" * 5 + "\n", "mr_id"),
        ("asset", "human_ratings/human_ratings.csv", f"{ASSET}1,f,w,x\n", "rating"),
        ("web_nlg_en", "human/english_humeval_data_all_teams.json", '[{"sample_id": "3"}]', "submission_id"),
    ],
)  # fmt: skip
def test_invalid_ratings_are_reported_with_their_field(
    tmp_path: Path, name: str, file: str, text: str, problem: str
) -> None:
    with pytest.raises(AssayError, match=r"not found|has no"):
        list(dataset(name).judgements(tmp_path))
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(text)
    with pytest.raises(AssayError, match=problem):
        list(dataset(name).judgements(tmp_path))


def test_places_and_pilots_are_kept_in_tables(here: Callable[..., Call], tmp_path: Path) -> None:
    from assay.records import read_judgements

    path = tmp_path / "j.csv"
    path.write_text(
        "id,system,annotator,criterion,value,position,pilot,method,question\n1,a,x,f,4,2,true,likert,1\n1,b,x,f,3,1,false,likert,1\n"
    )
    first, second = read_judgements(path)
    assert (first.position, first.pilot, first.method, first.question) == (2, True, "likert", "1")
    assert (second.position, second.pilot) == (1, False)
    path.write_text("id,system,annotator,criterion,value,pilot\n1,a,x,f,4,perhaps\n")
    with pytest.raises(AssayError, match="pilot"):
        read_judgements(path)
