"""What is promised of every number, of those that a model makes: every metric of the registry that asks one, with tiny
weights saved to disk. One that is added joins by itself: it says which kind of model it asks (`asks`), or ships its
own."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import assay
from assay.errors import AssayError
from assay.metrics import METRICS, Metric, resolve
from assay.metrics.engine.external import PackageMetric
from assay.metrics.semantic.encoder_metric import ModelMetric
from assay.models.load import loaded
from tests.conftest import Call, write_jsonl
from tests.metrics.engine.test_properties import CORPUS, check_adding_up
from tests.support.tiny_models import LABELS, save_tiny

pytest.importorskip("torch")
pytest.importorskip("transformers")

WORDS = "cat dog tax rain boat law king stone".split()
OUTPUTS = [f"the {a} sat near the {b}. it ran" for a in WORDS[:4] for b in WORDS[:3]]
REFERENCES = [f"a {a} sat by a {b}" for a in WORDS[:4] for b in WORDS[:3]]
SOURCES = [f"{reference}. two dogs ran home" for reference in REFERENCES]
EXAMPLES = [
    assay.Example(id=str(i), references=(ref,), source=src, tags={"half": str(i % 2)})
    for i, (ref, src) in enumerate(zip(REFERENCES, SOURCES, strict=True))
]


def asks_a_model(name: str) -> bool:
    cls = METRICS.get(name)
    return cls.compute is not Metric.compute and not issubclass(cls, PackageMetric) and "inputs" not in cls.needs


BY_RULES = {"feqa"}
"""Metrics that ask a model with an option only; their own tests have both."""
LEARNED = [name for name in METRICS if asks_a_model(name) and name not in BY_RULES]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("models")
    return lru_cache(lambda model_kind: save_tiny(folder / model_kind.replace(":", "-"), model_kind))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_thread: None) -> Iterator[None]:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    yield
    loaded.cache_clear()


@pytest.fixture(params=LEARNED)
def spec(request: pytest.FixtureRequest, models: Callable[[str], Path]) -> str:
    """The metric with tiny weights, or as it is where it brings its own."""
    name = str(request.param)
    cls = METRICS.get(name)
    tiny = getattr(cls, "model_kind", None)
    made = f"{name}:model={models(tiny)}" if tiny and "model" in {f.name for f in fields(cls)} else name  # type: ignore[arg-type]
    if why := resolve(made)[0].metric.why_not():
        pytest.skip(why)
    return made


def scored(spec: str, **more: Any) -> Any:
    outputs = dict(zip(map(str, range(len(OUTPUTS))), OUTPUTS, strict=True)) | more.pop("changed", {})
    result = assay.score(outputs, examples=EXAMPLES, metrics=spec, **more)
    assert not result.failed, result.failed
    assert not result.skipped, result.skipped
    return result


def test_all_that_ask_a_model_are_here() -> None:
    known = (
        "bertscore embedding cross_encoder perplexity mauve bleurt prism moverscore minicheck alignscore nli bartscore"
    )
    assert set(known.split()) <= set(LEARNED)


def test_intervals_subsets_and_pairs(spec: str) -> None:
    """An interval around the number, subsets by tag, and a paired comparison with a system that repeats itself."""
    metric = resolve(spec)[0].metric
    result = scored(spec, ci=60)
    other = scored(spec, ci=60, changed={str(i): "x" for i in range(6)})
    named = {part.name for part in metric.parts()} & set(result.scores)
    assert named
    for name in named:
        score = result.scores[name]
        assert score.value is not None or score.why
        if score.low is not None and score.high is not None:
            assert score.low <= score.value <= score.high
        elif len(OUTPUTS) >= metric.fewest:
            assert score.why
    compared = assay.compare(result, other)
    for part in metric.parts():
        if part.shown:
            p = compared[part.name].p
            assert p is None or 0 <= p <= 1
    halves = result.by("half")
    assert {group.n for group in halves.values()} == {6}
    for value, group in halves.items():
        mine = [example for example in EXAMPLES if example.tags["half"] == value]
        alone = assay.score({one.id: OUTPUTS[int(one.id)] for one in mine}, examples=mine, metrics=spec).values
        assert {name: group.values[name] for name in named} == pytest.approx(
            {name: alone[name] for name in named}, abs=1e-5
        )


def test_what_is_said_of_single_items_can_be_correlated(spec: str, tmp_path: Path, here: Callable[..., Call]) -> None:
    result = scored(spec)
    columns = [name for name in result.per_example.columns if name != "id"]
    if not columns:
        assert resolve(spec)[0].metric.per_example(next(iter(result.measurements)).rows) == {}
        return
    rows = result.per_example.to_dicts()
    assert all(math.isfinite(row[name]) for row in rows for name in columns[:1])
    scores = write_jsonl(tmp_path / "scores.jsonl", rows)
    human = [{"id": row["id"], "quality": (i * 7) % 5} for i, row in enumerate(rows)]
    said = here(
        "metric", "correlate", "--human", write_jsonl(tmp_path / "human.jsonl", human), "--scores", scores, "--json"
    )
    varied = {name for name in columns if len({row[name] for row in rows}) > 1}
    if varied:
        assert said.code == 0, said.err
        assert varied <= set(said.json["metrics"])
    else:
        assert "is constant, so it has no correlation" in said.err


def test_the_signature_has_weights_libraries_and_the_rule_for_long_texts(spec: str, tmp_path: Path) -> None:
    metric = resolve(spec)[0].metric
    signature = metric.signature("1")
    if not isinstance(metric, ModelMetric):  # a formula over numbers of others: its weights by content
        assert "|weights:" in signature
        return
    assert "|libraries:torch-" in signature
    assert any(f"|{rule}:" in signature for rule in ("window", "limit", "long"))
    tiny = getattr(type(metric), "asks", None)
    if tiny and ":model=" in spec:
        other = save_tiny(tmp_path / Path(spec.partition(":model=")[2]).name, tiny, seed=9)
        changed = resolve(f"{metric.name}:model={other}")[0].metric.signature("1")
        assert changed != signature
        assert changed.partition("|libraries:")[2] == signature.partition("|libraries:")[2]


def test_an_empty_output_has_a_number_or_a_reason(spec: str) -> None:
    result = scored(spec, changed={"0": "", "1": "  "})
    for score in result.scores.values():
        assert (score.value is not None and math.isfinite(score.value)) or score.why
    json.dumps({name: score.value for name, score in result.scores.items()}, allow_nan=False)
    nothing = assay.score({"0": ""}, examples=EXAMPLES[:1], metrics=spec)
    assert not nothing.failed
    assert all(score.value is not None or score.why for score in nothing.scores.values())


def test_a_text_longer_than_the_model_is_read(spec: str) -> None:
    result = scored(spec, changed={"0": "the cat sat. " * 60})
    assert any(score.value is not None and np.isfinite(score.value) for score in result.scores.values())


@pytest.mark.parametrize("name", [name for name in LEARNED if getattr(METRICS.get(name), "asks", None)])
def test_missing_weights_and_folders_that_are_none_are_reasons_to_skip(name: str, tmp_path: Path) -> None:
    if "model" not in {field.name for field in fields(METRICS.get(name))}:  # type: ignore[arg-type]
        pytest.skip("its weights are its own")
    empty = tmp_path / "empty"
    empty.mkdir()
    (tmp_path / "a-file").write_text("x")
    for path, why in ((tmp_path / "nowhere", "not found"), (empty, "incomplete"), (tmp_path / "a-file", "a file, and")):
        outputs = {"0": OUTPUTS[0]}
        result = assay.score(outputs, examples=EXAMPLES[:1], metrics=f"ttr,{name}:model={path}")
        (skipped,) = result.skipped
        assert skipped.metric.partition(":")[0] == name
        assert why in skipped.why or "(give" in skipped.why
        assert result.scores["ttr"].value is not None


CLASSIFIERS = [name for name in LEARNED if getattr(METRICS.get(name), "asks", "") in ("classifier:2", "classifier:3")]


@pytest.mark.parametrize("name", [name for name in LEARNED if getattr(METRICS.get(name), "asks", None)])
@pytest.mark.parametrize("written", ["{", "[1]", '"x"', ""])
def test_a_folder_whose_settings_are_broken_is_no_model(name: str, written: str, tmp_path: Path) -> None:
    """One line with the file, and the other metrics go on."""
    model_kind = METRICS.get(name).model_kind  # type: ignore[attr-defined]
    folder = save_tiny(tmp_path / "model", model_kind)
    (folder / "config.json").write_text(written)
    if name == "perception":
        (folder / "perception.json").write_text(written)
    result = assay.score({"0": OUTPUTS[0]}, examples=EXAMPLES[:1], metrics=f"ttr,{name}:model={folder}")
    (found,) = (*result.skipped, *result.failed)
    assert found.metric.partition(":")[0] == name
    assert "\n" not in found.why
    assert str(folder) in found.why or "(give" in found.why
    assert result.scores["ttr"].value is not None


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classes_are_known_by_their_names(name: str, tmp_path: Path) -> None:
    """Classes in another order give the same value with the outputs in that order; other names are refused."""
    import torch
    from safetensors.torch import load_file, save_file

    model_kind = METRICS.get(name).model_kind  # type: ignore[attr-defined]
    folder = save_tiny(tmp_path / "model", model_kind)

    def said() -> Any:
        return assay.score({"0": OUTPUTS[0]}, examples=EXAMPLES[:1], metrics=f"ttr,{name}:model={folder}")

    def called(names: list[str]) -> None:
        about = json.loads((folder / "config.json").read_text())
        about |= {"id2label": dict(enumerate(names)), "label2id": {label: i for i, label in enumerate(names)}}
        (folder / "config.json").write_text(json.dumps(about))

    first, labels = said().scores[name].value, LABELS[int(model_kind[-1])]
    called(labels[::-1])
    held = load_file(folder / "model.safetensors")
    for part in ("classifier.weight", "classifier.bias"):
        held[part] = torch.flip(held[part], [0]).contiguous()
    save_file(held, folder / "model.safetensors", {"format": "pt"})
    assert said().scores[name].value == pytest.approx(first, abs=1e-6)
    called(["spam", "ham", "egg"][: len(labels)])
    refused = said()
    assert any("spam" in one.why for one in (*refused.skipped, *refused.failed))


@settings(max_examples=2, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(rows=CORPUS)
def test_splitting_and_merging_changes_nothing(spec: str, rows: list[tuple[str, list[str], str]]) -> None:
    metric = resolve(spec)[0].metric
    check_adding_up(metric, rows, 2, 0)
    assert metric == resolve(spec)[0].metric


@pytest.mark.parametrize("value", ["-1", "0", "nan", "1e300"])
def test_options_out_of_their_range_are_refused(spec: str, value: str) -> None:
    """An error that names the option, or a number; never anything else."""
    from typing import get_args

    from assay.specs import type_of

    cls = type(resolve(spec)[0].metric)
    for field in fields(cls):  # type: ignore[arg-type]
        hint = type_of(cls, field)
        if field.init and {int, float} & {hint, *get_args(hint)}:
            try:
                result = assay.score({"0": OUTPUTS[0]}, examples=EXAMPLES[:1], metrics=f"{spec}:{field.name}={value}")
            except AssayError as error:
                found, reasons = {}, [str(error)]
            else:
                found, reasons = dict(result.scores), [one.why for one in (*result.skipped, *result.failed)]
            assert found or any(field.name in why for why in reasons)
