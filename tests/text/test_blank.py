"""Texts in which nothing can be seen are empty, whatever they are made of."""

from __future__ import annotations

import pytest

from assay.text.blank import is_blank


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u200b", "\ufeff", "\u202e\u202c", "\u00a0\u2028", "\x07\x08"])
def test_nothing_to_see(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", ".", "\u200ba", "💥", "\u202eevil\u202c", "é", "\ue000", "한"])
def test_something_to_see(text: str) -> None:
    assert not is_blank(text)
