"""`assay store cache`: what is kept between runs, shown and cleared."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.models.cache import Cache
from assay.models.cache_segments import segment_files
from assay.records.cache_folder import cache_home
from assay.records.files import write_text
from tests.conftest import Call

Run = Callable[..., Call]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two namespaces of values, an answer of an endpoint, and weights."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    monkeypatch.setenv("ASSAY_CACHE_SIZE", "2GB")
    cache = Cache()
    cache.put_many("encoder-1", {f"text {i}": np.full(100, i, dtype=np.float32) for i in range(3)})
    cache.put_many("encoder-2", {"text": b"value"})
    os.utime(segment_files(cache.folder / "encoder-1")[0], (1, 1))
    write_text(cache_home() / "endpoints" / "ab" / "abcd.json", "{}\n")
    write_text(cache_home() / "models" / "tiny" / "config.json", "{}\n")
    return cache_home()


def held(here: Run) -> dict[str, int]:
    return {found["namespace"]: found["entries"] for found in here("store", "cache", "--json").json["namespaces"]}


def test_what_there_is(here: Run, home: Path) -> None:
    shown = here("store", "cache", "--json").json
    assert shown["folder"] == str(home)
    assert shown["limit"] == 2_000_000_000
    sizes = {found["namespace"]: (found["entries"], found["bounded"]) for found in shown["namespaces"]}
    assert sizes == {"encoder-1": (3, True), "encoder-2": (1, True), "endpoints": (1, False), "models/tiny": (1, False)}
    assert shown["bytes"] == sum(file.stat().st_size for file in home.rglob("*.values"))
    text = here("store", "cache").out
    assert str(home) in text
    assert "encoder-1" in text
    assert "of 2.0 GB (ASSAY_CACHE_SIZE)" in text


def test_an_empty_cache(here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "none"))
    assert here("store", "cache", "--json").json["namespaces"] == []
    assert "Values take 0 bytes of 5.0 GB" in here("store", "cache").out
    assert "Cleared 0 values" in here("store", "cache", "clear").out
    assert not (tmp_path / "none").exists()


def test_clearing_leaves_what_cost_money(here: Run, home: Path) -> None:
    said = here("store", "cache", "clear").out
    assert "Cleared 4 values" in said
    assert "kept endpoints (3 bytes): --namespace endpoints clears it" in said
    assert held(here) == {"endpoints": 1, "models/tiny": 1}


def test_clearing_by_name(here: Run, home: Path) -> None:
    found = here("store", "cache", "clear", "--namespace", "encoder-1", "-n", "endpoints", "--json").json
    assert [one["namespace"] for one in found["cleared"]] == ["encoder-1", "endpoints"]
    assert held(here) == {"encoder-2": 1, "models/tiny": 1}
    here("store", "cache", "clear", "-n", "models/tiny")
    assert held(here) == {"encoder-2": 1}
    wrong = here("store", "cache", "clear", "--namespace", "encoder-3")
    assert wrong.code == 1
    assert "no namespace encoder-3 (did you mean encoder-2?). Namespaces: encoder-2." in wrong.err


def test_clearing_what_was_not_used_for_longest(here: Run, home: Path) -> None:
    found = here("store", "cache", "clear", "--down-to", "1KB", "--json").json
    assert {one["namespace"]: one["entries"] for one in found["cleared"]} == {"encoder-1": 3, "encoder-2": 0}
    assert held(here)["encoder-2"] == 1
    assert "not a cache size" in here("store", "cache", "clear", "--down-to", "little").err
    both = here("store", "cache", "clear", "--down-to", "1KB", "-n", "encoder-2")
    assert (both.code, "exclude each other" in both.err) == (2, True)


def test_a_name_cannot_lead_out_of_the_folder(here: Run, home: Path) -> None:
    precious = home.parent / "precious"
    precious.mkdir()
    for name in ("../../precious", "models/../../../precious", str(precious)):
        assert f"no namespace {name}" in here("store", "cache", "clear", "--namespace", name).err
    assert precious.is_dir()
