"""Discourse representation structures as text: relative variables, literals by character."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from assay.errors import AssayError
from assay.inputs.form import Form
from assay.records import kinds
from assay.records.inputs import read_input

if TYPE_CHECKING:
    from assay.records import Example

Clause = Sequence[str]

BOX_OPERATORS = frozenset((
    "ALTERNATION", "ATTRIBUTION", "BACKGROUND", "COMMENTARY", "CONDITION", "CONSEQUENCE", "CONTINUATION", "CONTRAST",
    "DIS", "DUP", "ELABORATION", "EXPLANATION", "IMP", "INSTANCE", "NARRATION", "NEC", "NECESSITY", "NEGATION", "NOT",
    "PARALLEL", "POS", "POSSIBILITY", "PRECONDITION", "PRESUPPOSITION", "RESULT", "TOPIC",
))  # fmt: skip
SENSE = re.compile(r'"([nvars]\.\d+)"')
CLAUSE = re.compile(r'"[^"]*"|\S+')
WHOLE = frozenset(('"now"', '"speaker"', '"hearer"', '"+"'))
WHOLE_ROLES = ("Unit", "DayOfWeek")


def clause_words(line: str) -> list[str]:
    """Return the words of one clause; a quoted literal with its spaces is one word."""
    return CLAUSE.findall(line)


def relative(clauses: Sequence[Clause]) -> list[list[str]]:
    """Replace names by distances: `$0` is the newest box, `@0` the newest referent, `@1` the next one."""
    clauses = _rename_repeated(clauses)
    introduced = {clause[2]: i for i, clause in enumerate(c for c in clauses if c[1] == "REF")}
    boxes: dict[str, int] = {}
    passed = 0

    def box(name: str) -> str:
        if name not in boxes:
            boxes[name] = len(boxes)
            return "$NEW"
        return f"${boxes[name] - len(boxes) + 1}"

    made = []
    for clause in clauses:
        label, operator, *arguments = clause
        line = [box(label)]
        if operator == "REF":
            passed += 1
            made.append([*line, operator])
            continue
        sense = SENSE.fullmatch(arguments[0]) if arguments else None
        if sense:
            line.append(f"{operator}.{sense[1]}")
            arguments = arguments[1:]
        else:
            line.append(operator)
        for place, argument in enumerate(arguments):
            if operator in BOX_OPERATORS or (operator == "PRP" and place == 1):
                line.append(box(argument))
            elif argument.startswith('"'):
                line.append(argument)
            else:
                line.append(f"@{introduced[argument] - passed + 1}" if argument in introduced else "@0")
        made.append(line)
    return made


def _rename_repeated(clauses: Sequence[Clause]) -> list[list[str]]:
    """Rename a referent that is introduced again in another box, where it is a different one."""
    homes: dict[str, str] = {}
    fresh: dict[tuple[str, str], str] = {}
    for clause in clauses:
        if clause[1] == "REF":
            box, name = clause[0], clause[2]
            if homes.setdefault(name, box) != box:
                fresh[box, name] = f"{name}'{box}"
    return [[clause[0], clause[1], *(fresh.get((clause[0], name), name) for name in clause[2:])] for clause in clauses]


def unintroduced(clauses: Sequence[Clause]) -> list[str]:
    """Return referents that no REF clause introduces; they are written as @0 and need a warning."""
    introduced = {clause[2] for clause in clauses if clause[1] == "REF"}
    boxes = {clause[0] for clause in clauses}
    used = [a for clause in clauses if clause[1] not in BOX_OPERATORS for a in clause[2:] if not a.startswith('"')]
    return sorted({name for name in used if name not in introduced | boxes})


def absolute(lines: Sequence[Clause]) -> list[list[str]]:
    """Restore names in relative clauses: boxes b1, b2, ..., referents x1, x2, ... in order of introduction."""
    boxes = passed = 0

    def box(token: str) -> str:
        nonlocal boxes
        if token == "$NEW":
            boxes += 1
            return f"b{boxes}"
        return f"b{boxes + int(token[1:])}"

    made = []
    for line in lines:
        label, operator, *arguments = line
        named = [box(label)]
        if operator == "REF":
            passed += 1
            made.append([*named, "REF", f"x{passed}"])
            continue
        match = re.fullmatch(r"(.+)\.([nvars]\.\d+)", operator)
        named += [match[1], f'"{match[2]}"'] if match else [operator]
        for argument in arguments:
            if argument.startswith("$"):
                named.append(box(argument))
            else:
                named.append(f"x{passed + int(argument[1:])}" if argument.startswith("@") else argument)
        made.append(named)
    return made


def literal_tokens(text: str, role: str, style: str) -> list[str]:
    """Split a literal into characters; deictic constants and units are not split."""
    if text in WHOLE or role in WHOLE_ROLES:
        return [text]
    inside = list(text.strip('"'))
    return ['"', *inside, '"'] if style == "quoted" else inside


def flat(lines: Sequence[Clause], style: str) -> str:
    tokens: list[str] = []
    for line in lines:
        for token in line:
            tokens += literal_tokens(token, line[1], style) if token.startswith('"') else [token]
    return " ".join(tokens)


@dataclass(frozen=True)
class Drs(Form):
    name: ClassVar = "drs"
    about: ClassVar = "clauses with relative variables, as one flat sequence or one per line"
    kind: ClassVar = "drs"
    reversible: ClassVar = "layout=lines, up to the names of variables"

    layout: Literal["flat", "lines"] = "flat"
    literals: Literal["release", "quoted"] = "release"

    def write(self, example: Example, structure: kinds.Drs) -> str:
        lines = relative(structure.clauses)
        if self.layout == "lines":
            return "\n".join(" ".join(line) for line in lines)
        return flat(lines, self.literals)

    def units(self, text: str) -> list[str]:
        """Return concepts, roles, operators and variables; literals are read by character."""
        return [word for word in text.split() if len(word) > 1 and not word.startswith('"')]

    def warnings(self, example: Example) -> list[str]:
        missing = unintroduced(read_input(example, kinds.Drs).clauses)
        return ["has a referent that no REF clause introduces; it is written @0"] if missing else []

    def read(self, text: str) -> list[list[str]]:
        if self.layout != "lines":
            raise AssayError("the flat layout loses the ends of literals; use layout=lines")
        return absolute([clause_words(line) for line in text.splitlines()])
