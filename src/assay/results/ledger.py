"""A ledger of the looks at a test set, so that many tries together pass a system that should not in at most 5 %.

Every try is tested at the same share of the level, and a try that does not pass reveals nothing else. As long as all
tries so far have failed, the next system depends on no number of the test set (the argument of the Ladder, Blum and
Hardt 2015), so that the errors of all tries add up to the level at most.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from assay.errors import AssayError, UsageError
from assay.metrics.engine.statistics import Dense
from assay.records.files import append_line, digest_of, to_json
from assay.records.locks import Lock
from assay.records.size_limit import read_regular
from assay.results.margin_bounds import margin_units
from assay.results.quality_check import QualityCheck
from assay.results.verdict import LEVEL

TRIES = 20
WAIT = 10.0
UNSUPPORTED = "has no bound that holds at a small level; a ledger needs means of bounded scores"


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of a ledger."""

    ledger: int
    tries: int
    level: float = LEVEL


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """One try: a system that was tested on a test set."""

    test_set: str
    """Digest of the ids of the items."""
    scores: str
    """Digest of scores, baseline and margins: the same ones are no new try."""
    system: str
    passed: bool
    number: int
    """Number of the try on this test set, from 1."""
    time: str


class Entry(NamedTuple):
    """The verdict of a try, and what is left."""

    look: Look
    tries: int
    level: float
    """Level at which this try was tested."""
    repeated: bool
    """Whether the same system was tested before; it is no new try."""

    @property
    def passed(self) -> bool:
        return self.look.passed

    def words(self) -> str:
        """Return the verdict in a sentence."""
        verdict = "passes" if self.passed else "does not pass"
        again = ", as before (the same scores are no new try)" if self.repeated else ""
        left = self.tries - self.look.number
        return (
            f"{self.look.system} {verdict}{again}: try {self.look.number} of {self.tries} on this test set, tested at "
            f"{self.level:.4g} each{', not at .05' if self.passed else ''}; {left} left"
        )

    def record(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {"passed": self.passed, "try": self.look.number, "tries": self.tries, "level": self.level,
                "repeated": self.repeated, "new": self.look.system}  # fmt: skip


def enter(path: Path, checked: QualityCheck, tries: int | None = None, seed: int = 0) -> Entry:
    """Test a system at the level of one try, and note it in the ledger, which is created if it does not exist.

    Args:
        path: The ledger, one JSON object a line.
        checked: The check of the system at the full level.
        tries: Number of tries on each test set that share the level (default: that of the ledger, or 20).
        seed: Random seed of the order of items.

    Raises:
        UsageError: All tries are used, or the ledger was created with another number of tries.
        AssayError: The ledger is damaged, or a metric has no bound at a small level.
    """
    with Lock.of_file(path).waiting(WAIT):
        header, looks = read_ledger(path)
        if header and tries not in (None, header.tries):
            raise UsageError(f"--tries {tries}: {path} was created with {header.tries}. Leave --tries out.")
        known = header or Header(ledger=1, tries=tries or TRIES)
        share = known.level / known.tries
        base, new = checked.comparison.a, checked.comparison.b
        test_set = digest_of(sorted(base.index.ids))[:24]
        scores = digest_of(*_scores(checked))[:24]
        own = [look for look in looks if look.test_set == test_set]
        for look in own:
            if look.scores == scores:
                return Entry(look, known.tries, share, True)
        if len(own) >= known.tries:
            raise UsageError(
                f"{path}: all {known.tries} tries on this test set are used. Draw new items; further looks at these "
                "would pass systems at random."
            )
        passed = not checked.missing.failed and all(_passes(checked, name, share, seed) for name in checked.numbers)
        look = Look(
            test_set=test_set, scores=scores, system=new.system, passed=passed, number=len(own) + 1,
            time=datetime.now(UTC).isoformat(timespec="seconds"),
        )  # fmt: skip
        if header is None:
            append_line(path, to_json(msgspec.to_builtins(known), None))
        append_line(path, to_json(msgspec.to_builtins(look), None))
        return Entry(look, known.tries, share, False)


def read_ledger(path: Path) -> tuple[Header | None, list[Look]]:
    """Read a ledger; None and no looks if it does not exist.

    Raises:
        AssayError: A line is not one of a ledger.
    """
    if not path.exists():
        return None, []
    header: Header | None = None
    looks: list[Look] = []
    for number, line in enumerate(read_regular(path).splitlines(), 1):
        if not line.strip():
            continue
        try:
            if header is None:
                header = msgspec.json.decode(line, type=Header)
                if header.ledger != 1 or header.tries < 1 or not 0 < header.level < 1:
                    raise msgspec.ValidationError("unknown version or level")
            else:
                looks.append(msgspec.json.decode(line, type=Look))
        except msgspec.DecodeError as error:
            raise AssayError(f"{path}:{number}: no line of a ledger ({error}). Restore the file.") from None
    return header, looks


def _passes(checked: QualityCheck, name: str, level: float, seed: int) -> bool:
    if checked.numbers[name].outcome != "passed":
        return False
    base, new = checked.comparison.a, checked.comparison.b
    units = margin_units(base, new, name, seed)
    if units is None:
        raise AssayError(f"{name}: {UNSUPPORTED}.")
    margin = checked.numbers[name].row.margin or 0.0
    higher = base.parts[name][1].better == "higher"
    low, high = units.bounds(level, (-margin if higher else margin,))
    return low >= -margin if higher else high <= margin


def _scores(checked: QualityCheck) -> list[Any]:
    parts: list[Any] = []
    for name, each in checked.numbers.items():
        parts += [name, each.row.margin]
        for result in (checked.comparison.a, checked.comparison.b):
            rows = result.parts[name][0].rows
            parts.append(np.ascontiguousarray(rows.values).tobytes().hex() if isinstance(rows, Dense) else repr(rows))
    return parts
