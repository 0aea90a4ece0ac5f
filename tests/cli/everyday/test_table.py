"""`assay table`, and `assay compare` in the forms of a document."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU

import assay
from tests.conftest import Call, write_jsonl

SAMPLE = Path(assay.__file__).parent / "sample"
Run = Callable[..., Call]


def outputs(dataset: str, *systems: str) -> list[object]:
    return [SAMPLE / f"outputs/{system}/{dataset}.jsonl" for system in systems]


def places(*systems: str) -> list[object]:
    return [*outputs("places", *systems), "-e", SAMPLE / "places.jsonl", "-m", "rouge1,chrf"]


def test_files_to_a_table(here: Run) -> None:
    call = here("table", *places("lead", "copy", "template"))
    assert call.code == 0
    assert call.out.startswith("40 items\n")
    assert "rouge1 ↑" in call.out
    assert "† not significantly different from the best" in call.out
    assert "n = 40" in call.out
    assert "! Small sample (n = 40): only large differences can be detected." in call.err


def test_the_ending_says_the_form(here: Run, tmp_path: Path) -> None:
    for ending, begin in (
        (".tex", "% needs"),
        (".md", "<!-- made"),
        (".html", "<!-- made"),
        (".csv", ",rouge1,"),
        (".txt", "40 items"),
    ):
        call = here("table", *places("lead", "template"), "-o", tmp_path / f"t{ending}")
        assert call.out == f"{tmp_path / f't{ending}'}: 2 systems, 40 items\n"
        assert (tmp_path / f"t{ending}").read_text(encoding="utf-8").startswith(begin)
    wrong = here("table", *places("lead", "template"), "-o", tmp_path / "t.doc")
    assert wrong.code == 2
    assert "unknown ending; use .tex, .md, .html, .csv, .txt, or pass --format" in wrong.err
    other = here("table", *places("lead", "template"), "-o", tmp_path / "x.tex", "--format", "html")
    assert other.code == 2
    assert "--format html does not fit the ending .tex; leave --format out" in other.err
    assert not (tmp_path / "x.tex").exists()


def test_json_has_verdicts(here: Run) -> None:
    found = here("table", *places("lead", "copy", "template"), "--by", "language", "--json").json
    assert found["systems"] == ["lead", "copy", "template"]
    whole = found["sets"][0]
    assert (whole["subset"], whole["n"]) == ("all", 40)
    assert whole["scores"]["template"]["chrf"]["verdict"] == "best"
    assert sum(each["n"] for each in found["sets"][1:]) == 40
    small = next(each for each in found["sets"] if each["n"] < 6)
    assert "minimum 6 for a significance test" in small["left_out"]["chrf"]
    assert small["scores"]["lead"]["chrf"]["verdict"] is None


def test_saved_runs_and_folders_stand_side_by_side(here: Run, tmp_path: Path) -> None:
    for dataset in ("news", "places"):
        for system in ("lead", "template"):
            (path,) = outputs(dataset, system)
            run = tmp_path / "runs" / dataset / system
            here("score", path, "-e", SAMPLE / f"{dataset}.jsonl", "-m", "rouge1,chrf", "--save", run)
    runs = [tmp_path / "runs" / dataset / system for dataset in ("news", "places") for system in ("lead", "template")]
    head = here("table", *runs, "--format", "csv").out.splitlines()[0]
    assert head.split(",")[:3] == ["", "news rouge1", "news rouge1.verdict"]
    assert "places chrf" in head
    assert here("table", tmp_path / "runs" / "news", "--format", "csv").out.startswith(",rouge1,rouge1.verdict,chrf")
    refused = here("table", *runs, "-e", SAMPLE / "news.jsonl")
    assert refused.code == 2
    assert "saved runs are already scored" in refused.err
    (tmp_path / "nothing").mkdir()
    assert here("table", tmp_path / "nothing").code == 1


def test_compare_in_other_forms_is_that_table(here: Run) -> None:
    asked = places("lead", "copy", "template")
    rows = list(csv.reader(io.StringIO(here("compare", *asked, "--format", "csv").out)))
    table = list(csv.reader(io.StringIO(here("table", *asked, "--format", "csv").out)))
    assert rows == table
    groups = here("compare", *asked, "--json").json["groups"]["chrf"]
    tied = {row[0] for row in rows[1:] if row[4] in ("best", "tied")}
    assert tied == {system for group in groups if "template" in group for system in group}
    two = here(
        "compare", *places("lead", "template"), "--format", "latex", "--test", "bootstrap", "--margin", "chrf=1"
    ).out
    assert "paired bootstrap-t test, 1,000 bootstrap resamples; p $<$ .05 after Holm correction over 2 tests" in two
    assert "chrf: not worse by 1.0 or more (one-sided test, p " in two
    several = here("compare", *asked, "--format", "latex", "--test", "bootstrap").out
    assert (
        "bootstrap-t test, 1,000 bootstrap resamples; p $<$ .05 after Holm correction over 6 tests of all pairs"
        in several
    )
    crossed = here("compare", *asked, "--format", "latex", "--cluster", "language,split")
    assert crossed.code == 2
    assert "with several systems, name one field" in crossed.err


def swapped_bleu(statistics: dict[str, np.ndarray], draws: int) -> dict[tuple[str, str], float]:
    """p of corpus BLEU for every pair, corrected by the step-down maximum; from sacrebleu's own statistics."""
    chance = np.random.default_rng(3)
    n = len(next(iter(statistics.values())))
    swaps = chance.integers(0, 2, size=(draws, n)).astype(float)

    def bleu(sums: np.ndarray) -> np.ndarray:
        length, reference, correct, total = sums[:, 0], sums[:, 1], sums[:, 2:6], sums[:, 6:10]
        brevity = np.exp(np.minimum(0.0, 1 - reference / length))
        return np.asarray(100 * brevity * np.exp(np.log(correct / total).mean(axis=1)))

    observed, null = {}, {}
    for a, b in combinations(sorted(statistics), 2):
        first, second = statistics[a], statistics[b]
        moved = swaps @ (second - first)
        gaps = bleu(second.sum(axis=0) - moved) - bleu(first.sum(axis=0) + moved)
        observed[a, b] = abs(bleu(second.sum(axis=0)[None])[0] - bleu(first.sum(axis=0)[None])[0]) / gaps.std()
        null[a, b] = np.abs(gaps) / gaps.std()
    p, before = {}, 0.0
    order = sorted(observed, key=lambda pair: -observed[pair])
    for place, pair in enumerate(order):
        largest = np.max([null[other] for other in order[place:]], axis=0)
        before = max(before, (1 + (largest >= observed[pair]).sum()) / (draws + 1))
        p[pair] = before
    return p


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "pattern", "examples", "systems"),
    [
        ("webnlg", "outputs-2020/en/{}.txt", "web_nlg_en:{}/en/test", ("bt5", "NUIG-DSI", "TGen", "RALI")),
        ("e2e", "outputs/{}.tsv", "e2e_nlg:{}/testset_w_refs.csv", ("slug", "harv", "sheff1", "tnt1")),
    ],
)  # fmt: skip
def test_published_outputs_to_latex_in_one_command(
    here: Run,
    shared_data: Callable[[str], Path],
    tmp_path: Path,
    folder: str,
    pattern: str,
    examples: str,
    systems: tuple[str, ...],
) -> None:
    """Values, bold type, marks and groups are those of sacrebleu's statistics and swaps of numpy's."""
    data = shared_data(folder)
    paths = [data / pattern.format(system) for system in systems]
    given = ("-e", examples.format(data), "-m", "bleu")
    assert here("table", *paths, *given, "-o", tmp_path / "table.tex").code == 0
    latex = (tmp_path / "table.tex").read_text(encoding="utf-8")
    here("data", "read", examples.split(":")[0], examples.format(data).split(":")[1], "-o", tmp_path / "e.jsonl")
    references = [json.loads(line)["references"] for line in (tmp_path / "e.jsonl").open(encoding="utf-8")]
    most = max(map(len, references))
    parallel = [[each[i] if i < len(each) else None for each in references] for i in range(most)]
    texts = {system: _texts(path) for system, path in zip(systems, paths, strict=True)}
    metric = BLEU()
    statistics = {
        system: np.array(metric._extract_corpus_statistics(lines, parallel), dtype=float)
        for system, lines in texts.items()
    }
    values = {
        system: metric._compute_score_from_stats(list(rows.sum(axis=0).astype(int))).score
        for system, rows in statistics.items()
    }
    best = max(values, key=lambda system: values[system])
    p = swapped_bleu(statistics, 5000)
    assert rf"{best} & \textbf{{{values[best]:.1f}}} \\" in latex
    for system in set(systems) - {best}:
        chance = p[min(best, system), max(best, system)]
        assert not 0.03 < chance < 0.08, "too near to the level to be checked; choose other systems"
        mark = r"\rlap{\textsuperscript{\textdagger{}}}" if chance >= 0.05 else ""
        assert rf"{system} & {values[system]:.1f}{mark} \\" in latex
    groups = here("compare", *paths, *given, "--json").json["groups"]["bleu"]
    for (a, b), chance in p.items():
        if not 0.03 < chance < 0.08:
            assert any(a in group and b in group for group in groups) == (chance >= 0.05), (a, b, chance)


def _texts(path: Path) -> list[str]:
    if path.suffix == ".txt":
        return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    with path.open(encoding="utf-8", newline="") as stream:
        return [row["output"] for row in csv.DictReader(stream, delimiter="\t")]


def test_several_keys_add_up(here: Run, tmp_path: Path) -> None:
    rows = [
        {"id": str(i), "references": ["a b c d"], "tags": {"half": str(i % 2), "third": f"t{i % 3}"}} for i in range(36)
    ]
    examples = write_jsonl(tmp_path / "e.jsonl", rows)
    files = [
        write_jsonl(tmp_path / f"{name}.jsonl", [{"id": str(i), "output": text} for i in range(36)])
        for name, text in (("x", "a b c"), ("y", "a d"))
    ]
    asked = (*files, "-e", examples, "-m", "rouge1", "--by", "half", "--by", "third", "--json")
    wanted = ["half=0", "half=1", "third=t0", "third=t1", "third=t2"]
    assert list(here("compare", *asked).json["by"]) == wanted
    assert [each["subset"] for each in here("table", *asked).json["sets"]] == ["all", *wanted]
    one = here("compare", *files, "-e", examples, "-m", "rouge1", "--by", "half", "--json").json["by"]
    assert list(one) == ["0", "1"]


def test_warnings_stand_below_the_table(tmp_path: Path) -> None:
    """Above a wide table they would be out of sight."""
    call = [sys.executable, "-m", "assay", "table", *map(str, places("lead", "copy"))]
    said = subprocess.run(call, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True).stdout
    assert said.index("Bold: best") < said.index("! ")


def test_equal_systems_are_not_said_to_be_told_apart(here: Run) -> None:
    shown = here("table", *places("lead", "lead")).out
    assert "significantly different" not in shown
    assert "all scores are equal" in shown
