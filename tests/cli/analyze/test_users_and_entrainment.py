"""`assay analyze users` and `assay analyze entrainment` on texts with a known answer."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.datasets.synthetic_venues import synthetic_users
from assay.records import Example, write_jsonl
from assay.records.kinds import Act, Acts, Utterance
from tests.conftest import Call


@pytest.fixture
def users(tmp_path: Path) -> tuple[Path, Path]:
    made = synthetic_users(16)
    files = tmp_path / "train.jsonl", tmp_path / "test.jsonl"
    for path, split in zip(files, ("train", "test"), strict=True):
        write_jsonl(path, [one for one in made if one.split == split])
    return files


def test_planted_users_are_identified(run: Callable[..., Call], users: tuple[Path, Path], tmp_path: Path) -> None:
    train, test = users
    out = tmp_path / "focused.jsonl"
    found = run("analyze", "users", test, "--users", train, "-o", out, "--json").json
    assert found["users"] == 11
    assert found["per_hits"]["1"] > 0.9 > 3 / 11
    values = list(found["per_hits"].values())
    assert values == sorted(values)
    assert len(out.read_text("utf-8").splitlines()) == found["focused"] == round(found["per_hits"]["1"] * found["n"])
    assert "Per-Hits@k" in run("analyze", "users", test, "--users", train).out


def test_unknown_user(run: Callable[..., Call], users: tuple[Path, Path], tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    write_jsonl(other, [Example(id="x", references=("Hello.",), tags={"user": "nobody"})])
    failed = run("analyze", "users", other, "--users", users[0])
    assert failed.code == 1
    assert "id x: no text of user nobody" in failed.err


def dialog(number: int, said: str, reply: str) -> Example:
    context = [Utterance("sys", "Hello."), Utterance("user", said)]
    acts = Acts(service="S_1", acts=[Act("OFFER", "price", ["$2"])], context=context)
    return Example(id=str(number), input=acts.plain(), references=(reply,))


def test_outputs_that_repeat_the_user(run: Callable[..., Call], tmp_path: Path) -> None:
    said = ["red boats", "two old dogs here", "the long road to the sea", "a small house near the big river today"]
    write_jsonl(tmp_path / "e.jsonl", [dialog(i, text, "It costs two.") for i, text in enumerate(said)])
    write_jsonl(tmp_path / "o.jsonl", [{"id": str(i), "output": text} for i, text in enumerate(said)])
    shown = run("analyze", "entrainment", tmp_path / "o.jsonl", "-e", tmp_path / "e.jsonl", "--json").json
    rows = {(row["system"], row["side"]): row for row in shown["entrainment"]}
    user = rows["o", "user"]
    assert user["n"] == 4
    assert user["context_bleu"] == pytest.approx(100)
    assert user["length"]["r"] == pytest.approx(1)
    assert rows["references", "user"]["context_bleu"] < 20
    assert rows["references", "user"]["length"] is None  # all references have the same length
    assert "context BLEU-2" in run("analyze", "entrainment", tmp_path / "o.jsonl", "-e", tmp_path / "e.jsonl").out
