"""Judgements of outputs by a model: the request, its plan, and the judgements with the answers they were read from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.execution.loading import load_all
from assay.execution.system_request import SystemRequest
from assay.inputs import form as make_form
from assay.judges.calls import Call, calls_of, identical_pairs, missing_fields, shown_source
from assay.judges.form import JudgeForm, judge_form, prompt_form
from assay.judges.judge import Judge
from assay.judges.reading import OUTSIDE
from assay.judges.verdict import Verdict
from assay.records import Judgement, to_json, write_jsonl
from assay.records.types import Data, Example
from assay.systems import System
from assay.systems import system as make_system
from assay.systems.answering import Done, answer, journal_of
from assay.systems.base import Row
from assay.systems.journal import Journal, read_row
from assay.systems.prompts import prompt as read_prompt

TOKEN = 4.0
"""Characters of a token in estimates; English text has about four."""


@dataclass(frozen=True, kw_only=True)
class JudgeRequest:
    """Everything that the judgements of a model depend on besides the outputs.

    Attributes:
        model: The model and how it is called; its `name` is the annotator in the judgements.
        examples: Examples that the outputs belong to.
        criterion: Criterion to rate in the words of the prompt; with `form`, the criteria of it to ask about.
        prompt: Built-in prompt, or a TOML file; used without `form`.
        scale: Lowest and highest rating of a prompt.
        form: Shipped form, or a TOML file.
        each: One call for each criterion of a form.
        draws: Number of answers to each question.
        expected: Use expected ratings from token probabilities where the endpoint gives them.
        limits: Settings of the endpoint: retries, max_cost, rate, concurrency.
        allow_missing: Rate the items that have outputs.
        retry_failed: Ask again about stored failures.
    """

    model: SystemRequest
    examples: Data
    criterion: str = ""
    prompt: str = "judge"
    scale: tuple[float, float] = (1, 5)
    form: str | None = None
    each: bool = False
    draws: int = 1
    expected: bool = False
    limits: tuple[tuple[str, float], ...] = ()
    allow_missing: bool = False
    retry_failed: bool = False

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise AssayError(f"draws={self.draws}: use 1 or more.")
        if not self.form and not self.criterion:
            raise AssayError("no form and no criterion: name what is judged.")

    def judge_form(self) -> JudgeForm:
        """Return the form, with the requested criteria."""
        if self.form is None:
            return prompt_form(read_prompt(self.prompt, "output"), self.criterion, self.scale)
        form = judge_form(self.form)
        return form.only([name.strip() for name in self.criterion.split(",")]) if self.criterion else form

    def judge(self) -> Judge:
        """Return the task: judge one output."""
        return Judge(
            self.model.name or self.model.system, self.judge_form(),
            make_form(self.model.form) if self.model.form else None, logprobs=self.expected,
        )  # fmt: skip

    def asker(self) -> System:
        """Return the model, with the limits of the request."""
        made = make_system(self.model.system, seed=self.model.seed)
        Judge("", self.judge_form()).refuse(made)
        for name, value in self.limits:
            if not hasattr(made, name):
                raise AssayError(f"system {made.name}: has no {name}; it is a setting of endpoints (chat:MODEL)")
            setattr(made, name, type(getattr(made, name))(value))
        if hasattr(made, "__post_init__"):
            made.__post_init__()  # limits are checked like options
        if hasattr(made, "prompt"):
            made.prompt = self.prompt if self.form is None else "judge"  # its fingerprint then includes the prompt
        if self.draws > 1 and not getattr(made, "temperature", 1.0):
            raise AssayError(f"draws={self.draws} at temperature 0 are equal; give the system a temperature, e.g. 0.7")
        return made


@dataclass(frozen=True)
class Plan:
    """What a request would do and cost; token counts are estimated from characters."""

    calls: int
    stored: int
    tokens_in: int
    most_tokens_out: int
    cost: float | None
    """Largest cost of the calls that are not stored; None without prices."""


@dataclass(frozen=True)
class RatedOutputs:
    """The judgements of the outputs of one or more systems."""

    system: str
    annotator: str
    verdicts: list[Verdict]
    done: Done
    form: JudgeForm
    expected: bool = False

    @cached_property
    def judgements(self) -> list[Judgement]:
        """The judgements of the verdicts with a value."""
        return [each for verdict in self.verdicts for each in verdict.judgements(self.form, self.expected)]

    @property
    def unscored(self) -> list[str]:
        """Ids of the calls whose answer has no value."""
        return [verdict.id for verdict in self.verdicts if verdict.failure]

    @property
    def unweighted(self) -> int:
        """Number of calls whose values are as written, although expected ratings were requested."""
        verdicts = self.verdicts if self.expected else []
        return sum(bool(each.all_values) and not each.all_values.keys() <= each.expected.keys() for each in verdicts)

    @property
    def outside(self) -> int:
        """Number of answers with a number outside the scale."""
        return sum(OUTSIDE in verdict.why for verdict in self.verdicts)

    @property
    def unlocated(self) -> tuple[int, int]:
        """Number of marked errors whose words are not in the output, and of all marked errors."""
        starts = [start for verdict in self.verdicts for _, _, _, start, _ in verdict.spans]
        return starts.count(None), len(starts)

    @property
    def failures(self) -> dict[str, int]:
        """Number of calls without a value, by kind of failure."""
        return dict(Counter(verdict.failure for verdict in self.verdicts if verdict.failure))

    @property
    def means(self) -> dict[str, float]:
        """Mean of the numeric judgements of whole outputs, by criterion."""
        values: dict[str, list[float]] = {}
        for each in self.judgements:
            if isinstance(each.value, float | int) and not self.form.compares:  # the mean of ranks is always the same
                values.setdefault(each.criterion, []).append(float(each.value))
        return {name: sum(numbers) / len(numbers) for name, numbers in values.items()}

    @property
    def mean(self) -> float | None:
        """Mean of the only criterion."""
        return next(iter(self.means.values())) if len(self.means) == 1 else None

    @property
    def counts(self) -> dict[Any, int]:
        """Number of judgements by value, in increasing order."""
        values = [each.value for each in self.judgements if each.unit == "summary" or each.unit.startswith("against:")]
        return {value: values.count(value) for value in sorted(set(values), key=lambda each: (str(type(each)), each))}


def answers_file(output: Path) -> Path:
    """Return the file of all answers of a judge, next to the judgements."""
    return output.with_name(f"{output.stem}.answers.jsonl")


def prepared(
    outputs: Sequence[Data], request: JudgeRequest, warn: Callable[[Sequence[str]], None]
) -> tuple[str, Judge, list[Call]]:
    """Return the name of the system, the judge and its calls, without calling the model."""
    model = request.model
    systems = load_all(
        outputs, examples=request.examples, skip_bad=model.skip_bad, allow_missing=request.allow_missing
    )  # fmt: skip
    warn([note for items in systems for note in items.notes])
    names = [items.system for items in systems]
    if len(set(names)) < len(names):
        raise AssayError(f"two files of outputs have the system name {names[0]}; give each system its own name")
    texts = {
        items.system: {example.id: text for example, text in zip(items.examples, items.outputs, strict=True)}
        for items in systems
    }
    examples = {example.id: example for items in systems for example in items.examples}
    judge = request.judge()
    chosen = list(examples.values())[: model.limit]
    refuse_incomplete(judge, chosen)
    calls = calls_of(judge.form, chosen, texts, draws=request.draws, each=request.each, seed=model.seed)
    if judge.form.kind == "pairwise" and (same := identical_pairs(chosen, texts)):
        warn([f"{same} pairs of identical outputs are not judged, and count in no win rate"])
    if not calls:
        raise AssayError("nothing to judge: no item has two different outputs")
    return "+".join(names), judge.with_calls(calls), calls


def refuse_incomplete(judge: Judge, examples: Sequence[Example]) -> None:
    """Refuse items without a field that the form shows: the model would judge by an empty text."""
    missing = [
        (example.id, fields)
        for example in examples
        if (fields := missing_fields(judge.form, example, shown_source(example, judge.inputs)))
    ]
    if missing:
        id, fields = missing[0]
        raise AssayError(
            f"form {judge.form.name} shows the {' and '.join(fields)}, and {len(missing)} of {len(examples)} items "
            f"have none (id {id} first); add it to the examples, or use a form without it"
        )


def plan_outputs(outputs: Sequence[Data], request: JudgeRequest, output: Path) -> Plan:
    """Return what `rate_outputs` would do, with an estimate of its cost; nothing is called or written."""
    asker: Any = request.asker()
    _, judge, calls = prepared(outputs, request, lambda notes: None)
    items = judge.items(calls)
    journal = journal_of(judge, asker, items, answers_file(output), name=judge.annotator)
    open_calls = len(calls) - journal.count()
    letters = sum(sum(len(part["content"]) for part in judge.messages(item)) for item in items)
    tokens_in = round(letters / TOKEN * open_calls / len(calls))
    most_out = open_calls * int(getattr(asker, "max_tokens", 0))
    prices = (getattr(asker, "price_in", 0.0), getattr(asker, "price_out", 0.0))
    cost = (tokens_in * prices[0] + most_out * prices[1]) / 1e6 if any(prices) else None
    return Plan(len(calls), len(calls) - open_calls, tokens_in, most_out, cost)


def rate_outputs(
    outputs: Data, request: JudgeRequest, output: Path, warn: Callable[[Sequence[str]], None] = lambda notes: None,
    *, others: Sequence[Data] = (),
) -> RatedOutputs:  # fmt: skip
    """Judge each output, and write the judgements to a file; after an interruption, the same call resumes.

    Args:
        warn: Receives notes about the outputs before the model is called.
        others: Outputs of further systems, to be judged too, or compared by a form that compares.
    """
    model, answers = request.model, answers_file(output)
    asker = request.asker()
    system, judge, calls = prepared([outputs, *others], request, warn)
    if output.exists() and not answers.exists() and not model.force:
        raise AssayError(
            f"{output}: already exists and was not made by `assay judge run`. Pass another file, or --force."
        )
    judge = replace(judge, again=getattr(asker, "retries", 0) > 0)
    items = judge.items(calls)
    failed = drop_failures(answers) if request.retry_failed else []
    if failed and hasattr(asker, "fresh"):
        asker.fresh = True  # the cache would give the same answers again
    if hasattr(asker, "ledger"):
        asker.ledger = answers.with_name(f"{answers.name}.calls")
        if model.force:
            asker.ledger.unlink(missing_ok=True)
    try:
        done = answer(judge, asker, items, answers, name=judge.annotator, force=model.force)
    except AssayError:
        if failed:
            keep_failures(journal_of(judge, asker, items, answers, name=judge.annotator), failed)
        raise
    verdicts = [msgspec.convert(row, Verdict) for row in done.rows]
    ratings = RatedOutputs(system, judge.annotator, verdicts, done, judge.form, request.expected)
    if not ratings.judgements:
        first = next(verdict for verdict in verdicts if verdict.failure)
        low, high = request.scale
        what = f"rating from {low:g}-{high:g}" if request.form is None else f"value of form {judge.form.name}"
        remedy = "give max_tokens a larger value" if first.cut else "change the prompt or the model"
        raise AssayError(
            f"{answers}: none of {len(verdicts)} answers has a {what} (id {first.id}: "
            f"{(first.answer or first.why)[:60]!r}); {remedy}"
        )
    write_jsonl(output, ratings.judgements)
    return ratings


def drop_failures(answers: Path) -> list[Row]:
    """Remove stored failures, so that they are asked again, and return them; a shortened file is completed by the
    next call."""
    if not answers.is_file() or Journal(answers, {}, []).part.is_file():
        return []
    rows = [row for line in answers.read_bytes().split(b"\n") if (row := read_row(line))]
    failed = [row for row in rows if row.get("failure")]
    if failed:
        write_jsonl(answers, [row for row in rows if not row.get("failure")])
    return failed


def keep_failures(journal: Journal, failed: Sequence[Row]) -> None:
    """Store failures again that a broken-off run did not replace, so that the earlier judgements stay complete."""
    with journal:
        stored = journal.begin()
        left = [row for row in failed if row["id"] not in stored]
        for row in left:
            journal.keep(to_json(row, indent=None).encode())
        rows = stored | {row["id"]: row for row in left}
        if all(id in rows for id in journal.ids):
            journal.finish([rows[id] for id in journal.ids], {})
