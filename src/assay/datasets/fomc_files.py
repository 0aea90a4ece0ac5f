"""The JSON files of the authors' programs for FOMC: filtered sources, and instances of the equivalence test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assay.datasets.record import Record
from assay.errors import AssayError
from assay.records.inputs import kind_of, read_input, texts_of
from assay.records.kinds import Choice
from assay.records.types import Example
from assay.text.integers import is_integer
from assay.text.sentences import split_sentences


def filtered_documents(records: Iterable[Record], split: str | None) -> Iterator[Example]:
    """Yield one document for all its entries, one per target; sentences of the source are its lines."""
    sources: dict[str, str] = {}
    targets: dict[str, list[str]] = {}
    for record in records:
        name, source = record.text("name"), "\n".join(record.texts("src_sents", least=1))
        if sources.setdefault(name, source) != source:
            raise record.bad("src_sents", f"differ from those of the other targets of {name}")
        targets.setdefault(name, []).append(record.text("tgt"))
    for name, texts in targets.items():
        yield Example(
            id=name, source=sources[name], references=tuple(texts), language="en", split=split,
            tags={"targets": str(len(texts))},
        )  # fmt: skip


def read_instance(record: Record, split: str | None) -> Iterable[Example]:
    """Return one instance of the equivalence test."""
    name, evaluation = record.text("name"), record.text("evaluation")
    target = f"{name}/{record.whole('tgt_i')}"
    yield Example(
        id=f"{target}/{evaluation}/{record.index}",
        source="\n".join(record.texts("src_sents")),
        input=Choice(
            prefix=record.text("prefix"), positive=record.text("positive_continuation"),
            negative=record.text("negative_continuation"), positive_class=record.whole("positive_class"),
            negative_class=record.whole("negative_class"),
        ).plain(),
        parent=name, language="en", split=split, tags={"evaluation": evaluation, "target": target},
    )  # fmt: skip


def sentences_of(example: Example) -> list[str]:
    """Return the sentences of a source: those of its input, else its lines, else split sentences."""
    texts = texts_of(example, "document")
    if texts:
        return list(texts)
    lines = [line for line in (example.source or "").split("\n") if line.strip()]
    return lines if len(lines) > 1 else split_sentences(example.source or "", language=example.language)


def filtered_json(examples: Sequence[Example]) -> list[dict[str, object]]:
    return [
        {"src_sents": sentences_of(example), "tgt": text, "name": example.id, "tgt_i": number}
        for example in examples
        for number, text in enumerate(example.references)
    ]


def instances_json(examples: Sequence[Example]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for example in examples:
        if kind_of(example) != "choice":
            raise AssayError(
                f"id {example.id}: no instance of a choice; pass NAME.instances.jsonl of assay system choose"
            )
        structure = read_input(example, Choice)
        name, _, target = example.tags.get("target", f"{example.parent or example.id}/0").rpartition("/")
        rows.append({
            "evaluation": example.tags.get("evaluation", "all"), "src_sents": sentences_of(example),
            "prefix": structure.prefix, "positive_continuation": structure.positive,
            "positive_class": structure.positive_class,
            "name": name, "tgt_i": int(target) if is_integer(target) else 0,
            "negative_continuation": structure.negative, "negative_class": structure.negative_class,
        })  # fmt: skip
    return rows
