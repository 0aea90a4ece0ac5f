"""Report on the predictions of a system: BLEU by reference style, Inform, Success, richness, dialogue states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.metrics.diversity.lengths import Lengths
from assay.metrics.diversity.msttr import Msttr
from assay.metrics.diversity.ngrams import Ngrams
from assay.metrics.engine.base import Metric
from assay.metrics.lexical.bleu import Bleu
from assay.metrics.structure.dialog.databases import Databases, partial_similarity
from assay.metrics.structure.dialog.files import Predictions
from assay.metrics.structure.dialog.success import DialogueResult, Goal, Setup, State, evaluate_dialogue
from assay.records import Example, Items
from assay.stats.interval import wilson_interval
from assay.stats.resample import all_items

SEGMENT = 50
SAME_VALUE = 95
"""Minimum partial ratio (0 to 100) of two equal state values."""


@dataclass
class Report:
    """Scores of one system."""

    system: str
    dialogues: int
    turns: int
    bleu: dict[str, float] = field(default_factory=dict)
    """BLEU by style of the references."""
    judged: dict[str, DialogueResult] = field(default_factory=dict)
    richness: dict[str, float] = field(default_factory=dict)
    states: dict[str, float] = field(default_factory=dict)
    setup: Setup = field(default_factory=Setup)
    sources: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def rates(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Return Inform and Success in percent with 95 % confidence intervals, in total and by domain."""
        rates: dict[str, dict[str, dict[str, Any]]] = {}
        whole_dialogues = {
            "inform": [judged.informed for judged in self.judged.values()],
            "success": [judged.succeeded for judged in self.judged.values()],
        }
        for name, hits in whole_dialogues.items():
            rates[name] = {"total": _rate(hits)} if hits else {}
        domains = sorted({domain for judged in self.judged.values() for domain in judged.match})
        for domain in domains:
            having = [judged for judged in self.judged.values() if domain in judged.match]
            rates["inform"][domain] = _rate([judged.match[domain] for judged in having])
            rates["success"][domain] = _rate([judged.match[domain] and judged.success[domain] for judged in having])
        return rates


def _rate(hits: Sequence[bool]) -> dict[str, Any]:
    low, high = wilson_interval(sum(hits), len(hits))
    return {"value": 100 * sum(hits) / len(hits), "low": 100 * low, "high": 100 * high, "n": len(hits)}


def evaluate(
    predictions: Predictions,
    databases: Databases | None = None,
    *,
    references: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    goals: Mapping[str, Goal] | None = None,
    booked: Mapping[str, Sequence[Sequence[str]]] | None = None,
    gold: Predictions | None = None,
    setup: Setup | None = None,
) -> Report:
    """Compute all scores that the inputs allow; notes name the inputs that others need.

    Args:
        predictions: Responses, and states and domains if predicted.
        databases: Venues and trains, for Inform and Success.
        references: References by style and dialogue, for BLEU.
        goals: Goals by dialogue, for Inform and Success.
        booked: Booked domains by dialogue and turn.
        gold: States and domains of the corpus.
        setup: The evaluation choices (default: strict).
    """
    setup = setup or Setup()
    texts = [turn.response for turns in predictions.dialogues.values() for turn in turns]
    report = Report(predictions.system, len(predictions.dialogues), len(texts), setup=setup)
    report.notes += predictions.notes
    report.richness = richness(texts)
    for style, texts_of_style in (references or {}).items():
        value = _bleu(predictions, texts_of_style, style, report.notes)
        if value is not None:
            report.bleu[style] = value
    report.sources = {
        "state": "predicted" if predictions.has_states else "gold" if gold else "none",
        "domains": setup.domains if setup.domains != "predicted" or predictions.has_domains else "state_change",
    }
    if goals is None:
        report.notes.append("Inform and Success need goals (--goals)")
    elif databases is None:
        report.notes.append("Inform and Success need the databases (--databases)")
    elif report.sources["state"] == "none":
        report.notes.append("Inform and Success need predicted states or gold states (--states)")
    elif setup.domains == "gold" and gold is None:
        report.notes.append("Inform and Success need the active domains of the corpus with this setup (--states)")
    else:
        report.judged = _judged(predictions, goals, databases, booked or {}, gold, setup, report.notes)
        if not booked:
            report.notes.append("without booked domains (--booked), no reference number counts as provided")
    if gold is not None and predictions.has_states:
        report.states = state_scores(predictions, gold)
    return report


def _judged(
    predictions: Predictions,
    goals: Mapping[str, Goal],
    databases: Databases,
    booked: Mapping[str, Sequence[Sequence[str]]],
    gold: Predictions | None,
    setup: Setup,
    notes: list[str],
) -> dict[str, DialogueResult]:
    known = [id for id in predictions.dialogues if id in goals]
    if len(known) < len(goals):
        notes.append(
            f"{len(goals) - len(known):,} of {len(goals):,} dialogues with goals are not predicted: partial result*"
        )
    if len(known) < len(predictions.dialogues):
        notes.append(f"{len(predictions.dialogues) - len(known):,} predicted dialogues have no goal and are left out")
    of_corpus = gold.dialogues if gold else {}
    return {
        id: evaluate_dialogue(
            predictions.dialogues[id], goals[id], databases, booked.get(id, ()), setup, of_corpus.get(id), name=id
        )
        for id in known
    }


def _bleu(
    predictions: Predictions, references: Mapping[str, Sequence[str]], style: str, notes: list[str]
) -> float | None:
    known = [id for id in predictions.dialogues if id in references]
    if not known:
        notes.append(f"no predicted dialogue is among the {style} references")
        return None
    uneven = [id for id in known if len(predictions.dialogues[id]) != len(references[id])]
    if uneven:
        notes.append(f"{len(uneven)} dialogues differ from {style} in the number of turns ({uneven[0]} …)")
    missing = len(references) - len(known)
    if missing:
        notes.append(f"{missing:,} of {len(references):,} dialogues of {style} are not predicted: partial BLEU*")
    pairs = [
        (turn.response, text)
        for id in known
        for turn, text in zip(predictions.dialogues[id], references[id], strict=False)
    ]
    return fold_all([Bleu()], [response for response, _ in pairs], [(text,) for _, text in pairs])["bleu"]


def richness(texts: Sequence[str]) -> dict[str, float]:
    """Return lexical diversity and mean length of responses."""
    counted = Ngrams(tokenizer="multiwoz", conditional="tokens")
    values = fold_all([counted, Msttr(tokenizer="multiwoz", segment=SEGMENT), Lengths(tokenizer="multiwoz")], texts)
    tokens = values["mean_length"] * len(texts)
    few = tokens <= SEGMENT  # no complete segment: the whole text counts as one
    return {
        "entropy": values["entropy-1"],
        "cond_entropy": values["cond_entropy-2"],
        "avg_lengths": values["mean_length"],
        "msttr": values["vocab-1"] / tokens if few else values["msttr"],
        "num_unigrams": values["vocab-1"],
        "num_bigrams": values["vocab-2"],
        "num_trigrams": values["vocab-3"],
    }


def fold_all(
    metrics: Sequence[Metric], texts: Sequence[str], references: Sequence[tuple[str, ...]] = ()
) -> dict[str, float]:
    """Return the scores of texts, with references if there are any."""
    references_of = references or [()] * len(texts)
    items = Items(tuple(texts), tuple(Example(id=str(i), references=each) for i, each in enumerate(references_of)))
    values: dict[str, float] = {}
    for metric in metrics:
        folded = metric.fold(metric.statistics(items), all_items(len(texts)))
        values |= {name: float(value[0]) for name, value in folded.items()}
    return values


def state_scores(predictions: Predictions, gold: Predictions) -> dict[str, float]:
    """Return joint accuracy (turns with a fully correct state), and precision, recall and F1 of slot values."""
    counts: Counter[str] = Counter()
    for id, turns in predictions.dialogues.items():
        for turn, right in zip(turns, gold.dialogues.get(id, ()), strict=False):
            have, want = _slots(turn.state or {}), _slots(right.state or {})
            hits = sum(slot in want and _same(value, want[slot]) for slot, value in have.items())
            counts.update(turns=1, joint=hits == len(have) == len(want), hits=hits, have=len(have), want=len(want))
    if not counts["turns"]:
        return {}
    precision = counts["hits"] / counts["have"] if counts["have"] else 0.0
    recall = counts["hits"] / counts["want"] if counts["want"] else 0.0
    return {
        "joint_accuracy": 100 * counts["joint"] / counts["turns"],
        "slot_precision": 100 * precision,
        "slot_recall": 100 * recall,
        "slot_f1": 200 * precision * recall / (precision + recall) if precision + recall else 0.0,
        "turns": counts["turns"],
    }


def _slots(state: State) -> dict[tuple[str, str], str]:
    return {(domain, slot): value for domain, slots in state.items() for slot, value in slots.items()}


def _same(one: str, other: str) -> bool:
    return one == other or partial_similarity(one, other) >= SAME_VALUE


def goal_overlap(test: Mapping[str, Goal], train: Mapping[str, Goal]) -> dict[str, int]:
    """Return the overlap of test and training goals: equal goals, and unseen slot values without and with domain."""

    def settled(goal: Goal) -> tuple[Any, ...]:
        wanted = tuple(sorted((domain, tuple(sorted(slots.items()))) for domain, slots in goal.informable.items()))
        return wanted, tuple(sorted((domain, tuple(sorted(slots))) for domain, slots in goal.requestable.items()))

    def triples(goals: Mapping[str, Goal]) -> set[tuple[str, str, str]]:
        return {(d, s, v) for goal in goals.values() for d, slots in goal.informable.items() for s, v in slots.items()}

    known = {settled(goal) for goal in train.values()}
    new, old = triples(test), triples(train)
    return {
        "goals": len(test),
        "goals_in_train": sum(settled(goal) in known for goal in test.values()),
        "unseen_slot_values": len({pair[1:] for pair in new} - {pair[1:] for pair in old}),
        "unseen_domain_slot_values": len(new - old),
    }
