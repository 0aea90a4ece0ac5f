"""Change one phenomenon of a discourse representation structure, and select its clauses.

Past is `TPR t "now"`, present `EQU t "now"`, future `TPR "now" t`. A box is negated by a clause that names it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, get_args

from assay.inputs.drs import BOX_OPERATORS, SENSE

Clause = Sequence[str]
Phenomenon = Literal["tense", "polarity", "number", "names", "quantity"]
Tense = Literal["past", "present", "future"]
PHENOMENA: tuple[Phenomenon, ...] = get_args(Phenomenon)
NOW = '"now"'
NEGATIONS = ("NEGATION", "NOT")
OPERATORS = {"polarity": NEGATIONS, "number": ("Quantity",), "names": ("Name",), "quantity": ("Quantity", "EQU")}


def tense_of(clause: Clause) -> Tense | None:
    """Return the tense that a clause expresses; None for any other clause."""
    if NOW not in clause[2:] or len(clause) != 4:
        return None
    if clause[1] == "EQU":
        return "present"
    if clause[1] == "TPR":
        return "future" if clause[2] == NOW else "past"
    return None


def speaking(clauses: Sequence[Clause], phenomenon: Phenomenon) -> list[list[str]]:
    """Return the clauses that express a phenomenon."""
    if phenomenon == "tense":
        return [list(clause) for clause in clauses if tense_of(clause)]
    selected = [list(clause) for clause in clauses if clause[1] in OPERATORS[phenomenon]]
    if phenomenon == "quantity":  # two numbers may be set equal, and times are, too: only literals that are numbers
        return [clause for clause in selected if clause[1] == "Quantity" or _digits(clause[-1])]
    return selected


def edit_between(before: Sequence[Clause], after: Sequence[Clause], phenomenon: Phenomenon) -> str:
    """Describe the change: `present -> past`, `added`, `tom -> kirk`; `none` if there is none."""
    if phenomenon == "tense":
        old, new = (sorted({tense for clause in each if (tense := tense_of(clause))}) for each in (before, after))
        if len(old) == len(new) == 1 and old != new:
            return f"{old[0]} -> {new[0]}"
        return "none" if list(map(list, before)) == list(map(list, after)) else "other"
    if phenomenon == "polarity":
        counts = [sum(clause[1] in NEGATIONS for clause in each) for each in (before, after)]
        return "added" if counts[0] < counts[1] else "removed" if counts[0] > counts[1] else "none"
    old_literals, new_literals = (Counter(c[-1] for c in speaking(each, phenomenon)) for each in (before, after))
    gone, come = old_literals - new_literals, new_literals - old_literals
    if not gone and not come:
        return "none"
    sides = (", ".join(literal.strip('"') for literal in sorted(each.elements())) for each in (gone, come))
    return " -> ".join(side or "(none)" for side in sides)


def with_tense(clauses: Sequence[Clause], to: Tense) -> list[list[str]]:
    """Set every time that is related to now to this tense; other times stay."""
    made = []
    for clause in clauses:
        if tense_of(clause):
            time = next(argument for argument in clause[2:] if argument != NOW)
            kept = {"past": ["TPR", time, NOW], "present": ["EQU", time, NOW], "future": ["TPR", NOW, time]}[to]
            made.append([clause[0], *kept])
        else:
            made.append(list(clause))
    return made


def with_other_polarity(clauses: Sequence[Clause]) -> list[list[str]] | None:
    """Remove negations, or negate the main event; None if there is no event to negate."""
    negated = {clause[2]: clause[0] for clause in clauses if clause[1] in NEGATIONS}
    if negated:
        return _lifted([clause for clause in clauses if clause[1] not in NEGATIONS], negated)
    box = _main_box(clauses)
    if box is None:
        return None
    boxes = {clause[0] for clause in clauses} | {a for clause in clauses for a in clause[2:] if _is_box(a)}
    new = next(name for number in range(1, len(boxes) + 2) if (name := f"b{number}") not in boxes)
    made: list[list[str]] = []
    for clause in clauses:
        moves = clause[0] == box and not _of_times(clause)
        if moves and not any(each[1] == "NEGATION" for each in made):
            made.append([box, "NEGATION", new])
        made.append([new if moves else clause[0], *clause[1:]])
    return made


def _lifted(clauses: Sequence[Clause], into: dict[str, str]) -> list[list[str]]:
    """Merge boxes into their parents."""

    def home(name: str) -> str:
        seen: set[str] = set()
        while name in into and name not in seen:
            seen.add(name)
            name = into[name]
        return name

    return [[home(c[0]), c[1], *(home(a) if _names_box(c, a) else a for a in c[2:])] for c in clauses]


def _main_box(clauses: Sequence[Clause]) -> str | None:
    """Return the first box that introduces an event or state that is not presupposed."""
    presupposed = {clause[0] for clause in clauses if clause[1] == "PRESUPPOSITION"}
    for clause in clauses:
        if clause[1] == "REF" and clause[2][:1] in "es" and clause[0] not in presupposed:
            return clause[0]
    return None


def _of_times(clause: Clause) -> bool:
    """Whether a clause is about times only: these stay outside a negation."""
    named = [argument for argument in clause[2:] if not argument.startswith('"')]
    return bool(named) and all(argument[:1] == "t" for argument in named)


def _is_box(name: str) -> bool:
    return name[:1] == "b" and name[1:].isdigit()


def _names_box(clause: Clause, argument: str) -> bool:
    return _is_box(argument) and (clause[1] in BOX_OPERATORS or clause[1] in ("PRP", "Proposition"))


def quantities(clauses: Sequence[Clause]) -> list[int]:
    """Return the positions of clauses with a number in digits."""
    return [i for i, clause in enumerate(clauses) if clause[1] == "Quantity" and _digits(clause[-1])]


def _digits(literal: str) -> bool:
    return literal.strip('"').replace(",", "").isdigit() and literal.startswith('"')


def names(clauses: Sequence[Clause]) -> list[tuple[int, str]]:
    """Return the positions of naming clauses, with the concept (male, city; empty for none)."""
    named = []
    for i, clause in enumerate(clauses):
        if clause[1] == "Name" and len(clause) == 4:
            kinds = [c[1] for c in clauses if len(c) == 4 and SENSE.fullmatch(c[2]) and c[3] == clause[2]]
            named.append((i, kinds[0] if kinds else ""))
    return named


def countable(clauses: Sequence[Clause]) -> list[tuple[int, str]]:
    """Return the positions of concept clauses without a quantity, with the referent. Names and presupposed referents
    (pronouns, definite descriptions) are excluded."""
    named = {clause[2] for clause in clauses if clause[1] in ("Name", "Quantity", "EQU")}
    presupposed = {clause[0] for clause in clauses if clause[1] == "PRESUPPOSITION"}
    return [
        (i, clause[3])
        for i, clause in enumerate(clauses)
        if len(clause) == 4
        and clause[2].startswith('"n.')
        and clause[3][:1] == "x"
        and clause[3] not in named
        and clause[0] not in presupposed
        and clause[1] not in ("time", "person", "male", "female", "quantity", "measure")
    ]
