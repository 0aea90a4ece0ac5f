"""Weights by name: where they are, what they are by content, what they read, and what is missing on this machine."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, ClassVar

from assay.errors import AssayError
from assay.extras import missing_extra
from assay.models.checkpoints import PACKAGED, UPDATE_TYPE, local_folder, packaged_languages, weights_digest

if TYPE_CHECKING:
    from pathlib import Path

LIBRARIES = ("torch", "transformers", "tokenizers")
LISTED = "modules.json"
"""The one file of settings that is a list."""


@dataclass(frozen=True)
class Weights:
    """A model by name. What is said of it is read from its folder; nothing is loaded."""

    model: str = "minilm"
    """A name of ours (`minilm`, `smollm2`), a folder, or a hub name."""

    whole: ClassVar[bool] = True
    """Whether it has to be a model by itself, and no update of one as `assay system train classifier:nli` makes
    them."""

    @property
    def namespace(self) -> str:
        """All that what it makes depends on besides the texts."""
        raise NotImplementedError

    def why_not(self) -> str | None:
        """What is missing on this machine, with the remedy; None if nothing is."""
        try:
            if reason := missing_extra("neural"):
                return reason
            if self.model not in PACKAGED:  # which would be unpacked for it
                kind = self._settings("config.json").get("model_type")
                if self.whole and kind == UPDATE_TYPE:
                    return f"{self.model}: an update of another model, which `nli:model=` alone reads; give a whole one"
            return None if self.namespace else ""
        except AssayError as error:
            return str(error)

    @property
    def folder(self) -> Path:
        return local_folder(self.model)

    @property
    def label(self) -> str:
        """The weights by name and content: for signatures, and for namespaces of the cache."""
        name = "".join(c if c.isalnum() or c in ".-" else "-" for c in self.model.rstrip("/").rpartition("/")[2])
        return f"{name.strip('.-') or 'model'}-{weights_digest(self.model)[:12]}"

    @property
    def libraries(self) -> str:
        """Which versions compute: `torch-2.13.0+transformers-5.2.0+tokenizers-0.22`."""
        return _versions()

    @property
    def languages(self) -> frozenset[str] | None:
        """What its card says that it reads; None where it says nothing, or many."""
        if said := packaged_languages(self.model):
            return said
        return card_languages(self.folder)

    def setting(self, file: str, name: str) -> Any:
        """What a file of the folder says of itself; None where it says nothing."""
        return self._settings(file).get(name)

    def _configured(self, names: tuple[str, ...], usual: int) -> int:
        about = self._settings("config.json")
        return int(next((about[name] for name in names if isinstance(about.get(name), int)), usual))

    def _settings(self, name: str) -> Any:
        file = self.folder / name
        return _json(str(file), file.stat().st_mtime_ns) if file.is_file() else {}


@lru_cache(maxsize=32)
def _json(path: str, changed: int) -> Any:
    try:
        with open(path, encoding="utf-8") as stream:  # noqa: PTH123
            held = json.load(stream)
    except (ValueError, RecursionError):
        held = None
    if not isinstance(held, list if path.endswith(LISTED) else dict):
        raise AssayError(f"{path}: not what such a file of a model holds; copy the whole folder again")
    return held


@lru_cache(maxsize=1)
def _versions() -> str:
    found = []
    for name in LIBRARIES:
        try:
            found.append(f"{name}-{version(name)}")
        except PackageNotFoundError:
            found.append(f"{name}-missing")
    return "+".join(found)


def card_languages(folder: Path) -> frozenset[str] | None:
    """`language: en`, or a list of them, in the head of a folder's card; None where it says nothing, or many."""
    card = folder / "README.md"
    _, _, rest = card.read_text("utf-8", "replace").partition("---\n") if card.is_file() else ("", "", "")
    said: list[str] = []
    lines = iter(rest.partition("\n---")[0].split("\n"))
    for line in lines:
        if line.startswith("language:"):
            said = [line.partition(":")[2].strip(" []'\"")]
            said = [one.strip(" '\"") for one in said[0].split(",")] if said[0] else []
            for more in lines:
                if not more.lstrip().startswith("- "):
                    break
                said.append(more.strip(" -'\""))
            break
    return frozenset(said) if said and "multilingual" not in said else None
