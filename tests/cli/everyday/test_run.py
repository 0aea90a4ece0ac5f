"""`assay run`: a config goes on past what is missing, and a bad one is named."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from tests.conftest import Call

SAMPLE = Path(assay.__file__).parent / "sample"


Run = Callable[..., Call]


CONFIG = """
name = "mine"
ci = 50
[[datasets]]
name = "places"
examples = "{sample}/places.jsonl"
metrics = ["bleu"]
by = ["language"]
[[systems]]
name = "lead"
outputs = "{sample}/outputs/lead/{{dataset}}.jsonl"
[[systems]]
name = "absent"
outputs = "absent/{{dataset}}.jsonl"
"""


def test_run_goes_on_and_says_what_is_missing(here: Run, tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text(CONFIG.format(sample=SAMPLE), encoding="utf-8")
    call = here("run", config, "-o", tmp_path / "out", "--json")
    assert call.code == 0
    assert [run["system"] for run in call.json["runs"]] == ["lead"]
    assert "no outputs at" in call.json["failed"][0]["why"]
    manifest = tmp_path / "out/places/lead/run.json"
    before = manifest.read_bytes()
    again = here("run", config, "-o", tmp_path / "out")
    assert "1 reused" in again.out
    assert manifest.read_bytes() == before
    for form in ("html", "md", "tex"):
        assert here("report", tmp_path / "out", "-o", tmp_path / f"report.{form}").code == 0
    assert "no outputs at" in (tmp_path / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("name = ", "nam = "), r"unknown key nam \(did you mean name\?\)"),
        (("ci = 50", "ci = "), r"not TOML"),
        (('name = "lead"', 'name = "../up"'), r"cannot be a folder"),
        (('name = "absent"', 'name = "lead"'), r"two systems are called lead"),
        (('metrics = ["bleu"]', 'metrics = ["blu"]'), r"did you mean bleu"),
    ],
)
def test_bad_configs(here: Run, tmp_path: Path, change: tuple[str, str], message: str) -> None:
    config = tmp_path / "mine.toml"
    config.write_text(CONFIG.format(sample=SAMPLE).replace(*change, 1), encoding="utf-8")
    call = here("run", config, "-o", tmp_path / "out")
    assert call.code == 1
    assert re.search(message, call.err)
    assert call.err.count("\n") == 1


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('metrics = ["bleu"]', 'metrics = ["blue"]', "dataset second: no metric called blue (did you mean bleu?)"),
        ('metrics = ["bleu"]', 'suite = "gem-lite"', "dataset second: no suite called gem-lite"),
        ('system = "lead"', 'system = "laed"', "system made: no system called laed (did you mean lead?)"),
        ('system = "lead"', 'system = "lead:k=0"', "system made: system lead: k=0 must be at least 1"),
        (
            'system = "lead"',
            'system = "lead"\nas = "sorce"',
            "system made: no form called sorce (did you mean source?)",
        ),
    ],
)
def test_what_nobody_knows_is_found_before_anything_runs(
    here: Run, tmp_path: Path, before: str, after: str, said: str
) -> None:
    """Also where it stands last."""
    text = CONFIG.format(sample=SAMPLE)
    second = f'[[datasets]]\nname = "second"\nexamples = "{SAMPLE}/places.jsonl"\nmetrics = ["bleu"]\n'
    last = '[[systems]]\nname = "made"\nsystem = "lead"\n'
    (tmp_path / "mine.toml").write_text(text + (second + last).replace(before, after), encoding="utf-8")
    call = here("run", tmp_path / "mine.toml", "-o", tmp_path / "out")
    assert call.code == 1
    assert f"config mine: {said}" in call.err
    assert not (tmp_path / "out").exists()
