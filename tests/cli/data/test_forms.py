"""`assay data forms`: the ways to write an input, and their options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Here = Callable[..., Any]


def test_forms_are_listed_and_described(here: Here) -> None:
    assert "event-template" in here("data", "forms").out
    one = here("data", "forms", "event-template").out
    assert "separator=</s>" in one
    assert "event-template:eks-release" in one
    assert here("data", "forms", "--json").json["forms"]["acts"]["options"]["context"] == 0
    unknown = here("data", "forms", "event-templat")
    assert (unknown.code, unknown.out) == (1, "")
    assert "did you mean event-template?" in unknown.err
