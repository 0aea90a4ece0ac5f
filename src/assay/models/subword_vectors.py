"""Static vectors: one vector for each piece of a word, whatever stands around it. No network, no torch."""

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
"""Those that install as a package: module, weights and tokenizer inside it."""
FILES = ("model.safetensors", "tokenizer.json")
"""What a folder has to hold."""


class Table(NamedTuple):
    """Every vector, of length 1, and what cuts texts into the pieces that they belong to."""

    vectors: NDArray[np.float32]
    tokenizer: Any


@dataclass(frozen=True)
class StaticVectors:
    """A table of vectors by name."""

    model: str = "wordllama"
    """`wordllama` (of the package of that name), or a folder with model.safetensors (one table) and tokenizer.json."""

    def why_not(self) -> str | None:
        """What is missing on this machine, with the remedy; None if nothing is."""
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
                    f"{self.model}: no {name} in it; give a folder with {' and '.join(FILES)}, or wordllama"
                )
        return folder / names[0], folder / names[1]

    @property
    def label(self) -> str:
        """The weights by name and content."""
        return f"{Path(self.model).name}-{digest_of([large_digest(file) for file in self.files])[:12]}"

    @property
    def table(self) -> Table:
        return _table(*map(str, self.files), self.label)

    def ids(self, texts: Sequence[str]) -> list[NDArray[np.int64]]:
        """The numbers of each text's pieces."""
        plain = [text.encode("utf-8", "replace").decode() for text in texts]
        cut = self.table.tokenizer.encode_batch(plain, add_special_tokens=False)
        return [np.array(each.ids, dtype=np.int64) for each in cut]


@lru_cache(maxsize=2)
def _table(weights: str, tokenizer: str, content: str) -> Table:
    """By content too: a folder may change while we run."""
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    try:
        (vectors,) = load_file(weights).values()
        if vectors.ndim != 2:
            raise ValueError(f"a table has two dimensions, and this one {vectors.ndim}")
        made = Tokenizer.from_file(tokenizer)
        if max(made.get_vocab().values(), default=0) >= len(vectors):
            raise ValueError(f"its tokenizer has more pieces than its {len(vectors)} rows")
        if not np.isfinite(vectors).all():
            raise ValueError("a number in it is not finite")
    except Exception as error:  # damage shows itself in every way there is
        raise AssayError(
            f"{weights}: no table of vectors ({first_line(error)}); give model.safetensors with one"
        ) from None
    whole = vectors.astype(np.float32)
    lengths = np.linalg.norm(whole, axis=1, keepdims=True)
    return Table(whole / np.maximum(lengths, 1e-12), made)
