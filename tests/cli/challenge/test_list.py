"""`assay challenge list`."""

from __future__ import annotations

from collections.abc import Callable

from tests.conftest import Call

Run = Callable[..., Call]


def test_all_are_listed(here: Run) -> None:
    call = here("challenge", "list")
    assert call.code == 0
    assert "scramble" in call.out
    assert "no-punctuation" in call.out


def test_json_describes_each(here: Run) -> None:
    found = here("challenge", "list", "--json").json["challenges"]
    assert {"scramble", "no-punctuation"} <= found.keys()
    assert here("challenge", "list", "scramble", "--json").json["challenges"] == {"scramble": found["scramble"]}
    assert found["scramble"].keys() == {"about", "changes", "citation", "options", "meanings", "presets", "why_not"}


def test_one_in_words(here: Run) -> None:
    call = here("challenge", "list", "no-punctuation")
    assert call.out.startswith("no-punctuation: the final punctuation mark is deleted\n  changes    the source\n")


def test_an_unknown_one_is_refused(here: Run) -> None:
    call = here("challenge", "list", "scrambled")
    assert call.code == 1
    assert "did you mean scramble?" in call.err
