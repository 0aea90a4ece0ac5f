"""N-gram diversity: published test vectors of GEM and MultiWOZ, and plain counting."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from math import log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics import resolve
from assay.stats.resample import bootstrap
from tests.support import items, score

TEXTS = st.lists(st.lists(st.sampled_from("abcd."), max_size=8).map(" ".join), min_size=1, max_size=6)


def test_gem_vectors() -> None:
    from tests.conftest import OUTPUTS

    values = score("ngrams", OUTPUTS)
    expected = {
        "distinct-1": 0.636364, "distinct-2": 0.833333, "distinct-3": 0.888889,
        "vocab-1": 21, "vocab-2": 25, "vocab-3": 24, "unique-1": 12, "unique-2": 20, "unique-3": 21,
        "entropy-1": 4.233640, "entropy-2": 4.573557, "entropy-3": 4.532665,
        "cond_entropy-2": 0.220993, "cond_entropy-3": -0.040892,
        "distinct-1-nopunct": 0.689655, "distinct-2-nopunct": 0.846154, "distinct-3-nopunct": 0.913043,
        "vocab-1-nopunct": 20, "vocab-2-nopunct": 22, "vocab-3-nopunct": 21,
        "unique-1-nopunct": 12, "unique-2-nopunct": 18, "unique-3-nopunct": 19,
        "entropy-1-nopunct": 4.211261, "entropy-2-nopunct": 4.392747, "entropy-3-nopunct": 4.349649,
        "cond_entropy-2-nopunct": 0.179185, "cond_entropy-3-nopunct": -0.046443,
    }  # fmt: skip
    assert values == pytest.approx(expected, abs=1e-6)


def test_empty_outputs_count_nothing() -> None:
    values = score("ngrams", ["", "token number one token number two token number three", ""])
    assert values["distinct-1"] == pytest.approx(0.555556, abs=1e-6)
    assert values["unique-1"] == 3
    assert values["entropy-1"] == pytest.approx(2.113283, abs=1e-6)
    assert values["entropy-2"] == pytest.approx(2.405639, abs=1e-6)
    assert values["cond_entropy-2"] == pytest.approx(0.424436, abs=1e-6)
    assert values["entropy-3"] == pytest.approx(2.807355, abs=1e-6)
    nothing = score("ngrams", ["", ""])
    assert nothing["distinct-1"] == 0
    assert np.isnan(nothing["entropy-1"])


@given(texts=TEXTS, seed=st.integers(0, 5))
def test_every_resample_equals_plain_counting(texts: list[str], seed: int) -> None:
    """The scores of a resample are those of its outputs."""
    (request,) = resolve("ngrams")
    rows = request.metric.statistics(items(texts))
    (resamples,) = bootstrap(len(texts), 35, seed)
    values = request.metric.fold(rows, resamples)
    for k in (0, 17, 34):
        drawn = [texts[i].split() for i in resamples.indices[k]]
        counts = [Counter(tuple(t[i : i + n]) for t in drawn for i in range(len(t) - n + 1)) for n in (1, 2, 3)]
        for n, count in enumerate(counts, 1):
            total = sum(count.values())
            assert values[f"vocab-{n}"][k] == len(count)
            assert values[f"unique-{n}"][k] == sum(c == 1 for c in count.values())
            if total:
                entropy = -sum(c / total * log2(c / total) for c in count.values())
                assert values[f"entropy-{n}"][k] == pytest.approx(entropy, abs=1e-9)
                if n > 1:
                    below = counts[n - 2]
                    under = sum(below.values())
                    conditional = -sum(
                        c / total * log2((c / total) / (below[g[:-1]] / under)) for g, c in count.items()
                    )
                    assert values[f"cond_entropy-{n}"][k] == pytest.approx(conditional, abs=1e-9)


def test_multiwoz_vector() -> None:
    values = score("ngrams:multiwoz", ["a b a b", "a c"])
    assert [values[f"vocab-{n}"] for n in (1, 2, 3)] == [3, 3, 2]
    assert values["entropy-1"] == pytest.approx(1.459148, abs=1e-6)
    assert values["cond_entropy-2"] == pytest.approx(0.625815, abs=1e-6)


def test_narrative_preset_divides_by_words() -> None:
    values = score("ngrams:narrative", ["the cat sat on the mat", "the cat ran"])
    assert values["distinct-1"] == pytest.approx(6 / 9)
    assert values["distinct-2"] == pytest.approx(6 / 9)
    assert score("ngrams", ["the cat sat on the mat", "the cat ran"])["distinct-2"] == pytest.approx(6 / 7)


CANONICAL = {
    "address": "ADDRESS", "area": "AREA", "day": "DAY", "food": "FOOD", "name": "NAME", "phone": "PHONE",
    "postcode": "POST", "post": "POST", "reference": "REFERENCE", "ref": "REFERENCE", "type": "TYPE", "car": "TYPE",
    "trainid": "TRAINID", "internet": "INTERNET", "parking": "PARKING", "department": "DEPARTMENT",
}  # fmt: skip


@pytest.mark.parametrize(
    ("system", "unique", "trigrams", "entropy", "conditional", "length"),
    [("hdno", 103, 315, 5.46, 0.84, 14.96), ("sfn", 188, 1218, 6.03, 1.63, 14.93)],
)
def test_published_multiwoz_diversity(
    shared_data: Callable[[str], Path],
    system: str,
    unique: int,
    trigrams: int,
    entropy: float,
    conditional: float,
    length: float,
) -> None:
    """Within a few types of Table 6; the paper also joins clitics with a tokenizer that is not used here."""
    actual = [p for p in shared_data("multiwoz").rglob("*.json") if system in p.stem.lower()]
    if not actual:
        pytest.skip(f"needs the predictions of {system}")
    turns = json.loads(actual[0].read_text(encoding="utf-8"))
    outputs = [turn["response"].lower() for dialogue in turns.values() for turn in dialogue]
    outputs = [re.sub(r"\[([\w\s]+)\](es|s|-s|-es|)", lambda m: slot(m.group(1)), text) for text in outputs]
    outputs = [re.sub(r"\s+", " ", text.replace("-s", "").replace("-ly", "")) for text in outputs]
    outputs = [re.sub(r" (?='|n't)", "", text) for text in outputs]
    values = score("ngrams:multiwoz", outputs)
    assert values["vocab-1"] == pytest.approx(unique, rel=0.03)
    assert values["vocab-3"] == pytest.approx(trigrams, rel=0.03)
    assert values["entropy-1"] == pytest.approx(entropy, abs=0.03)
    assert values["cond_entropy-2"] == pytest.approx(conditional, abs=0.03)
    assert score("lengths:tokenizer=multiwoz", outputs)["mean_length"] == pytest.approx(length, abs=0.1)


def slot(name: str) -> str:
    last = name.strip().split("_")[-1].replace(" ", "")
    for word, canonical in {
        "arrive": "TIME", "leave": "TIME", "time": "TIME", "duration": "TIME", "depart": "PLACE", "dest": "PLACE",
        "place": "PLACE", "price": "PRICE", "fee": "PRICE", "stars": "COUNT", "stay": "COUNT", "people": "COUNT",
        "choice": "COUNT", "count": "COUNT", "open": "OPEN", "id": "ID", "train": "TRAINID",
    }.items():  # fmt: skip
        if word in last and last not in CANONICAL:
            return canonical
    return CANONICAL.get(last, "")
