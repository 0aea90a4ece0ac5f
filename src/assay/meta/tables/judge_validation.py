"""Tables of a validation of judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.meta.judge_biases import ABOUT, OF_SYSTEM
from assay.meta.judge_validation import JudgeValidation
from assay.show.numbers import probability
from assay.show.tables import Column, Content, Table, shown

OF_LABELS = "share of labels that differ from the annotators' majority; no bias"
WORDS = {"yes": "yes", "no": "NO", "inconclusive": "inconclusive"}


def validation_tables(judges: Mapping[str, JudgeValidation]) -> list[Table]:
    """Return a summary of all judges, and of a single judge its biases and errors by system and class."""
    columns = [Column("judge", "left"), Column("may replace annotators", "left")]
    columns += [Column(name) for name in ("agreement", "annotators' own", "winning rate", "advantage", "n")]
    rows: list[Sequence[Content]] = [
        [
            each.judge, WORDS[each.answer], _number(each.agreement), _number(each.human_agreement),
            _number(each.test.winning_rate if each.test else None),
            _number(each.test.advantage_probability if each.test else None),
            f"{each.n:,}",
        ]
        for each in judges.values()
    ]  # fmt: skip
    notes = ["agreement: mean Krippendorff alpha with each annotator, and of annotators with each other"]
    alone = next(iter(judges.values())) if len(judges) == 1 else None
    notes += _measured(alone) if alone else []
    tables = [Table(columns, rows, "May this judge replace annotators here?", notes=notes)]
    return tables + (_of_judge(alone) if alone else [])


def _measured(judge: JudgeValidation) -> list[str]:
    """Return the interval of agreement, correlations and repeatability of a judge, in words."""
    words = []
    if judge.difference:
        low, high = judge.difference
        words.append(f"agreement minus annotators' own: 95 % CI {low:+.2f} to {high:+.2f}")
    names = {"pearson": "Pearson", "spearman": "Spearman", "partial_pearson": "Pearson given the length"}
    known = [
        f"{name} {judge.correlation[key]:.2f}" for key, name in names.items() if judge.correlation.get(key) is not None
    ]
    if known:
        words.append(f"correlation with the annotators' mean: {', '.join(known)}")
    if judge.repeatability and judge.repeatability.get("equal") is not None:
        words.append(f"draws of the same question are equal in {judge.repeatability['equal']:.0%}")
    return words


def _of_judge(judge: JudgeValidation) -> list[Table]:
    tables = []
    labels = not judge.calibration  # values that are no numbers: an error is a label that differs
    if judge.biases:
        columns = [Column("bias", "left"), Column("size"), Column("95 % CI"), Column("adjusted p")]
        columns += [Column("significant", "left"), Column("what", "left", fold=True)]
        rows = [
            [bias.name, f"{bias.value:+.2f}", f"[{bias.low:.2f}, {bias.high:.2f}]",
             "–" if bias.name == "level" and labels else probability(bias.p_adjusted),
             "YES" if bias.significant else "no",
             OF_LABELS if bias.name == "level" and labels else ABOUT.get(bias.name, OF_SYSTEM)]
            for bias in judge.biases
        ]  # fmt: skip
        tables.append(Table(columns, rows, f"{judge.judge} · biases"))
    if len(judge.systems) > 1:
        columns = [Column("system", "left"), Column("n"), Column("equal to majority"), Column("95 % CI")]
        columns.append(Column("mean error"))
        of_system = [
            [row["system"], f"{row['n']:,}", f"{row['equal']:.2f}", f"[{row['low']:.2f}, {row['high']:.2f}]",
             _number(row["mean_error"], "+.2f")]
            for row in judge.systems
        ]  # fmt: skip
        tables.append(Table(columns, of_system, f"{judge.judge} · by system"))
    if judge.calibration:
        columns = [Column("the judge gave"), Column("annotators' mean"), Column("n")]
        steps = [[f"{row['judge']:.2f}", f"{row['human']:.2f}", f"{row['n']:,}"] for row in judge.calibration]
        tables.append(Table(columns, steps, f"{judge.judge} · calibration"))
    if judge.confusion:
        columns = [Column("human majority", "left"), Column("n"), Column("recall"), Column("95 % CI")]
        columns.append(Column("the judge gave", "left", fold=True))
        counted = [
            [shown(row["class"]), f"{row['n']:,}", f"{row['recall']:.2f}", f"[{row['low']:.2f}, {row['high']:.2f}]",
             ", ".join(f"{label}: {count:,}" for label, count in row["judged"].items())]
            for row in judge.confusion
        ]  # fmt: skip
        tables.append(Table(columns, counted, f"{judge.judge} · by class"))
    return tables


def _number(value: float | None, form: str = ".2f") -> str:
    return "–" if value is None else f"{value:{form}}"
