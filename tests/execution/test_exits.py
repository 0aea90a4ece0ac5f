"""`sys.exit` in a metric or a system of others: an error that names the item, not the silent end of a command."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from assay.errors import AssayError, ExitError, no_exit
from assay.execution.shard_job import attempt
from assay.metrics import Dense, Items, MeanMetric, Part
from assay.models.context import Context
from assay.records.types import Example
from assay.systems.command import of_function


@dataclass(frozen=True)
class Leaving(MeanMetric):
    """A metric that ends the program on one item."""

    name: ClassVar = "leaving"
    category: ClassVar = "lexical"
    summary: ClassVar = "ends the program"
    citation: ClassVar = "nobody"

    def parts(self) -> tuple[Part, ...]:
        return (Part("leaving"),)

    def statistics(self, items: Items) -> Dense:
        if "b" in items.outputs:
            sys.exit(0)
        return self.rows({"leaving": np.ones(len(items))})


def test_a_metric_that_ends_the_program_is_listed_with_the_item() -> None:
    items = Items(("a", "b", "c"), tuple(Example(id=id, references=("x",)) for id in ("i", "j", "k")))
    said = attempt(Leaving(), items, Context())
    assert isinstance(said, str)
    assert said.startswith("id j: ExitError: it tried to end the program (SystemExit: 0) (in statistics, test_exits.py")


def leave(request: dict[str, object]) -> str:
    return sys.exit("no key") if request["id"] == "1" else "x"


def test_a_system_that_ends_the_program_is_named_with_the_item() -> None:
    asked = of_function(leave).ask([{"id": "0"}, {"id": "1"}])
    assert next(asked) == ("0", "x")
    with pytest.raises(AssayError, match=r"leave id 1: ExitError: it tried to end the program \(SystemExit: no key\)"):
        next(asked)


@pytest.mark.parametrize("module", ["assay.cli.stopping", "ray._private.worker"])
def test_who_is_told_to_end_by_a_signal_ends(module: str) -> None:
    handler = {"__name__": module}
    exec("import sys\ndef end(): sys.exit(143)", handler)
    with pytest.raises(SystemExit), no_exit():
        handler["end"]()  # type: ignore[operator]
    with pytest.raises(ExitError), no_exit():
        sys.exit(143)
