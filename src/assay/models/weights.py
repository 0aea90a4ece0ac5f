"""Model weights by name: their folder, digest, languages, and what is missing to use them."""

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
"""The one settings file that contains a list."""


@dataclass(frozen=True)
class Weights:
    """A model by name. Its properties are read from its folder without loading the weights."""

    model: str = "minilm"
    """`minilm`, `smollm2`, a model folder, or a Hugging Face name."""

    whole: ClassVar[bool] = True
    """Whether the folder must be a complete model, not an update as `assay system train classifier:nli` writes it."""

    @property
    def namespace(self) -> str:
        """Everything that the output depends on besides the texts."""
        raise NotImplementedError

    def why_not(self) -> str | None:
        """Return what is missing, with the remedy; None if nothing is."""
        try:
            if reason := missing_extra("neural"):
                return reason
            if self.model not in PACKAGED:  # its folder is converted on first use only
                kind = self._settings("config.json").get("model_type")
                if self.whole and kind == UPDATE_TYPE:
                    return f"{self.model}: an update for `nli:model=` only. Give a complete model."
            return None if self.namespace else ""
        except AssayError as error:
            return str(error)

    @property
    def folder(self) -> Path:
        return local_folder(self.model)

    @property
    def label(self) -> str:
        """Name and digest of the weights, for signatures and cache namespaces."""
        name = "".join(c if c.isalnum() or c in ".-" else "-" for c in self.model.rstrip("/").rpartition("/")[2])
        return f"{name.strip('.-') or 'model'}-{weights_digest(self.model)[:12]}"

    @property
    def libraries(self) -> str:
        """Versions of the libraries: `torch-2.13.0+transformers-5.2.0+tokenizers-0.22`."""
        return _versions()

    @property
    def languages(self) -> frozenset[str] | None:
        """Languages of the model card; None if it states none or `multilingual`."""
        if languages := packaged_languages(self.model):
            return languages
        return card_languages(self.folder)

    def setting(self, file: str, name: str) -> Any:
        """Return one value of a settings file of the folder, or None."""
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
            content = json.load(stream)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, list if path.endswith(LISTED) else dict):
        raise AssayError(f"{path}: not a valid settings file of a model. Copy the whole folder again.")
    return content


@lru_cache(maxsize=1)
def _versions() -> str:
    versions = []
    for name in LIBRARIES:
        try:
            versions.append(f"{name}-{version(name)}")
        except PackageNotFoundError:
            versions.append(f"{name}-missing")
    return "+".join(versions)


def card_languages(folder: Path) -> frozenset[str] | None:
    """Return the `language` of the front matter of a model card; None if it states none or `multilingual`."""
    card = folder / "README.md"
    _, _, rest = card.read_text("utf-8", "replace").partition("---\n") if card.is_file() else ("", "", "")
    languages: list[str] = []
    lines = iter(rest.partition("\n---")[0].split("\n"))
    for line in lines:
        if line.startswith("language:"):
            languages = [line.partition(":")[2].strip(" []'\"")]
            languages = [one.strip(" '\"") for one in languages[0].split(",")] if languages[0] else []
            for more in lines:
                if not more.lstrip().startswith("- "):
                    break
                languages.append(more.strip(" -'\""))
            break
    return frozenset(languages) if languages and "multilingual" not in languages else None
