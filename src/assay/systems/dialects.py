"""Dialects of chat servers: path, headers, body of a call, and how its answer is read.

Every dialect states the same things in its own words: messages, sampling, a JSON schema for the answer, token
probabilities, a refusal, and the tokens that were used. Answers are untrusted JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from urllib.parse import quote

from assay.errors import AssayError
from assay.systems.replies import count_of, read_answer, read_tokens

TOP = 20
"""Number of alternatives of a token that are requested; the most that servers offer."""


@dataclass(frozen=True)
class Ask:
    """What is wanted of an answer besides its text."""

    schema: Mapping[str, Any] | None = None
    """JSON schema that the answer has to follow."""
    logprobs: bool = False
    """Whether token probabilities are requested."""
    seeds: Mapping[str, int] = field(default_factory=dict)
    """Random seed by id (default: the seed of the system)."""
    readable: Callable[[str, str], str | None] = lambda id, text: None
    """Returns what is wrong with an answer, which is then requested once more; None if it can be used."""


class Settings(NamedTuple):
    """Sampling settings of a call."""

    model: str
    temperature: float
    top_p: float
    max_tokens: int
    seed: int


Messages = Sequence[Mapping[str, str]]
Body = dict[str, Any]
Read = tuple[str, dict[str, Any]]


class Dialect:
    """The OpenAI chat completions, which vLLM and many other servers speak."""

    def path(self, model: str) -> str:
        return "chat/completions"

    def headers(self, key: str) -> dict[bytes, bytes]:
        return {b"Authorization": f"Bearer {key}".encode("latin-1")} if key else {}

    def body(self, messages: Messages, chosen: Settings, ask: Ask) -> Body:
        body: Body = {
            "model": chosen.model, "messages": list(messages), "temperature": chosen.temperature,
            "top_p": chosen.top_p, "max_tokens": chosen.max_tokens, "seed": chosen.seed,
        }  # fmt: skip
        if ask.schema:
            body["response_format"] = self.response_format(ask.schema)
        if ask.logprobs:
            body |= {"logprobs": True, "top_logprobs": TOP}
        return body

    def response_format(self, schema: Mapping[str, Any]) -> Body:
        return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)}}

    def read(self, answer: Any) -> Read:
        return read_answer(answer)


class LlamaCpp(Dialect):
    """The server of llama.cpp: as OpenAI, with the schema of a JSON object."""

    def response_format(self, schema: Mapping[str, Any]) -> Body:
        return {"type": "json_object", "schema": dict(schema)}


class Responses(Dialect):
    """The OpenAI responses."""

    def path(self, model: str) -> str:
        return "responses"

    def body(self, messages: Messages, chosen: Settings, ask: Ask) -> Body:
        body: Body = {
            "model": chosen.model, "input": list(messages), "temperature": chosen.temperature, "top_p": chosen.top_p,
            "max_output_tokens": chosen.max_tokens, "store": False,
        }  # fmt: skip
        if ask.schema:
            form = {"type": "json_schema", "name": "answer", "strict": True, "schema": dict(ask.schema)}
            body["text"] = {"format": form}
        if ask.logprobs:
            body |= {"top_logprobs": TOP, "include": ["message.output_text.logprobs"]}
        return body

    def read(self, answer: Any) -> Read:
        parts = [
            part for item in _list(answer, "output") if _get(item, "type") == "message"
            for part in _list(item, "content")
        ]  # fmt: skip
        why = _get(_get(answer, "incomplete_details"), "reason")
        cut, refused = why == "max_output_tokens", why == "content_filter"
        refused |= any(_get(part, "type") == "refusal" for part in parts)
        texts = [part for part in parts if _get(part, "type") == "output_text"]
        called = [_text(item, "arguments") for item in _list(answer, "output") if _get(item, "type") == "function_call"]
        if not parts and not called and not cut and not refused:  # thoughts alone can reach the limit
            raise AssayError("no message in the answer")
        tokens = [token for part in texts for token in _list(part, "logprobs")]
        return _result(
            "".join(_text(part, "text") for part in texts) or "".join(called[:1]), _get(answer, "usage"),
            ("input_tokens", "output_tokens"), cut=cut, refused=refused, tokens=read_tokens(tokens),
        )  # fmt: skip


class Anthropic(Dialect):
    """Anthropic messages; a schema is the input of a tool that has to be called."""

    def path(self, model: str) -> str:
        return "messages"

    def headers(self, key: str) -> dict[bytes, bytes]:
        own = {b"anthropic-version": b"2023-06-01"}
        return own | ({b"x-api-key": key.encode("latin-1")} if key else {})

    def body(self, messages: Messages, chosen: Settings, ask: Ask) -> Body:
        body: Body = {
            "model": chosen.model, "max_tokens": chosen.max_tokens, "temperature": chosen.temperature,
            "messages": [dict(message) for message in messages if message["role"] != "system"],
        }  # fmt: skip
        if system := _system(messages):
            body["system"] = system
        if chosen.top_p < 1:
            body["top_p"] = chosen.top_p
        if ask.schema:
            tool = {"name": "answer", "description": "Give the answer.", "input_schema": dict(ask.schema)}
            body |= {"tools": [tool], "tool_choice": {"type": "tool", "name": "answer"}}
        return body

    def read(self, answer: Any) -> Read:
        parts = _list(answer, "content")
        stop = _get(answer, "stop_reason")
        if not parts and not (isinstance(_get(answer, "content"), list) and isinstance(stop, str)):
            raise AssayError("no content in the answer")
        used = [_get(part, "input") for part in parts if _get(part, "type") == "tool_use"]
        text = json.dumps(used[0], ensure_ascii=False) if used else "".join(_text(part, "text") for part in parts)
        return _result(
            text, _get(answer, "usage"), ("input_tokens", "output_tokens"),
            cut=stop in ("max_tokens", "model_context_window_exceeded"), refused=stop == "refusal",
        )  # fmt: skip


DECLINED = ("SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "RECITATION", "SPII", "IMAGE_SAFETY")
"""Reasons of Gemini for an answer without a text."""


class Gemini(Dialect):
    """Gemini generateContent."""

    def path(self, model: str) -> str:
        return f"models/{quote(model, safe='')}:generateContent"

    def headers(self, key: str) -> dict[bytes, bytes]:
        return {b"x-goog-api-key": key.encode("latin-1")} if key else {}

    def body(self, messages: Messages, chosen: Settings, ask: Ask) -> Body:
        config: Body = {
            "temperature": chosen.temperature, "topP": chosen.top_p, "maxOutputTokens": chosen.max_tokens,
            "seed": chosen.seed,
        }  # fmt: skip
        if ask.schema:
            config |= {"responseMimeType": "application/json", "responseJsonSchema": dict(ask.schema)}
        if ask.logprobs:
            config |= {"responseLogprobs": True, "logprobs": TOP}
        roles = {"assistant": "model"}
        contents = [
            {"role": roles.get(message["role"], "user"), "parts": [{"text": message["content"]}]}
            for message in messages
            if message["role"] != "system"
        ]
        body: Body = {"contents": contents, "generationConfig": config}
        if system := _system(messages):
            body["systemInstruction"] = {"parts": [{"text": system}]}
        return body

    def read(self, answer: Any) -> Read:
        first = next(iter(_list(answer, "candidates")), None)
        blocked = bool(_get(_get(answer, "promptFeedback"), "blockReason"))
        if first is None and not blocked:
            raise AssayError("no candidate in the answer")
        reason = _get(first, "finishReason")
        parts = _list(_get(first, "content"), "parts")
        listed = _list(_get(first, "logprobsResult"), "topCandidates")
        chosen = _list(_get(first, "logprobsResult"), "chosenCandidates")
        tokens = [
            {"token": _get(one, "token"), "top_logprobs": [
                {"token": _get(each, "token"), "logprob": _get(each, "logProbability")}
                for each in _list(top, "candidates")
            ]}
            for one, top in zip(chosen, listed, strict=False)
        ]  # fmt: skip
        text = "".join(_text(part, "text") for part in parts if _get(part, "thought") is not True)
        used = _get(answer, "usageMetadata")
        text, details = _result(
            text, used, ("promptTokenCount", "candidatesTokenCount"), cut=reason == "MAX_TOKENS",
            refused=blocked or reason in DECLINED, tokens=read_tokens(tokens),
        )  # fmt: skip
        if thoughts := count_of(_get(used, "thoughtsTokenCount")):  # charged as output, and not among the candidates
            details["tokens_out"] = details.get("tokens_out", 0) + thoughts
        return text, details


class Ollama(Dialect):
    """Ollama's own chat; `base` is the address without /v1."""

    def path(self, model: str) -> str:
        return "api/chat"

    def body(self, messages: Messages, chosen: Settings, ask: Ask) -> Body:
        options = {
            "temperature": chosen.temperature, "top_p": chosen.top_p, "num_predict": chosen.max_tokens,
            "seed": chosen.seed,
        }  # fmt: skip
        body: Body = {"model": chosen.model, "messages": list(messages), "stream": False, "options": options}
        if ask.schema:
            body["format"] = dict(ask.schema)
        if ask.logprobs:
            body |= {"logprobs": True, "top_logprobs": TOP}
        return body

    def read(self, answer: Any) -> Read:
        message = _get(answer, "message")
        if not isinstance(_get(message, "content"), str):
            raise AssayError("no message in the answer")
        return _result(
            _text(message, "content"), answer, ("prompt_eval_count", "eval_count"),
            cut=_get(answer, "done_reason") == "length", tokens=read_tokens(_list(answer, "logprobs")),
        )  # fmt: skip


DIALECTS: dict[str, Dialect] = {
    "openai": Dialect(), "vllm": Dialect(), "llamacpp": LlamaCpp(), "responses": Responses(), "anthropic": Anthropic(),
    "gemini": Gemini(), "ollama": Ollama(),
}  # fmt: skip


def _result(
    text: str, used: Any, names: tuple[str, str], *, cut: bool = False, refused: bool = False,
    tokens: list[Any] | None = None,
) -> Read:  # fmt: skip
    details: dict[str, Any] = {
        key: number
        for key, name in zip(("tokens_in", "tokens_out"), names, strict=True)
        if (number := count_of(_get(used, name))) is not None
    }
    more = {"cut": cut, "refusal": refused, "tokens": tokens}
    return text.strip(), details | {key: value for key, value in more.items() if value}


REFUSED = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|not (?:permitted|allowed)|extra|unexpected|deprecated|"
    r"cannot both",
    re.IGNORECASE,
)
OPTIONAL = re.compile(r"\b(temperature|top_p|seed|max_tokens)\b")
"""Matches the settings that some models do not accept; `max_tokens` then has another name."""
RENAMED = "max_completion_tokens"
PROBABILITIES = re.compile(r"log_?probs?|logprobabilit", re.IGNORECASE)
"""Matches a message about token probabilities."""
UNSUPPORTED = {400, 404, 415, 422, 501}
"""Status of a server that does not accept a schema or token probabilities; it is then asked without."""


def refused_ask(ask: Ask, status: int | None, message: str) -> Ask | None:
    """Return what to ask for instead, where the server may have refused a schema or token probabilities; None if its
    message cannot be about them."""
    if ask.logprobs and PROBABILITIES.search(message) and (status in UNSUPPORTED or status == 403):
        return replace(ask, logprobs=False)
    return replace(ask, schema=None, logprobs=False) if status in UNSUPPORTED and (ask.schema or ask.logprobs) else None


def refused_setting(status: int | None, message: str, body: Mapping[str, Any]) -> str | None:
    """Return the setting of a call that the server says it does not accept; None if the message is about another
    matter."""
    names = [name for name in OPTIONAL.findall(message) if name in body]
    return names[0] if names and status in UNSUPPORTED and REFUSED.search(message) else None


def without_settings(body: Body, refused: Collection[str]) -> Body:
    """Return the body of a call without settings that the server has refused; the limit of tokens is renamed."""
    kept = {name: value for name, value in body.items() if name not in refused}
    return kept | ({RENAMED: body["max_tokens"]} if "max_tokens" in refused and "max_tokens" in body else {})


def _system(messages: Messages) -> str:
    return "\n\n".join(message["content"] for message in messages if message["role"] == "system")


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, Mapping) else None


def _list(value: Any, key: str) -> list[Any]:
    inner = _get(value, key)
    return inner if isinstance(inner, list) else []


def _text(value: Any, key: str) -> str:
    inner = _get(value, key)
    return inner if isinstance(inner, str) else ""
