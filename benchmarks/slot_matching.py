"""How often slot_error misses a value that a person has said, and what it makes of E2E's corrected errors.

python -m benchmarks slot_matching     # half a minute, written to docs/evidence/metrics.md
"""

from __future__ import annotations

import csv
import re
import textwrap
from collections import Counter
from pathlib import Path

import msgspec

from assay.datasets import dataset
from assay.metrics.structure.slot_forms import Forms, e2e_forms, named, read_forms
from assay.metrics.structure.slot_values import compare_values
from assay.records import Example, kinds
from benchmarks.damage import PAGE
from benchmarks.page_section import write_section
from benchmarks.released import released

BEGIN, END = "<!-- measured: slot matching -->", "<!-- end: slot matching -->"
SLOT = re.compile(r"([^\[\],]+)\[([^\]]*)\]")


def on_references(name: str, folder: str, split: str, forms: Forms) -> tuple[int, int, int, int]:
    """Texts, values, values not found and values added in the first reference of each example."""
    texts = values = missing = added = 0
    for example in dataset(name).read(released(folder), split):
        said = compare_values(msgspec.structs.replace(example, references=()), example.references[0], forms)
        texts += 1
        values += len(said.expressed) + len(said.missing)
        missing += len(said.missing)
        added += len(said.added)
    return texts, values, missing, added


def corrections(path: Path) -> dict[str, Counter[str]]:
    """Of the slots whose value the corrected release took away from or gave to a text: how many are found to be missing
    or added when the text is held against the old representation, and how many of those found were corrected."""
    tallies = {kind: Counter[str]() for kind in ("missing", "added")}
    forms = e2e_forms()
    with path.open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            old, new = ({m[1].strip(): m[2] for m in SLOT.finditer(row[key])} for key in ("orig_mr", "mr"))
            example = Example(id="1", input=kinds.Slots(slots=list(old.items())).plain(), language="en")
            said = compare_values(example, row["ref"], forms)
            found = {
                "missing": {each.slot for each in said.missing},
                "added": {next((slot for slot in SPELLED if slot.lower() == each.slot), "") for each in said.added},
            }
            changed = {slot for slot in {*old, *new} if _group(slot, old.get(slot)) != _group(slot, new.get(slot))}
            gold = {"missing": changed & old.keys(), "added": changed & new.keys()}
            for kind, tally in tallies.items():
                tally["both"] += len(found[kind] & gold[kind] - UNCORRECTED)
                tally["found"] += len(found[kind] - UNCORRECTED)
                tally["gold"] += len(gold[kind] - UNCORRECTED)
    return tallies


def _group(slot: str, value: str | None) -> str | None:
    """Values that count as the same: cheap, less than £20."""
    return e2e_forms().groups.get((named(slot), named(value or "")), value)


SPELLED = ("eatType", "food", "priceRange", "customer rating", "area", "familyFriendly")
UNCORRECTED = {"name", "near", "eatType"}
"""The corrected release gives rows of other kinds of places besides."""


def report() -> str:
    e2e, czech = e2e_forms(), read_forms(str(released("cs_restaurants/surface_forms.json")))
    rows = ["| human-written texts | texts | values | not found | added |", "|---|---|---|---|---|"]
    for label, arguments in (
        ("E2E, cleaned, validation", ("e2e_nlg:rows=pair", "e2e", "validation", e2e)),
        ("E2E, cleaned, test", ("e2e_nlg:rows=pair", "e2e", "test", e2e)),
        ("Czech Restaurant, test, its surface forms", ("cs_restaurants", "cs_restaurants", "test", czech)),
        ("Czech Restaurant, test, without them", ("cs_restaurants", "cs_restaurants", "test", e2e)),
        ("WebNLG (en), test", ("web_nlg_en", "webnlg/en", "test", e2e)),
        ("DART, validation", ("dart", "dart", "validation", e2e)),
        ("Schema-Guided Dialog, test", ("schema_guided_dialog", "sgd", "test", e2e)),
    ):
        texts, values, missing, added = on_references(*arguments)
        rows.append(f"| {label} | {texts:,} | {values:,} | {missing / values:.1%} | {added / values:.1%} |")
    rows.append("")
    for kind, tally in corrections(released("e2e/cleaned/test-fixed.csv")).items():
        line = (
            f"- Values that the corrected E2E found to be {kind} in its test texts: {tally['both']:,} of "
            f"{tally['gold']:,} are found ({tally['both'] / tally['gold']:.0%}); of those that are found "
            f"{tally['both'] / tally['found']:.0%} were corrected."
        )
        rows += textwrap.wrap(line, 120, subsequent_indent="  ")
    return "\n".join(rows) + "\n"


def write() -> None:
    """Write the table of docs/evidence/metrics.md."""
    write_section(PAGE, BEGIN, END, report())
