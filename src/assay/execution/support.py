"""Check which sentences of outputs their contexts or sources support; called by command, Python and assistants."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any

import numpy as np

from assay.errors import AssayError
from assay.execution.loading import load_items
from assay.metrics.support.checker import Checked, check, why_not
from assay.metrics.support.evidence import sources_instead, texts_of
from assay.metrics.support.languages import foreign_items
from assay.metrics.support.splitting import SENTENCES, why_not_split
from assay.records.items import Items
from assay.records.read import read_systems
from assay.records.types import Data
from assay.stats.interval import clustered_wilson_interval


@dataclass(frozen=True)
class SupportReport:
    """The sentences of one system: for each item a list, in the order of the items."""

    system: str
    items: Items
    checked: list[list[Checked]]

    @property
    def sentences(self) -> list[Checked]:
        return [one for own in self.checked for one in own]

    def records(self) -> list[dict[str, Any]]:
        """Return one record per sentence: offsets, verdict, probability, reason, evidence."""
        return [one.to_dict(self.system) for one in self.sentences]

    def rate(self) -> dict[str, Any]:
        """Return the share of supported sentences with its 95 % confidence interval; an item is a cluster."""
        pairs = [
            (one.verdict == "supported", i)
            for i, own in enumerate(self.checked)
            for one in own
            if one.probability is not None
        ]
        if not pairs:
            return {"supported": None, "low": None, "high": None}
        hits = np.array([hit for hit, _ in pairs], dtype=np.float64)
        clusters = np.unique([i for _, i in pairs], return_inverse=True)[1].astype(np.int64)
        low, high = clustered_wilson_interval(hits, clusters)
        return {"supported": float(hits.mean()), "low": float(low), "high": float(high)}


def check_outputs(
    outputs: Data,
    sources: Data | None = None,
    *,
    examples: Data | None = None,
    system: str | None = None,
    checker: str = "assay",
    claims: str = SENTENCES,
    allow_missing: bool = False,
    skip_bad: bool = False,
) -> dict[str, SupportReport]:
    """Check every sentence of the outputs of each system.

    Raises:
        AssayError: The checker cannot run, items have neither contexts nor source, or are not English.
    """
    if reason := why_not(checker):
        raise AssayError(f"checker {checker}: {reason}. Without a model: checker assay.")
    if reason := why_not_split(claims):
        raise AssayError(f"claims {claims}: {reason}. Without a model: claims clauses.")
    named = fspath(outputs) if isinstance(outputs, str | PathLike) else "outputs"
    options: dict[str, Any] = {
        "examples": examples, "sources": sources, "allow_missing": allow_missing, "skip_bad": skip_bad,
        "some_references": True,
    }  # fmt: skip
    reports = {}
    files = read_systems(outputs, skip_bad=skip_bad) if isinstance(outputs, str | PathLike) else [outputs]
    for each in files:
        name = getattr(each, "system", None)
        if system is None or name in (None, system):
            items = load_items(each, **options)
            _refuse_unfit(items, named)
            items = replace(items, notes=(*items.notes, *sources_instead(items.examples)))
            reports[items.system] = SupportReport(items.system, items, check(items, checker, claims=claims))
    if not reports:
        raise AssayError(f"{named}: no system {system} in it; check the name of the system")
    return reports


def _refuse_unfit(items: Items, named: str) -> None:
    bare = [example.id for example in items.examples if not texts_of(example)]
    if bare:
        raise AssayError(
            f"{named}: {len(bare)} items have neither contexts nor source, id {bare[0]} first. Give them with -e or -s."
        )
    foreign = foreign_items(items)
    if foreign:
        raise AssayError(
            f"{named}: the rules are English, but {len(foreign)} of {len(items)} items are not: id {foreign[0][0]} is "
            f'{foreign[0][1]}. Leave these items out, or set "language": "en" in those that are English.'
        )
