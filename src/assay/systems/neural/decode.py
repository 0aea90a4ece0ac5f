"""Decoding: greedy search, beam search, diverse beam search and sampling, with statistics of every step.

Sampling adds Gumbel noise to the filtered log-probabilities and takes the best token, which samples exactly from the
distribution. The noise depends only on the seed of the item, so the text is the same in any batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.errors import AssayError
from assay.systems.neural.required import Required, penalise_repeated

OWN_TOKENS = ("bos_token_id", "decoder_start_token_id", "forced_bos_token_id")
"""Settings taken from the generation config of the model; all others come from `Decoding`."""


@dataclass(eq=False)
class Decoding:
    """Decoding options of a model (default: greedy)."""

    beams: int = 1
    """Number of beams; 1 is greedy search."""
    groups: int = 1
    """Number of groups in diverse beam search; 1 is plain beam search."""
    diversity: float = 0.5
    """Penalty for a token that an earlier group chose at the same step."""
    sample: bool = False
    """Sample each token."""
    temperature: float = 1.0
    """Sampling temperature; above 1 flattens the distribution, below 1 sharpens it."""
    top_k: int = 0
    """Sample from the k most likely tokens (default: 0, all)."""
    top_p: float = 1.0
    """Sample from the most likely tokens with this total probability."""
    typical: float = 1.0
    """Sample from the tokens closest to the entropy, with this total probability (typical sampling)."""
    no_repeat: int = 0
    """Size of n-grams that may not repeat (default: 0, no limit)."""
    factor: float = 0.0
    """With sample: the most likely token with probability 1 / factor, else a drawn one (default: 0, always drawn)."""
    repetition: float = 1.0
    """Penalty for tokens that the text already has, above 1 (default: 1, none); the input does not count."""
    must: str = ""
    """Words that each text contains: `concepts` (those of the input), or a tag with words separated by commas."""
    must_weight: float = 2.0
    """With must: added to the scores of the next tokens of missing words."""
    length_penalty: float = 1.0
    """Exponent of the length that divides the score of a beam."""
    max_new: int = 128
    """Maximum number of tokens of an answer."""
    min_new: int = 0
    """Minimum number of tokens of an answer."""
    nbest: int = 1
    """Number of texts of the beam list to store."""
    anti_lm: float = 0.0
    """Weight of the anti-language model: log-probabilities without the input are subtracted."""
    anti_steps: int = 20
    """Number of first tokens to which anti_lm applies."""

    def __post_init__(self) -> None:
        for name in ("beams", "groups", "max_new", "nbest"):
            if getattr(self, name) < 1:
                raise AssayError(f"{name}={getattr(self, name)} must be at least 1")
        for name in ("top_k", "no_repeat", "min_new", "anti_steps"):
            if getattr(self, name) < 0:
                raise AssayError(f"{name}={getattr(self, name)} must be at least 0")
        if self.min_new > self.max_new:
            raise AssayError(f"min_new={self.min_new} is above max_new={self.max_new}")
        if self.sample and (self.beams > 1 or self.groups > 1):
            raise AssayError("sample=true and beams exclude each other; choose one")
        if self.beams % self.groups:
            raise AssayError(f"{self.beams} beams cannot be divided into {self.groups} groups")
        if self.nbest > self.beams:
            raise AssayError(f"nbest={self.nbest} needs at least as many beams")
        if not 0 <= self.top_p <= 1 or not 0 < self.typical <= 1 or self.temperature <= 0:
            raise AssayError("top_p lies in [0, 1], typical in (0, 1], and temperature is above 0")
        for name in ("anti_lm", "must"):
            if getattr(self, name) and self.beams > 1:
                raise AssayError(f"{name} works with greedy decoding and sampling, not with beams")
        if self.factor and self.factor < 1:
            raise AssayError(f"factor={self.factor} must be at least 1, or 0")
        if self.repetition < 1:
            raise AssayError(f"repetition={self.repetition} must be at least 1")
        if self.repetition > 1 and self.beams > 1:
            raise AssayError("repetition works with greedy decoding and sampling, not with beams")

    @property
    def draws(self) -> bool:
        """Whether decoding is random; top_p = 0 leaves one token and is greedy."""
        return self.sample and self.top_p > 0


@dataclass
class Steps:
    """A logits processor that filters, records the size of the sampling set, and samples."""

    decoding: Decoding
    seeds: Sequence[int]
    start: int
    """Index of the first generated token in the ids."""
    end: int
    unconditional: Callable[[Any], Any] | None = None
    """Function from generated tokens to the next log-probabilities without the input."""
    sizes: list[list[int]] = field(default_factory=list)
    required: Callable[[Any, Any], Any] | None = None
    """Function that makes the texts contain their required words."""

    def __post_init__(self) -> None:
        import torch

        self.sizes = [[] for _ in self.seeds]
        self.chance = [torch.Generator().manual_seed(seed) for seed in self.seeds]
        self.warpers = _warpers(self.decoding)

    def __call__(self, ids: Any, scores: Any) -> Any:
        import torch

        made = ids[:, self.start :]
        if self.decoding.anti_lm and self.unconditional and made.shape[1] < self.decoding.anti_steps:
            scores = torch.log_softmax(scores, dim=-1) - self.decoding.anti_lm * self.unconditional(made)
        if self.decoding.repetition > 1:
            scores = penalise_repeated(ids, scores, self.start, self.decoding.repetition)
        if self.required is not None:
            scores = self.required(ids, scores)
        for warp in self.warpers:
            scores = warp(ids, scores)
        if not self.decoding.draws:
            return scores
        for row, generator in enumerate(self.chance):
            if self.end in made[row]:
                continue
            self.sizes[row].append(int(torch.isfinite(scores[row]).sum()))
            if self.decoding.factor and float(torch.rand(1, generator=generator)) < 1 / self.decoding.factor:
                continue
            uniform = torch.rand(scores.shape[1], generator=generator, dtype=torch.float64).to(scores.device)
            noise = -torch.log(-torch.log(uniform.clamp_min(1e-300)))
            scores[row] = (torch.log_softmax(scores[row].double(), dim=-1) + noise).to(scores.dtype)
        return scores


def _warpers(decoding: Decoding) -> list[Any]:
    from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper, TypicalLogitsWarper

    if not decoding.draws:
        return []
    chosen: list[Any] = []
    if decoding.temperature != 1:
        chosen.append(TemperatureLogitsWarper(decoding.temperature))
    if decoding.top_k:
        chosen.append(TopKLogitsWarper(decoding.top_k))
    if decoding.top_p < 1:
        chosen.append(TopPLogitsWarper(decoding.top_p))
    if decoding.typical < 1:
        chosen.append(TypicalLogitsWarper(decoding.typical))
    return chosen


@dataclass
class Drawn:
    """One text as tokens, with its log-probability (greedy and sampling) or beam score, and set sizes."""

    tokens: list[int]
    logprob: float | None = None
    score: float | None = None
    sizes: list[int] = field(default_factory=list)


def decode(
    model: Any, inputs: dict[str, Any], decoding: Decoding, seeds: Sequence[int], pad: int, end: int,
    unconditional: Callable[[Any], Any] | None = None, phrases: Sequence[Sequence[Sequence[int]]] = (),
) -> list[list[Drawn]]:  # fmt: skip
    """Return the texts for each row of the inputs, best first; `phrases` are the tokens that each must contain."""
    if decoding.groups > 1:
        from assay.systems.neural.diverse import diverse_beams

        return diverse_beams(model, inputs, decoding, pad, end)
    from transformers import GenerationConfig, LogitsProcessorList

    seq2seq = bool(model.config.is_encoder_decoder)
    start = 1 if seq2seq else inputs["input_ids"].shape[1]
    own = model.generation_config
    kept = {name: getattr(own, name, None) for name in OWN_TOKENS}
    config = GenerationConfig(
        max_new_tokens=decoding.max_new,
        min_new_tokens=decoding.min_new or None,
        num_beams=decoding.beams,
        num_return_sequences=decoding.nbest,
        do_sample=False,
        no_repeat_ngram_size=decoding.no_repeat or None,
        length_penalty=decoding.length_penalty if decoding.beams > 1 else None,
        early_stopping=True if decoding.beams > 1 else None,
        pad_token_id=pad,
        eos_token_id=end,
        **kept,
        return_dict_in_generate=True,
        output_logits=decoding.beams == 1,
        output_scores=decoding.beams > 1,
    )
    required = Required(phrases, start, end, decoding.max_new, decoding.must_weight) if phrases else None
    steps = Steps(decoding, seeds, start, end, unconditional, required=required)
    greedy = decoding.beams == 1
    processors = LogitsProcessorList([steps] if greedy else [])
    model.generation_config = GenerationConfig(**kept)  # otherwise it overrides unset options
    try:
        generated = model.generate(**inputs, generation_config=config, logits_processor=processors)
    finally:
        model.generation_config = own
    rows = generated.sequences[:, start:].tolist()
    if greedy:
        logprobs = _logprobs(generated.logits, rows, end)
        return [
            [Drawn(_until(row, end), logprob, sizes=sizes)]
            for row, logprob, sizes in zip(rows, logprobs, steps.sizes, strict=True)
        ]
    scores = generated.sequences_scores.tolist()
    drawn = [Drawn(_until(row, end), score=score) for row, score in zip(rows, scores, strict=True)]
    return [drawn[i : i + decoding.nbest] for i in range(0, len(drawn), decoding.nbest)]


def _until(row: list[int], end: int) -> list[int]:
    return row[: row.index(end)] if end in row else row


def _logprobs(logits: Sequence[Any], rows: list[list[int]], end: int) -> list[float]:
    """Return the log-probability of each text, including the end token if it was reached."""
    import torch

    totals = []
    for i, row in enumerate(rows):
        length = row.index(end) + 1 if end in row else len(row)
        logs = (torch.log_softmax(logits[t][i].double(), dim=-1)[row[t]] for t in range(length))
        totals.append(float(sum(float(value) for value in logs)))
    return totals
