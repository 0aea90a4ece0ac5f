"""Plain typed records, and reading and writing them. This room knows no other."""

from assay.records.files import to_json, write_jsonl, write_text
from assay.records.join import Items, join
from assay.records.read import (
    ExampleFile,
    OutputFile,
    read_examples,
    read_judgements,
    read_outputs,
    read_references,
    read_sources,
)
from assay.records.recognise import Row, Table, read_table
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
    "join",
    "read_examples",
    "read_judgements",
    "read_outputs",
    "read_references",
    "read_sources",
    "read_table",
    "to_json",
    "write_jsonl",
    "write_text",
]
