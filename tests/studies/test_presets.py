"""Preset designs: each can be read, and says whose words it has."""

from __future__ import annotations

import re

import pytest

from assay.errors import UsageError
from assay.studies.presets import preset, preset_names, preset_text


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_is_a_design_that_says_whose_wording_it_has(name: str) -> None:
    assert preset(name).questions
    (wording,) = re.findall(r"^# Wording: (.+)\.$", preset_text(name), re.MULTILINE)
    assert "ours" in wording or "verbatim" in wording


def test_the_prompt_of_tesa_is_that_of_the_paper() -> None:
    (question,) = preset("tesa").questions
    assert question.text == "In this article, {entities} are discussed. The {number} {type}..."


def test_the_scale_of_perception_has_the_labels_of_the_paper() -> None:
    (question,) = preset("perception").questions
    assert [question.labels[key] for key in sorted(question.labels, key=str)] == ["surely human", "surely machine"]


def test_an_unknown_preset_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean frank"):
        preset_text("frnak")
