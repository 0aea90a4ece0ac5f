"""What reads files and answers of others, called as the commands call it."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import AssayError
from tests.fuzz.target import Target, every, home


def read_records(path: Path) -> None:
    from assay.records import read_examples, read_outputs, read_references, read_sources, write_jsonl

    def kept(found: Any) -> None:
        write_jsonl(home() / "copy", found)

    every(
        lambda path: kept(read_outputs(path).outputs),
        lambda path: kept(read_examples(path, skip_bad=True).examples),
        lambda path: kept(read_references(path).examples),
        lambda path: kept(read_sources(path, dataset="d").examples),
    )(path)


def read_tools(path: Path) -> None:
    """Items of other tools, as outputs and as scores."""
    from assay.execution.imported_scores import read_scores
    from assay.records import read_outputs

    every(
        lambda path: read_outputs(path),
        lambda path: read_outputs(path, dataset="none", skip_bad=True),
        lambda path: read_scores(path),
    )(path)


def read_large(path: Path) -> None:
    from assay.records.lazy_files import find_examples, find_outputs

    for found in (find_outputs(path), find_examples(path)):
        if found is not None:
            list(found[0] if isinstance(found, tuple) else found)


def read_judged(path: Path) -> None:
    from assay.meta.joined_scores import read_frame
    from assay.records import read_judgements

    every(read_judgements, lambda path: read_frame(path, "human"))(path)


def scored_text(data: bytes) -> None:
    from assay.records import read_scored

    read_scored(data.decode("utf-8", "replace"))


def dataset_target(name: str) -> Target:
    from tests.datasets.synthetic_files import MADE, write

    def read(data: bytes) -> None:
        from assay.datasets import Report, dataset

        folder = home() / f"dataset-{name}"
        path = write(name, folder)
        path.write_bytes(data)
        for lenient in (False, True):
            with suppress(AssayError):
                list(dataset(name).read(path, None, Report(name, lenient=lenient)))

    return Target(f"dataset-{name}", lambda: [next(iter(MADE[name].files.values())).encode()], read)


def read_prompt(path: Path) -> None:
    from assay.systems.prompts import prompt

    prompt(str(path)).messages(text="x")


def read_labels(path: Path) -> None:
    from assay.inputs.triples import _labels

    _labels.cache_clear()
    _labels(str(path))


def read_phrases(path: Path) -> None:
    from assay.inputs.acts import read_templates

    read_templates.cache_clear()
    read_templates(path)


def read_candidates(path: Path) -> None:
    from assay.datasets.select import read_candidates as read

    read(path)


def read_chat(data: bytes) -> None:
    from assay.judges.plain_text import read_rating
    from assay.records import to_json
    from assay.systems.base import spent
    from assay.systems.replies import read_answer, read_reply

    with suppress(ValueError, RecursionError):  # which a call says in its own words
        answer = read_reply(data.decode("utf-8", "replace"))
        text, details = read_answer(answer)
        to_json({"response": answer, "text": text, **spent(details)}).encode()
        read_rating(text, 1, 5)


def rating(data: bytes) -> None:
    from assay.judges.plain_text import read_rating

    read_rating(data.decode("utf-8", "replace"), 1, 5)


def read_command(data: bytes) -> None:
    """What a command wrote, as the answers to each of the three questions."""
    from assay.records import Example
    from assay.systems.command import Call, Command

    command = Command(line="x")
    examples = [Example(id="a", source="x"), Example(id="b", source="y")]
    waiting = {"a", "b"}
    with suppress(AssayError):
        for number, line in enumerate(data.split(b"\n"), 1):
            if line.strip():
                waiting.discard(command._answer(line, number, waiting)[0])
    made = Call(path="x")
    for ask in (
        lambda: list(made.generate(examples[:1])),
        lambda: list(made.classify(examples[:1], [["x", "y"]])),
        lambda: list(made.logprob(examples[:1], [["x", "y"]], [""])),
    ):
        with suppress(AssayError, ValueError, RecursionError):
            found = json.loads(data.split(b"\n")[0])
            made.function = lambda request, found=found: found
            ask()


def answer_assistant(data: bytes) -> None:
    """A message of an assistant, to tools over an empty folder."""
    from assay.server.assistants.folders import Folders
    from assay.server.assistants.protocol import Session
    from assay.server.assistants.tools import tools

    folder = home() / "assistant"
    folder.mkdir(exist_ok=True)
    answer = Session(tools(Folders.of([folder]))).answer(data)
    assert answer is None or {"result", "error"} & answer.keys()


def read_segment(path: Path) -> None:
    from assay.models.cache_segments import Segment

    with suppress(ValueError, OSError):  # which the cache takes for a damaged file
        segment = Segment(path)
        list(segment.read(np.arange(len(segment.numbers))))
