"""The default suite by content, and the warning about languages."""

from __future__ import annotations

import assay
from assay.metrics.checks.language_mismatch import language_of
from assay.records.types import Passage


def test_a_log_of_gsm8k_is_scored_as_answers() -> None:
    rows = [
        {"doc_id": i, "target": f"{i} + 1 = {i + 1}\n#### {i + 1}", "arguments": [["How many?"]], "resps": [["x"]],
         "filtered_resps": [f"The answer is {i + 1}."], "filter": "none"}
        for i in range(4)
    ]  # fmt: skip
    from assay.records.tools import Source, translate

    found = translate(Source(rows, str))
    assert found is not None
    result = assay.score([fields for fields, _ in found.items if fields])
    assert result.scores["exact_match"].value == 1
    assert "rouge1" not in result.scores
    assert any("Suite answers was chosen" in note for note in result.warnings)


def test_objects_are_scored_by_field_and_texts_as_before() -> None:
    by_field = assay.score(
        [assay.Output(id="1", output="{}")], examples=[assay.Example(id="1", expected={"a": 1}, references=("x",))]
    )
    assert "json_fields" in by_field.scores
    assert "rouge1" in assay.score(["a text"], ["a text"]).scores
    assert "rouge1" in assay.score(["7"], ["7"], metrics="rouge1").scores


def test_items_with_contexts_are_checked_for_support() -> None:
    example = assay.Example(id="1", contexts=(Passage("d", "The harbour was calm."),), references=("It was calm.",))
    found = assay.score([assay.Output(id="1", output="The harbour was calm.")], examples=[example]).scores
    assert found["support"].value == 1
    assert "token_f1" in found


def test_languages() -> None:
    assert language_of("これは日本語の文です。") == "Japanese"
    assert language_of("Der Hafen ist ruhig und die Schiffe sind nicht auf dem Meer.") == "German"
    assert language_of("The harbour is calm and the ships are not at sea, which is good for the town.") == "English"
    assert language_of("Paris") is None


def test_japanese_beside_english_is_reported() -> None:
    references = ["The harbour was calm and the ships were in the port of the town."] * 3
    found = assay.score(["港は静かでした。"] * 3, references, metrics="chrf")
    assert any("3 of 3 outputs look like another language" in note and "Japanese" in note for note in found.warnings)
    same = assay.score(references, references, metrics="chrf")
    assert not any("another language" in note for note in same.warnings)


def test_outputs_in_another_script_than_short_references() -> None:
    def notes(output: str, reference: str) -> list[str]:
        return assay.score([output] * 4, [reference] * 4, metrics="bleu").warnings

    tide = "港の潮は今日とても低いです。"
    assert any("(Japanese, not Latin letters)" in note for note in notes(tide, "Tides in town are low."))
    assert not any("language" in note for note in notes(tide, "OK"))
    assert not any("language" in note for note in notes("Low tide.", "Tides in town are low."))
