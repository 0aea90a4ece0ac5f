"""`assay score` as a person or a script meets it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.metrics import SUITES
from tests.conftest import OUTPUTS, REFERENCES, Call, write_jsonl

SAMPLE = Path(assay.__file__).parent / "sample"


Run = Callable[..., Call]


def test_json_is_the_contract(here: Run, toy: Path) -> None:
    call = here("score", toy / "outputs.jsonl", "--references", toy / "references.jsonl", "--json", "-m", "rouge,bleu")
    assert (call.code, call.err) == (0, "")
    shown = call.json
    assert {"n", "system", "scores", "skipped", "failed"} <= shown.keys()
    assert (shown["n"], shown["system"]) == (3, "outputs")
    bleu = shown["scores"]["bleu"]
    assert bleu["value"] == pytest.approx(32.562, abs=5e-4)
    assert (bleu["low"], bleu["high"]) == (None, None)
    assert bleu["signature"].startswith("bleu|nrefs:1|")
    assert shown["scores"]["rouge1.recall"]["value"] == pytest.approx(0.577778, abs=5e-7)


@pytest.mark.parametrize("verb", ["score", "table"])
def test_a_confidence_level_is_no_number_of_resamples(here: Run, toy: Path, verb: str) -> None:
    call = here(verb, toy / "outputs.jsonl", "--references", toy / "references.jsonl", "-m", "rouge1", "--ci", "95")
    assert call.code == 2
    assert "95 would be the number of resamples; the level is always 95 %" in call.err


def test_gem_vectors_by_default(here: Run, toy: Path) -> None:
    call = here("score", toy / "outputs.jsonl", "-r", toy / "references.jsonl", "--suite", "gem-light", "--json")
    scores = call.json["scores"]
    expected = {
        "distinct-1": 0.636364,
        "entropy-1": 4.233640,
        "cond_entropy-3": -0.040892,
        "entropy-1-nopunct": 4.211261,
    }
    for name, value in expected.items():
        assert scores[name]["value"] == pytest.approx(value, abs=5e-7), name
    assert scores["msttr"]["value"] is None


def test_per_example_file(here: Run, toy: Path) -> None:
    out = toy / "items.jsonl"
    call = here(
        "score", toy / "outputs.jsonl", "-r", toy / "references.jsonl", "-m", "rouge,chrf", "--per-example", out
    )
    assert call.code == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["i0", "i1", "i2"]
    assert {"rouge1", "rouge1.precision", "rougeLsum", "chrf"} <= rows[0].keys()


def test_what_a_person_sees(here: Run, toy: Path) -> None:
    call = here("score", toy / "outputs.jsonl", "-r", toy / "references.jsonl", "--ci", "100")
    lines = call.out.splitlines()
    assert lines[0].startswith("outputs · 3 outputs · 1 reference each")
    assert any(line.startswith("  lexical        rouge1 62.0   rouge2") for line in lines)
    assert any(line.endswith("chrf, mean_length: no interval: 3 items, at least 10 are needed") for line in lines)
    assert any("msttr: no value: the outputs have fewer than 100 tokens in total" in line for line in lines)
    assert lines[-1].startswith("Next: assay compare")
    verbose = here("score", toy / "outputs.jsonl", "-r", toy / "references.jsonl", "-v").out
    assert "rouge|nrefs:1|tokenizer:rouge_score|stemmer:no|multi:max|version:assay-" in verbose
    assert "cond_entropy-3 -0.04" in verbose


def test_workers_give_identical_json(run: Run) -> None:
    arguments = [
        "score",
        SAMPLE / "outputs/template/simple.jsonl",
        "-e",
        SAMPLE / "simple.jsonl",
        "--ci",
        "50",
        "--json",
    ]
    one, two = (run(*arguments, "--workers", workers) for workers in (1, 2))
    assert one.code == two.code == 0
    assert one.out == two.out
    assert run(*arguments).out == one.out


def test_saved_run_answers_again(here: Run, tmp_path: Path) -> None:
    arguments = ["score", SAMPLE / "outputs/copy/news.jsonl", "-e", SAMPLE / "news.jsonl", "-m", "rouge,msttr"]
    first = here(*arguments, "--save", tmp_path / "run", "--json").json
    (tmp_path / "run" / "outputs.jsonl").unlink()
    (tmp_path / "run" / "examples.jsonl").unlink()
    again = here("score", tmp_path / "run", "--json").json
    assert again["scores"] == first["scores"]
    subset = here("score", tmp_path / "run", "--subset", "language=de", "--ci", "100", "--json").json
    assert subset["n"] == 4
    assert subset["scores"]["rouge1"]["why"] == "no interval: 4 items, at least 10 are needed"
    subset = here("score", tmp_path / "run", "--subset", "language=en", "--ci", "100", "--json").json
    assert subset["scores"]["rouge1"]["low"] is not None
    shown = here("score", tmp_path / "run", "--by", "language").out
    assert " de · 4 outputs" in shown
    refused = here("score", tmp_path / "run", "--references", "x")
    assert refused.code == 2
    assert "is a saved run" in refused.err


def test_saved_run_keeps_its_seed(here: Run, tmp_path: Path) -> None:
    arguments = ["score", SAMPLE / "outputs/copy/news.jsonl", "-e", SAMPLE / "news.jsonl", "-m", "bleu", "--ci", "100"]
    first = here(*arguments, "--seed", "9", "--save", tmp_path / "run", "--json").json
    assert here("score", tmp_path / "run", "--json").json["scores"] == first["scores"]
    assert here("score", tmp_path / "run", "--json", "--seed", "0").json["scores"] != first["scores"]


def test_standard_input(toy: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "assay", "score", "-", "-r", toy / "references.jsonl", "-m", "bleu", "--json"],
        input=(toy / "outputs.jsonl").read_bytes(),
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["scores"]["bleu"]["value"] == pytest.approx(32.562, abs=5e-4)


def test_sources_skip_and_exit_codes(here: Run, toy: Path) -> None:
    call = here("score", toy / "outputs.jsonl", "-m", "bleu,lengths", "--json")
    assert call.code == 0
    assert call.json["skipped"] == [{"metric": "bleu", "why": "needs references, and none were given"}]
    call = here("score", toy / "outputs.jsonl", "-m", "bleu", "--save", toy / "run")
    assert call.code == 1
    assert not (toy / "run").exists()
    assert "no metric could be computed (bleu: needs references" in call.err


def bad_inputs(folder: Path) -> dict[str, tuple[list[Any], str]]:
    good = folder / "outputs.jsonl"
    references = folder / "references.jsonl"
    ids = [f"i{i}" for i in range(3)]

    def outputs(name: str, rows: list[Any]) -> Path:
        return write_jsonl(folder / name, rows)

    (folder / "empty").write_bytes(b"")
    (folder / "broken").write_text('{"id": "x", "output": "a"}\n' * 6 + '{"id": "y", "outp\n', encoding="utf-8")
    (folder / "latin1").write_bytes('{"id": "i0", "output": "caf\xe9"}\n'.encode("latin-1"))
    (folder / "transposed").write_text(json.dumps([REFERENCES, REFERENCES]), encoding="utf-8")
    (folder / "plain").write_text("\n".join(OUTPUTS) + "\n", encoding="utf-8")
    twice = outputs("twice", [{"id": "i0", "output": "a"}] * 2)
    stranger = outputs("stranger", [{"id": id, "output": "a"} for id in [*ids, "i99"]])
    number = outputs("number", [{"id": "i0", "output": 7}, {"id": "i1", "output": "a"}])
    hollow = outputs("hollow", [{"id": id, "references": [] if id == "i1" else ["x"]} for id in ids])
    return {
        "missing file": ([folder / "nowhere", "-r", references], "nowhere: no such file"),
        "missing references": ([good, "-r", folder / "nowhere"], "nowhere: no such file"),
        "unknown dataset": ([good, "-e", "nosuch:test.jsonl"], "no such file, and no dataset called nosuch"),
        "empty file": ([folder / "empty", "-r", references], "empty: the file is empty"),
        "broken line 7": ([folder / "broken", "-r", references], "broken:7: not JSON"),
        "duplicate id": ([twice, "-r", references], "1 id more than once: i0"),
        "unknown id": ([stranger, "-r", references], "1 id not in"),
        "transposed": ([folder / "plain", "-r", folder / "transposed"], "looks transposed: 2 lists of 3 texts"),
        "not a string": ([number, "-r", references], "number:1 id i0: output is a number (7). Use a string."),
        "invalid utf-8": ([folder / "latin1", "-r", references], "latin1:1: not valid UTF-8"),
        "empty references": ([good, "-r", hollow], "hollow:2 id i1: references is an empty list"),
        "unknown metric": ([good, "-r", references, "-m", "rogue"], "no metric called rogue (did you mean rouge?)"),
        "unknown option": ([good, "-r", references, "-m", "rouge:stemer=true"], "did you mean stemmer?"),
        "unknown preset": ([good, "-r", references, "-m", "rouge:germ"], "no preset germ (did you mean gem?)"),
        "bad value": ([good, "-r", references, "-m", "rouge:multi=best"], "choose one of max, mean, jackknife"),
        "unknown suite": ([good, "-r", references, "--suite", "gem-lite"], "did you mean gem-light?"),
        "folder": ([folder, "-r", references], "a folder without run.json"),
    }


CASES = [
    "missing file", "missing references", "empty file", "broken line 7", "duplicate id", "unknown id", "transposed",
    "not a string", "invalid utf-8", "empty references", "unknown metric", "unknown option", "unknown preset",
    "bad value", "unknown dataset", "unknown suite", "folder",
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_one_line_exit_1_and_nothing_written(here: Run, toy: Path, case: str) -> None:
    arguments, message = bad_inputs(toy)[case]
    before = sorted(toy.rglob("*"))
    call = here("score", *arguments, "--save", toy / "saved") if case != "folder" else here("score", *arguments)
    assert call.code == 1
    assert call.out == ""
    assert message in call.err
    assert call.err.startswith("assay: ")
    assert call.err.count("\n") == 1
    assert sorted(toy.rglob("*")) == before


def test_every_bad_input_is_tested(toy: Path) -> None:
    assert sorted(bad_inputs(toy)) == sorted(CASES)


def test_allow_missing_says_how_many(here: Run, toy: Path) -> None:
    write_jsonl(toy / "some.jsonl", [{"id": "i0", "output": OUTPUTS[0]}])
    call = here("score", toy / "some.jsonl", "-r", toy / "references.jsonl", "--allow-missing", "-m", "bleu")
    assert call.code == 0
    assert "no output for 2 of 3 items; not scored" in " ".join(call.err.split())


def test_wrong_usage_is_2(here: Run) -> None:
    assert here("score").code == 2
    assert here("score", "x", "--ci", "many").code == 2
    assert here("sore").code == 2


def test_errors_cannot_hold_control_characters(here: Run, toy: Path) -> None:
    write_jsonl(toy / "evil", [{"id": "a\u001b[31m\nb", "output": "x"}] * 2)
    call = here("score", toy / "evil", "-r", toy / "references.jsonl")
    assert call.code == 1
    assert "\x1b" not in call.err
    assert call.err.count("\n") == 1


@pytest.mark.slow
def test_eks_outputs_equal_the_released_scores(shared_data: Callable[[str], Path]) -> None:
    """ROUGE of every released MUCSUM prediction file, item by item."""
    folder = shared_data("eks/model_outputs")
    compared = 0
    for path in sorted(folder.rglob("*_test_preds.jsonl")):
        stem = path.name.removesuffix("_test_preds.jsonl")
        released = [*path.parent.glob(f"{stem}_test_metrics_per_*.json")]
        if not released:
            continue  # two runs were released without scores per example
        theirs = json.loads(released[0].read_text(encoding="utf-8"))
        result = assay.score(path, metrics="rouge:stemmer=true")
        for row in result.per_example.to_dicts():
            for name in ("rouge1", "rouge2", "rougeL", "rougeLsum"):
                assert row[name] == pytest.approx(theirs[row["id"]][f"test_{name}"], abs=1e-9), (path, row["id"])
                compared += 1
    assert compared == 30 * 209 * 4


def test_examples_given_without_their_option(here: Run, toy: Path) -> None:
    call = here("score", toy / "references.jsonl", toy / "outputs.jsonl")
    assert call.code == 2
    assert "pass examples with -e" in " ".join(call.err.split())


def test_nothing_follows_a_score_that_failed(here: Run, toy: Path) -> None:
    call = here("score", toy / "outputs.jsonl", "-m", "rouge")
    assert call.code == 1
    assert "Next:" not in call.out
    assert "Next: assay compare" in here("score", toy / "outputs.jsonl", "-m", "lengths").out


def test_help_names_every_suite(here: Run) -> None:
    said = re.sub(r"-\s+", "-", here("score", "--help").out)  # lines may end after a hyphen
    assert all(suite in said for suite in SUITES)


def test_one_system_of_a_file_in_which_each_has_items_of_its_own(here: Run, tmp_path: Path) -> None:
    rows = [
        {"id": f"{i}/{name}", "output": "the tide is high", "system": name} for i in range(3) for name in ("a", "b")
    ]
    outputs = write_jsonl(tmp_path / "out.jsonl", rows)
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": row["id"], "references": ["the tide is low"]} for row in rows])
    alone = here("score", outputs, "-e", examples, "-m", "bleu", "--system", "b", "--json").json
    assert (alone["system"], alone["n"]) == ("b", 3)
    both = here("score", outputs, "-e", examples, "-m", "bleu", "--json").json
    assert both["systems"]["b"]["scores"] == alone["scores"]
    assert here("score", outputs, "-e", examples, "-m", "bleu", "--system", "c").code == 1


def test_scores_per_item_are_not_written_as_json_lines_into_a_table(here: Callable[..., Call], toy: Path) -> None:
    call = here("score", toy / "outputs.jsonl", "-r", toy / "references.jsonl", "--per-example", toy / "scores.csv")
    assert call.code == 2
    assert "scores per item are JSON lines; name a .jsonl file" in call.err
    assert not (toy / "scores.csv").exists()
