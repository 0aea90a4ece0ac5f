"""Examples with all outputs: texts on disk, scores and tags in memory.

A page shows a few items of perhaps a hundred thousand. They are selected by scores, tags and a scan of the text columns
(Parquet); only the selected texts are read.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from typing import Any

import msgspec
import numpy as np
import polars
from msgspec import UNSET
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.explorer.payloads import ChatTurn, ExampleMore, ExamplePage, ExampleQuery, ExampleShown, OutputShown
from assay.explorer.word_costs import METRIC, word_costs
from assay.records import Example, Judgement, Output
from assay.records.files import read_bytes
from assay.records.id_column import PLAIN, TAG
from assay.records.temporary import temporary_folder
from assay.store.library import DatasetResults, Run
from assay.store.stored_texts import ItemTexts, StoredTexts
from assay.text.integers import is_integer

MOST = 200
"""Maximum number of items in one response."""
ORDERS = 16
"""Number of cached orders: by a system's score, or by the difference of two."""


def parse_query(dataset: str, pairs: Sequence[tuple[str, str]]) -> ExampleQuery:
    """Parse the parameters of an address; unknown ones are refused, because a typo would select all items."""
    known = [name for name in ExampleQuery.__struct_fields__ if name != "dataset"]
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name == "where":
            values["where"] = [*values.get("where", []), value]
        elif name in ("offset", "limit"):
            if not is_integer(value):
                raise AssayError(f"{name}={value}: expected an integer")
            values[name] = int(value)
        elif name in ("low", "high"):
            try:
                values[name] = float(value)
            except ValueError:
                raise AssayError(f"{name}={value}: expected a number") from None
        elif name in known:
            values[name] = value
        elif name != "dataset":
            raise AssayError(f"{name}: unknown parameter; available: {', '.join(known)}")
    return ExampleQuery(dataset=dataset, **values)


def read_records(place: DatasetResults | Run, name: str, kind: type[Any]) -> list[Any] | None:
    """Return the records of a file of texts, None if there is none.

    Raises:
        AssayError: The file is damaged.
    """
    try:
        path = place.file(name)
        if path is None:
            return None
        if name in place.digests and (why := place.digests[name].change(path)):
            raise AssayError(why)
        return list(msgspec.json.Decoder(kind).decode_lines(read_bytes(path)))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OSError) as error:
        raise AssayError(str(error)) from None


class Texts:
    """The examples of one dataset, with search and order."""

    def __init__(self, results: DatasetResults) -> None:
        self.results = results
        self.notes: list[str] = []
        self.problems: list[str] = []
        """Notes on damaged files."""
        self._lock = threading.Lock()
        self._ready = False
        self._folder = temporary_folder("assay-view-", self)
        self.judgements: dict[str, list[Judgement]] = {}
        for judgement in results.judgements:
            self.judgements.setdefault(judgement.id, []).append(judgement)

    def prepare(self) -> None:
        """Write the texts to a temporary folder for search, once."""
        with self._lock:
            if self._ready:
                return
            by_system = self.results.results
            self.systems = list(by_system)
            examples = self._examples()
            outputs = {system: self._outputs(system) for system in self.systems}
            self.index = _index(examples, by_system)
            ids = self.index["id"].to_list()
            self.place = {id: i for i, id in enumerate(ids)}
            self.metrics: list[str] = []
            self.scores: dict[tuple[str, str], NDArray[np.float64]] = {}
            for system, result in by_system.items():
                frame = result.per_example
                at = np.array([self.place[id] for id in frame["id"].to_list()], dtype=np.intp)
                for name in frame.columns[1:]:
                    column = np.full(len(ids), np.nan, dtype=np.float64)
                    column[at] = frame[name].to_numpy()
                    self.scores[system, name] = column
                    if name not in self.metrics:
                        self.metrics.append(name)
            self.tags = self._tags()
            self._write(ids, examples, outputs)
            self._find = lru_cache(maxsize=32)(self._scan)
            self._ordered = lru_cache(maxsize=ORDERS)(self._order)
            self._ready = True

    def _examples(self) -> dict[str, Example]:
        return {example.id: example for example in self._read(self.results, "examples.jsonl", Example)}

    def _outputs(self, system: str) -> dict[str, str]:
        run = self.results.runs[system]
        return {output.id: output.output for output in self._read(run, "outputs.jsonl", Output)}

    def _read(self, place: DatasetResults | Run, name: str, kind: type[Any]) -> list[Any]:
        owner = "the examples" if isinstance(place, DatasetResults) else place.system
        try:
            records = read_records(place, name, kind)
        except AssayError as error:
            self.problems.append(f"{name} of {owner} is damaged ({error}); its texts are not shown.")
            self.notes.append(self.problems[-1])
            return []
        if records is None:
            self.notes.append(f"The texts of {owner} are not in the folder.")
        return records or []

    def _write(self, ids: list[str], examples: dict[str, Example], outputs: dict[str, dict[str, str]]) -> None:
        none = Example(id="")
        encode = msgspec.json.Encoder().encode
        texts = [outputs[system] for system in self.systems]

        def item(id: str) -> ItemTexts:
            row = examples.get(id, none)
            encoded = None if row.input is None else encode(row.input).decode()
            own = _more(row)
            more = encode(own).decode() if own else None
            return ItemTexts(row.source, encoded, tuple(row.references), tuple(made.get(id) for made in texts), more)

        self._stored = StoredTexts(self._folder / "items.msgpack", map(item, ids))
        rows = [examples.get(id, none) for id in ids]
        columns = [
            polars.Series("source", [row.source for row in rows], dtype=polars.String),
            polars.Series("references", ["\x1e".join(row.references) for row in rows], dtype=polars.String),
            polars.Series("more", ["\x1e".join(_more(row).texts()) for row in rows], dtype=polars.String),
            *(
                polars.Series(f"o{i}", [made.get(id) for id in ids], dtype=polars.String)
                for i, made in enumerate(texts)
            ),
        ]
        self._file = self._folder / "texts.parquet"
        polars.DataFrame(columns).write_parquet(self._file, compression="lz4", statistics=False)

    def _scan(self, text: str) -> NDArray[np.bool_]:
        """Return which items contain a text in any field, ignoring case."""
        pattern = "(?i)" + re.escape(text)
        names = ["source", "references", "more", *(f"o{i}" for i in range(len(self.systems)))]
        hits = polars.any_horizontal(polars.col(name).str.contains(pattern).fill_null(False) for name in names)
        matches = polars.scan_parquet(self._file).select(hits.alias("hit")).collect()["hit"].to_numpy()
        return np.asarray(matches | self.index["id"].str.contains(pattern).to_numpy(), dtype=np.bool_)

    def measure(self, query: ExampleQuery) -> NDArray[np.float64] | None:
        """Return one system's score on every item, or the difference of two."""
        if not query.metric or not query.system:
            return None
        for system in filter(None, (query.system, query.against)):
            if (system, query.metric) not in self.scores:
                known = ", ".join(self.metrics)
                raise AssayError(f"no item-level {query.metric} of {system}; available: {known}")
        own = self.scores[query.system, query.metric]
        return own - self.scores[query.against, query.metric] if query.against else own

    def find(self, query: ExampleQuery) -> NDArray[np.intp]:
        """Return the matching items in the requested order."""
        matching = np.ones(len(self.index), dtype=bool)
        if query.id:
            matching &= np.arange(len(matching)) == self.place.get(query.id, -1)
        for condition in query.where:
            key, _, value = condition.partition("=")
            column = TAG + key if TAG + key in self.index.columns else key
            if column not in self.index.columns:
                raise AssayError(f"no property {key}; available: {', '.join(self.properties)}")
            matching &= (self.index[column].fill_null("(none)") == value).to_numpy()
        if query.text:
            matching &= self._find(query.text)
        measure = self.measure(query)
        if measure is not None:
            with np.errstate(invalid="ignore"):
                if query.low is not UNSET:
                    matching &= measure >= query.low
                if query.high is not UNSET:
                    matching &= measure <= query.high
        if measure is None or not query.order:
            return np.flatnonzero(matching)
        ordered = self._ordered(query.metric, query.system, query.against, query.order)
        return ordered[matching[ordered]]

    def _order(self, metric: str, system: str, against: str, order: str) -> NDArray[np.intp]:
        """Return all items ordered by score, or by the difference of two."""
        query = ExampleQuery(dataset=self.results.name, metric=metric, system=system, against=against)
        measure = self.measure(query)
        assert measure is not None
        keys = np.abs(measure) if order == "size" else measure
        return np.argsort(keys if order == "up" else -keys, kind="stable")  # NaN, items without a score, are last

    @property
    def properties(self) -> list[str]:
        return [name.removeprefix(TAG) for name in self.index.columns if name not in ("id", "parent")]

    def _tags(self) -> dict[str, list[str]]:
        """Return properties with few enough values for a list."""
        listed = {}
        for name in self.properties:
            column = self.index[TAG + name] if TAG + name in self.index.columns else self.index[name]
            values = column.fill_null("(none)").unique().sort().to_list()
            if 1 < len(values) <= 60:
                listed[name] = values
        return listed

    def ask(self, query: ExampleQuery) -> ExamplePage:
        self.prepare()
        matching = self.find(query)
        page = matching[query.offset : query.offset + min(query.limit, MOST)]
        return ExamplePage(
            dataset=self.results.name,
            total=len(self.index),
            matching=len(matching),
            offset=query.offset,
            systems=self.systems,
            metrics=self.metrics,
            tags=self.tags,
            examples=self._rows([int(i) for i in page]),
            notes=self.notes,
        )

    def most_different(self, ranks: int) -> list[int]:
        """Return the items on which each pair of systems differs most by each metric, N in each direction."""
        self.prepare()
        kept: dict[int, None] = {}
        for metric in self.metrics:
            systems = [system for system in self.systems if (system, metric) in self.scores]
            for a, b in permutations(systems, 2):
                gap = self.scores[a, metric] - self.scores[b, metric]
                gap[np.isnan(gap)] = 0.0
                # the order of a page that is sorted by difference: the first of equal items first
                order = np.argsort(-gap, kind="stable")[:ranks]
                kept |= dict.fromkeys(int(place) for place in order if gap[place] > 0)
        return list(kept)

    def page_of(self, places: Sequence[int], notes: Sequence[str] = ()) -> ExamplePage:
        """Return a page of these items, in the order of the file."""
        self.prepare()
        page = self.ask(ExampleQuery(dataset=self.results.name, limit=0))
        examples = self._rows(sorted(places))
        return msgspec.structs.replace(page, examples=examples, notes=[*page.notes, *notes])

    def _rows(self, places: list[int]) -> list[ExampleShown]:
        rows = []
        for place in places:
            text = self._stored[place]
            known = self.index.row(place, named=True)
            rows.append(
                ExampleShown(
                    id=known["id"],
                    source=text.source,
                    input=msgspec.Raw((text.input or "null").encode()),
                    references=list(text.references),
                    **{name: known.get(name) for name in ("language", "split", "parent")},
                    tags={n.removeprefix(TAG): v for n, v in known.items() if n.startswith(TAG) and v is not None},
                    outputs=[
                        self._output(*made, place, text.source) for made in zip(self.systems, text.outputs, strict=True)
                    ],
                    judgements=self.judgements.get(known["id"], []),
                    more=msgspec.json.decode(text.more, type=ExampleMore) if text.more else UNSET,
                )
            )
        return rows

    def _output(self, system: str, text: str | None, place: int, source: str | None) -> OutputShown:
        scores = {}
        for metric in self.metrics:
            if (system, metric) in self.scores:  # a system may lack the statistics of a metric
                value = self.scores[system, metric][place]
                scores[metric] = None if np.isnan(value) else float(value)
        has_costs = scores.get(METRIC) is not None and source and text
        return OutputShown(
            system=system,
            text=text,
            scores=scores,
            faithful=word_costs(source or "", text or "") if has_costs else UNSET,
        )


def _more(row: Example) -> ExampleMore:
    """Return what an example has besides source, input and references; false if nothing."""
    turns = [
        ChatTurn(
            role=turn.name or turn.role,
            text=turn.content,
            calls=[msgspec.json.encode(call).decode() for call in turn.tool_calls],
        )
        for turn in row.messages
    ]
    return ExampleMore(messages=turns, contexts=list(row.contexts), expected=row.expected)


def _index(examples: dict[str, Example], results: dict[str, Any]) -> polars.DataFrame:
    """Return every item of any system, in the order of the examples."""
    frames = [result.index.frame for result in results.values()]
    if not frames:
        return polars.DataFrame(schema=dict.fromkeys(PLAIN, polars.String))
    index: polars.DataFrame = polars.concat(frames, how="diagonal").unique("id", maintain_order=True)
    if examples:
        order = polars.DataFrame({"id": list(examples)})
        index = order.join(index, on="id", how="inner", maintain_order="left").vstack(
            index.join(order, on="id", how="anti", maintain_order="left").select(index.columns)
        )
    return index
