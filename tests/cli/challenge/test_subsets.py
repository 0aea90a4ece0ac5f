"""`assay challenge subsets`."""

from __future__ import annotations

from collections.abc import Callable

from tests.conftest import Call

Run = Callable[..., Call]


def test_contrasts_are_listed(here: Run) -> None:
    call = here("challenge", "subsets")
    assert call.code == 0
    assert "d-level" in call.out
    found = here("challenge", "subsets", "--json").json["contrasts"]
    assert found["seen"].keys() == {"about", "gives", "citation", "options", "meanings"}
    assert here("challenge", "subsets", "people").out.startswith("people: attribute of the person an item is about")
    assert "did you mean shape?" in here("challenge", "subsets", "shap").err
