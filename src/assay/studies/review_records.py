"""Survey mode for records of evaluations: what was asked for, why, on which scale; the creative survey is built in."""

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
from assay.show.tables import Content, Table
from assay.studies.criteria import CREATIVE, family_of

SCALE = re.compile(r"\d+-point|slider")
PREFERENCES = ("ranking", "association", "preference", "pick topic", "pick best", "pairwise")


class Evaluation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One evaluation of a paper, which may have several."""

    id: str
    paper: str
    venue: str = ""
    task: str = ""
    criteria: list[str] = []
    motivation: str = ""
    """Empty where none is given; `no questions` where none could be."""
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
        """Of the paper: 9.2 is the second evaluation of paper 9."""
        return self.id.partition(".")[0]


def creative_survey() -> list[Evaluation]:
    text = files("assay.studies").joinpath("creative_survey.toml").read_text(encoding="utf-8")
    return _records(parse_toml(text, "creative survey"), "creative survey")


def read_evaluations(path: Path) -> list[Evaluation]:
    """A TOML file with `[[evaluations]]`."""
    return _records(read_toml(path), path)


def _records(fields: dict[str, Any], where: object) -> list[Evaluation]:
    try:
        found = msgspec.convert(fields.get("evaluations"), list[Evaluation])
    except msgspec.ValidationError as error:
        raise AssayError(f"{where}: {error}; it needs [[evaluations]] with id, paper, criteria and kinds") from None
    if not found:
        raise AssayError(f"{where}: there is no evaluation in it; add [[evaluations]]")
    return found


def survey(records: Sequence[Evaluation]) -> dict[str, Any]:
    """The counts of the survey."""
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
        "experts": {said: [record.id for record in records if record.experts == said] for said in ("yes", "partly")},
        "kinds": dict(kinds.most_common()),
        "venues": dict(Counter({r.number: r.venue for r in records}.values())),
        "families": {
            family: [
                record.id for record in records if any(family_of(c, "creative") == family for c in record.criteria)
            ]
            for family in (*CREATIVE, "other")
        },
    }


def record_tables(found: dict[str, Any]) -> list[Table]:
    facts = {
        "numeric scale": found["numeric_scales"],
        "preference": len(found["preferences"]),
        "criteria motivated": found["motivated"],
        "not motivated": found["unmotivated"],
        "pilot": found["pilots"],
        "demographics": found["demographics"],
        "experts": len(found["experts"]["yes"]) + len(found["experts"]["partly"]),
    }
    of = found["records"]
    rows: list[Sequence[Content]] = [[name, count, f"{100 * count / of:.0f} %"] for name, count in facts.items()]
    families: list[Sequence[Content]] = [[name, len(ids)] for name, ids in found["families"].items()]
    kinds: list[Sequence[Content]] = [[name, count] for name, count in found["kinds"].items()]
    return [
        Table.of(f"{found['papers']} papers, {of} evaluations", ["item", "evaluations", "share"], rows),
        Table.of("What was answered", ["kind", "evaluations"], kinds),
        Table.of("What was asked for", ["family", "evaluations"], families),
    ]
