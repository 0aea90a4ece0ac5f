"""Counts of coded papers are those of the published reviews."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.meta.review_papers import read_papers, review
from assay.studies.review_records import creative_survey, survey
from tests.conftest import Call

Find = Callable[[str], Path]


def test_the_style_transfer_review_as_published(shared_data: Find) -> None:
    result = review(read_papers(shared_data("style_review/metadata.tsv")))
    assert (result["papers"], result["human_evaluation"]) == (97, 69)
    assert result["annotators"] == {"crowd": 26, "not crowd": 12, "unclear": 31}
    assert (result["agreement"], result["pay"]) == (14, 2)
    # the paper prints 8 of 26, but one of the eight with quality control did not use a crowd
    assert result["crowd_with_quality_control"] == 7
    assert result["quality_control"] == {"yes": 6, "remark": 2}
    assert result["available"] == {"yes": 2, "remark": 2}
    assert result["keys"]["agreement"] == "5 12 15 18 27 31 32 37 70 76 81 94 103 107".split()
    assert result["keys"]["quality_control"] == "11 15 19 27 37 39 63 70".split()
    assert result["keys"]["pay"] == ["15", "70"]
    assert result["keys"]["available"] == ["20", "31", "45", "70"]
    assert list(result["years"].values()) == [1, 1, 2, 8, 20, 25, 36, 4]
    types = {name: (each["direct"], each["relative"], each["none"]) for name, each in result["dimensions"].items()}
    assert types["style"] == (40, 12, 45)
    assert types["meaning"] == (45, 9, 43)
    assert types["fluency"] == (45, 6, 46)
    scales = {name: each["scales"] for name, each in result["dimensions"].items()}
    assert [scales[name]["1..5"] for name in ("style", "meaning", "fluency")] == [19, 25, 26]
    assert (scales["style"]["-3..3"], scales["style"]["0..2"], scales["style"]["-2..2"]) == (3, 2, 1)
    assert (scales["fluency"]["1..4"], scales["fluency"]["0..2"], scales["fluency"]["1..10"]) == (4, 3, 2)
    # the paper prints 6 and 4, and 1 for three points: the sheet codes two papers differently
    assert (scales["meaning"]["0..2"], scales["meaning"]["1..6"], scales["meaning"]["1..3"]) == (5, 3, 2)


def test_the_creative_survey_as_published() -> None:
    result = survey(creative_survey())
    assert (result["papers"], result["records"]) == (23, 26)
    assert result["venues"] == {"ICCC": 12, "INLG": 11}
    assert result["numeric_scales"] == 14
    counts = {kind: result["kinds"][kind] for kind in ("5-point", "4-point", "3-point", "7-point", "slider")}
    assert counts == {"5-point": 9, "4-point": 2, "3-point": 1, "7-point": 1, "slider": 1}
    assert (result["motivated"], result["unmotivated"], result["pilots"], result["demographics"]) == (7, 18, 0, 0)
    assert result["preferences"] == ["1", "9.2", "10", "11", "13", "21.2", "23"]
    assert result["several_evaluations"] == ["9", "21"]
    assert result["experts"] == {"yes": ["1", "21.1", "21.2", "21.3", "22"], "partly": ["3"]}
    assert {"6", "8", "16", "18", "20"} <= set(result["families"]["relevance"])


def test_review_command(here: Callable[..., Call], tmp_path: Path) -> None:
    assert here("study", "review", "creative", "--json").json["pilots"] == 0
    assert "numeric scale" in here("study", "review", "creative").out
    own = tmp_path / "mine.toml"
    own.write_text('[[evaluations]]\nid = "1"\npaper = "A"\nkinds = ["6-point"]\npilot = true\n')
    assert here("study", "review", own, "--json").json["pilots"] == 1
    own.write_text("evaluations = [{ id = 1 }]\n")
    assert here("study", "review", own).code == 1


def test_a_sheet_without_its_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "papers.tsv"
    path.write_text("Key\tPaper\tYear\n1\tA\t2020\n")
    with pytest.raises(AssayError, match=r"Human annotation\?"):
        read_papers(path)
    path.write_text("nothing\n")
    with pytest.raises(AssayError, match="no header row that starts with Key"):
        read_papers(path)
