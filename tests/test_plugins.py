"""Packages that add to assay: what is stale, breaks or changes in one is named, and disturbs nothing else."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import assay as package
from tests.conftest import Call, assay, write_jsonl

CODE = """
from dataclasses import dataclass
from typing import ClassVar

import msgspec
import numpy as np

from assay.challenges import Perturbation
from assay.datasets import Card, Dataset
from assay.datasets.sources import json_lines
from assay.inputs import Form
from assay.metrics import Dense, MeanMetric, Part
from assay.systems import Answer, System


@dataclass(frozen=True)
class Letters(MeanMetric):
    name: ClassVar = "letters"
    category: ClassVar = "semantic"
    summary: ClassVar = "synthetic"

    def parts(self):
        return (Part("letters", bounds=(0.0, None)),)

    def compute(self, items, context):
        texts = [*items.outputs, *(references[0] for references in items.references)]
        made = dict(zip(texts, context.cache.through("letters", texts, self.encode)))
        scores = [float(made[a][0] == made[b[0]][0]) for a, b in zip(items.outputs, items.references)]
        return self.rows({"letters": np.array(scores)})

    def encode(self, texts):
        return [np.array([len(text.split(MARK))]) for text in texts]

MARK = " "


@dataclass(frozen=True)
class Half(Letters):
    name: ClassVar = "half"

    def compute(self, items, context):
        return Dense(("letters", "count"), np.ones((1, 2)))


@dataclass(eq=False)
class Shout(System):
    name: ClassVar = "shout"
    about: ClassVar = "synthetic"
    abilities: ClassVar = ("generate",)

    def generate(self, examples):
        for example in examples:
            yield Answer(example.id, example.input["word"].upper())


@dataclass(frozen=True)
class LostWord(Perturbation):
    name: ClassVar = "lost-word"
    about: ClassVar = "synthetic"
    changes: ClassVar = "the source"

    def change(self, example, draw):
        return msgspec.structs.replace(example, source=example.input["word"])


@dataclass(frozen=True)
class Words(Form):
    name: ClassVar = "words"
    about: ClassVar = "synthetic"
    kind: ClassVar = "text"

    def write(self, example, given):
        return example.input["word"]


@dataclass(frozen=True)
class Mine(Dataset):
    name: ClassVar = "mine"
    card: ClassVar = Card("Mine", "dialog", "", ("en",), {}, "", "1", "", "default", "", "")

    def records(self, file):
        return json_lines(file.path, "id")

    def examples(self, record, file):
        return [record.value["nothing"]]
"""
POINTS = {
    "metrics": {"letters": "Letters", "half": "Half", "gone": "Gone"},
    "systems": {"shout": "Shout", "gone-system": "Gone"},
    "challenges": {"lost-word": "LostWord", "gone-challenge": "Gone"},
    "forms": {"words": "Words", "gone-form": "Gone"},
    "datasets": {"mine": "Mine", "gone_data": "Gone"},
}
ROUGE1 = {"rouge1", "rouge1.precision", "rouge1.recall"}
TEXTS = ["one two", "three", "four five six", "seven"]


class Plugin:
    """`my-plug 0.1`, installed beside assay as pip would leave it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.about = folder / "my_plug-0.1.dist-info"
        self.about.mkdir(parents=True)
        (self.about / "METADATA").write_text("Metadata-Version: 2.1\nName: my-plug\nVersion: 0.1\n")
        self.offer(POINTS)
        self.write(CODE)

    def offer(self, points: dict[str, dict[str, str]]) -> None:
        groups = [
            "\n".join([f"[assay.{group}]", *(f"{name} = my_plug:{cls}" for name, cls in names.items())])
            for group, names in points.items()
        ]
        (self.about / "entry_points.txt").write_text("\n".join(groups) + "\n")

    def write(self, code: str) -> None:
        (self.folder / "my_plug.py").write_text(code)

    def line(self, text: str) -> int:
        return (self.folder / "my_plug.py").read_text().split("\n").index(text) + 1

    def run(self, *arguments: object) -> Call:
        path = os.pathsep.join([str(self.folder), str(Path(package.__file__).parents[1])])
        environment = {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "ASSAY_CACHE": str(self.folder / "cache")}
        return assay(*arguments, cwd=self.folder, **environment)


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    plugin = Plugin(tmp_path / "site")
    words = [{"word": "a"}, {}, {"word": "c"}, {"word": "d"}]
    rows = [{"id": f"i{n}", "source": "x y", "references": [TEXTS[n]], "input": words[n]} for n in range(4)]
    write_jsonl(plugin.folder / "examples.jsonl", rows)
    write_jsonl(plugin.folder / "good.jsonl", [row for row in rows if row["input"]])
    write_jsonl(plugin.folder / "outputs.jsonl", [{"id": f"i{n}", "output": TEXTS[n][::-1]} for n in range(4)])
    return plugin


def score(plugin: Plugin, outputs: str = "outputs.jsonl", *more: object) -> float:
    said = plugin.run("score", outputs, "--examples", "examples.jsonl", "-m", "letters", "--json", *more)
    assert said.code == 0, said.err
    return float(said.json["scores"]["letters"]["value"])


def test_an_edited_encoder_never_meets_vectors_of_the_old_one(plugin: Plugin) -> None:
    assert score(plugin) == 1.0  # reversed texts have as many words
    plugin.write(CODE.replace('MARK = " "', 'MARK = "o"'))
    write_jsonl(plugin.folder / "new.jsonl", [{"id": f"i{n}", "output": "o" * (n + 5)} for n in range(4)])
    with_cache = score(plugin, "new.jsonl")
    assert with_cache == 0.0  # one word each by the old encoder: 0.5 from a mixture of both
    held = plugin.run("store", "cache").out
    assert held.count("letters@") == 2


def test_force_computes_saved_numbers_again(plugin: Plugin) -> None:
    assert score(plugin, "outputs.jsonl", "--save", "run") == 1.0
    for more in ([], ["--force"]):
        score(plugin, "outputs.jsonl", "--save", "run", *more)
    log = [json.loads(line) for line in (plugin.folder / "run/log.jsonl").read_text().splitlines()]
    assert [entry["reused"] for entry in log] == [[], ["letters"], []]


@pytest.mark.slow
def test_statistics_of_replaced_code_go_and_a_metric_that_is_gone_stands_in_nobodys_way(plugin: Plugin) -> None:
    files = plugin.folder / "run" / "statistics"
    score(plugin, "outputs.jsonl", "--save", "run")
    (old,) = files.iterdir()
    plugin.write(CODE + "\n")
    stale = plugin.run("score", "run")
    assert "run: nothing can be loaded: the statistics of letters were computed by other code" in stale.err
    score(plugin, "outputs.jsonl", "--save", "run")
    (new,) = files.iterdir()
    assert new != old
    plugin.offer({})
    more = ["outputs.jsonl", "--examples", "examples.jsonl", "-m", "rouge1", "--save", "run"]
    assert plugin.run("score", *more).code == 0
    loaded = plugin.run("score", "run", "--json").json
    assert set(loaded["scores"]) == ROUGE1
    why = "no metric called letters (did you mean meteor?); see `assay metric list`"
    assert loaded["failed"] == [{"metric": "letters", "why": why}]
    assert new.exists()
    plugin.offer(POINTS)
    assert set(plugin.run("score", "run", "--json").json["scores"]) == {*ROUGE1, "letters"}


def test_an_edited_system_is_asked_again_and_force_always_asks(plugin: Plugin) -> None:
    asked = ["system", "generate", "good.jsonl", "--system", "shout", "-o", "out.jsonl"]
    assert "were there" not in plugin.run(*asked).out
    assert "3 reused" in plugin.run(*asked).out
    assert "were there" not in plugin.run(*asked, "--force").out
    plugin.write(CODE.replace(".upper()", ".title()"))
    assert "was made by another system" in plugin.run(*asked).err
    own = ["system", "generate", "good.jsonl", "--system", "copy", "-o", "copy.jsonl"]
    assert plugin.run(*own).code == 0
    assert "were there" not in plugin.run(*own, "--force").out


def test_whose_code_broke_where_and_on_what(plugin: Plugin) -> None:
    broke = "KeyError: 'word' (in {}, my_plug.py:{})"
    change = broke.format(
        "change", plugin.line('        return msgspec.structs.replace(example, source=example.input["word"])')
    )
    said = plugin.run("challenge", "make", "lost-word", "examples.jsonl", "-o", "set.jsonl")
    assert (said.code, said.err) == (1, f"assay: examples.jsonl:2 id i1: lost-word: {change}\n")
    write = broke.format("write", plugin.line('        return example.input["word"]'))
    said = plugin.run("data", "render", "examples.jsonl", "--as", "words")
    assert (said.code, said.err) == (1, f"assay: examples.jsonl:2 id i1: form words: {write}\n")
    said = plugin.run("data", "read", "mine", "examples.jsonl", "-o", "read.jsonl")
    reads = plugin.line('        return [record.value["nothing"]]')
    place = f"(in examples, my_plug.py:{reads})"
    assert (said.code, said.err) == (1, f"assay: examples.jsonl:1 id i0: mine: KeyError: 'nothing' {place}\n")
    generate = broke.format(
        "generate", plugin.line('            yield Answer(example.id, example.input["word"].upper())')
    )
    said = plugin.run("system", "generate", "examples.jsonl", "--system", "shout", "-o", "out.jsonl")
    assert said.code == 1
    assert f" id i1 (or one of 2 asked with it): shout: {generate}; 1 of 4 answers are kept" in said.err
    assert "Traceback" not in said.err


def test_a_metric_with_too_few_rows_fails_alone(plugin: Plugin) -> None:
    said = plugin.run("score", "outputs.jsonl", "--examples", "examples.jsonl", "-m", "half,rouge1", "--json")
    assert said.json["failed"] == [
        {"metric": "half", "why": "1 row for 4 items; statistics must return one row per item"}
    ]
    assert set(said.json["scores"]) == ROUGE1


LISTS = {
    "metrics": "metric list", "systems": "system list", "challenges": "challenge list", "forms": "data forms",
    "datasets": "data list",
}  # fmt: skip


@pytest.mark.parametrize("listing", LISTS)
def test_lists_name_what_cannot_be_loaded(plugin: Plugin, listing: str) -> None:
    gone = {"metrics": "gone", "datasets": "gone_data"}.get(listing, f"gone-{listing[:-1]}")
    command = LISTS[listing].split()
    said = plugin.run(*command)
    assert said.code == 0, said.err
    assert gone in said.out
    described = plugin.run(*command, "--json").json
    assert gone not in described[listing]
    assert len(described[listing]) > 2
    noun = f"{listing[:-1]} {gone} of my-plug 0.1 cannot be loaded from my_plug:Gone: "
    why = described["cannot_be_loaded"][gone]
    assert why.startswith(noun)
    assert why.endswith("update or uninstall my-plug")
    asked = plugin.run(*command, gone)
    assert asked.code == 1
    assert noun in asked.err


def test_only_who_asks_for_a_name_is_told_that_it_is_broken_or_taken(plugin: Plugin) -> None:
    nosuch = plugin.run("score", "outputs.jsonl", "--examples", "examples.jsonl", "-m", "nosuch").err
    assert nosuch.startswith("assay: no metric called nosuch; see `assay metric list`; metric gone of my-plug")
    plugin.offer({"metrics": {"rouge": "Letters"}})
    assert plugin.run("score", "outputs.jsonl", "--examples", "examples.jsonl", "-m", "chrf").code == 0
    taken = "two metrics are called rouge: assay's own and my_plug:Letters of my-plug 0.1; update or uninstall my-plug"
    asked = plugin.run("score", "outputs.jsonl", "--examples", "examples.jsonl", "-m", "rouge")
    assert asked.code == 1
    assert taken in asked.err
    described = plugin.run("metric", "list", "--json").json
    assert taken in described["cannot_be_loaded"]["rouge"]
    assert "bleu" in described["metrics"]
