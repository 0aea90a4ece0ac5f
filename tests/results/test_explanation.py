"""Parts of a difference: planted manipulations are found at their size, and shuffled labels give nothing."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.records import Example
from assay.results.comparison import Comparison
from assay.results.explanation import Associated
from assay.results.result import Result
from assay.results.tables import explanation_table
from assay.results.text_properties import copying, entities, length, numbers, repetition
from assay.stats.shapley import shapley
from tests.conftest import Call, write_jsonl

N = 160
WORDS = [first + second for first in "babebibobudadedidodu" for second in ("ran", "mil", "tos", "kep")]


def sentence(draw: random.Random, low: int, high: int) -> str:
    return " ".join(draw.choices(WORDS, k=draw.randint(low, high)))


def noisy(draw: random.Random, text: str) -> str:
    """The text with some words exchanged, as a system would write it."""
    return " ".join(draw.choice(WORDS) if draw.random() < 0.3 else word for word in text.split())


DRAW = random.Random(5)
REFERENCES = [sentence(DRAW, 12, 30) for _ in range(N)]
SOURCES = [sentence(DRAW, 60, 80) for _ in range(N)]
OUTPUTS = [noisy(DRAW, text) for text in REFERENCES]
HALF = set(DRAW.sample(range(N), N // 2))
CUT = [" ".join(text.split()[: round(0.7 * len(text.split()))]) for text in OUTPUTS]
COPIED = [" ".join(source.split()[: len(text.split())]) for text, source in zip(OUTPUTS, SOURCES, strict=True)]
EXAMPLES = [
    {
        "id": f"i{i}",
        "references": [reference],
        "source": source,
        "tags": {"kind": "ab"[i % 4 == 0], "doc": f"d{i // 4}"},
    }
    for i, (reference, source) in enumerate(zip(REFERENCES, SOURCES, strict=True))
]


@pytest.fixture(scope="module")
def score(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Sequence[str]], Result]:
    folder = tmp_path_factory.mktemp("explained")
    examples = write_jsonl(folder / "examples.jsonl", EXAMPLES)

    def scored(name: str, texts: Sequence[str]) -> Result:
        rows = [{"id": f"i{i}", "output": text} for i, text in enumerate(texts)]
        return assay.score(write_jsonl(folder / f"{name}.jsonl", rows), examples=examples, metrics="rouge1,chrf")

    return scored


Score = Callable[[str, Sequence[str]], Result]


def compared(a: Result, b: Result, *names: str, **options: object) -> Comparison:
    return assay.compare(a, b, explain=names or ("length", "copying", "repetition"), cluster="none", **options)  # type: ignore[arg-type]


def test_a_planted_manipulation_takes_the_difference(score: Score) -> None:
    base = score("a", OUTPUTS)
    for texts, planted in ((CUT, "length"), (COPIED, "copying")):
        for metric, each in compared(base, score("b", texts)).explanation.items():
            part = each.parts[planted]
            assert part.value == pytest.approx(each.difference, rel=0.1), (metric, planted)
            assert part.excludes_zero
            total = sum(one.value for one in each.parts.values()) + each.unexplained.value
            assert total == pytest.approx(each.difference, abs=1e-12)


def test_two_manipulations_are_found_at_their_sizes(score: Score) -> None:
    """One half truncated, the other copied: what each does alone is known."""
    base = score("a", OUTPUTS)
    cut = [CUT[i] if i in HALF else OUTPUTS[i] for i in range(N)]
    put = [OUTPUTS[i] if i in HALF else COPIED[i] for i in range(N)]
    both = [CUT[i] if i in HALF else COPIED[i] for i in range(N)]
    sizes = {what: score("b", texts).values["rouge1"] - base.values["rouge1"] for what, texts in
             (("length", cut), ("copying", put))}  # fmt: skip
    parts = compared(base, score("b", both)).explanation["rouge1"].parts
    for what, size in sizes.items():
        assert parts[what].value == pytest.approx(size, rel=0.15)
        assert parts[what].excludes_zero
    assert abs(parts["repetition"].value) < 0.01


def test_shuffled_labels_give_nothing(score: Score) -> None:
    """Over many shuffles, about one interval in twenty excludes 0."""
    draw, alarms = random.Random(1), []
    for _ in range(20):
        pairs = [(a, b) if draw.random() < 0.5 else (b, a) for a, b in zip(CUT, COPIED, strict=True)]
        first, second = (score("ab"[side], [pair[side] for pair in pairs]) for side in (0, 1))
        for each in compared(first, second, samples=200).explanation.values():
            alarms += [part.excludes_zero for part in (*each.parts.values(), each.unexplained)]
    assert np.mean(alarms) < 0.1


def test_the_mix_of_subsets_is_what_unequal_sizes_do(score: Score) -> None:
    """Only items of the small subset differ: with subsets of equal size the difference would be twice as large."""
    worse = [CUT[i] if i % 4 == 0 else OUTPUTS[i] for i in range(N)]
    each = compared(score("a", OUTPUTS), score("b", worse), "kind").explanation["rouge1"]
    assert each.unexplained.value == pytest.approx(2 * each.difference)
    assert each.parts["kind"].value == pytest.approx(-each.difference)


def width(part: Associated) -> float:
    assert part.low is not None
    assert part.high is not None
    return part.high - part.low


def test_clusters_are_resampled_whole(score: Score) -> None:
    """Four items of a document change together: intervals are wider by clusters."""
    worse = [CUT[i] if (i // 4) % 2 else OUTPUTS[i] for i in range(N)]
    a, b = score("a", OUTPUTS), score("b", worse)
    alone = compared(a, b).explanation["rouge1"].parts["length"]
    clustered = assay.compare(a, b, explain=["length"], cluster="doc").explanation["rouge1"].parts["length"]
    assert width(clustered) > 1.3 * width(alone)


def test_what_cannot_be_explained_is_refused(score: Score, tmp_path: Path) -> None:
    a, b = score("a", OUTPUTS), score("b", CUT)
    with pytest.raises(AssayError, match="explain lenght: neither one of length"):
        compared(a, b, "lenght")
    with pytest.raises(AssayError, match="different names"):
        compared(a, b, "length", "length")
    with pytest.raises(AssayError, match="160 values"):
        compared(a, b, "id")
    with pytest.raises(AssayError, match="texts of b are not available"):
        compared(a, replace(b, texts=None), "length")
    bare = [assay.score(texts, REFERENCES, metrics="rouge1") for texts in (OUTPUTS, CUT)]
    with pytest.raises(AssayError, match="no source"):
        compared(bare[0], bare[1], "copying")
    few = compared(a.take(np.arange(4)), b.take(np.arange(4)), "length").explanation["rouge1"]
    assert few.parts["length"].low is None


def test_the_command_prints_parts_and_json(here: Callable[..., Call], tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "examples.jsonl", EXAMPLES)
    files = [
        write_jsonl(tmp_path / f"{name}.jsonl", [{"id": f"i{i}", "output": text} for i, text in enumerate(texts)])
        for name, texts in (("whole", OUTPUTS), ("cut", CUT))
    ]
    words = ("-m", "rouge1", "--samples", "200", "--explain", "length,copying,kind")
    plain = here("compare", *files, "-e", examples, "-m", "rouge1", "--samples", "200", "--json").json
    shown = here("compare", *files, "-e", examples, *words, "--json").json
    explanation = shown.pop("explanation")["rouge1"]
    assert shown == plain
    assert set(explanation["parts"]) == {"length", "copying", "kind"}
    printed = here("compare", *files, "-e", examples, *words)
    assert "associated with" in printed.out
    assert "unexplained" in printed.out
    assert "caused by" in printed.out.replace("\n", " ")
    for name, file in zip(("whole", "cut"), files, strict=True):
        assert here("score", file, "-e", examples, "-m", "rouge1", "--save", tmp_path / "runs" / name).code == 0
    runs = here("compare", tmp_path / "runs/whole", tmp_path / "runs/cut", *words[2:], "--json")
    assert json.dumps(runs.json["explanation"]["rouge1"]) == json.dumps(explanation)
    assert here("compare", *files, "-e", examples, *words, "--format", "latex").code == 2


def test_properties_of_single_texts() -> None:
    example = Example(
        id="x", references=("There Anna paid 30 euros in Rome",), source="Anna paid 30 euros in Rome on Monday"
    )
    assert length("then Anna paid 30 euros in Rome", example) == (0.0, 0.0)
    assert length("Anna", example)[0] < 0 < length("Anna " * 20, example)[1]
    assert copying("Anna paid 30 euros quickly", example) == (2 / 3,)
    assert copying("no", example) == repetition("no", example) == (0.0,)
    assert repetition("a b a b", example)[0] == pytest.approx(1 / 3)
    assert entities("It was in Rome.", example) == (0.5,)
    assert numbers("30 euros", example) == (1.0,)


def test_shapley_values_of_a_known_game() -> None:
    """One glove left, two right: the left one takes two thirds."""
    shares = shapley(("l", "r", "s"), lambda team: np.array([float("l" in team and len(team) > 1)]))
    assert [float(shares[name][0]) for name in "lrs"] == pytest.approx([2 / 3, 1 / 6, 1 / 6])


def test_properties_that_change_together_are_named(score: Callable[[str, Sequence[str]], Result]) -> None:
    """A copied passage of half the length changes both: what either does alone is not in the data."""
    shorter = [" ".join(text.split()[: len(text.split()) // 2]) for text in COPIED]
    both = [new if i in HALF else old for i, (old, new) in enumerate(zip(OUTPUTS, shorter, strict=True))]
    apart = [CUT[i] if i in HALF else COPIED[i] for i in range(N)]
    explained = assay.compare(score("a", OUTPUTS), score("both", both), explain=("length", "copying"))
    (found,) = explained.explanation["rouge1"].together
    assert (found.first, found.second) == ("length", "copying")
    assert found.correlation >= 0.7
    assert explained.explanation["rouge1"].to_dict()["change_together"][0]["first"] == "length"
    (note,) = explanation_table(explained).notes
    assert "their parts cannot be separated" in note
    other = assay.compare(score("a", OUTPUTS), score("apart", apart), explain=("length", "copying"))
    assert not other.explanation["rouge1"].together
