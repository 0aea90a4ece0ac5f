"""Engines for back-translation: Apertium, two Hugging Face models, or two commands."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import AssayError
from assay.extras import missing_extra

MODES = {"en": "eng", "es": "spa"}
"""Language names of Debian's Apertium pairs that differ from the language code."""


@dataclass(frozen=True)
class Translator(ABC):
    """Translates from `language` to `via` and back. A text is one non-empty line."""

    language: str
    via: str
    there: str = ""
    back: str = ""
    """Model or command of each direction."""

    @abstractmethod
    def translate(self, lines: Sequence[str], back: bool) -> list[str]:
        """Return the lines in the other language, one for each."""

    def why_not(self) -> str | None:
        """Return why it cannot run here, with the remedy."""
        return None


class Apertium(Translator):
    """Apertium's rules. It keeps state between lines: a line may be translated differently in other context."""

    def translate(self, lines: Sequence[str], back: bool) -> list[str]:
        mode = self._mode(back)
        if mode is None:
            raise AssayError(f"apertium: {self.why_not()}")
        # an empty line ends a sentence, so that the next line is not taken for the rest of it
        output = _run(["apertium", "-u", mode], "".join(f"{line}\n\n" for line in lines), f"apertium {mode}")
        return _checked([line.strip() for line in output.split("\n\n")[: len(lines)]], lines, f"apertium {mode}")

    def why_not(self) -> str | None:
        if shutil.which("apertium") is None:
            return "apertium is not installed; apt-get install apertium apertium-eng-spa apertium-eo-en"
        for back in (False, True):
            if self._mode(back) is None:
                a, b = self._ends(back)
                return f"apertium has no pair {a}-{b}; `apertium -l` lists what is installed"
        return None

    def _ends(self, back: bool) -> tuple[str, str]:
        return (self.via, self.language) if back else (self.language, self.via)

    def _mode(self, back: bool) -> str | None:
        """Return the name of the pair as installed."""
        known = _run(["apertium", "-l"], "", "apertium -l").split()
        a, b = self._ends(back)
        named = [f"{a}-{b}", f"{MODES.get(a, a)}-{MODES.get(b, b)}"]
        return next((mode for mode in named if mode in known), None)


class Command(Translator):
    """Two commands that read one text per line and write one translation per line."""

    def translate(self, lines: Sequence[str], back: bool) -> list[str]:
        command = self.back if back else self.there
        output = _run(shlex.split(command), "".join(f"{line}\n" for line in lines), command)
        return _checked(output.removesuffix("\n").split("\n"), lines, command)

    def why_not(self) -> str | None:
        for command in (self.there, self.back):
            if not command.strip():
                return "pass two commands, there=… and back=…, that read and write one text per line"
            if shutil.which(shlex.split(command)[0]) is None:
                return f"{command}: no such command"
        return None


class HuggingFace(Translator):
    """Two generation models (or one for both directions), from the hub or a folder; greedy decoding."""

    def translate(self, lines: Sequence[str], back: bool) -> list[str]:
        from assay.models.load import load

        path = (self.back if back else self.there) or self.there
        loaded = load(path)
        if loaded.kind != "seq2seq":
            raise AssayError(f"{path}: a {loaded.kind} model does not translate; use a translation model")
        a, b = (self.via, self.language) if back else (self.language, self.via)
        made: dict[str, str] = {}
        for batch in _batches(sorted(set(lines), key=len)):
            made |= zip(batch, _written(loaded.model, loaded.tokenizer, batch, a, b), strict=True)
        return _checked([made[line] for line in lines], lines, path)

    def why_not(self) -> str | None:
        if not self.there:
            return "pass the models: there=…, and back=… unless one model does both"
        return missing_extra("neural")


def _batches(lines: Sequence[str], size: int = 16) -> list[Sequence[str]]:
    return [lines[i : i + size] for i in range(0, len(lines), size)]


def _written(model: Any, tokenizer: Any, lines: Sequence[str], a: str, b: str) -> list[str]:
    import torch

    options: dict[str, Any] = {}
    if hasattr(tokenizer, "src_lang"):  # multilingual models need both language codes
        tokenizer.src_lang = a
        options["forced_bos_token_id"] = (
            tokenizer.get_lang_id(b) if hasattr(tokenizer, "get_lang_id") else tokenizer.convert_tokens_to_ids(b)
        )
    limit = getattr(model.config, "max_position_embeddings", None) or 512
    encoded = tokenizer(list(lines), return_tensors="pt", padding=True, truncation=True, max_length=limit)
    encoded = {name: encoded[name].to(model.device) for name in ("input_ids", "attention_mask")}
    most = min(limit - 1, 2 * int(encoded["input_ids"].shape[1]) + 16)
    with torch.inference_mode():
        made = model.generate(**encoded, max_new_tokens=most, do_sample=False, **options)
    return [" ".join(text.split()) for text in tokenizer.batch_decode(made, skip_special_tokens=True)]


def _run(command: list[str], text: str, name: str) -> str:
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, encoding="utf-8", check=False)
    except OSError as error:
        raise AssayError(f"{name}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise AssayError(f"{name}: its output is not UTF-8") from None
    if done.returncode:
        errors = done.stderr.strip().splitlines()
        raise AssayError(f"{name}: exit status {done.returncode}{f' ({errors[-1]})' if errors else ''}")
    return done.stdout


def _checked(made: list[str], lines: Sequence[str], name: str) -> list[str]:
    if len(made) != len(lines):
        raise AssayError(f"{name}: wrote {len(made)} lines for {len(lines)}; it must write one for each")
    return made


ENGINES: dict[str, type[Translator]] = {"apertium": Apertium, "hf": HuggingFace, "command": Command}
