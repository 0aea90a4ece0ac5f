"""A model as judge: the calls of a form, and the verdicts read from the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Protocol, cast

import msgspec

from assay.errors import AssayError
from assay.inputs import Form
from assay.judges.calls import Call, call_fields, shown_source
from assay.judges.expected import expected_rating, level_probabilities
from assay.judges.form import JudgeForm
from assay.judges.reading import Reading, read
from assay.judges.verdict import LONGEST, Verdict
from assay.records.files import digest_of
from assay.records.types import Example
from assay.systems.base import Answer, Row, System, spent
from assay.systems.dialects import Ask
from assay.systems.prompts import Messages
from assay.systems.tasks import Task


class Asker(Protocol):
    """A system that answers chat messages about examples: an endpoint or a local model."""

    def reply(self, examples: Sequence[Example], messages: Messages) -> Iterator[Answer]: ...


@dataclass(frozen=True)
class Judge(Task):
    """Answer the question of a form about every call (`calls`)."""

    name: ClassVar = "judge"
    about: ClassVar = "outputs"

    annotator: str
    """Name of the judge in its judgements."""
    form: JudgeForm
    inputs: Form | None = None
    """How structured inputs are written (default: the plain source)."""
    calls: Mapping[str, Call] = field(default_factory=dict)
    """What is asked, by the id of the call."""
    logprobs: bool = False
    """Whether token probabilities are requested, for expected ratings."""
    again: bool = False
    """Whether an unreadable answer is requested once more."""

    def title(self) -> str:
        digest = digest_of([msgspec.to_builtins(each) for each in self.calls.values()]) if self.calls else ""
        more = f" {digest[:16]}" if digest else ""
        return f"{self.name} {self._scale()} by {self.annotator} {self.form.signature}{more}"

    def _scale(self) -> str:
        if self.form.kind != "rating":
            return self.form.name
        ends = (f"{each.name} {each.scale[0]:g}-{each.scale[1]:g}" for each in self.form.criteria)
        return ", ".join(ends)

    def refuse(self, system: System) -> None:
        if not hasattr(system, "reply"):
            raise AssayError(f"system {system.name} cannot judge: it does not chat; use chat:MODEL or hf:MODEL")

    def with_calls(self, calls: Sequence[Call]) -> Judge:
        """Return the judge of these calls."""
        return Judge(
            self.annotator, self.form, self.inputs, {each.key: each for each in calls}, self.logprobs, self.again
        )

    def items(self, calls: Sequence[Call]) -> list[Example]:
        """Return one example for each call. Only its source may be truncated by a local model."""
        return [
            msgspec.structs.replace(
                each.example, id=each.key, input=None, source=shown_source(each.example, self.inputs)
            )
            for each in calls
        ]  # fmt: skip

    @cached_property
    def _prompts(self) -> dict[tuple[str, ...], Any]:
        return {}

    def messages(self, item: Example) -> list[dict[str, str]]:
        """Return the chat messages of one call."""
        call = self.calls[item.id]
        if call.criteria not in self._prompts:
            self._prompts[call.criteria] = self.form.prompt(call.criteria)
        prompt = self._prompts[call.criteria]
        return cast("list[dict[str, str]]", prompt.messages(**call_fields(self.form, call, item.source or "")))

    def ask(self, system: System, batch: Sequence[Example], label: str) -> Iterator[Row]:
        return (msgspec.to_builtins(verdict) for verdict in self.verdicts(cast(Asker, system), batch))

    def verdicts(self, asker: Asker, items: Sequence[Example]) -> Iterator[Verdict]:
        """Yield verdicts as the answers arrive. Calls about the same criteria share a schema and go together."""
        groups: dict[tuple[str, ...], list[Example]] = {}
        for item in items:
            groups.setdefault(self.calls[item.id].criteria, []).append(item)
        for names, group in groups.items():
            for id, text, details in self._reply(asker, group, names):
                yield self.verdict(self.calls[id], text, details)

    def _reply(self, asker: Asker, items: Sequence[Example], names: Sequence[str]) -> Iterator[Answer]:
        reply: Callable[..., Iterator[Answer]] = asker.reply
        if not getattr(asker, "structured", False):
            return reply(items, self.messages)
        base = int(getattr(asker, "seed", 0))
        seeds = {item.id: base + self.calls[item.id].draw for item in items if self.calls[item.id].draw}
        schema = self.form.schema(names) if self._asks_for_json else None
        ask = Ask(schema, self.logprobs, seeds, self._wrong if self.again else lambda id, text: None)
        return reply(items, self.messages, ask)

    @property
    def _asks_for_json(self) -> bool:
        """A plain prompt asks for a line, and a schema would contradict it."""
        return "{answer}" in f"{self.form.system}{self.form.user}"

    def _wrong(self, id: str, text: str) -> str | None:
        reading = self._read(self.calls[id], text)
        return reading.why if reading.failure == "unreadable" else None

    def _read(self, call: Call, text: str) -> Reading:
        return read(self.form, call.criteria, text, call.texts)

    def verdict(self, call: Call, text: str, details: Mapping[str, Any]) -> Verdict:
        """Return the verdict in an answer; a failure has no value."""
        if kind := details.get("failure"):
            reading = Reading({}, kind, str(details.get("why", "")))
        elif details.get("refusal"):
            reading = Reading({}, "refusal", "the model declined to answer")
        else:
            reading = self._read(call, text)
            if reading.failure == "unreadable" and details.get("cut"):
                reading = reading._replace(why=f"cut at the length limit; {reading.why}")
        shares: dict[str, dict[str, float]] = {}
        for name, value in reading.values.items():
            tokens = details.get("tokens")  # a model on this machine only counts its tokens
            if (
                isinstance(value, float)
                and isinstance(tokens, Sequence)
                and (shares_of_levels := level_probabilities(self.form, name, value, tokens))
            ):
                shares[name] = {level: round(share, 6) for level, share in shares_of_levels.items()}
        return Verdict.of(
            call, self.annotator, self.form, reading, answer=text[:LONGEST], probabilities=shares,
            expected={name: expected_rating(levels) for name, levels in shares.items()}, **spent(details),
        )  # fmt: skip
