"""What a command was told and would not do is refused, and what it says is said exactly."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

import assay
from assay.metrics import METRICS, resolve
from assay.metrics.engine.signatures import same_choices
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("score", "outputs.jsonl", "-r", "references.jsonl", "--force"), "--force requires --save"),
        (("score", "outputs.jsonl", "-r", "references.jsonl", "--cluster", "id"),
         "--cluster requires --ci"),
        (("report", "run", "-o", "r.md", "--plain"), "--plain requires an .html file"),
        (("report", "run", "-o", "r.csv", "--family", "all"), "--family requires an .html, .md or"),
        (("compare", "outputs.jsonl", "outputs.jsonl", "-r", "references.jsonl", "--figure-format", "svg"),
         "--figure-format requires --plots"),
        (("analyze", "power", "--sd", "1", "--effect", "1", "--figure-format", "pdf"),
         "--figure-format requires --plots"),
        (("metric", "correlate", "--human", "h", "--scores", "s", "--resample", "inputs", "--classical"),
         "--resample has no effect on classical values"),
        (("analyze", "agreement", "j", "--unit", "judgement"), "--unit requires --compare"),
        (("system", "choose", "e", "-S", "uniform", "-o", "o", "--goal", "3"), "--goal requires --classes"),
        (("study", "assign", "d", "outputs.jsonl", "-o", "j", "--people", "2"), "--people requires --sheets"),
        (("study", "assign", "d", "outputs.jsonl", "-o", "j", "--sheets", "s"), "--sheets requires --people"),
        (("table", "outputs.jsonl", "-r", "references.jsonl", "--label", "t"),
         "--label requires --format latex"),
    ],
)  # fmt: skip
def test_idle_options_are_refused(
    here: Run, toy: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(toy)
    call = here(*arguments)
    assert call.code == 2, call.err
    assert said in call.err


def test_the_same_options_where_they_mean_something(here: Run, toy: Path) -> None:
    data = (toy / "outputs.jsonl", "-r", toy / "references.jsonl", "-m", "rouge1")
    assert here("score", *data, "--save", toy / "run", "--force", "--ci", "20", "--cluster", "id").code == 0
    assert here("score", toy / "run", "--cluster", "id").code == 0  # the saved run has intervals


def test_warnings_name_the_system(here: Run, toy: Path) -> None:
    write_jsonl(toy / "empty.jsonl", [{"id": f"i{i}", "output": ""} for i in range(3)])
    data = ("-r", toy / "references.jsonl", "-m", "rouge1")
    assert "! empty: 3 of 3 outputs are empty" in here("compare", toy / "outputs.jsonl", toy / "empty.jsonl", *data).err
    assert "! empty: 3 of 3 outputs are empty" in here("score", toy / "empty.jsonl", *data).err


def test_a_sampled_count_says_so() -> None:
    result = assay.score([""] * 2100, ["a b"] * 2100, metrics="rouge1", system="mute")
    assert any(note.startswith("mute: 2000 of the first 2,000 outputs are empty") for note in result.warnings)
    result = assay.score(["été"] * 600, ["été déjà"] * 600, metrics="rouge1")
    assert any("of the reference words of the first 500 items have letters" in note for note in result.warnings)


def test_one_effect_is_for_one_scale(here: Run, tmp_path: Path) -> None:
    for name, shift in (("a", 0.0), ("b", 0.1)):
        rows = [{"id": str(i), "rouge1": (i % 7) / 9 + shift, "bleu": 10.0 * (i % 5) + 9 * shift} for i in range(30)]
        write_jsonl(tmp_path / f"{name}.jsonl", rows)
    files = ("analyze", "power", tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    call = here(*files, "--effect", "1")
    assert call.code == 2
    assert "these metrics have different scales. Give it by metric: rouge1=…,bleu=…." in call.err
    by_name = here(*files, "--effect", "rouge1=1,bleu=1", "--json").json["metrics"]
    assert (by_name["rouge1"]["effect"], by_name["bleu"]["effect"]) == (0.01, 1.0)
    assert here(*files, "--effect", "1", "-m", "bleu").code == 0


def test_files_are_called_by_their_names(here: Run, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "items.jsonl", [{"id": id, "references": ["x"]} for id in "ab"])
    write_jsonl(tmp_path / "o.jsonl", [{"id": "a", "output": "x"}])
    config = (
        'name = "t"\n[[datasets]]\nname = "d"\nexamples = "items.jsonl"\nmetrics = ["rouge1"]\n'
        '[[systems]]\nname = "s"\noutputs = "o.jsonl"\n'
    )
    (tmp_path / "t.toml").write_text(config)
    call = here("run", tmp_path / "t.toml", "-o", tmp_path / "out")
    said = call.out + call.err
    assert "no output for 1 id of" in said
    assert "items.jsonl: b" in said
    assert "<examples>" not in said


@pytest.mark.parametrize("name", list(METRICS))
def test_a_signature_names_the_metric_and_assay(name: str) -> None:
    signature = resolve([name])[0].metric.signature("1")
    assert signature.startswith(f"{name}|")
    assert f"|version:assay-{assay.__version__}" in signature
    assert "sacrebleu" not in signature


def test_sacrebleu_is_named_where_it_runs() -> None:
    assert f"|sacrebleu:{version('sacrebleu')}|" in resolve("bleu:tokenizer=zh")[0].metric.signature("1")


def test_which_sacrebleu_it_equals_is_said_once_and_true() -> None:
    """The parity tests hold BLEU, chrF and TER against the sacrebleu that is installed; the page names that one."""
    page = (ROOT / "docs/scores.md").read_text(encoding="utf-8")
    (said,) = re.findall(r"equal sacrebleu (\d+\.\d+)", page)
    assert version("sacrebleu").startswith(f"{said}.")


def test_signatures_of_before_name_the_same_choices() -> None:
    """In saved runs they stand in sacrebleu's own words."""
    now = resolve("bleu")[0].metric.signature("1")
    before = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
    assert same_choices(now, before)
    assert not same_choices(now, before.replace("case:mixed", "case:lc"))
