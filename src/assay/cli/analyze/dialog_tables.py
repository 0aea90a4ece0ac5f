"""Tables of `assay analyze dialog`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.errors import UsageError
from assay.metrics.structure.dialog.report import Report
from assay.metrics.structure.dialog.reported import Reported
from assay.metrics.structure.dialog.styles import StyleAgreement
from assay.show.numbers import fixed
from assay.show.tables import Cell, Content, Table


def turns_of(report: Report, trace: str) -> list[Any]:
    id = trace.lower().removesuffix(".json")
    if id not in report.judged:
        raise UsageError(f"--trace {trace}: {report.system} has no such dialogue with a goal")
    return report.judged[id].trace


def score_table(reports: Sequence[Report]) -> Table:
    styles = list(dict.fromkeys(style for report in reports for style in report.bleu))
    rich = ["num_unigrams", "num_trigrams", "entropy", "cond_entropy", "msttr", "avg_lengths"]
    rows: list[list[Content]] = []
    for report in reports:
        rates = report.rates() if report.judged else {}
        row: list[Content] = [report.system, *(_fixed(report.bleu.get(style), 1) for style in styles)]
        row += [_percent(rates.get(name, {}).get("total")) for name in ("inform", "success")]
        row += [_fixed(report.richness[name], 0 if name.startswith("num") else 2) for name in rich]
        rows.append(row)
    headings = ["", *(f"BLEU {style}" for style in styles), "inform", "success", "tokens", "trigrams", "entropy"]
    return Table.of("dialogue systems", [*headings, "cond. entropy", "MSTTR-50", "length"], rows)


def domain_table(reports: Sequence[Report]) -> Table:
    rows: list[list[Content]] = []
    for report in reports:
        rates = report.rates()
        for domain, rate in rates["inform"].items():
            rows.append([report.system, domain, rate["n"], _percent(rate), _percent(rates["success"][domain])])
    return Table.of("by domain, with 95 % intervals", ["", "domain", "dialogues", "inform", "success"], rows)


def trace_table(report: Report, trace: str) -> Table:
    rows: list[list[Content]] = []
    for number, turn in enumerate(turns_of(report, trace), 1):
        state = "; ".join(f"{d} {s}={v}" for d, slots in turn.state.items() for s, v in slots.items())
        offered = offers_of(turn.offered)
        provided = "; ".join(f"{d}: {', '.join(slots)}" for d, slots in turn.provided.items() if slots)
        rows.append([number, turn.response, state, offered + (" (new)" if turn.updated else ""), provided])
    judged = report.judged[trace.lower().removesuffix(".json")]
    if report.setup.updates == "end":
        rows.append(["end", None, None, offers_of(judged.offered), None])
    verdict = f"inform {int(judged.informed)}, success {int(judged.succeeded)}"
    return Table.of(
        f"{report.system} · {trace} · {verdict}", ["turn", "response", "state", "offered", "provided"], rows
    )


def offers_of(offered: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{d}: {', '.join(ids[:8])}{' …' * (len(ids) > 8)}" for d, ids in offered.items() if ids)


def _fixed(value: float | None, digits: int) -> Cell | None:
    return None if value is None else Cell(fixed(value, digits), value)


def _percent(rate: dict[str, float] | None) -> Cell | None:
    if not rate:
        return None
    text = f"{rate['value']:.1f} [{rate['low']:.1f}, {rate['high']:.1f}]"
    return Cell(text, rate["value"], rate["low"], rate["high"])


def agreement_table(agreement: StyleAgreement) -> Table:
    """Say how far the styles of the references agree."""
    rows: list[list[Content]] = [
        ["with a slot in at least one style", agreement.slotted, _share(agreement.slotted, agreement.turns)],
        ["  of these equal in all styles", agreement.identical, _share(agreement.identical, agreement.slotted)],
        ["  of these different in every style", agreement.distinct, _share(agreement.distinct, agreement.slotted)],
    ]
    title = f"delexicalisation · {', '.join(agreement.styles)} · {agreement.turns:,} turns"
    return Table.of(title, ["turns", "n", "%"], rows)


def _share(part: int, whole: int) -> Cell | None:
    return _fixed(100 * part / whole, 2) if whole else None


def reported_table(compared: Sequence[Reported]) -> Table:
    """Show reported scores next to ours, and the ranks among the systems with both."""
    rows: list[list[Content]] = [
        [one.system, one.metric, _fixed(one.reported, 1), _fixed(one.ours, 1), _fixed(one.ours - one.reported, 1),
         f"{one.reported_rank} → {one.rank}" if one.rank != one.reported_rank else one.rank]
        for one in compared
    ]  # fmt: skip
    return Table.of("reported and recomputed", ["", "metric", "reported", "here", "difference", "rank"], rows)
