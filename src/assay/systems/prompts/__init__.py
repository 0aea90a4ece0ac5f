"""Versioned prompt files: TOML with name, version, system and user texts; fields such as `{text}` are filled in.

A literal brace is doubled: `{{"a": 1}}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from assay.errors import AssayError
from assay.records.documents import read_toml
from assay.records.recognize import read_table
from assay.records.types import Example
from assay.specs import did_you_mean

Messages = Callable[[Example], list[dict[str, str]]]
"""Function from an example to the chat messages about it."""
FIELDS = {
    "text": ("text",), "output": ("output", "source", "reference", "criterion", "low", "high"),
    "first": ("first", "second", "source", "reference", "criterion"),
}  # fmt: skip
"""Required field of a prompt (`text`: generate, `output`: judge, `first`: prefer) to all fields it may use."""
BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*\}?)")


class Prompt(NamedTuple):
    """A prompt with its name and version."""

    name: str
    version: str
    system: str
    user: str
    tokens: tuple[str, ...] = ()
    """Words of the prompt that are added to the vocabulary of a model trained with it."""

    def messages(self, **fields: str) -> list[dict[str, str]]:
        """Return the chat messages with the fields filled in; braces in field values are kept.

        Raises:
            AssayError: the prompt uses a field without a value.
        """
        made = [{"role": "system", "content": self.system}] if self.system else []
        made.append({"role": "user", "content": self.user})
        if unknown := [name for name in self.fields() if name not in fields]:
            raise AssayError(f"prompt {self.name}: no field {{{unknown[0]}}}; there is {', '.join(sorted(fields))}")

        def fill(match: re.Match[str]) -> str:
            return match[0][0] if match[1] is None else fields[match[1][:-1]]

        return [{**message, "content": BRACES.sub(fill, message["content"])} for message in made]

    def fields(self) -> list[str]:
        """Return the names in single braces, in order."""
        matches = [match[1] for text in (self.system, self.user) for match in BRACES.finditer(text)]
        names = [
            name[:-1] if name.endswith("}") else f"{name[:20]} (not closed)" for name in matches if name is not None
        ]
        return list(dict.fromkeys(names))

    def to_toml(self) -> str:
        """Return the prompt as TOML; JSON strings and lists are valid TOML."""
        return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in self._asdict().items())


def built_in() -> list[str]:
    """Return the names of the built-in prompts."""
    return sorted(file.name.removesuffix(".toml") for file in _folder().glob("*.toml"))


def prompt(name: str, about: str = "") -> Prompt:
    """Return a built-in prompt, a prompt from a TOML file, or the system prompt of a released run.

    Args:
        name: built-in name, FILE.toml, or FILE.jsonl with the same `system_prompt` in every line.
        about: field that the prompt must use (default: any of `FIELDS`).
    """
    if name.endswith(".jsonl"):
        return _released(Path(name))
    path = Path(name) if name.endswith(".toml") else _folder() / f"{name}.toml"
    if not path.is_file():
        known = built_in()
        raise AssayError(f"no prompt {name}{did_you_mean(name, known)}; there is {', '.join(known)}, or give FILE.toml")
    try:
        data = read_toml(path)
        made = Prompt(
            data["name"], str(data["version"]), data.get("system", "").strip(), data["user"].strip(),
            tuple(data.get("tokens", ())),
        )  # fmt: skip
        if not isinstance(made.name, str) or not all(isinstance(token, str) for token in made.tokens):
            raise TypeError("a name or token is not a text")
    except (KeyError, AttributeError, TypeError) as error:
        raise AssayError(
            f"{path}: not a prompt ({error}); it requires name, version and user; system is optional"
        ) from None
    _check(made, path, about)
    return made


def _released(path: Path) -> Prompt:
    """Return the system prompt of a released run; its user prompts are written by a form."""
    texts = {str(row.fields.get("system_prompt") or "") for row in read_table(path).rows}
    if len(texts) != 1 or not next(iter(texts)):
        raise AssayError(
            f"{path}: {len(texts)} different values of system_prompt; a run has one, the same in every line"
        )
    escaped = next(iter(texts)).replace("{", "{{").replace("}", "}}")
    return Prompt(path.stem, "released", escaped, "{text}")


def _check(made: Prompt, path: Path, about: str) -> None:
    """Raise an error if a required field is missing: every item would get the same prompt."""
    used = made.fields()
    kinds = [kind for kind in FIELDS if about in ("", kind)]
    if any(kind in used and {*used} <= {*FIELDS[kind]} for kind in kinds) and ("first" in used) == ("second" in used):
        return
    shown = ", ".join(f"{{{name}}}" for name in used) or "none"
    judging = ", ".join(f"{{{name}}}" for name in FIELDS["output"][1:])
    if about == "first":
        raise AssayError(f"{path}: fields {shown}; a prompt to compare needs {{first}} and {{second}}")
    raise AssayError(
        f"{path}: fields {shown}; a prompt needs {{text}} and no other, or to judge {{output}} and perhaps {judging}; "
        "write a literal brace as {{ or }}"
    )


def _folder() -> Path:
    return Path(str(files("assay.systems.prompts")))
