"""LettuceDetect: tokens of an output that its contexts do not support, by a token classifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.external import CheckpointMetric
from assay.metrics.engine.statistics import Dense, Floats
from assay.metrics.support.evidence import texts_of
from assay.models.context import Context
from assay.models.devices import limited_threads
from assay.models.encoder import Encoder
from assay.models.load import check_finite, load
from assay.records.files import digest_of
from assay.records.items import Items
from assay.records.types import Example
from assay.text.blank import is_blank

SUMMARY = "Summarize the following text:\n{passages}\noutput:"
"""Prompt for outputs without a question, as in the training of the published models."""
ANSWER = (
    "Briefly answer the following question:\n{question}\nBear in mind that your response should be strictly based on "
    "the following {count} passages:\n{passages}\nIn case the passages do not contain the necessary information to "
    'answer the question, please reply with: "Unable to answer based on given passages."\noutput:'
)
"""Prompt for answers to a question."""
LONGEST = 4096
"""Maximum number of tokens of prompt and output."""
SPECIAL_TOKENS = 3
UNSUPPORTED = 1
"""Class of the tokens that are not supported."""
EVEN = 0.5


@dataclass(frozen=True)
class LettuceDetect(CheckpointMetric, MeanMetric):
    """Share of the tokens of the output that its contexts support, or its source without contexts, averaged over items.

    `lettucedetect.clean` is the share of outputs without an unsupported token. Contexts that are too long together are
    read in groups, and a token counts as unsupported by its highest probability; an output that is too long is read in
    pieces. An empty output scores 0.
    """

    passage: str = "passage"
    """Word before the number of a passage in the prompt, in the language of the model."""

    name: ClassVar = "lettucedetect"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "share of the output's tokens that contexts or source support, by a token classifier"
    citation: ClassVar = "Kovács and Recski (2025), LettuceDetect: A Hallucination Detection Framework for RAG"
    needs: ClassVar = ()
    model_kind: ClassVar = "tagger:2"
    truncates: ClassVar = "source"
    recommended: ClassVar = "KRLabsOrg/lettucedect-base-modernbert-en-v1, or a folder"

    def parts(self) -> tuple[Part, ...]:
        return Part("lettucedetect", digits=3), Part("lettucedetect.clean", scale=100, digits=1)

    @property
    def encoder(self) -> Encoder:
        return _Limited(self.model, batch=self.batch)

    def unfit(self, items: Items) -> str | None:
        missing = sum(not texts_of(example) for example in items.examples)
        return super().unfit(items) or (f"{missing} items have neither contexts nor a source" if missing else None)

    def compute(self, items: Items, context: Context) -> Dense:
        keys = [
            "\x1f".join((self.passage, question_of(example), output, *(text for _, text in texts_of(example))))
            for output, example in zip(items.outputs, items.examples, strict=True)
        ]
        encoder = self.encoder
        namespace = f"{encoder.label}-{encoder.limit}-tokens-{digest_of(encoder.libraries)[:8]}"
        of = dict(zip(keys, zip(items.outputs, items.examples, strict=True), strict=True))
        kept = context.cache.through(
            namespace, keys, lambda new: [np.array(self._shares(*of[key], context)) for key in new]
        )
        values = np.array([np.asarray(row, dtype=np.float64) for row in kept]).reshape(-1, 2)
        return self.rows({"lettucedetect": values[:, 0], "lettucedetect.clean": values[:, 1]})

    def _shares(self, output: str, example: Example, context: Context) -> tuple[float, float]:
        if is_blank(output):
            return 0.0, 0.0
        probabilities, _ = self.tokens(output, example, context)
        unsupported = probabilities >= EVEN
        return float(1 - unsupported.mean()), float(not unsupported.any())

    def tokens(self, output: str, example: Example, context: Context) -> tuple[Floats, list[tuple[int, int]]]:
        """Return the probability of each token of an output to be unsupported, and its place in the output."""
        loaded = load(str(self.encoder.folder), tagger=True)
        model, tokenizer = loaded.model.to(context.torch_device()), loaded.tokenizer
        if model.config.num_labels != 2:
            raise AssayError(f"{self.model}: has {model.config.num_labels} classes. Give a token classifier of two.")
        passages = [text for _, text in texts_of(example)]
        values: list[Floats] = []
        places: list[tuple[int, int]] = []
        for first, piece in self._pieces(output, tokenizer):
            own = tokenizer(piece, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
            count = len(own["input_ids"])
            groups = self._groups(passages, example, count, tokenizer)
            each = [self._read(group, piece, example, model, tokenizer, count) for group in groups]
            values.append(np.max(each, axis=0))
            places += [(first + int(start), first + int(end)) for start, end in own["offset_mapping"]]
        return np.concatenate(values), places

    def _pieces(self, output: str, tokenizer: Any) -> list[tuple[int, str]]:
        """Return the output with its place, in pieces of whole words if it has more tokens than half of the model's."""
        room = max(1, (self.encoder.limit - SPECIAL_TOKENS) // 2)
        offsets = tokenizer(output, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        places = [(int(start), int(end)) for start, end in offsets["offset_mapping"]]
        if len(places) <= self.encoder.limit - SPECIAL_TOKENS - 1:
            return [(0, output)]
        cuts, last = [0], 0
        for number, (start, _) in enumerate(places):
            if number - last >= room and (output[start - 1].isspace() or number - last >= room + room // 2):
                cuts.append(start)
                last = number
        return [(start, output[start:end]) for start, end in zip(cuts, [*cuts[1:], len(output)], strict=True)]

    def spans(self, output: str, example: Example, context: Context) -> list[tuple[int, int, float]]:
        """Return the unsupported stretches of an output: start, end, highest probability."""
        spans: list[tuple[int, int, float]] = []
        open_ = False
        for value, (start, end) in zip(*self.tokens(output, example, context), strict=True):
            if start == end:
                continue
            if value < EVEN:
                open_ = False
            elif open_:
                spans[-1] = (spans[-1][0], end, max(spans[-1][2], float(value)))
            else:
                spans.append((start, end, float(value)))
                open_ = True
        return spans

    def prompt(self, passages: Sequence[str], example: Example) -> str:
        """Return the prompt before the output."""
        listed = "\n".join(f"{self.passage} {number}: {text}" for number, text in enumerate(passages, 1))
        question = question_of(example)
        if not question:
            return SUMMARY.format(passages=listed)
        return ANSWER.format(question=question, count=len(passages), passages=listed)

    def _groups(self, passages: list[str], example: Example, taken: int, tokenizer: Any) -> list[list[str]]:
        """Return the passages in groups whose prompts fit, in order; a passage that does not fit alone is truncated."""

        def length(text: str) -> int:
            return len(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

        room = self.encoder.limit - taken - SPECIAL_TOKENS
        if length(self.prompt(passages, example)) <= room:
            return [passages]
        room -= length(self.prompt([""], example))
        if room <= 0:
            return [passages]
        groups: list[list[str]] = []
        left = 0
        for number, passage in enumerate(passages, 1):
            size = length(f"{self.passage} {number}: {passage}")
            if not groups or size + 1 > left:
                groups.append([])
                left = room + 1
            groups[-1].append(passage)
            left -= size + 1
        return groups

    def _read(
        self, passages: list[str], output: str, example: Example, model: Any, tokenizer: Any, count: int
    ) -> Floats:
        import torch

        inputs = tokenizer(
            self.prompt(passages, example), output, truncation="only_first", max_length=self.encoder.limit,
            return_tensors="pt", verbose=False,
        ).to(model.device)  # fmt: skip
        with torch.inference_mode(), limited_threads(model):
            logits = check_finite(model(**inputs).logits[0].double().cpu().numpy())
        first = len(logits) - count - 1  # the end token follows
        rows = logits[first : first + count]
        return np.asarray(1 / (1 + np.exp(rows[:, 1 - UNSUPPORTED] - rows[:, UNSUPPORTED])))


def question_of(example: Example) -> str:
    """Return what the output answers: the last message of the user; the source, if there are contexts besides it."""
    questions = [message.content for message in example.messages or () if message.role == "user"]
    if questions:
        return str(questions[-1])
    return example.source or "" if example.contexts else ""


@dataclass(frozen=True)
class _Limited(Encoder):
    """An encoder that reads at most `LONGEST` tokens, as the published detector."""

    @property
    def limit(self) -> int:
        return min(super().limit, LONGEST)
