"""The linter reports what two reviews of human evaluation require, and nothing in a complete design."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.inputs.schema import FOMC
from assay.meta.scales import parse_scale, stated_points
from assay.studies.criteria import family_of
from assay.studies.design import Design, People, Presentation, Question, Sample, parse_design
from assay.studies.kinds import QUESTION_KINDS
from assay.studies.lint import lint
from assay.studies.lint_questions import is_abstract
from assay.studies.presets import budget, preset, preset_names
from tests.conftest import Call

Run = Callable[..., Call]


def rules(design: Design) -> set[str]:
    return {finding.rule for finding in lint(design).findings}


def test_the_vector_of_the_style_review() -> None:
    design = Design(
        name="v", people=People(background="human judges"), sample=Sample(systems=3, items=50, method="random")
    )
    report = lint(design)
    assert report.failing == [1, 2, 3, 4, 6]
    assert [item.number for item in report.items if item.passes] == [5, 7]
    assert report.complete == 2 / 8


def test_the_vector_of_the_creative_survey() -> None:
    questions = [Question(criterion=name, kind="likert", values=[1, 2, 3, 4]) for name in ("relatedness", "funniness")]
    design = Design(
        name="v", questions=questions, systems_model=["word embeddings similarity"], people=People(per_item=4)
    )
    findings = lint(design).findings
    expected = {
        "unmotivated", "misaligned", "question-missing", "few-annotators", "pilot", "order-unstated", "demographics",
        "one-method",
    }  # fmt: skip
    assert expected <= {finding.rule for finding in findings}
    assert [finding.criterion for finding in findings if finding.rule == "misaligned"] == ["funniness"]


def test_a_complete_design_has_no_findings() -> None:
    report = lint(preset("recommended"))
    assert (report.complete, report.findings) == (1.0, [])


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"goal": ""}, "goal"),
        ({"presentation": Presentation(order="fixed", pilot="done")}, "fixed-order"),
        ({"presentation": Presentation(order="shuffled", blinded=False, pilot="done")}, "not-blinded"),
        ({"presentation": Presentation(order="shuffled")}, "pilot"),
        ({"instructions": "Rate each on a five-point scale."}, ""),
        ({"instructions": "Rate each on a 4-point scale."}, "scale-text"),
        ({"instructions": ""}, "instructions"),
        ({"systems_model": []}, "modelled-unstated"),
    ],
)  # fmt: skip
def test_one_problem_is_one_warning(change: dict[str, object], rule: str) -> None:
    import msgspec

    assert rules(msgspec.structs.replace(preset("recommended"), **change)) == ({rule} if rule else set())


def test_a_five_point_scale_with_four_options_and_a_preset_answer() -> None:
    question = Question(
        criterion="fluency", kind="likert", text="Rate it on a 5-point scale, that is, for its grammar.",
        values=[1, 2, 3, 4], preset=3,
    )  # fmt: skip
    assert {"scale-text", "preset", "scale-labels", "undefined"} <= rules(Design(name="v", questions=[question]))


def test_a_concrete_question_is_not_abstract() -> None:
    assert is_abstract("Is this humorous?")
    assert not is_abstract("Is this humorous because 'missed steak' sounds like 'mistake'?")


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("grammaticality", "fluency"),
        ("content retainment", "meaning"),
        ("Target attribute match", "style"),
        ("timelessness", "other"),
    ],
)
def test_names_of_criteria(name: str, family: str) -> None:
    assert family_of(name) == family


@pytest.mark.parametrize(
    ("text", "name", "points"),
    [
        ("[1..5]", "1..5", 5),
        ("[1, 2, 3, 4, 5]", "1..5", 5),
        ("[1;6]", "1..6", 6),
        ("[-2;-1;0;1;2]", "-2..2", 5),
        ("[-3,-2, -1, 0, 1, 2, 3]", "-3..3", 7),
        ("Likert scale of 6", "1..6", 6),
        ("5-point", "1..5", 5),
        ("binary", "0..1", 2),
        ("[positive, negative, neutral]", "positive, negative, neutral", 3),
    ],
)
def test_scales_in_free_text(text: str, name: str, points: int) -> None:
    scale = parse_scale(text)
    assert scale is not None
    assert (scale.name, scale.points) == (name, points)
    assert scale.symmetric == name.startswith("-")


@pytest.mark.parametrize("text", ["not available", "n/a", "", "something"])
def test_no_scale(text: str) -> None:
    assert parse_scale(text) is None


def test_stated_points() -> None:
    assert stated_points("on a five-point scale") == 5
    assert stated_points("The 7 point scale") == 7
    assert stated_points("at this point in time") is None


def test_presets_are_designs_and_cover_every_kind() -> None:
    designs = {name: preset(name) for name in preset_names()}
    named = {
        "frank", "eks", "tesa", "fomc", "gem2021", "li2018", "rao_tetreault2018", "mir2019", "xformal2021", "narrative",
        "perception", "wmt", "recommended",
    }  # fmt: skip
    assert named <= designs.keys()
    assert all(design.name == name for name, design in designs.items())
    assert {question.kind for design in designs.values() for question in design.questions} == {
        "likert", "slider", "choice", "pairwise", "best-worst", "ranking", "typology", "spans", "free-text",
        "post-editing", "human-likeness",
    } <= set(QUESTION_KINDS)  # fmt: skip


def test_the_annotation_preset_has_the_schema_of_the_targets_it_is_made_into() -> None:
    """Its labels lacked the statement that its instructions ask for, so that every target was without one."""
    (question,) = preset("fomc").questions
    assert tuple(question.labels) == FOMC.names
    assert question.required == ["std_sentence", "actor", "reference", "act"]


def test_cost_of_the_narrative_study() -> None:
    sizes = budget(preset("narrative"))
    assert (sizes.texts, sizes.tasks, sizes.assignments, sizes.cost) == (1200, 240, 1200, 1440.0)


def test_sizes_of_other_presets() -> None:
    assert budget(preset("eks")).judgements == 540
    assert budget(preset("perception")).judgements == 7000
    with pytest.raises(AssayError, match=r"size and cost need sample\.items"):
        budget(preset("fomc"))


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"name": "v", "colour": 1}, "colour"),
        (
            {"name": "v", "questions": [{"criterion": "a", "kind": "likert", "values": [2, 1]}]},
            "must be in ascending order",
        ),
        (
            {"name": "v", "questions": [{"criterion": "a", "kind": "slider", "values": [0, 5, 9]}]},
            "needs exactly two values",
        ),
        ({"name": "v", "questions": [{"criterion": "a", "kind": "choice"}] * 2}, "occurs twice"),
        (
            {"name": "v", "questions": [{"criterion": "a", "kind": "likret"}]},
            r"unknown kind 'likret' \(did you mean likert\?\)",
        ),
        ({"name": "v", "people": {"per_item": 0}}, "above 0"),
    ],
)
def test_invalid_designs_are_refused(fields: dict[str, object], problem: str) -> None:
    with pytest.raises(AssayError, match=problem):
        parse_design(fields, "design.toml")


def test_new_and_lint_commands(here: Run, tmp_path: Path) -> None:
    path = tmp_path / "d.toml"
    assert here("study", "new", "--preset", "narrative", "--name", "mine", "-o", path).code == 0
    assert here("study", "new", "-o", path).code == 1  # existing files are not replaced
    call = here("study", "lint", path, "--json")
    assert call.json["design"] == "mine"
    assert call.json["budget"]["cost"] == 1440.0
    assert here("study", "lint", path, "--strict").code == 0
    assert here("study", "new", "--preset", "eks", "-o", path, "--force").code == 0
    strict = here("study", "lint", path, "--strict")
    assert strict.code == 1
    assert "item 1, 6" in strict.err
    assert {"frank", "wmt"} <= {row["name"] for row in here("study", "new", "--list", "--json").json["presets"]}
    assert here("study", "new", "--preset", "farnk").code == 2
