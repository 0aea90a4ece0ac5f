"""Typed records (examples, outputs, judgements, scores), and reading and writing them."""

from assay.records.files import digest_of, to_json, write_jsonl, write_text
from assay.records.inputs import kind_of, known_input, read_input, texts_of, with_input
from assay.records.items import Items
from assay.records.join import join
from assay.records.ranked_candidates import read_scored, scores_of, write_scored
from assay.records.read import (
    ExampleFile,
    OutputFile,
    read_examples,
    read_judgements,
    read_outputs,
    read_references,
    read_sources,
)
from assay.records.recognize import Row, Table, read_table
from assay.records.types import Example, Judgement, Output, Score

__all__ = [
    "Example",
    "ExampleFile",
    "Items",
    "Judgement",
    "Output",
    "OutputFile",
    "Row",
    "Score",
    "Table",
    "digest_of",
    "join",
    "kind_of",
    "known_input",
    "read_examples",
    "read_input",
    "read_judgements",
    "read_outputs",
    "read_references",
    "read_scored",
    "read_sources",
    "read_table",
    "scores_of",
    "texts_of",
    "to_json",
    "with_input",
    "write_jsonl",
    "write_scored",
    "write_text",
]
