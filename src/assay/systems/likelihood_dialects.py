"""Dialects of servers that return the probabilities of the tokens of a given text.

OpenAI-compatible servers echo the prompt with log-probabilities, vLLM adds `prompt_logprobs`, text-generation-inference
returns a prefill, and llama.cpp is asked for one token at a time. Answers are untrusted JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from assay.errors import AssayError
from assay.systems.dialects import Ask, Body, Dialect, Messages, Read, Settings
from assay.systems.replies import count_of

Scored = tuple[str, float | None]
"""Text of a token and its log-probability; None for the first token of a text."""
NEAR = 8
"""Most characters that tokens with parts of a character may spell."""
FORCED = 1000.0
"""Bias that makes llama.cpp select a token; the reported probability is the one before the bias."""


class Echo(Dialect):
    """OpenAI-compatible completions that echo the prompt."""

    def path(self, model: str) -> str:
        return "completions"

    def body(self, messages: Messages, chosen: Settings, ask: Ask) -> Body:
        return {
            "model": chosen.model, "prompt": messages[-1]["content"], "max_tokens": 1, "temperature": 0.0,
            "echo": True, "logprobs": 1, "seed": chosen.seed,
        }  # fmt: skip

    def read(self, answer: Any) -> Read:
        choice = _first(answer)
        listed = choice.get("logprobs")
        texts, values, offsets = (_of(listed, key) for key in ("tokens", "token_logprobs", "text_offset"))
        if not isinstance(texts, list) or not isinstance(values, list) or len(texts) != len(values):
            raise AssayError("no token probabilities of the prompt; the server must support echo with logprobs")
        details = _details(answer, [(text, value) for text, value in zip(texts, values, strict=True)])
        if isinstance(offsets, list) and len(offsets) == len(texts) and all(type(at) is int for at in offsets):
            details["offsets"] = [at - min(offsets, default=0) for at in offsets]
        return "", details


class PromptLogprobs(Dialect):
    """vLLM: completions with `prompt_logprobs`."""

    def path(self, model: str) -> str:
        return "completions"

    def body(self, messages: Messages, chosen: Settings, ask: Ask) -> Body:
        return {
            "model": chosen.model, "prompt": messages[-1]["content"], "max_tokens": 1, "temperature": 0.0,
            "prompt_logprobs": 0, "seed": chosen.seed,
        }  # fmt: skip

    def read(self, answer: Any) -> Read:
        listed = _first(answer).get("prompt_logprobs")
        if not isinstance(listed, list):
            raise AssayError("no prompt_logprobs in the answer; is the server vLLM?")
        tokens: list[tuple[Any, Any]] = []
        for each in listed:
            one = next(iter(each.values()), None) if isinstance(each, dict) and len(each) == 1 else None
            if each is not None and not isinstance(one, dict):
                raise AssayError("prompt_logprobs in the answer name no token")
            tokens.append((one.get("decoded_token"), one.get("logprob")) if isinstance(one, dict) else ("", None))
        return "", _details(answer, tokens)


class Prefill(Dialect):
    """text-generation-inference: `generate` with the details of the prompt; `base` has no /v1."""

    def path(self, model: str) -> str:
        return "generate"

    def body(self, messages: Messages, chosen: Settings, ask: Ask) -> Body:
        wanted = {"max_new_tokens": 1, "details": True, "decoder_input_details": True, "do_sample": False}
        return {"inputs": messages[-1]["content"], "parameters": wanted}

    def read(self, answer: Any) -> Read:
        details = answer.get("details") if isinstance(answer, dict) else None
        prefill = details.get("prefill") if isinstance(details, dict) else None
        if not isinstance(prefill, list) or not prefill:
            raise AssayError("no prefill in the answer; the server must support decoder_input_details")
        return "", _details(answer, [(_of(one, "text"), _of(one, "logprob")) for one in prefill])


class Tokenize(Dialect):
    """llama.cpp: the token ids of a text; `base` has no /v1."""

    def path(self, model: str) -> str:
        return "tokenize"

    def body(self, messages: Messages, chosen: Settings, ask: Ask) -> Body:
        return {"content": messages[-1]["content"], "add_special": True}

    def read(self, answer: Any) -> Read:
        ids = _of(answer, "tokens")
        if not isinstance(ids, list) or not all(type(id) is int for id in ids):
            raise AssayError("no tokens in the answer; is the server llama.cpp?")
        return "", {"ids": ids}


class NextToken(Dialect):
    """llama.cpp: the probability of one token after others."""

    def path(self, model: str) -> str:
        return "completion"

    def after(self, ids: Sequence[int], token: int) -> Body:
        """Return the request for the probability of a token."""
        return {
            "prompt": list(ids), "n_predict": 1, "n_probs": 1, "temperature": 0.0, "cache_prompt": True,
            "post_sampling_probs": False, "logit_bias": [[token, FORCED]],
        }  # fmt: skip

    def read(self, answer: Any) -> Read:
        listed = _of(answer, "completion_probabilities")
        one = listed[0] if isinstance(listed, list) and listed else None
        id, value = _of(one, "id"), _number(_of(one, "logprob"))
        if type(id) is not int or value is None:
            raise AssayError("no completion_probabilities in the answer; is the server llama.cpp, and recent?")
        return "", {"id": id, "logprob": value, "tokens_in": count_of(_of(answer, "tokens_evaluated")) or 0}


TOKENIZE, NEXT = Tokenize(), NextToken()
LIKELIHOOD_DIALECTS: dict[str, Dialect] = {
    "openai": Echo(), "vllm": PromptLogprobs(), "llamacpp": TOKENIZE, "tgi": Prefill(),
}  # fmt: skip
ROOTED = ("llamacpp", "tgi")
"""Dialects whose paths are not below /v1."""


def continuation(details: dict[str, Any], text: str, start: int) -> list[float | None]:
    """Return the log-probabilities of the tokens of a text that reach beyond `start`; None for its first token.

    Raises:
        AssayError: the tokens do not spell the text.
    """
    tokens: list[Scored] = details["scored"]
    if (offsets := details.get("offsets")) is not None:
        ends = [*(b for _, b in pairwise(offsets)), len(text)]
        return [v for (_, v), at, end in zip(tokens, offsets, ends, strict=True) if end > start and at < len(text)]
    tokens = _without_generated(tokens, text)
    kept: list[float | None] = []
    at, unknown = len(text), False
    for piece, value in reversed(tokens):  # from the end: texts before it may have tokens that servers hide
        if at <= start:
            break
        if unknown and piece and "\ufffd" not in piece:
            place = text.rfind(piece, max(0, at - NEAR - len(piece)), at)
            at, unknown = (place + len(piece) if place >= 0 else -1), False
            if 0 <= at <= start:
                break
        kept.append(value)
        if "\ufffd" in piece:  # part of a character
            unknown = True
            continue
        if at < 0 or not text.endswith(piece, 0, at):
            raise AssayError(f"the tokens of the server do not spell the text near {piece[:20]!r}")
        at -= len(piece)
    hidden = bool(tokens) and tokens[0] == ("", None)  # vLLM does not name the first token
    if at > start and not unknown and not hidden:
        raise AssayError("the tokens of the server do not cover the text; it may be longer than the model's window")
    return kept[::-1]


def _without_generated(tokens: list[Scored], text: str) -> list[Scored]:
    """Return the tokens without one that was generated after the text."""
    if tokens and not text.endswith(tokens[-1][0]) and "\ufffd" not in tokens[-1][0]:
        return tokens[:-1]
    return tokens


def _details(answer: Any, tokens: Sequence[tuple[Any, Any]]) -> dict[str, Any]:
    scored = [(text if isinstance(text, str) else "", _number(value)) for text, value in tokens]
    if any(value is None for _, value in scored[1:]):
        raise AssayError("a token in the answer has no probability")
    used = _of(answer, "usage")
    place = {"tokens_in": count_of(_of(used, "prompt_tokens")), "tokens_out": count_of(_of(used, "completion_tokens"))}
    return {"scored": scored} | {key: value for key, value in place.items() if value is not None}


def _first(answer: Any) -> dict[str, Any]:
    listed = _of(answer, "choices")
    if not isinstance(listed, list) or not listed or not isinstance(listed[0], dict):
        raise AssayError("no completion in the answer")
    return listed[0]


def _of(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _number(value: Any) -> float | None:
    good = isinstance(value, int | float) and not isinstance(value, bool) and value <= 1e-6
    return float(value) if good else None
