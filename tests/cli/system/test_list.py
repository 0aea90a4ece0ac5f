"""`assay system list`: what can answer, and what every option means."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.conftest import Call

Run = Callable[..., Call]


def test_options_are_explained(here: Run) -> None:
    shown = here("system", "list", "frequency").out
    assert "nbest=1" in shown
    assert "Number of phrases listed, most frequent first." in shown
    recipe = here("system", "list", "train").out
    assert "copying=0" in recipe
    assert "Epochs without improvement before early stopping" in recipe
    assert "KIND:eks-t5 is KIND:epochs=30" in recipe
    data = here("system", "list", "train", "--json").json["train"]
    assert data["options"]["patience"] == 0
    assert data["meanings"]["patience"].startswith("Epochs without")
    assert "assay system list train" in here("system", "list").out
    assert json.loads(here("system", "list", "lead", "--json").out)["systems"]["lead"]["meanings"]["k"]


def test_systems_command(here: Run) -> None:
    shown = here("system", "list", "--json").json["systems"]
    assert shown["lead"]["abilities"] == ["generate"]
    assert all(one["about"] and (one["available"] or one["why_not"]) for one in shown.values())
    assert "option     k=3" in here("system", "list", "lead").out
    assert here("system", "list", "laed").code == 1
    assert "hf:PATH" in here("system", "list").out
