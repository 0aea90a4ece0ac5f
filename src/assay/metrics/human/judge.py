"""Judge: answers of a chat model to a form, as a score of the outputs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from msgspec import structs

from assay.errors import AssayError
from assay.judges.calls import calls_of, missing_fields, shown_source
from assay.judges.form import JudgeForm, built_in, judge_form
from assay.judges.judge import Judge as JudgeTask
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats
from assay.models.context import Context
from assay.records.items import Items
from assay.specs import setting
from assay.systems import System, system


@dataclass(frozen=True)
class Judge(SumMetric):
    """Mean answer of a chat model to the form of a judge, over the outputs with a readable answer.

    Time-outs, refusals and unreadable answers have no value; `judge.failed` is their share. Answers are kept in the
    cache of endpoints, so that the same question is paid once.
    """

    form: str = "fluency"
    """Form of the judge: a name of `assay judge list`, or a TOML file."""
    model: str = ""
    """Name of the model on the server (required), or of a local model with system=hf."""
    system: str = "chat"
    """System that answers: chat (an endpoint) or hf (a local model)."""
    base: str = ""
    """URL of the server up to /v1 (default: OPENAI_BASE_URL)."""
    dialect: str = "openai"
    """What the server speaks: openai, vllm, llamacpp, responses, anthropic, gemini, ollama."""
    temperature: float = 0.0
    """Sampling temperature; 0 selects the most likely tokens."""
    max_tokens: int = 256
    """Maximum number of tokens of an answer."""
    key_env: str = setting("OPENAI_API_KEY")
    """Environment variable that holds the key."""
    concurrency: int = setting(8)
    """Number of concurrent calls."""
    retries: int = setting(3)
    """Number of retries of a failed call."""
    timeout: float = setting(60.0)
    """Seconds to wait for an answer or its next part."""

    name: ClassVar = "judge"
    category: ClassVar = "descriptive"
    summary: ClassVar = "answers of a chat model to the form of a judge"
    citation: ClassVar = "Zheng et al. (2023), Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena"
    needs: ClassVar = ()
    extra: ClassVar = "endpoint"
    parts_by_options: ClassVar = True
    presets: ClassVar = {name: {"form": name} for name in built_in() if not judge_form(name).compares}

    def __post_init__(self) -> None:
        self.require("temperature", 0)
        self.require("max_tokens", 1)
        self.require("concurrency", 1, 1000)
        self.require("retries", 0)
        self.require("timeout", 0.001)

    @cached_property
    def judge_form(self) -> JudgeForm:
        return judge_form(self.form)

    def parts(self) -> tuple[Part, ...]:
        try:
            form = self.judge_form
        except AssayError:
            return (Part("judge", bounds=(None, None)), Part("judge.failed", "lower", shown=False))
        scores = [
            Part(f"judge.{each.name}", each.better, bounds=each.scale if form.kind == "rating" else _bounds(form))
            for each in form.criteria
        ]
        return (*scores, Part("judge.failed", "lower", shown=False))

    def columns(self) -> tuple[str, ...]:
        return (*(part.name for part in self.parts()[:-1]), "answered", "count")

    def options(self) -> dict[str, Any]:
        try:
            form = self.judge_form.signature
        except AssayError:
            form = self.form
        return super().options() | {"form": form}

    def why_not(self) -> str | None:
        if not self.model:
            return "needs a model: judge:FORM:model=NAME:base=URL; see `assay judge list`"
        try:
            form = self.judge_form
            if form.compares:
                return f"form {form.name} compares outputs; use `assay judge run --form {form.name}`"
            if form.kind == "choice" and (words := [each.name for each in form.criteria if not each.values]):
                return f"form {form.name} gives labels of {words[0]}; a score needs their numbers: [criteria.values]"
            return self._asker().why_not()
        except AssayError as error:
            return str(error)

    def unfit(self, items: Items) -> str | None:
        for example in items.examples:
            if missing := missing_fields(self.judge_form, example, shown_source(example)):
                return f"form {self.form} shows the {' and '.join(missing)}, and an item has none (id {example.id})"
        return None

    @property
    def asks_endpoint(self) -> bool:
        return self.system == "chat"

    def _asker(self) -> System:
        if self.system == "hf":
            return system(f"hf:{self.model}:max_new={self.max_tokens}")
        if self.system != "chat":
            raise AssayError(f"judge: system={self.system}: use chat or hf")
        made = system("chat")
        for name in ("model", "base", "dialect", "temperature", "max_tokens", "key_env", "concurrency", "retries"):
            setattr(made, name, getattr(self, name))
        chat: Any = made
        chat.timeout, chat.prompt = self.timeout, "judge"
        chat.__post_init__()  # options are checked
        return made

    def compute(self, items: Items, context: Context) -> Dense:
        form = self.judge_form
        # Several systems are scored at once, so that ids repeat: each row is a question of its own.
        rows_of = [structs.replace(example, id=str(row)) for row, example in enumerate(items.examples)]
        texts = {str(row): text for row, text in enumerate(items.outputs)}
        calls = calls_of(form, rows_of, {items.system: texts})
        judge = JudgeTask(self.model, form, again=self.retries > 0).with_calls(calls)
        asker: Any = self._asker()
        values = {
            verdict.id: verdict.all_values
            for verdict in judge.verdicts(asker, judge.items(calls))
            if not verdict.failure
        }
        rows: Floats = np.zeros((len(items), len(form.names) + 2))
        rows[:, -1] = 1
        for row, answers in values.items():
            rows[int(row), :-2] = [float(answers[name]) for name in form.names]
            rows[int(row), -2] = 1
        return Dense(self.columns(), rows)

    def values(self, sums: Floats) -> Values:
        *names, failed = (part.name for part in self.parts())
        with np.errstate(invalid="ignore", divide="ignore"):
            scores = {name: sums[:, i] / sums[:, -2] for i, name in enumerate(names)}
            return scores | {failed: 1 - sums[:, -2] / sums[:, -1]}

    def undefined(self, part: str) -> str:
        return "no answer of the judge could be read"


def _bounds(form: JudgeForm) -> tuple[float | None, float | None]:
    return (0.0, None) if form.kind == "spans" else (0.0, 1.0)
