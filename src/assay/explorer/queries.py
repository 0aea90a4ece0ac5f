"""What the pages ask for, each answer made once: the same for the server and for the one-file report."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.explorer.confusion import has_choices
from assay.explorer.library import Library, open_results
from assay.explorer.lines import board_of
from assay.explorer.overview import Board
from assay.explorer.texts import Texts, parse_query
from assay.results.comparable import different_signatures
from assay.results.compare import compare

SAMPLES = 1000
VERDICT = ("difference", "low", "high", "p", "p_adjusted", "items_needed")
"""What is said of two values together; empty where they are not comparable."""


class Shelf:
    """Opened results and everything that was already asked of them."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.library: Library = open_results(paths)
        self._texts: dict[str, Texts] = {}
        self._lock = threading.Lock()
        self._people: dict[tuple[str, str], dict[str, Any]] = {}
        self._comparisons: dict[tuple[str, str, str], dict[str, Any]] = {}

    @cached_property
    def board(self) -> Board:
        return board_of(self.library)

    @cached_property
    def board_payload(self) -> dict[str, Any]:
        rooms = self.library.rooms
        return {
            **self.board.payload(),
            "rooms": list(rooms),
            "people": [name for name, room in rooms.items() if room.judgements or has_choices(room)],
        }

    @cached_property
    def board_json(self) -> bytes:
        return msgspec.json.encode(self.board_payload)

    def comparison(self, dataset: str, a: str, b: str) -> dict[str, Any]:
        """Paired tests of two systems on one dataset; the difference is b - a."""
        key = (dataset, a, b)
        if key not in self._comparisons:
            results = self.library.room(dataset).results
            for system in (a, b):
                if system not in results:
                    raise AssayError(f"no statistics of {system} on {dataset}; there are {', '.join(results)}")
            compared = compare(results[a], results[b], samples=SAMPLES)
            found = compared.to_dict()
            for name in different_signatures(compared.a, compared.b, compared):
                found["metrics"][name] |= dict.fromkeys(VERDICT) | {"why": "signatures differ"}
            self._comparisons[key] = {**found, "a": a, "b": b, "dataset": dataset}
        return self._comparisons[key]

    def texts(self, dataset: str) -> Texts:
        with self._lock:
            if dataset not in self._texts:
                self._texts[dataset] = Texts(self.library.room(dataset))
            return self._texts[dataset]

    def examples(self, dataset: str, query: Sequence[tuple[str, str]]) -> dict[str, Any]:
        return self.texts(dataset).ask(parse_query(list(query)))

    def prepare(self) -> None:
        """Make the texts ready to be asked, all datasets one after the other."""
        for dataset in self.library.rooms:
            self.texts(dataset).prepare()

    def people(self, dataset: str, criterion: str = "") -> dict[str, Any]:
        key = (dataset, criterion)
        if key not in self._people:
            from assay.explorer.people import people_of

            self._people[key] = people_of(self.library.room(dataset), criterion)
        return self._people[key]

    @cached_property
    def cards(self) -> list[dict[str, Any]]:
        from assay.explorer.cards import cards_of

        known = []
        for dataset in self.board_payload["people"]:
            found = self.people(dataset)
            known += [(f"{dataset}, {name}", self.people(dataset, name)) for name in found["criteria"]]
        return cards_of(self.library, self.board, known)
