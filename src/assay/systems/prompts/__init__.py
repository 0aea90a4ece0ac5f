"""Prompts as files with versions: TOML with name, version, system and user texts; `{text}` and so on are filled in."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from assay.errors import AssayError
from assay.records import Example
from assay.records.files import read_text
from assay.specs import did_you_mean

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


Messages = Callable[[Example], list[dict[str, str]]]
"""What a chat model is told about an example."""


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
        for message in made:
            pieces = message["content"].split("{")
            content = pieces[0]
            for piece in pieces[1:]:
                name, brace, rest = piece.partition("}")
                if not brace or name not in fields:
                    raise AssayError(f"prompt {self.name}: no field {{{name}}}; there is {', '.join(sorted(fields))}")
                content += fields[name] + rest
            message["content"] = content
        return made

    def to_toml(self) -> str:
        """The file it may have come from; JSON's strings and lists are TOML's too."""
        return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in self._asdict().items())


def built_in() -> list[str]:
    return sorted(file.name.removesuffix(".toml") for file in _folder().glob("*.toml"))


def prompt(name: str) -> Prompt:
    """A prompt that comes with assay, or one in a TOML file of yours."""
    path = Path(name) if name.endswith(".toml") else _folder() / f"{name}.toml"
    if not path.is_file():
        known = built_in()
        raise AssayError(f"no prompt {name}{did_you_mean(name, known)}; there is {', '.join(known)}, or give FILE.toml")
    try:
        given = tomllib.loads(read_text(path))
        made = Prompt(
            given["name"], str(given["version"]), given.get("system", "").strip(), given["user"].strip(),
            tuple(given.get("tokens", ())),
        )  # fmt: skip
    except (tomllib.TOMLDecodeError, KeyError, AttributeError) as error:
        raise AssayError(f"{path}: not a prompt ({error}); it needs name, version, user and perhaps system") from None
    return made


def _folder() -> Path:
    return Path(str(files("assay.systems.prompts")))
