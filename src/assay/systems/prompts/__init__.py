"""Prompts as files with versions: TOML with name, version, system and user texts; `{text}` and so on are filled in.

A brace that is meant as such is written twice: `{{"a": 1}}`.
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
"""What a chat model is told about an example."""
FIELDS = {
    "text": ("text",), "output": ("output", "source", "reference", "criterion", "low", "high"),
    "first": ("first", "second", "source", "reference", "criterion"),
}  # fmt: skip
"""What a prompt is about, to answer, to judge or to prefer, and all the fields that it may use with it."""
BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*\}?)")


class Prompt(NamedTuple):
    name: str
    version: str
    system: str
    user: str
    tokens: tuple[str, ...] = ()
    """Words of the prompt that a model trained with it has as tokens of their own."""

    def messages(self, **fields: str) -> list[dict[str, str]]:
        """Chat messages; a field of the prompt that is not given is an error, braces in the fields' texts are not."""
        made = [{"role": "system", "content": self.system}] if self.system else []
        made.append({"role": "user", "content": self.user})
        if unknown := [name for name in self.fields() if name not in fields]:
            raise AssayError(f"prompt {self.name}: no field {{{unknown[0]}}}; there is {', '.join(sorted(fields))}")

        def fill(found: re.Match[str]) -> str:
            return found[0][0] if found[1] is None else fields[found[1][:-1]]

        return [{**message, "content": BRACES.sub(fill, message["content"])} for message in made]

    def fields(self) -> list[str]:
        """The names in single braces, in order."""
        found = [match[1] for text in (self.system, self.user) for match in BRACES.finditer(text)]
        names = [name[:-1] if name.endswith("}") else f"{name[:20]} (not closed)" for name in found if name is not None]
        return list(dict.fromkeys(names))

    def to_toml(self) -> str:
        """The file it may have come from; JSON's strings and lists are TOML's too."""
        return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in self._asdict().items())


def built_in() -> list[str]:
    return sorted(file.name.removesuffix(".toml") for file in _folder().glob("*.toml"))


def prompt(name: str, about: str = "") -> Prompt:
    """A prompt that comes with assay, one in a TOML file of yours, or the system prompt of a released run (JSONL with
    `system_prompt`, the same in every line); `about` the field that it is needed for."""
    if name.endswith(".jsonl"):
        return _released(Path(name))
    path = Path(name) if name.endswith(".toml") else _folder() / f"{name}.toml"
    if not path.is_file():
        known = built_in()
        raise AssayError(f"no prompt {name}{did_you_mean(name, known)}; there is {', '.join(known)}, or give FILE.toml")
    try:
        given = read_toml(path)
        made = Prompt(
            given["name"], str(given["version"]), given.get("system", "").strip(), given["user"].strip(),
            tuple(given.get("tokens", ())),
        )  # fmt: skip
        if not isinstance(made.name, str) or not all(isinstance(token, str) for token in made.tokens):
            raise TypeError("a name or token that is no text")
    except (KeyError, AttributeError, TypeError) as error:
        raise AssayError(f"{path}: not a prompt ({error}); it needs name, version, user and perhaps system") from None
    _check(made, path, about)
    return made


def _released(path: Path) -> Prompt:
    """What a released run was told; its user prompts are written by a form."""
    found = {str(row.fields.get("system_prompt") or "") for row in read_table(path).rows}
    if len(found) != 1 or not next(iter(found)):
        raise AssayError(
            f"{path}: {len(found)} different values of system_prompt; a run has one, the same in every line"
        )
    told = next(iter(found)).replace("{", "{{").replace("}", "}}")
    return Prompt(path.stem, "released", told, "{text}")


def _check(made: Prompt, path: Path, about: str) -> None:
    """A prompt that does not hold what it is about would get the same answer for every item."""
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
        "a brace as such is written {{ or }}"
    )


def _folder() -> Path:
    return Path(str(files("assay.systems.prompts")))
