"""Cards: what a dataset, a system or a metric is, beside the numbers it explains."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from assay.errors import AssayError
from assay.explorer.overview import Overview
from assay.explorer.payloads import Card, CardSection
from assay.show.numbers import fixed
from assay.store.foreign.known import ours
from assay.store.library import DatasetResults, Library
from assay.store.lines import Axis

if TYPE_CHECKING:
    from assay.datasets import Card as PublishedCard
    from assay.explorer.people_payloads import PeoplePage

import tomllib

Kind = Literal["dataset", "system", "metric"]
DIRECTION = {"higher": "higher is better", "lower": "lower is better", None: "neither end is better"}


def cards_of(library: Library, overview: Overview, judged: list[tuple[str, PeoplePage]]) -> list[Card]:
    """One card a dataset, system and metric of the overview. `judged`: what people pages found, by place."""
    cards = [_dataset(library, overview, name) for name in overview.datasets]
    cards += [_system(library, overview, name) for name in dict.fromkeys(line.system for line in overview.lines)]
    cards += [_metric(library, overview, axis, judged) for axis in overview.ordered()]
    return [_with_words(card, library.cards.get((card.kind, card.name), ())) for card in cards]


def _with_words(card: Card, said: Sequence[tuple[str, str]]) -> Card:
    """What is measured first, then what its authors wrote."""
    written = [CardSection(heading=heading, text=text) for heading, text in said]
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


def _listed(values: Any) -> str:
    unique = [str(value) for value in dict.fromkeys(values) if value]
    return ", ".join(unique[:12]) + (f" and {len(unique) - 12} more" if len(unique) > 12 else "")


def _dataset(library: Library, overview: Overview, name: str) -> Card:
    lines = overview.on(name)
    held = library.datasets.get(name)
    whole = [line.n for line in lines if line.kind in ("whole", "split", "challenge") and line.n]
    facts = [
        ("items", str(max(whole)) if whole else ""),
        ("task", _listed(line.task for line in lines)),
        ("languages", _listed(_languages(held) if held else (line.language for line in lines))),
        ("systems", _listed(line.system for line in lines)),
        ("sets and subsets", str(len({line.subset for line in lines}))),
        ("judgements", str(len(held.judgements)) if held and held.judgements else ""),
    ]
    card = published(name)
    lead = (held.about if held else "") or (card.goal if card else "")
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
        What_to_look_out_for=_cautions(held, whole),
        What_GEM_changed=" ".join(card.modifications) if card else "",
        Notes=" ".join(card.notes) if card else "",
    )


def published(name: str) -> PublishedCard | None:
    """The card of a published dataset that assay can read, when results are called by its name."""
    from assay.datasets import DATASETS

    try:
        return DATASETS.get(name).card if name in DATASETS else None
    except AssayError:  # `assay data list` says what is wrong with it; the results have nothing to do with that
        return None


def _languages(held: DatasetResults) -> list[str]:
    return [
        value for result in held.results.values() for value in result.index["language"].drop_nulls().unique().sort()
    ]


def _cautions(held: DatasetResults | None, sizes: list[int]) -> str:
    said = []
    if sizes and max(sizes) < 100:
        said.append(f"{max(sizes)} items are too few to tell close systems apart.")
    if held is None:
        said.append("Only score files were opened: there are no texts and no statistics, so nothing can be tested.")
    return " ".join(said)


def _system(library: Library, overview: Overview, name: str) -> Card:
    lines = [line for line in overview.lines if line.system == name]
    missing = sum(score.value is None for line in lines for score in line.scores.values())
    facts = [
        ("datasets", _listed(line.dataset for line in lines)),
        ("sets and subsets", str(len(lines))),
        ("numbers without a value", str(missing) if missing else ""),
        *library.facts.get(name, []),
    ]
    return _card("system", name, library.systems.get(name, ""), facts)


@lru_cache(maxsize=1)
def notes() -> dict[str, dict[str, str]]:
    text = (files("assay.explorer") / "metric_notes.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def note_of(name: str) -> dict[str, str]:
    """The note with the longest key that the name begins with."""
    keys = [key for key in notes() if name.startswith(key)]
    return notes()[max(keys, key=len)] if keys else {}


def _metric(library: Library, overview: Overview, axis: Axis, judged: list[tuple[str, PeoplePage]]) -> Card:
    note = note_of(axis.name)
    signatures = {
        score.signature
        for line in overview.lines
        if (score := line.scores.get(axis.name)) is not None and score.value is not None
    }
    known = [
        f"{place}: r {fixed(both.raw.r, 2)}"
        + (f", with the system held constant {fixed(both.partial.r, 2)}" if both.partial else "")
        for place, found in judged
        if (both := found.correlations.get(axis.name))
    ]
    facts = [
        ("category", axis.category),
        ("direction", DIRECTION[axis.part.better]),
        ("depends on the number of items", "yes" if axis.size_dependent else ""),
        ("computed by assay", "yes" if axis.name in ours() else "no: values of another tool"),
        ("signatures here", "; ".join(sorted(signatures)[:6])),
    ]
    return _card(
        "metric",
        axis.name,
        axis.about,
        facts,
        What_it_measures=note.get("measures", ""),
        How_it_is_gamed=note.get("gamed", ""),
        What_an_audit_found=" ".join(
            words for audit in library.audits if (words := audit.words(axis.name, signatures))
        ),
        How_it_follows_people_here="; ".join(known),
    )
