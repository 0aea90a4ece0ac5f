"""Command lines and Python functions as systems. A command reads JSON lines on stdin and answers on stdout.

A line in:  {"id", "do": "generate", "text", ...the example...}     a line out: {"id", "output"}
            {"id", "do": "reply", "messages": [..], ...the example...}          {"id", "output"}
            {"id", "do": "classify", "candidates": [..], ...}                   {"id", "scores": [..]}
            {"id", "do": "logprob", "prefix", "continuations": [..], ...}       {"id", "logprobs": [[..], ..]}

Every input line has the `seed` too. Stored answers are reused only while the files named in the command line, or the
file of the function, are unchanged.
"""

from __future__ import annotations

import importlib
import json
import math
import shlex
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, ClassVar, TypeVar

import msgspec

from assay.errors import AssayError, no_exit
from assay.inputs import form, form_for
from assay.models.code_digest import code_digest, command_file_digests
from assay.records.types import Example
from assay.specs import setting
from assay.systems.base import ABILITIES, Answer, Logprob, System
from assay.systems.prompts import Messages

T = TypeVar("T")


def request(example: Example, system: System, do: str, **more: Any) -> dict[str, Any]:
    """Return the request for one example: its fields, its input as text, and the random seed."""
    chosen = system.form or form(form_for(example))
    text = example.source if example.input is None and system.form is None else chosen.render(example)
    return {"do": do, **msgspec.to_builtins(example), "text": text, "seed": system.seed, **more}


@dataclass(eq=False)
class _RequestSystem(System):
    """Base class of systems that answer one request per example."""

    abilities: ClassVar = ABILITIES

    def ask(self, requests: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
        """Yield pairs of id and answer, in any order."""
        raise NotImplementedError

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        return self._texts([request(example, self, "generate") for example in examples])

    def reply(self, examples: Sequence[Example], messages: Messages) -> Iterator[Answer]:
        """Yield answers to chat messages about examples, so that any program can be a judge."""
        return self._texts([request(example, self, "reply", messages=messages(example)) for example in examples])

    def _texts(self, requests: list[dict[str, Any]]) -> Iterator[Answer]:
        for id, answer in self.ask(requests):
            text = answer.get("output") if isinstance(answer, dict) else answer
            if not isinstance(text, str):
                raise AssayError(f"{self.spec} id {id}: no text under 'output' in its answer")
            if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
                raise AssayError(f"{self.spec} id {id}: its text contains an unpaired surrogate")
            yield Answer(id, text)

    def classify(self, examples: Sequence[Example], candidates: Sequence[Sequence[str]]) -> Iterator[list[float]]:
        requests = [
            request(example, self, "classify", candidates=list(texts))
            for example, texts in zip(examples, candidates, strict=True)
        ]
        return self._in_order(requests, "scores", candidates, _number)

    def logprob(
        self, examples: Sequence[Example], continuations: Sequence[Sequence[str]], prefixes: Sequence[str]
    ) -> Iterator[list[Logprob]]:
        requests = [
            request(example, self, "logprob", continuations=list(texts), prefix=prefix)
            for example, texts, prefix in zip(examples, continuations, prefixes, strict=True)
        ]
        return self._in_order(requests, "logprobs", continuations, _logprob)

    def _in_order(
        self, requests: list[dict[str, Any]], key: str, texts: Sequence[Sequence[str]], read: Callable[[Any], T]
    ) -> Iterator[list[T]]:
        answers = dict(self.ask(requests))
        for one, wanted in zip(requests, texts, strict=True):
            answer = answers.get(one["id"])
            values = answer.get(key) if isinstance(answer, dict) else answer
            try:
                parsed = [read(value) for value in values] if isinstance(values, list) else []
            except (TypeError, ValueError, OverflowError):
                parsed = []
            if len(parsed) != len(wanted):
                raise AssayError(f"{self.spec} id {one['id']}: needs {len(wanted)} finite numbers under '{key}'")
            yield parsed


def _number(value: Any) -> float:
    """Return a finite number; text is not accepted."""
    parsed = float(value)
    if isinstance(value, str | bytes) or not math.isfinite(parsed):
        raise ValueError
    return parsed


def _logprob(value: Any) -> Logprob:
    return Logprob(tuple(map(_number, value if isinstance(value, list) else [value])))


@dataclass(eq=False)
class Command(_RequestSystem):
    """A command line as a system."""

    name: ClassVar = "cmd"
    about: ClassVar = "a command line that reads JSON lines and answers with JSON lines"
    argument: ClassVar = "line..."

    line: str = ""
    """The command, with its arguments."""
    batch: int = setting(1_000_000)
    """Number of examples per process; large, because starting a process may be slow."""

    def why_not(self) -> str | None:
        return None if self.line.strip() else "name the command: cmd:./my.sh"

    def fingerprint(self) -> list[Any]:
        return [*super().fingerprint(), command_file_digests(self.words())]

    def words(self) -> list[str]:
        """Return the command line split as in a shell."""
        try:
            words = shlex.split(self.line)
        except ValueError as error:
            raise AssayError(f"cmd:{self.line}: not a command line ({error})") from None
        if not words:
            raise AssayError("system cmd: name the command, e.g. --system cmd:./my.sh")
        return words

    def ask(self, requests: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
        words = self.words()
        waiting = {one["id"] for one in requests}
        with tempfile.TemporaryFile() as errors:
            try:
                process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
            except OSError as error:
                raise AssayError(f"cmd:{self.line}: cannot be started ({error.strerror}); check the path") from None
            assert process.stdin is not None
            assert process.stdout is not None
            feeder = threading.Thread(target=_feed, args=(process.stdin, requests), daemon=True)
            feeder.start()
            try:
                for number, line in enumerate(process.stdout, 1):
                    if line.strip():
                        id, answer = self._answer(line, number, waiting)
                        waiting.discard(id)
                        yield id, answer
            finally:
                if process.poll() is None and waiting:
                    process.terminate()
                process.stdout.close()
                code = process.wait()
                feeder.join()
            errors.seek(0)
            last_line = errors.read().decode("utf-8", "replace").strip().split("\n")[-1]
        if code or waiting:
            missing = f"{len(waiting)} of {len(requests)} items unanswered" + (
                f", {min(waiting)} first" if waiting else ""
            )
            raise AssayError(
                f"cmd:{self.line}: ended with code {code}, {missing}" + (f" ({last_line})" if last_line else "")
            )

    def _answer(self, line: bytes, number: int, waiting: set[str]) -> tuple[str, Any]:
        try:
            answer = json.loads(line)
            id = str(answer["id"])
        except (ValueError, KeyError, TypeError):
            shown = line[:40].decode("utf-8", "replace").strip()
            raise AssayError(f"cmd:{self.line}: answer {number} is no JSON object with an id ({shown})") from None
        if id not in waiting:
            raise AssayError(
                f"cmd:{self.line}: answer {number} is about id {id}, which was not requested or is already answered"
            )
        return id, answer


def _feed(pipe: IO[bytes], requests: list[dict[str, Any]]) -> None:
    try:
        for one in requests:
            pipe.write(msgspec.json.encode(one) + b"\n")
        pipe.close()
    except OSError:  # the command has ended; its exit code is reported
        return


@dataclass(eq=False)
class Call(_RequestSystem):
    """A Python function as a system."""

    name: ClassVar = "call"
    about: ClassVar = "a Python function: package.module.function; takes a request as a dict, returns text or numbers"
    argument: ClassVar = "path"

    path: str = ""
    """Import path of the function: package.module.function."""
    function: Callable[[dict[str, Any]], Any] | None = field(default=None, init=False)

    def why_not(self) -> str | None:
        return None if self.path or self.function else "name the function: call:package.module.function"

    def fingerprint(self) -> list[Any]:
        return [*super().fingerprint(), code_digest(self.function or _import(self.path))]

    def ask(self, requests: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
        function = self.function or _import(self.path)
        for one in requests:
            try:
                with no_exit():
                    answer = function(one)
            except Exception as error:  # any error of the function is reported with its item
                raise AssayError(f"call:{self.path} id {one['id']}: {type(error).__name__}: {error}") from error
            yield one["id"], answer


def of_function(function: Callable[[dict[str, Any]], Any], name: str = "") -> Call:
    """Return a system from a function that takes the request of each example as a dict; for notebooks."""
    made = Call(path=name or f"{function.__module__}.{function.__qualname__}")
    made.function, made.spec = function, f"call:{made.path}"
    return made


def _import(path: str) -> Callable[[dict[str, Any]], Any]:
    module, _, name = path.rpartition(".")
    if "" not in sys.path:
        sys.path.insert(0, "")  # functions are usually in the current folder
    try:
        with no_exit():
            function: Callable[[dict[str, Any]], Any] = getattr(importlib.import_module(module), name)
    except Exception as error:  # importing runs the module, which may raise any error
        why = error if isinstance(error, ImportError | AttributeError) else f"{type(error).__name__}: {error}"
        raise AssayError(f"call:{path}: cannot be imported ({why}); give package.module.function") from None
    if not callable(function):
        raise AssayError(f"call:{path}: cannot be called; give package.module.function")
    return function
