"""Review of records of evaluations; the survey of creative systems is built in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.records.documents import parse_toml, read_toml
from assay.records.key_problems import key_problem
from assay.show.tables import Content, Table
from assay.studies.criteria import CREATIVE, family_of

SCALE = re.compile(r"\d+-point|slider")
PREFERENCES = ("ranking", "association", "preference", "pick topic", "pick best", "pairwise")


class Evaluation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One evaluation; a paper may have several."""

    id: str
    paper: str
    venue: str = ""
    task: str = ""
    criteria: list[str] = []
    motivation: str = ""
    """Empty if none is stated; `no questions` if there was no question to motivate."""
    kinds: list[str] = []
    experts: str = ""
    annotators: str = ""
    sample: str = ""
    pilot: bool = False
    demographics: bool = False

    @property
    def numeric(self) -> bool:
        return any(SCALE.fullmatch(kind) for kind in self.kinds)

    @property
    def motivated(self) -> bool:
        return self.motivation not in ("", "no questions")

    @property
    def number(self) -> str:
        """Number of the paper: 9.2 is the second evaluation of paper 9."""
        return self.id.partition(".")[0]


def creative_survey() -> list[Evaluation]:
    """Return the evaluations of the survey of creative systems (Hämäläinen and Alnajjar, 2021)."""
    text = files("assay.studies").joinpath("creative_survey.toml").read_text(encoding="utf-8")
    return _records(parse_toml(text, "creative survey"), "creative survey")


def read_evaluations(path: Path) -> list[Evaluation]:
    """Read a TOML file with `[[evaluations]]`."""
    return _records(read_toml(path), path)


def _records(fields: dict[str, Any], where: object) -> list[Evaluation]:
    try:
        records = msgspec.convert(fields.get("evaluations"), list[Evaluation])
    except msgspec.ValidationError as error:
        raise AssayError(
            f"{where}: {key_problem(error, list[Evaluation])}. "
            "Each entry of [[evaluations]] needs id, paper, criteria and kinds."
        ) from None
    if not records:
        raise AssayError(f"{where}: no evaluations; add [[evaluations]]")
    return records


def survey(records: Sequence[Evaluation]) -> dict[str, Any]:
    """Return all counts of the survey."""
    kinds = Counter(kind for record in records for kind in record.kinds)
    papers = Counter(record.number for record in records)
    return {
        "papers": len(papers),
        "records": len(records),
        "numeric_scales": sum(record.numeric for record in records),
        "preferences": [record.id for record in records if any(kind in PREFERENCES for kind in record.kinds)],
        "motivated": sum(record.motivated for record in records),
        "unmotivated": sum(not record.motivation for record in records),
        "pilots": sum(record.pilot for record in records),
        "demographics": sum(record.demographics for record in records),
        "several_evaluations": [paper for paper, count in papers.items() if count > 1],
        "experts": {
            answer: [record.id for record in records if record.experts == answer] for answer in ("yes", "partly")
        },
        "kinds": dict(kinds.most_common()),
        "venues": dict(Counter({r.number: r.venue for r in records}.values())),
        "families": {
            family: [
                record.id for record in records if any(family_of(c, "creative") == family for c in record.criteria)
            ]
            for family in (*CREATIVE, "other")
        },
    }


def record_tables(counts: dict[str, Any]) -> list[Table]:
    """Return the tables of a survey."""
    facts = {
        "numeric scale": counts["numeric_scales"],
        "preference": len(counts["preferences"]),
        "criteria motivated": counts["motivated"],
        "not motivated": counts["unmotivated"],
        "pilot": counts["pilots"],
        "demographics": counts["demographics"],
        "experts": len(counts["experts"]["yes"]) + len(counts["experts"]["partly"]),
    }
    of = counts["records"]
    rows: list[Sequence[Content]] = [[name, count, f"{100 * count / of:.0f} %"] for name, count in facts.items()]
    families: list[Sequence[Content]] = [[name, len(ids)] for name, ids in counts["families"].items()]
    kinds: list[Sequence[Content]] = [[name, count] for name, count in counts["kinds"].items()]
    return [
        Table.of(f"{counts['papers']} papers, {of} evaluations", ["item", "evaluations", "share"], rows),
        Table.of("Types of answers", ["kind", "evaluations"], kinds),
        Table.of("Families of criteria", ["family", "evaluations"], families),
    ]
