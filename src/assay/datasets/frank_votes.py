"""FRANK's labels of single annotators by sentence, and the released columns computed from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from assay.datasets.frank_typology import GROUPS, LABELS, NO_ERROR
from assay.inputs.typology import FRANK, Typology
from assay.records import Judgement
from assay.stats.votes import SEVERAL, UNASSIGNED, Verdict, error_shares, verdict

if TYPE_CHECKING:
    from assay.datasets.record import Record

Votes = list[dict[str, list[str]]]
"""Labels of each annotator, by sentence."""


def read_votes(record: Record) -> Votes:
    """Return the validated labels of all annotators for all sentences."""
    sentences: Votes = []
    for row in record.items("summary_sentences_annotations"):
        votes: dict[str, list[str]] = {}
        for annotator in row.value:
            named = row.texts(annotator, least=1)
            unknown = next((label for label in named if label not in LABELS), None)
            if unknown is not None:
                raise row.bad(annotator, f"has a label that is none of {', '.join(LABELS)}: {unknown[:40]!r}")
            if NO_ERROR in named and len(set(named)) > 1:
                raise row.bad(annotator, f"says {NO_ERROR} and names an error for the same sentence")
            votes[annotator] = [label for label in dict.fromkeys(named) if label != NO_ERROR]
        if not votes:
            raise record.bad("summary_sentences_annotations", "has a sentence without judgement")
        sentences.append(votes)
    if not sentences:
        raise record.bad("summary_sentences_annotations", "has no sentence")
    return sentences


def verdicts(votes: Votes) -> list[Verdict]:
    return [verdict(list(sentence.values())) for sentence in votes]


def columns(verdicts: Sequence[Verdict], typology: Typology = FRANK) -> dict[str, float]:
    """Return the released columns, with the codes and groups of any typology.

    A sentence that most annotators judge wrong without a majority category (or with
    `OtherE`) lowers the column of every category, so a column is not one minus the share of its error."""
    categories = typology.kinds
    groups = GROUPS if typology is FRANK else typology.groups
    shares = error_shares(verdicts, categories)
    made = {"Factuality": 1 - sum(shares.values())}
    left = 1 - shares[UNASSIGNED]
    inside = {**groups, **{name: (name,) for name in categories}}
    made |= {name: left - sum(shares[one] for one in members) for name, members in inside.items()}
    made["Other"] = left
    for name, members in inside.items():
        made[f"Flip_{name}"] = made["Factuality"] + sum(shares[one] for one in members)
    return made | {"Flip_Other": made["Factuality"]}


def vote_judgements(id: str, system: str, votes: Votes) -> Iterator[Judgement]:
    """Yield judgements per sentence and annotator: `factual`, `error`, and `kind`, the error for sentences that all
    annotators judge wrong (the eight-way agreement of the paper is computed on these)."""
    for number, sentence in enumerate(votes):
        agreed = all(sentence.values())
        for annotator, named in sentence.items():
            values: Iterable[tuple[str, float | str]] = [
                ("factual", float(not named)),
                ("error", SEVERAL.join(named) or NO_ERROR),
                *([("kind", SEVERAL.join(named))] if agreed else []),
            ]
            for criterion, value in values:
                yield Judgement(
                    id=id, system=system, annotator=annotator, criterion=criterion, value=value,
                    unit=f"sentence:{number}",
                )  # fmt: skip
