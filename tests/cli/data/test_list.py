"""`assay data list`: cards, measured statistics, fetching, choosing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Here = Callable[..., Any]


def test_datasets(here: Here, mucsum: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ASSAY_DATASETS", str(tmp_path / "cache"))
    listed = here("data", "list")
    assert "mucsum" in listed.out
    assert "1,114" in listed.out
    assert here("data", "list", "--json").json["datasets"]["turk"]["references"] == "8"
    card = here("data", "show", "mucsum", "--path", mucsum)
    assert "words in a reference" in card.out
    assert f"  here        {mucsum}\n" in card.out.replace("\n              ", " ")
    assert "first event of each document" in card.out
    measured = here("data", "show", "mucsum", "--path", mucsum, "--json").json["datasets"]["mucsum"]["measured"]
    over = {(s["name"], s["over"]): s["value"] for s in measured["test"]["statistics"]}
    assert over["words in a reference", "all references"] == 8
    assert over["events in a document", "documents"] == 2
    assert measured["test"]["counts"]["type"] == {"arson": 2}
    assert "nothing; pass --path" in here("data", "show", "mucsum").out
    assert "  here        no: not in" in here("data", "show", "mucsum").out
    found = here("data", "show", "mucsum", "--path", mucsum, "--json").json["datasets"]["mucsum"]
    assert (found["available"], found["why_not"]) == (True, None)


def test_fetching_offline_says_what_to_do(here: Here, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    call = here("data", "fetch", "common_gen", "--to", tmp_path / "cg")
    assert call.code == 1
    assert "Download commongen" in call.err
    assert not (tmp_path / "cg").exists()


def test_selecting(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps({
        "a": {"utility": 10, "size": "large"},
        "b": {"utility": 10, "size": "large"},
        "c": {"utility": 5, "size": "small"},
        "survey": {"tasks": [10, 14]},
    }))  # fmt: skip
    call = here("data", "select", path, "--size", 2, "--rule", "equal:size", "--json")
    assert call.json == {
        "chosen": ["a", "c"], "utility": 15, "considered": 3, "steps": 7,
        "survey": {"tasks": {"mean": 12, "median": 12, "n": 2}},
    }  # fmt: skip
    assert "utility 15.000" in here("data", "select", path, "--size", 2, "--rule", "equal:size").out
    assert here("data", "select", path, "--size", 2, "--rule", "equal").code == 2
