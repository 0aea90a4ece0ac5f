"""Static subword vectors: one vector per subword, independent of its context. Needs neither a network nor torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, first_line
from assay.extras import missing_extra
from assay.models.checkpoints import package_folder
from assay.models.code_digest import large_digest
from assay.records.files import digest_of

PACKAGES = {
    "wordllama": ("wordllama", "weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json")
}
"""Tables that install as a package: module, and the paths of weights and tokenizer in it."""
FILES = ("model.safetensors", "tokenizer.json")
"""Files of a table in a folder."""


class Table(NamedTuple):
    """Vectors of length 1 by subword id, and the tokenizer that gives the ids."""

    vectors: NDArray[np.float32]
    tokenizer: Any


@dataclass(frozen=True)
class StaticVectors:
    """A table of subword vectors by name, loaded on first use."""

    model: str = "wordllama"
    """`wordllama` (of the package of that name), or a folder with model.safetensors (one table) and tokenizer.json."""

    def why_not(self) -> str | None:
        """Return what is not installed, with the remedy; None if nothing is missing."""
        if reason := missing_extra("neural", "safetensors", "tokenizers"):
            return reason
        try:
            return None if self.files else ""
        except AssayError as error:
            return str(error)

    @property
    def files(self) -> tuple[Path, Path]:
        """Weights and tokenizer."""
        if self.model in PACKAGES:
            module, *names = PACKAGES[self.model]
            folder = package_folder(self.model, module, f"--no-deps {module}")
        else:
            folder, names = Path(self.model), list(FILES)
        for name in names:
            if not (folder / name).is_file():
                raise AssayError(
                    f"{self.model}: {name} is missing. Give a folder with {' and '.join(FILES)}, or wordllama."
                )
        return folder / names[0], folder / names[1]

    @property
    def label(self) -> str:
        """Name and digest of the weights."""
        return f"{Path(self.model).name}-{digest_of([large_digest(file) for file in self.files])[:12]}"

    @property
    def table(self) -> Table:
        return _table(*map(str, self.files), self.label)

    def ids(self, texts: Sequence[str]) -> list[NDArray[np.int64]]:
        """Return the subword ids of each text."""
        plain = [text.encode("utf-8", "replace").decode() for text in texts]
        cut = self.table.tokenizer.encode_batch(plain, add_special_tokens=False)
        return [np.array(each.ids, dtype=np.int64) for each in cut]


@lru_cache(maxsize=2)
def _table(weights: str, tokenizer: str, content: str) -> Table:
    """Load a table; the digest is an argument, so that a changed folder is read again."""
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    try:
        (vectors,) = load_file(weights).values()
        if vectors.ndim != 2:
            raise ValueError(f"expected a matrix, got {vectors.ndim} dimensions")
        made = Tokenizer.from_file(tokenizer)
        if max(made.get_vocab().values(), default=0) >= len(vectors):
            raise ValueError(f"the tokenizer has more subwords than the {len(vectors)} rows")
        if not np.isfinite(vectors).all():
            raise ValueError("a value is not finite")
    except Exception as error:  # a damaged file can raise anything
        raise AssayError(
            f"{weights}: not a table of vectors ({first_line(error)}). Give a model.safetensors with one matrix."
        ) from None
    whole = vectors.astype(np.float32)
    lengths = np.linalg.norm(whole, axis=1, keepdims=True)
    return Table(whole / np.maximum(lengths, 1e-12), made)
