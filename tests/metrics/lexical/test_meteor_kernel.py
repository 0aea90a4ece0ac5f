"""The kernel of METEOR compared with plain Python, and its table of paraphrases in the cache."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import numpy as np
import pytest

from assay.metrics.lexical.meteor_alignment import Stages, aligned
from assay.metrics.lexical.meteor_paraphrases import paraphrases
from tests.metrics.lexical import meteor_oracle


def phrase_file(folder: Path, table: dict[tuple[str, ...], list[tuple[str, ...]]]) -> Path:
    entries = [(first, second) for first, many in table.items() for second in many]
    text = "".join(f"0.5\n{' '.join(first)}\n{' '.join(second)}\n" for first, second in entries)
    file = folder / "paraphrase-en.gz"
    file.write_bytes(gzip.compress(text.encode()))
    return file


@pytest.mark.parametrize("seed", range(6))
def test_the_kernel_aligns_as_plain_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Few words, so that there are many ways to align them; texts beyond 64 words; empty texts."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    rng = random.Random(seed)
    words = [f"{letter}{number}" for letter in "abcd" for number in range(rng.choice((2, 5)))]

    def text(most: int) -> list[str]:
        return rng.choices(words, k=rng.randint(0, most))

    phrases = [tuple(rng.choices(words, k=rng.randint(1, 3))) for _ in range(12)]
    table: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for first in phrases:
        table[first] = [second for second in rng.sample(phrases, 3) if second != first]
    senses = {word: frozenset(rng.sample(range(6), rng.randint(0, 2))) for word in words}
    function = frozenset(words[::3])
    outputs = [text(rng.choice((6, 20, 90))) for _ in range(25)]
    references = [[text(rng.choice((6, 20, 90))) for _ in range(rng.randint(1, 2))] for _ in outputs]
    outputs.append(references[0][0])
    references.append([references[0][0]])
    oracle = meteor_oracle.Stages(lambda word: word[0], senses.__getitem__, table)
    read = paraphrases(phrase_file(tmp_path, table))
    for theirs, stages in (
        (oracle, Stages(oracle.stem, oracle.senses, read)),
        (meteor_oracle.Stages(), Stages()),
        (meteor_oracle.Stages(phrases=table), Stages(paraphrases=read)),
    ):
        wanted = [
            meteor_oracle.counted(output, reference, theirs, function)
            for output, many in zip(outputs, references, strict=True)
            for reference in many
        ]
        assert aligned(outputs, references, stages, function).tolist() == wanted


def test_the_table_is_kept_in_the_cache_and_read_again_if_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    file = phrase_file(tmp_path, {("a", "b"): [("c",), ("d", "e")], ("f",): [("a", "b")]})
    first = paraphrases(file)
    (folder,) = (tmp_path / "assay" / "models").iterdir()
    paraphrases.cache_clear()
    again = paraphrases(file)
    assert isinstance(again.keys, np.memmap)
    assert all(np.array_equal(array, again._asdict()[name]) for name, array in first._asdict().items())
    (folder / "keys.npy").write_bytes(b"broken")
    paraphrases.cache_clear()
    assert (paraphrases(file).seconds == first.seconds).all()
    monkeypatch.setenv("ASSAY_CACHE_SIZE", "0")
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "other"))
    paraphrases.cache_clear()
    assert (paraphrases(file).seconds == first.seconds).all()
    assert not (tmp_path / "other").exists()
    paraphrases.cache_clear()
