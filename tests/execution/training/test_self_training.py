"""Self-training: the loop with known models, matching, the regimes, and a tiny training that is resumed."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from assay.datasets.synthetic_venues import synthetic_venues
from assay.errors import AssayError
from assay.execution.training.kinds import read_recipe, train_model
from assay.execution.training.self_training import Read, Write, overlap, same, self_train
from assay.records.types import Example

LABELLED = [Example(id=f"l{i}", source=f"x{i}", references=(f"text {i}",)) for i in range(4)]
UNPAIRED = [Example(id=f"u{i}", source=f"x{i}") for i in range(4, 12)]
VALID = [Example(id=f"v{i}", source=f"x{i}", references=("-",)) for i in range(12)]


def line(example: Example) -> str:
    return example.source or ""


def learner(limits: Sequence[int], seen: list[list[str]]) -> object:
    """Models whose generator is right for inputs below a limit, which differs by round; the reader is perfect."""

    def teach(number: int, pairs: Sequence[Example]) -> tuple[Write, Read]:
        seen.append([pair.id for pair in pairs])

        def write(examples: Sequence[Example]) -> list[str]:
            numbers = [int((example.source or "")[1:]) for example in examples]
            return [f"text {i}" if i < limits[number] else "nonsense" for i in numbers]

        def read(texts: Sequence[str]) -> list[str]:
            return [f"x{text.split()[-1]}" for text in texts]

        return write, read

    return teach


def test_recovered_texts_train_the_next_round_and_the_best_is_kept() -> None:
    seen: list[list[str]] = []
    lines: list[str] = []
    teach = learner([6, 9, 7], seen)
    done = self_train(LABELLED, UNPAIRED, VALID, teach, line, rounds=2, say=lines.append)  # type: ignore[arg-type]
    assert seen == [[f"l{i}" for i in range(4)], [*(f"l{i}" for i in range(4)), "u4", "u5"],
                    [*(f"l{i}" for i in range(4)), "u4", "u5", "u6", "u7", "u8"]]  # fmt: skip
    assert [(one.pool, one.accepted, one.match) for one in done.rounds] == [
        (0, 0, 6 / 12), (2, 2 / 8, 9 / 12), (5, 5 / 8, 7 / 12)
    ]  # fmt: skip
    assert done.best == 1
    assert done.stopped == "2 rounds"
    assert lines[-1] == "! round 2 lowers the match rate from 75.0% to 58.3%"


def test_it_stops_when_the_pool_does_not_change() -> None:
    done = self_train(LABELLED, UNPAIRED, VALID, learner([6] * 9, []), line, rounds=8)  # type: ignore[arg-type]
    assert len(done.rounds) == 2
    assert done.stopped == "the pool does not change"
    assert done.best == 0
    done = self_train(LABELLED, UNPAIRED, VALID, learner([0] * 9, []), line, rounds=8)  # type: ignore[arg-type]
    assert len(done.rounds) == 1
    assert done.stopped == "no text was accepted"
    with pytest.raises(AssayError, match="no unpaired input"):
        self_train(LABELLED, [], VALID, learner([0], []), line)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wanted", "other", "exact", "parts"),
    [("name[A], food[Thai]", "name[A], food[Thai]", True, True),
     ("name[A], food[Thai]", "food[thai], name[A]", False, True),
     ("name[A]", "name[B]", False, False), ("inform(a=x,b='y z')", "inform(b=y z,a=x)", False, True),
     ("request(a)", "confirm(a)", False, False), ("f[x], f[x]", "f[x]", False, False)],
)  # fmt: skip
def test_matching(wanted: str, other: str, exact: bool, parts: bool) -> None:
    assert same(wanted, other, "exact") is exact
    assert same(wanted, other, "set") is parts


def test_recovered_parts_decide_between_equal_matches() -> None:
    assert overlap("a[1], b[2]", "b[2], c[3]") == 0.5
    assert overlap("a[1]", "a[1]") == 1

    def teach(number: int, pairs: Sequence[Example]) -> tuple[Write, Read]:
        texts = ["y", "x, z", "x, y"][number]  # never the whole input; the second round has most of it
        return lambda examples: [texts for _ in examples], lambda made: ["x, w" if t != "x, z" else t for t in made]

    valid = [Example(id="v", source="x, z, q")]
    unpaired = [Example(id="u", source="x, w"), Example(id="u2", source="x, z")]
    done = self_train(LABELLED, unpaired, valid, teach, line, rounds=2)
    assert [one.match for one in done.rounds] == [0, 0, 0]
    assert done.best == 1


def test_regimes() -> None:
    train = list(range(200))
    for name, count in (("seq2seq:rows=50", 50), ("seq2seq:share=0.1", 20), ("seq2seq", 200)):
        drawn = read_recipe(name)[1].drawn(train)
        assert len(drawn) == count
        assert drawn == sorted(drawn)
    assert read_recipe("self-training:rows=50")[1].drawn(train) == read_recipe("seq2seq:rows=50")[1].drawn(train)
    for wrong in ("rows=50:share=0.5", "share=0", "rows=-1"):
        with pytest.raises(AssayError):
            read_recipe(f"seq2seq:{wrong}")
    with pytest.raises(AssayError, match="rows=201, but there are 200"):
        read_recipe("seq2seq:rows=201")[1].drawn(train)


@pytest.mark.slow
def test_a_training_writes_its_rounds_and_is_used_as_a_system(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from assay.systems import system

    made = synthetic_venues(40)
    train, valid = made[:30], made[30:34]
    text = "self-training:lstm:epochs=1:rounds=1:rows=10:pool=8:max_new=6:vocabulary=300"
    kind, recipe = read_recipe(text)
    lines: list[str] = []
    trained = train_model(kind, recipe, train, valid, tmp_path / "m", None, lines.append)
    assert lines[0].startswith("labelled 10 of 30 pairs, unpaired inputs 8")
    rounds = json.loads((tmp_path / "m" / "rounds.json").read_text("utf-8"))
    assert rounds["best_round"] == trained["best_round"]
    assert rounds["rounds"][0]["unpaired"] == 8
    answers = list(system(f"self-trained:{tmp_path / 'm'}:max_new=6").generate(valid))
    assert [answer.id for answer in answers] == [example.id for example in valid]
    with pytest.raises(AssayError, match="contains a finished model"):
        train_model(kind, recipe, train, valid, tmp_path / "m", None, lines.append)
