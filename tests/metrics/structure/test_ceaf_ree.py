"""CEAF-REE: the vectors of both published scorers, mapping of templates, and arguments that are given or extracted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.datasets import dataset
from assay.errors import AssayError
from assay.metrics.structure.ceaf_ree import CeafRee
from assay.metrics.structure.event_arguments import Template, extracted_template, json_templates
from assay.metrics.structure.gazetteer import find_fillers
from assay.metrics.structure.template_mapping import best_mapping
from assay.models.extractor import ExtractedSpan
from assay.records import Example, Items, write_jsonl
from assay.systems import system
from tests.support import score

LETTERS = [["a1", "a2", "a3"], ["b"], ["c"]]
NUMBERS = [["1", "2", "3"], ["4"], ["5"], ["6"]]
VECTORS = [
    (LETTERS, [["b"], ["a1"], ["c"], ["a3"]], (75, 100, 85.71), None, (100, 100, 100)),
    (LETTERS, [["a1"], ["b"], ["c"]], (100, 100, 100), None, (100, 100, 100)),
    (LETTERS, [["a1"], ["c"]], (100, 66.67, 80), None, (100, 66.67, 80)),
    (NUMBERS, [["4"], ["1"], ["5"], ["6"], ["3"]], (80, 100, 88.89), None, (100, 100, 100)),
    (NUMBERS, [["1", "2"], ["4"], ["5"], ["6"]], (100, 100, 100), None, (100, 100, 100)),
    (NUMBERS, [["1", "2", "3", "4"], ["5"], ["6"]], (66.67, 50, 57.14), (91.67, 68.75, 78.57), (66.67, 50, 57.14)),
    ([["a civilian"], ["14 others"]], ["civilian", "civilian", "judge"], (33.33, 50, 40), None, (66.67, 50, 57.14)),
]  # fmt: skip
"""Gold, predicted, one-to-one strict and (where it differs) proportional, any."""


ROLES = ("target", "victim", "weapon")


def item(gold: Any, predicted: Any, i: int = 0) -> tuple[Example, str]:
    """One document of one event; plain lists are entities of the role victim."""
    roles = gold if isinstance(gold, dict) else {"Victim": gold}
    template = {
        role: [[{"text": text, "start": 0} for text in entity] for entity in held] for role, held in roles.items()
    }
    given = {"kind": "events", "templates": [{"type": "attack", **template}]}
    return Example(id=f"d{i}", input=given), json.dumps(
        predicted if isinstance(predicted, dict) else {"Victim": predicted}
    )


def corpus(*pairs: tuple[Any, Any]) -> Items:
    made = [item(*pair, i) for i, pair in enumerate(pairs)]
    return Items(tuple(output for _, output in made), tuple(example for example, _ in made))


def measured(spec: str, made: Items) -> tuple[float, ...]:
    found = score(spec, made)
    return tuple(round(100 * found[f"ceaf_ree.{kind}"], 2) for kind in ("precision", "recall", "f1"))


@pytest.mark.parametrize(("gold", "predicted", "strict", "proportional", "loose"), VECTORS)
def test_both_published_forms(gold: Any, predicted: Any, strict: Any, proportional: Any, loose: Any) -> None:
    made = corpus((gold, predicted))
    assert measured("ceaf_ree:grit", made) == pytest.approx(strict, abs=0.006)
    assert measured("ceaf_ree:grit:similarity=proportional", made) == pytest.approx(proportional or strict, abs=0.006)
    assert measured("ceaf_ree:gtt:types=false", made) == pytest.approx(loose, abs=0.006)


def test_sums_over_documents_and_roles() -> None:
    three = [(gold, predicted) for gold, predicted, *_ in VECTORS[3:6]]
    roles = dict(zip(("Target", "Victim", "Weapon"), three, strict=True))
    together = ({role: gold for role, (gold, _) in roles.items()}, {role: said for role, (_, said) in roles.items()})
    made = corpus(*three, together)
    assert measured("ceaf_ree:grit", made) == pytest.approx((83.33, 83.33, 83.33), abs=0.006)
    assert measured("ceaf_ree:grit:similarity=proportional", made) == pytest.approx((89.58,) * 3, abs=0.006)
    found = score("ceaf_ree:grit", made)
    assert found["ceaf_ree.target.f1"] == pytest.approx(0.8889, abs=1e-4)
    assert found["ceaf_ree.weapon.f1"] == pytest.approx(0.5714, abs=1e-4)


def test_a_prediction_made_twice_counts_once_unless_it_is_asked_for() -> None:
    made = corpus((VECTORS[6][0], VECTORS[6][1]))
    assert measured("ceaf_ree", made) == (50, 50, 50)
    assert measured("ceaf_ree:eks", made) == (50, 50, 50)


def test_nothing_predicted_is_zero_and_nothing_at_all_is_undefined() -> None:
    assert measured("ceaf_ree", corpus((LETTERS, []))) == (0, 0, 0)
    assert measured("ceaf_ree", corpus(([], ["x"]))) == (0, 0, 0)
    result = assay.score(["{}"], examples=[item([], [])[0]], metrics=["ceaf_ree"])
    assert result.scores["ceaf_ree.f1"].value is None


def test_an_entity_of_nothing_but_articles_is_none() -> None:
    assert measured("ceaf_ree:similarity=proportional", corpus((LETTERS, [["The"], ["b"]]))) == (100, 33.33, 50)


def events(*templates: dict[str, Any]) -> Example:
    held = [
        {role: value if isinstance(value, str) else [[{"text": t, "start": 0} for t in entity] for entity in value]
         for role, value in template.items()}
        for template in templates
    ]  # fmt: skip
    return Example(id="doc", input={"kind": "events", "templates": held})


def test_templates_are_mapped_by_type_and_the_best_f1() -> None:
    gold = events({"type": "attack / bombing", "Victim": [["ann"]]}, {"type": "robbery", "Victim": [["bob"], ["cy"]]})
    output = json.dumps([{"type": "robbery", "victim": ["bob"]}, {"type": "bombing", "victim": ["ann", "dan"]}])
    made = Items((output,), (gold,))
    # mapped: robbery (1 of 1 right, 1 of 2 found), bombing (1 of 2, 1 of 1): 2 of 3 right, 2 of 3 found
    assert measured("ceaf_ree:eks", made) == (66.67, 66.67, 66.67)
    assert measured("ceaf_ree:gtt", made) == (80, 80, 80)  # two types more
    swapped = json.dumps([{"type": "kidnapping", "victim": ["bob"]}, {"type": "bombing", "victim": ["ann", "dan"]}])
    assert measured("ceaf_ree:gtt", Items((swapped,), (gold,))) == (40, 40, 40)
    assert measured("ceaf_ree", Items((swapped,), (gold,))) == (66.67, 66.67, 66.67)  # merged: types do not matter


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 3), st.integers(0, 4),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), min_size=12, max_size=12),
)  # fmt: skip
def test_the_mapping_is_as_good_as_the_best_of_all(gold: int, said: int, cells: list[tuple[int, int, bool]]) -> None:
    table = {(j, i): cells[3 * i + j] for i in range(said) for j in range(gold)}
    sizes = (float(3 * said), float(3 * gold))

    def matched(j: int, i: int) -> tuple[float, float] | None:
        right, found, fits = table[j, i]
        return (right, found) if fits else None

    def f1(mapping: Any) -> float:
        pairs = [matched(j, i) for i, j in enumerate(mapping) if j is not None]
        sums = [sum(pair[k] for pair in pairs if pair) for k in (0, 1)]
        p, r = (part / size if size else 0.0 for part, size in zip(sums, sizes, strict=True))
        return 2 * p * r / (p + r) if p + r else 0.0

    every = [
        mapping
        for mapping in product([*range(gold), None], repeat=said)
        if len({j for j in mapping if j is not None}) == sum(j is not None for j in mapping)
        and all(j is None or matched(j, i) for i, j in enumerate(mapping))
    ]
    best = best_mapping(range(gold), range(said), matched, sizes)
    assert best in every
    assert f1(best) == pytest.approx(max(map(f1, every)))


def test_extracted_mentions_with_the_same_words_are_one_entity() -> None:
    spans = [
        ExtractedSpan("victim", 0, 5, "Mayor", 0.7), ExtractedSpan("victim", 9, 20, "the mayor of Lund", 0.9),
        ExtractedSpan("victim", 30, 33, "Bo", 0.5), ExtractedSpan("victim", 40, 42, "Bo", 0.6),
        ExtractedSpan("weapon", 50, 55, "The", 0.9),
    ]  # fmt: skip
    assert extracted_template(spans, True) == [
        Template("", {"victim": [frozenset({"mayor of lund"}), frozenset({"bo"})]})
    ]


def test_texts_without_an_extractor_are_skipped_with_the_remedy() -> None:
    result = assay.score(["A mayor was hurt."], examples=[item(LETTERS, [])[0]], metrics=["ceaf_ree"])
    (skipped,) = result.skipped
    assert "extractor=FOLDER" in skipped.why
    assert "filler_recall" in skipped.why
    gone = assay.score(["A mayor."], examples=[item(LETTERS, [])[0]], metrics=["ceaf_ree:extractor=./nowhere"])
    assert "weights for ./nowhere not found" in gone.skipped[0].why


@pytest.mark.parametrize("output", ["{broken", '{"Victim": 3}', '{"Victim": [3]}', "[3]"])
def test_arguments_that_cannot_be_meant_are_named_by_id(output: str) -> None:
    with pytest.raises(AssayError, match="id d7"):
        json_templates(output, "d7", True)


def test_what_an_extractor_says_is_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from assay.execution.training.kinds import read_recipe, train_model

    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    names = ["ann", "bob", "cleo", "dan", "eve", "finn"]
    texts = [f"{tool} hit {name} today" for name in names for tool in ("rocks", "bombs", "knives")]
    examples = [
        Example(
            id=str(i),
            references=(text,),
            input={"kind": "event", "template": {"victim": [text.split()[2]], "weapon": [text.split()[0]]}},
        )
        for i, text in enumerate(texts)
    ]
    kind, recipe = read_recipe("extractor:tiny:epochs=30:lr=1e-2:select=f1:vocabulary=300")
    trained = train_model(kind, recipe, examples, examples, tmp_path / "model", None, lambda line: None)
    assert trained["selected"] > 0.9
    outputs = [*texts[:-1], ""]
    made = assay.score(outputs, examples=examples, metrics=[f"ceaf_ree:extractor={tmp_path / 'model'}"])
    assert made.values["ceaf_ree.precision"] > 0.9
    assert made.values["ceaf_ree.recall"] > 0.8
    assert "extractor:model-" in made.scores["ceaf_ree.f1"].signature
    wrong = assay.score(outputs, examples=examples, metrics=["ceaf_ree:extractor=minilm"])
    assert "not an extractor" in (wrong.failed or wrong.skipped)[0].why


@pytest.mark.parametrize(("texts", "expected"), [("references", (35.8, 41.1, 38.3)), ("lead", (13.4, 21.8, 16.6))])
def test_known_fillers_in_published_summaries(
    shared_data: Callable[[str], Path], tmp_path: Path, texts: str, expected: tuple[float, ...]
) -> None:
    """The trivial extractor of the published comparison: fillers of the training templates, found word for word."""
    home = shared_data("eks/data/mucsum")
    write_jsonl(tmp_path / "train.jsonl", dataset("mucsum").read(home, "train"))
    examples = tuple(dataset("mucsum").read(home, "test"))
    outputs = [example.references[0] for example in examples]
    if texts == "lead":
        outputs = [answer.text for answer in system("lead:mucsum").generate(examples)]
    found = measured(f"ceaf_ree:extractor={tmp_path / 'train.jsonl'}", Items(tuple(outputs), examples))
    assert found == pytest.approx(expected, abs=0.06)


def test_known_fillers_by_their_usual_role(tmp_path: Path) -> None:
    held = [{"victim": ["the guard"]}, {"victim": ["guard"], "weapon": ["a red bomb"]}, {"target": ["guard"]}]
    rows = [{"id": str(i), "input": {"kind": "event", "template": template}} for i, template in enumerate(held)]
    path = tmp_path / "known.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert find_fillers("The guard saw a red bomb; the Guard ran", str(path), ROLES, True) == [
        Template("", {"victim": [frozenset({"guard"})], "weapon": [frozenset({"red bomb"})]})
    ]
    path.write_text('{"id": "1"}\n', encoding="utf-8")
    with pytest.raises(AssayError, match="no event template with fillers of target, victim, weapon"):
        find_fillers("x", str(path), ROLES, True)


def test_roles_may_be_others() -> None:
    metric = CeafRee(roles="agent+place")
    assert metric.columns()[-1] == "gold place"
    gold = Example(id="1", input={"kind": "event", "template": {"agent": ["Ann"], "place": ["Lund"]}})
    assert score("ceaf_ree:roles=agent+place", Items(('{"agent": "ann", "place": []}',), (gold,)))[
        "ceaf_ree.f1"
    ] == pytest.approx(2 / 3)


def test_the_example_of_the_page(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs/metrics/ceaf_ree.md").read_text("utf-8")
    examples, outputs = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    for name, lines in (("examples", examples), ("outputs", outputs)):
        (tmp_path / f"{name}.jsonl").write_text(lines, "utf-8")
    found = assay.score(tmp_path / "outputs.jsonl", examples=tmp_path / "examples.jsonl", metrics="ceaf_ree")
    for number in ("precision", "recall", "f1"):
        assert found.scores[f"ceaf_ree.{number}"].value == pytest.approx(2 / 3)
