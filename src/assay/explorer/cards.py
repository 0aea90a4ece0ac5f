"""Cards: descriptions of datasets, systems and metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

import msgspec

from assay.errors import AssayError
from assay.explorer.overview import Overview, listed
from assay.explorer.payloads import Card, CardSection
from assay.results.comparable import small_samples
from assay.show.numbers import fixed
from assay.store.foreign.known import ours
from assay.store.library import DatasetResults, Library
from assay.store.scored_runs import Axis

if TYPE_CHECKING:
    from assay.datasets import Card as PublishedCard

import tomllib

Kind = Literal["dataset", "system", "metric"]
Judged = Mapping[str, Mapping[str, tuple[float | None, float | None]]]
"""Raw and partial correlation of metrics with human judgements, by dataset and criterion."""
DIRECTION = {"higher": "higher is better", "lower": "lower is better", None: "no better direction"}


def cards_of(library: Library, overview: Overview, judged: Judged) -> list[Card]:
    """Return one card for each dataset, system and metric."""
    cards = [_dataset(library, overview, name) for name in overview.datasets]
    cards += [_system(library, overview, name) for name in dict.fromkeys(run.system for run in overview.runs)]
    cards += [_metric(library, overview, axis, judged) for axis in overview.ordered()]
    return [_with_sections(card, library.cards.get((card.kind, card.name), ())) for card in cards]


def _with_sections(card: Card, texts: Sequence[tuple[str, str]]) -> Card:
    """Add the sections written by authors after the generated ones."""
    written = [CardSection(heading=heading, text=text) for heading, text in texts]
    return msgspec.structs.replace(card, sections=[*card.sections, *written]) if written else card


def _card(kind: Kind, name: str, lead: str, facts: list[tuple[str, str]], **sections: str) -> Card:
    return Card(
        kind=kind,
        name=name,
        lead=lead,
        facts=[(label, value) for label, value in facts if value],
        sections=[
            CardSection(heading=heading.replace("_", " "), text=text) for heading, text in sections.items() if text
        ],
    )


def _dataset(library: Library, overview: Overview, name: str) -> Card:
    runs = overview.on(name)
    results = library.datasets.get(name)
    whole = [run.n for run in runs if run.kind in ("whole", "split", "challenge") and run.n]
    facts = [
        ("items", _counted(max(whole, default=0))),
        ("task", listed(run.task for run in runs)),
        ("languages", listed(_languages(results) if results else (run.language for run in runs))),
        ("systems", listed(run.system for run in runs)),
        ("subsets", _counted(len({run.subset for run in runs if run.kind == "subset"}))),
        ("judgements", _counted(len(results.judgements) if results else 0)),
    ]
    card = published(name)
    lead = (results.about if results else "") or (card.goal if card else "")
    if card:
        facts += [
            ("published as", card.title),
            ("input", card.input_type),
            ("references", card.references),
            ("published sizes", ", ".join(f"{split} {size:,}" for split, size in card.sizes.items())),
            ("licence", card.licence),
            ("cite", card.citation),
        ]
    return _card(
        "dataset",
        name,
        lead,
        facts,
        Caveats=_cautions(results, whole),
        Changes_by_GEM=" ".join(card.modifications) if card else "",
        Notes=" ".join(card.notes) if card else "",
    )


def _counted(number: int) -> str:
    return f"{number:,}" if number else ""


def published(name: str) -> PublishedCard | None:
    """Return the card of a published dataset with this name, if there is one."""
    from assay.datasets import DATASETS

    try:
        return DATASETS.get(name).card if name in DATASETS else None
    except AssayError:  # `assay data list` reports the problem; it does not concern the results
        return None


def _languages(results: DatasetResults) -> list[str]:
    return [
        value for result in results.results.values() for value in result.index["language"].drop_nulls().unique().sort()
    ]


def _cautions(results: DatasetResults | None, sizes: list[int]) -> str:
    caveats = []
    if small := small_samples(results.results.values() if results else (), max(sizes, default=0)):
        caveats.append(small)
    if results is None:
        caveats.append(
            "Score files only, without texts and statistics: no confidence intervals, no significance tests."
        )
    return " ".join(caveats)


def _system(library: Library, overview: Overview, name: str) -> Card:
    runs = [run for run in overview.runs if run.system == name]
    missing = sum(score.value is None for run in runs for score in run.scores.values())
    facts = [
        ("datasets", listed(run.dataset for run in runs)),
        ("runs", _counted(len(runs))),
        ("missing scores", str(missing) if missing else ""),
        *library.facts.get(name, []),
    ]
    return _card("system", name, library.systems.get(name, ""), facts)


@lru_cache(maxsize=1)
def notes() -> dict[str, dict[str, str]]:
    text = (files("assay.explorer") / "metric_notes.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def note_of(name: str) -> dict[str, str]:
    """Return the note with the longest key that is a prefix of the name."""
    keys = [key for key in notes() if name.startswith(key)]
    return notes()[max(keys, key=len)] if keys else {}


def _minus(number: str) -> str:
    """Return a number with a minus sign in place of a hyphen, as everywhere on the pages."""
    return number.replace("-", "−")


def _metric(library: Library, overview: Overview, axis: Axis, judged: Judged) -> Card:
    note = note_of(axis.name)
    signatures = {
        score.signature
        for run in overview.runs
        if (score := run.scores.get(axis.name)) is not None and score.value is not None
    }
    known = [
        f"{place}: r {_minus(fixed(raw, 2))}"
        + (f", partial r (controlled for system) {_minus(fixed(partial, 2))}" if partial is not None else "")
        for place, metrics in judged.items()
        for raw, partial in [metrics.get(axis.name, (None, None))]
        if raw is not None
    ]
    facts = [
        ("category", axis.category),
        ("direction", DIRECTION[axis.part.better]),
        ("depends on the number of items", "yes" if axis.size_dependent else ""),
        ("computed by assay", "yes" if axis.name in ours() else "no: scores of another tool"),
        ("signatures", "; ".join(sorted(signatures)[:6])),
    ]
    return _card(
        "metric",
        axis.name,
        axis.about,
        facts,
        What_it_measures=note.get("measures", ""),
        How_it_can_be_gamed=note.get("gamed", ""),
        Audit_findings=" ".join(words for audit in library.audits if (words := audit.words(axis.name, signatures))),
        Correlation_with_human_judgements_in_these_results="; ".join(known),
    )
