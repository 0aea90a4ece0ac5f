"""Self-training by reconstruction: a generator writes texts for unpaired inputs, and a reconstructor reads the inputs
back; texts whose input is recovered train the next round.

The generator and the reconstructor may be any models: `teach` returns both for the pairs of a round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from assay.errors import AssayError
from assay.inputs.serialised import parts
from assay.records.types import Example

Match = Literal["exact", "set"]
Write = Callable[[Sequence[Example]], list[str]]
"""A generator: a text for each example."""
Read = Callable[[Sequence[str]], list[str]]
"""A reconstructor: the serialised input of each text."""
Teach = Callable[[int, Sequence[Example]], tuple[Write, Read]]
"""Train generator and reconstructor of a round on pairs."""


class Round(NamedTuple):
    """One round. `pool` are accepted texts that it was trained on, besides the labelled pairs."""

    number: int
    pool: int
    unpaired: int
    accepted: float
    """Share of the unpaired inputs that the previous round recovered; 0 for the first round."""
    match: float
    """Share of validation inputs recovered from the texts of this round by the first reconstructor, which is frozen."""
    parts: float
    """Mean F1 of the parts of these inputs, which decides between rounds with the same match."""

    def line(self) -> str:
        accepted = f"   accepted {self.pool:,} of {self.unpaired:,} ({self.accepted:.1%})" if self.number else ""
        return f"round {self.number}   match {self.match:.1%}, parts {self.parts:.1%}{accepted}"


class SelfTrained(NamedTuple):
    rounds: list[Round]
    best: int
    """Round with the highest match; of equal ones, that with the most recovered parts."""
    stopped: str


def same(wanted: str, recovered: str, match: Match) -> bool:
    """Compare serialised inputs: as strings, or as normalised parts in any order."""
    if match == "exact":
        return " ".join(wanted.split()) == " ".join(recovered.split())
    return parts(wanted) == parts(recovered)


def overlap(wanted: str, recovered: str) -> float:
    """Return the F1 of the parts of two serialised inputs."""
    a, b = parts(wanted), parts(recovered)
    return 2 * (a & b).total() / (a.total() + b.total()) if a or b else 1.0


def self_train(
    labelled: Sequence[Example], unpaired: Sequence[Example], valid: Sequence[Example], teach: Teach,
    line: Callable[[Example], str], *, rounds: int = 2, match: Match = "exact",
    say: Callable[[str], None] = lambda text: None,
) -> SelfTrained:  # fmt: skip
    """Run the loop. The pool is rebuilt from the unpaired inputs in every round, so that a text may leave it again.

    Args:
        labelled: pairs that are in every round.
        unpaired: inputs without references.
        valid: inputs on which rounds are compared.
        teach: trains generator and reconstructor of a round.
        line: serialises an input.
        rounds: rounds after the first training on labelled pairs alone.
        match: how a recovered input is compared.
        say: receives one line per round.
    """
    if not unpaired:
        raise AssayError("self-training: no unpaired input; the inputs have one part each, or all are labelled")
    pool: list[Example] = []
    done: list[Round] = []
    frozen: Read | None = None
    stopped = f"{rounds} rounds" if rounds != 1 else "1 round"
    for number in range(rounds + 1):
        write, read = teach(number, [*labelled, *pool])
        frozen = frozen or read
        lines = list(zip(map(line, valid), frozen(write(valid)), strict=True))
        rate = sum(same(wanted, one, match) for wanted, one in lines) / len(lines)
        shared = sum(overlap(wanted, one) for wanted, one in lines) / len(lines)
        done.append(Round(number, len(pool), len(unpaired), len(pool) / len(unpaired), rate, shared))
        say(done[-1].line())
        if number and done[-1].match < done[-2].match:
            say(f"! round {number} lowers the match rate from {done[-2].match:.1%} to {done[-1].match:.1%}")
        if number == rounds:
            break
        texts = write(unpaired)
        kept = recovered(unpaired, texts, read, line, match)
        before, pool = pool, [
            msgspec.structs.replace(example, references=(text,))
            for example, text, ok in zip(unpaired, texts, kept, strict=True)
            if ok and text.strip()
        ]  # fmt: skip
        if pool == before:
            stopped = "the pool does not change" if number else "no text was accepted"
            break
    return SelfTrained(done, max(done, key=lambda one: (one.match, one.parts)).number, stopped)


def recovered(
    examples: Sequence[Example], texts: Sequence[str], read: Read, line: Callable[[Example], str], match: Match
) -> list[bool]:
    """Return for each text whether its input is recovered from it."""
    return [
        same(line(example), one, match) for example, one in zip(examples, read(texts), strict=True)
    ]  # fmt: skip


def described(trained: SelfTrained) -> dict[str, Any]:
    return {
        "rounds": [one._asdict() for one in trained.rounds],
        "best_round": trained.best,
        "stopped": trained.stopped,
    }
