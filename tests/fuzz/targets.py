"""The table of what is fuzzed: every reader, manifest, log format, answer and page address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.fuzz import folders, readers
from tests.fuzz import seed_files as made
from tests.fuzz.target import Target, in_file
from tests.records.tools import synthetic as tool_logs

STORED = {
    "run": "d/lead/run.json", "benchmark": "results.json", "items": "d/lead/items.parquet",
    "dense": "d/lead/statistics/rouge*.parquet", "tokens": "d/lead/statistics/tokens*.parquet",
    "outputs": "d/lead/outputs.jsonl", "examples": "d/examples.jsonl", "judgements": "d/judgements.jsonl",
}  # fmt: skip


def _foreign(path: Path) -> None:
    """Results of other tools, read and shown."""
    from assay.store.foreign import read_foreign

    read_foreign(path)
    folders.show([path])


def each() -> Iterator[Target]:
    from assay.execution.config import read_config
    from tests.datasets.synthetic_files import MADE

    yield Target("records", made.record_files, in_file(readers.read_records))
    yield Target("large", lambda: [made.record_files()[0], made.record_files()[9]], in_file(readers.read_large))
    yield Target("judgements", made.judgement_files, in_file(readers.read_judged))
    yield Target("scored", lambda: [b"0.5\ta b\n-1.5\tc"], readers.scored_text)
    for name in MADE:
        yield readers.dataset_target(name)
    yield Target("config", made.config_files, in_file(read_config, "c.toml"))
    yield Target("prompt", made.prompt_files, in_file(readers.read_prompt, "p.toml"))
    yield Target("labels", lambda: [b'{"a": "b", "c": "d"}'], in_file(readers.read_labels))
    yield Target("phrases", lambda: [b"a@b\tx @ y\nc\td\n"], in_file(readers.read_phrases))
    yield Target("candidates", made.candidate_files, in_file(readers.read_candidates))
    yield Target("tools", made.tool_files, in_file(readers.read_tools))
    yield Target("traces", tool_logs.files, in_file(readers.read_tools))
    yield Target("foreign", made.foreign_files, in_file(_foreign, "f.json"))
    for kind, pattern in STORED.items():
        yield folders.stored_target(kind, pattern)
    yield folders.stored_target("open-run", "d/lead/run.json", made=folders.unsealed)
    yield folders.stored_target("open-benchmark", "results.json", made=folders.unsealed)
    yield folders.stored_target("again-run", "d/lead/run.json", folders.score_again)
    yield folders.stored_target("again-content", "d/lead/content", folders.score_again)
    yield folders.stored_target("again-benchmark", "results.json", folders.score_again)
    for name in ("o.jsonl", "o.jsonl.part", "o.jsonl.info.json"):
        yield Target(f"journal-{name}", folders.journal_files(name), folders.read_journal(name))
    yield Target("chat", made.chat_answers, readers.read_chat)
    yield Target("rating", lambda: [b"Rating: 4/5", b"I would say 3 out of 5."], readers.rating)
    yield Target("command", made.command_answers, readers.read_command)
    yield Target("assistant", made.assistant_messages, readers.answer_assistant)
    yield Target("cache", made.cache_files, in_file(readers.read_segment))
    yield Target("address", made.addresses, folders.ask_page)


TARGETS = {target.name: target for target in each()}
