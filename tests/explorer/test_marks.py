"""Every shipped example: the marks of table, Markdown, JSON, Python, report and page are the same."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

import assay
from assay.explorer.queries import Queries
from assay.explorer.report import write_report
from assay.explorer.tables import scores_table
from assay.results.paper_table import PaperTable, table
from assay.show.tables import Cell, Content

ROOT = Path(__file__).parents[2]
LONG = {"fomc", "tesa"}
"""Examples that take more than 10 s."""
SHIPPED = [*sorted((ROOT / "examples").glob("*.toml")), Path(assay.__file__).parent / "sample" / "sample.toml"]
Marks = dict[tuple[str, str], str]
"""By system and label of a metric: `best`, `tied` or nothing."""
VERDICTS = {"best": "best", "tied": "tied"}
INTENDED = (
    "Small sample (n = ",
    "Items have 1 to ",
    "scores depend on the number of outputs",
    "meteor: without paraphrases",
    "of candidate pairs are tied",
    "frequency: 120 of 120 outputs",  # a baseline that ignores its input
    "template: 100 of 100 outputs",  # a baseline that writes the slots with their names, the event type first
    "look tokenized",  # so is the FOMC corpus
    "nearest: 5 of 100 outputs",  # a baseline that repeats training sentences
    "is written without spaces",
    "rewrite: 3 of 40 outputs are empty",
    "fkgl: descriptive only",
    "fkgl: fitted to English",
)
"""Notes that the examples are meant to show, or that are true of any small set."""


def quick(config: Path, folder: Path) -> Path | None:
    """Write the config with the systems that need no training and no model; None where data are not in the package."""
    text = config.read_text(encoding="utf-8")
    head, *blocks = text.split("[[systems]]")
    kept = [block for block in blocks if "train = " not in block and "hf:" not in block]
    for name in ("examples", "train", "valid", "classes", "outputs", "judgements"):
        head = head.replace(f'\n{name} = "', f'\n{name} = "{config.parent}/')
        kept = [block.replace(f'\n{name} = "', f'\n{name} = "{config.parent}/') for block in kept]
    if not all(Path(each["examples"]).exists() for each in tomllib.loads(head)["datasets"]):
        return None
    path = folder / config.name
    path.write_text("[[systems]]".join([head.replace("ci = 1000", "ci = 0"), *kept]), encoding="utf-8")
    return path


def marks_of_cells(columns: Sequence[str], rows: Sequence[Sequence[Content]]) -> Marks:
    found: Marks = {}
    for system, *cells in rows:
        for label, cell in zip(columns[1:], cells, strict=True):
            if isinstance(cell, Cell):
                found[str(system), label] = "best" if cell.strong else "tied" if cell.mark else ""
    return found


def marks_of_markdown(text: str) -> list[Marks]:
    """Return the marks of each Markdown table whose first column is the system."""
    tables: list[list[list[str]]] = [[]]
    for line in text.splitlines():
        if line.startswith("|"):
            tables[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        elif tables[-1]:
            tables.append([])
    found = []
    for rows in filter(None, tables):
        marks: Marks = {}
        for system, *cells in rows[2:]:
            for label, cell in zip(rows[0][1:], cells, strict=True):
                name = label.rstrip(" ↑↓").replace("\\", "")
                marks[system, name] = "best" if cell.startswith("**") else "tied" if "†" in cell else ""
        found.append(marks)
    return found


def only_marked(marks: Marks) -> Marks:
    return {key: mark for key, mark in marks.items() if mark}


@pytest.mark.parametrize(
    "config",
    [pytest.param(each, marks=pytest.mark.slow) if each.stem in LONG else each for each in SHIPPED],
    ids=lambda path: path.stem,
)
def test_marks_are_the_same_everywhere(config: Path, tmp_path: Path) -> None:
    path = quick(config, tmp_path)
    if path is None:
        pytest.skip(f"{config.name}: its data are not in the repository")
    if "[[systems]]" not in path.read_text(encoding="utf-8"):
        pytest.skip(f"{config.name}: every system is trained")
    folder = tmp_path / "results"
    assay.run(path, folder)
    queries = Queries([folder])
    notes = [note for each in queries.overview.notes.values() for note in each]
    assert not [note for note in notes if not any(words in note for words in INTENDED)]
    report = tmp_path / "report.md"
    write_report([folder], report)
    in_report = marks_of_markdown(report.read_text(encoding="utf-8"))
    for dataset, held in queries.library.datasets.items():
        made: PaperTable = table(held.results)
        section = made.sets[0]
        wanted = only_marked(
            {
                (system, section.label(name)): VERDICTS.get(section.verdict(name, system), "")
                for name in section.numbers
                for system in section.results
            }
        )
        written = made.table()
        assert only_marked(marks_of_cells([each.name for each in written.columns], written.rows)) == wanted
        assert only_marked(marks_of_markdown(made.write("markdown"))[0]) == wanted
        json = {
            (system, section.label(name)): VERDICTS.get(score["verdict"] or "", "")
            for system, scores in made.to_dict()["sets"][0]["scores"].items()
            for name, score in scores.items()
        }
        assert only_marked(json) == wanted
        page = queries.table(dataset)
        on_page = {
            (system, section.label(one.name)): VERDICTS.get(said, "")
            for one in page.metrics
            for system, said in one.verdicts.items()
        }
        assert only_marked(on_page) == wanted
        # the page and the report show one line for each system and set of items; all items have the verdicts
        runs = [run for run in queries.overview.on(dataset) if run.is_all_items]
        assert {run.system for run in runs} >= {system for system, _ in wanted}
        reported = scores_table(queries.overview, dataset, tested=queries.tested_table(dataset))
        several = reported.columns[1].name == "set"
        rows = [[row[0], *row[1 + several :]] for row in reported.rows if not several or row[1] == "all"]
        names = [each.name for i, each in enumerate(reported.columns) if not (several and i == 1)]
        assert only_marked(marks_of_cells(names, rows)) == wanted
        if not several:
            assert wanted in [only_marked(each) for each in in_report]
