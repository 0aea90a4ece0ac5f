"""`assay power`: how small a difference can be seen, and which questions exclude each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import write_jsonl

Here = Callable[..., Any]


def test_power(here: Here, judgements: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    a = write_jsonl(tmp_path / "a.jsonl", [{"id": str(i), "m": 0.5} for i in range(60)])
    b = write_jsonl(tmp_path / "b.jsonl", [{"id": str(i), "m": 0.5 + float(rng.normal(0.05, 0.2))} for i in range(60)])
    report = here("power", a, b, "--effect", "0.02", "--json").json
    assert report["metrics"]["m"]["more_items"] == report["metrics"]["m"]["items_needed"] - 60
    assert here("power", "--sd", "2", "--effect", "1", "--json").json["items_needed"] == 34
    assert here("power", "--sd", "2", "--items", "34", "--json").json["detectable"] == pytest.approx(0.99, abs=0.01)
    assert here("power", "--correlation", "0.3", "--json").json["items_needed"] == 85
    call = here("power", "--judgements", judgements, "--systems", "a,b", "--criterion", "q", "--effect", "0.5")
    assert "judgements per item" in call.out
    for arguments, code in (([], 2), ([a], 2), (["--judgements", judgements], 2), (["--sd", "0", "--effect", "1"], 1)):
        assert here("power", *arguments).code == code


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--sd", "1", "--effect", "nan"], "--effect: nan is not a finite number"),
        (["--sd", "1", "--effect", "inf"], "--effect: inf is not a finite number"),
        (["--sd", "inf", "--items", "9"], "--sd: inf is not a finite number"),
        (["--correlation", "nan"], "--correlation: nan is not a finite number"),
        (["--correlation", ".3", "--against", "nan"], "--against: nan is not a finite number"),
        (["--sd", "1", "--correlation", ".3"], "--correlation and --sd are two questions"),
        (["--correlation", ".3", "--effect", "1"], "--effect means nothing with --correlation"),
        (["FILES", "--sd", "1"], "two files and --sd are two questions"),
        (["FILES", "--items", "9"], "--items means nothing with two files; it goes with --sd"),
        (["FILES", "--effect", "nan"], "--effect: nan is not a finite number"),
    ],
)
def test_power_refuses_what_it_would_ignore(
    here: Here, files: tuple[Path, Path], arguments: list[str], why: str
) -> None:
    given = [*files, *arguments[1:]] if arguments[0] == "FILES" else arguments
    call = here("power", *given)
    assert (call.code, why in call.err) == (2, True), call.err
