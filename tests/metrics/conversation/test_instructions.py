"""instructions: every check passes and fails, and wrong checks are refused."""

from __future__ import annotations

from typing import Any

import pytest

from assay.errors import AssayError
from assay.metrics.conversation.instructions import CHECKS, follows

PASS: dict[str, tuple[Any, str, str]] = {
    "max_words": (2, "two words", "three words here"),
    "min_words": (2, "two words", "one"),
    "max_sentences": (1, "One here.", "One here. Two there."),
    "min_sentences": (2, "One here. Two there.", "One here."),
    "paragraphs": (2, "a\n\nb", "a\nb"),
    "bullets": (2, "- a\n- b", "- a"),
    "contains": (["Refund", "day"], "a refund in a day", "a refund"),
    "excludes": ("sorry", "fine", "I am Sorry"),
    "starts_with": ("dear", "Dear Ada", "Hello dear"),
    "ends_with": (["bye.", "yours"], "So, bye.", "bye. And more"),
    "json": (True, 'Here: ```json\n{"a": 1}\n```', "a = 1"),
    "lowercase": (True, "all low, 3", "Not low"),
    "uppercase": (True, "ALL UP!", "Not up"),
    "commas": (False, "none here", "one, here"),
    "questions": (False, "None.", "One?"),
}


@pytest.mark.parametrize("name", CHECKS)
def test_each_check_passes_and_fails(name: str) -> None:
    value, right, wrong = PASS[name]
    assert follows(right, name, value, "1")
    assert not follows(wrong, name, value, "1")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [("max_word", 2, "no check called max_word"), ("max_words", "two", "a whole number"), ("json", 1, "true or false"),
     ("contains", [], "a text or a list"), ("max_words", True, "a whole number")],
)  # fmt: skip
def test_wrong_checks_name_the_item(name: str, value: Any, said: str) -> None:
    with pytest.raises(AssayError, match=f"id 7: .*{said}"):
        follows("x", name, value, "7")
