"""Over all options of every metric, two signatures are equal exactly if the scores are."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import fields
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, get_args

import pytest

import assay
from assay.metrics import METRICS, Context, Metric, Rows
from assay.metrics.engine.base import count_references
from assay.metrics.semantic.encoder_metric import VectorMetric
from assay.records import Items
from assay.specs import is_setting, type_of
from assay.stats.resample import all_items
from tests.support.telling_sets import sets_for, synthetic_sets
from tests.support.tiny_models import save_tiny
from tests.test_docs import contributed

NEEDS_A_DOWNLOAD = {"ja-mecab", "ko-mecab"}
ENCODING = [name for name in METRICS if issubclass(METRICS.get(name), VectorMetric)]
"""Metrics over an encoder: they share most options, whose combinations are tried with one of them."""
COMMON: dict[str, tuple[Any, ...]] = {
    "model": ("minilm",), "layer": (None, 2), "against": ("references",), "window": (None,), "long": ("windows",),
    "precision": ("float32",), "languages": ("any",), "batch": (32,),
}  # fmt: skip
CROSSED: dict[str, tuple[Any, ...]] = {
    "against": ("references", "source"), "window": (None, 8), "long": ("windows", "cut"),
}  # fmt: skip
ENTAILMENT: dict[str, tuple[Any, ...]] = {
    "model": ("assay-nli",), "languages": ("any",), "batch": (32,), "against": ("references",), "window": (None,),
    "formula": ("e", "e-c"), "weight": (1.0, 0.5), "near": (0, 1), "block": (1, 2), "splitter": ("plain", "capitals"),
}  # fmt: skip
WRITTEN: dict[tuple[str, str], tuple[Any, ...]] = {
    ("feqa", "qa"): ("overlap",),
    ("feqa", "most"): (1, 10),
    ("bleu", "smooth_value"): (None, 0.1, 0.124, 0.1241),
    **{(name, "char_order"): (2, 6) for name in ("chrf", "chrf+", "chrf++")},
    **{(name, "word_order"): (0, 2) for name in ("chrf", "chrf+", "chrf++")},
    **{(name, "beta"): (2, 3) for name in ("chrf", "chrf+", "chrf++")},
    ("nist", "order"): (1, 3, 5),
    ("meteor", "language"): ("en",),
    ("meteor", "data"): (None, "few-meteor", "same-meteor", "more-meteor"),
    ("meteor", "task"): ("rank", "adq"),
    ("cider", "sigma"): (0.0, -0.0, 6.0, 6.01),
    ("local_recall", "levels"): (1, 2, 10),
    ("msttr", "segment"): (5, 7),
    ("rouge_more", "weight"): (1.2, 1.21),
    ("rouge_more", "gap"): (-1, 4),
    ("nbest", "k"): (1, 2, 10),
    ("nbest", "train"): ("", "few.jsonl", "same.jsonl", "more.jsonl"),
    ("lexical_complexity", "ranks"): ("few.txt", "same.txt", "more.txt"),
    **{
        (name, option): values
        for name in ENCODING
        for option, values in COMMON.items()
        if option in {field.name for field in fields(METRICS.get(name))}  # type: ignore[arg-type]
    },
    **{("embedding", option): values for option, values in CROSSED.items()},
    ("word_vectors", "model"): ("wordllama",),
    ("word_vectors", "languages"): ("any",),
    ("mauve", "layer"): (None,),
    ("mauve", "buckets"): (None, 7),
    ("mauve", "scale"): (5.0, 2.0),
    ("mauve", "variance"): (0.9,),
    ("mauve", "redo"): (5,),
    ("mauve", "seed"): (25,),
    ("self_similarity", "layer"): (None,),
    ("moverscore", "layer"): (None,),
    ("moverscore", "idf"): (None, "few.txt", "same.txt", "more.txt"),
    ("context_bleu", "turns"): (3, 6),
    ("bartscore", "model"): ("./causal",),
    ("bartscore", "direction"): ("faithfulness", "f1"),
    ("bartscore", "window"): (400, 8),
    ("bartscore", "prompt"): ("{given}\\n\\nSummary:", "{given}"),
    ("bartscore", "languages"): ("any",),
    ("bartscore", "batch"): (1,),
    ("faithful", "also"): ("",),
    ("faithful", "weights"): (None, "few.costs", "same.costs", "more.costs"),
    ("perplexity", "model"): ("./causal",),
    ("perplexity", "window"): (None, 8),
    ("perplexity", "stride"): (None, 3),
    ("perplexity", "languages"): ("any",),
    ("perplexity", "batch"): (8,),
    ("bertscore", "idf"): (None, "few.txt", "same.txt", "more.txt"),
    ("bertscore", "layer"): (None,),
    ("bertscore", "precision"): ("float32", "bfloat16", "int8"),
    ("bertscore", "baseline"): (None, "low.csv", "high.csv"),
    **{("nli", option): values for option, values in ENTAILMENT.items()},
    ("summac", "model"): ("assay-nli",),
    ("summac", "languages"): ("any",),
    ("summac", "batch"): (32,),
    ("summac", "conv"): ("",),
    ("slot_error", "forms"): ("", "few.json", "same.json", "more.json"),
    ("ceaf_ree", "extractor"): ("",),
    ("ceaf_ree", "lean"): (None,),
    ("ceaf_ree", "roles"): ("victim", "Victim+weapon", "weapon+victim+weapon"),
    ("ceaf_ree", "ontology"): ("", "muc4"),
    ("novelty", "schema"): ("",),
    ("filler_recall", "ontology"): ("", "muc4"),
    ("filler_recall", "roles"): ("", "victim", "weapon"),
    ("markers", "schema"): ("", "few.toml", "same.toml", "more.toml"),
    ("support", "checker"): ("assay", "faithful"),
    ("support", "claims"): ("sentences", "clauses"),
    ("exact_match", "tolerance"): (0.0, 0.2),
    ("json_fields", "schema"): ("", "few.schema", "same.schema", "more.schema"),
    ("pass_at_k", "k"): (1, 2),
    ("format_valid", "schema"): ("", "few.schema", "same.schema", "more.schema"),
    ("format_valid", "form"): ("json", "fenced-json"),
    ("format_valid", "max_words"): (0, 3),
    ("eq_accuracy", "main"): ("act,motive", "motive,act", "motive,act,motive", "act", "nothing"),
}
"""Values of options that are neither boolean nor a choice."""
IDLE: dict[str, Callable[[Any], bool]] = {
    "bartscore": lambda made: made.long == "windows" and made.window != 8,  # longer than any text
    "exact_match": lambda made: bool(made.tolerance) and made.match not in ("number", "auto"),
    "ter": lambda made: made.asian_support and not (made.normalized or made.no_punct),
    "bleu": lambda made: made.effective_order and made.smoothing == "add-k",
    "sentence_bleu": lambda made: made.effective_order and made.smoothing == "add-k",
    "nli": lambda made: made.source == "whole" and (made.near, made.block, made.splitter) != (0, 1, "plain"),
    **{name: lambda made: made.long == "cut" and made.window != 8 for name in ENCODING},  # longer than any text
}
"""Options without effect in combination with others that are still part of the signature: as in sacrebleu, or because
they matter for other texts."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of embeddings for all tests of this file."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tiny models for options, by kind."""
    folder = tmp_path_factory.mktemp("models")
    if find_spec("torch") and find_spec("transformers"):
        save_tiny(folder / "causal", "causal")
    return folder


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: Path, models: Path) -> None:
    """Files for options: two with the same content, one with another."""
    monkeypatch.chdir(tmp_path)
    for folder in models.iterdir():
        Path(folder.name).symlink_to(folder)
    monkeypatch.setenv("ASSAY_CACHE", str(kept))
    for name, content in (("few", "cat\ntoys\n"), ("same", "cat\ntoys\n"), ("more", "the\ntoys\ncat\ndog\nsnow\n")):
        Path(f"{name}.txt").write_text(content, encoding="utf-8")
        gold = ["cats"] if name != "more" else ["cats", "kings"]
        lines = [f'{{"id": "{one}", "references": ["{one}"]}}\n' for one in gold]
        Path(f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
        forms = {"food": {"French": ["frogs", "snails"] if name == "more" else ["frogs"]}}
        costs = "".join(f"{way} = [0.{len(content)}, 0.2]\n" for way in ("order", "phrases", "near", "numbers"))
        Path(f"{name}.costs").write_text(f'[weights."words"]\n{costs}', encoding="utf-8")
        Path(f"{name}.json").write_text(json.dumps(forms), encoding="utf-8")
        required = {"type": "object", "required": ["b" if name == "more" else "a"]}
        Path(f"{name}.schema").write_text(json.dumps(required), encoding="utf-8")
        mark = "b" if name == "more" else "a"
        category = f'categories = [{{name = "act", start = "<{mark}>", end = "</{mark}>"}}]'
        Path(f"{name}.toml").write_text(f'name = "acts"\n{category}\n', encoding="utf-8")
        words = Path(f"{name}-meteor/function/english.words")
        words.parent.mkdir(parents=True)
        words.write_text("the\na\n" if name == "more" else "the\n", encoding="utf-8")
        with gzip.open(words.parents[1] / "paraphrase-en.gz", "wb") as table:
            table.write(b"0.1\n7\n9\n0.1\n7.\n9.\n")
    for name, values in (("low", "0.1,0.2,0.15"), ("high", "0.3,0.2,0.25")):
        Path(f"{name}.csv").write_text(f"LAYER,P,R,F\n2,{values}\n6,{values}\n", encoding="utf-8")


def values_of(name: str, option: str) -> tuple[Any, ...]:
    hint = type_of(METRICS.get(name), next(field for field in fields(METRICS.get(name)) if field.name == option))  # type: ignore[arg-type]
    if hint is bool:
        return False, True
    if (name, option) in WRITTEN:
        return WRITTEN[name, option]
    if bool in (kinds := get_args(hint)):
        return False, True, *(value for kind in kinds for value in get_args(kind))
    return tuple(value for value in get_args(hint) if value not in NEEDS_A_DOWNLOAD)


def variants(name: str) -> Iterator[Metric]:
    """Yield the metric with every combination of its options."""
    cls = METRICS.get(name)
    named = [field.name for field in fields(cls) if field.init]  # type: ignore[arg-type]
    for values in product(*(values_of(name, option) for option in named)):
        yield cls(**dict(zip(named, values, strict=True)))


def measured(
    metric: Metric, sets: list[Items], known: dict[tuple[str, int], Rows]
) -> tuple[tuple[str, ...], dict[str, list[float]]]:
    """Return the signature on each set, and all scores by name, of the sets and of each item. Rows are shared by
    statistics key."""
    signatures, numbers = [], {part.name: list[float]() for part in metric.parts()}
    for i, scored in enumerate(sets):
        key = metric.stored_as(), i
        if key not in known:
            known[key] = metric.compute(scored, Context())
        rows = known[key]
        signatures.append(signed(metric, scored, rows))
        for actual in (metric.fold(rows, all_items(len(scored))), metric.per_example(rows)):
            for part, values in actual.items():
                numbers[part] += values.tolist()
    return tuple(signatures), numbers


def signed(metric: Metric, scored: Items, rows: Rows) -> str:
    languages = [example.language for example in scored.examples]
    return metric.signed(metric.signature(count_references(scored)), rows, languages)


def differ(one: dict[str, list[float]], other: dict[str, list[float]]) -> bool:
    """Return whether a score of the same name differs."""

    def same(a: float, b: float) -> bool:
        return a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)

    return any(
        not same(a, b) for part in one.keys() & other.keys() for a, b in zip(one[part], other[part], strict=True)
    )


WITH_OPTIONS = [
    name
    for name in METRICS
    if name not in ("imported", "consistency")  # imported scores; a pipeline that is not installed
    if any(field.init for field in fields(METRICS.get(name)))  # type: ignore[arg-type]
    and not METRICS.get(name)().why_not()
]


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name in ("nli", "bartscore") else name for name in WITH_OPTIONS],
)
def test_signatures_are_equal_exactly_if_scores_are(name: str) -> None:
    sets = sets_for(METRICS.get(name))
    known: dict[tuple[str, int], Rows] = {}
    made = [(metric, *measured(metric, sets, known)) for metric in variants(name)]
    assert len(made) > 1, "give values of its options above"
    first: dict[tuple[str, ...], tuple[Metric, dict[str, list[float]]]] = {}
    for metric, signatures, numbers in made:
        like, before = first.setdefault(signatures, (metric, numbers))
        assert not differ(before, numbers), f"one signature, two numbers: {like} and {metric}"
    idle = IDLE.get(name, lambda metric: False)
    told_apart = [(metric, numbers) for metric, numbers in first.values() if not idle(metric)]
    for i, (metric, numbers) in enumerate(told_apart):
        for other, others in told_apart[:i]:
            assert differ(numbers, others), f"two signatures, one number: {metric} and {other}"


def of_texts() -> Iterator[Metric]:
    """Yield every metric over texts with default options, and with the splitter that depends on the language."""
    for name in METRICS:
        cls = METRICS.get(name)
        if "inputs" not in cls.needs and getattr(cls, "model_kind", "encoder") == "encoder" and not cls().why_not():
            yield cls()
            if "splitter" in {field.name for field in fields(cls)}:  # type: ignore[arg-type]
                yield cls(splitter="multilingual")  # type: ignore[call-arg]


@pytest.mark.parametrize("metric", [*of_texts()], ids=lambda metric: f"{metric.name}-{getattr(metric, 'splitter', '')}")
def test_the_language_is_in_the_signature(metric: Metric) -> None:
    first: dict[tuple[str, ...], tuple[str | None, dict[str, list[float]]]] = {}
    for language in (None, "en", "en-GB", "de", "fr", "zh"):
        signatures, numbers = measured(metric, synthetic_sets(language), {})
        known, before = first.setdefault(signatures, (language, numbers))
        assert not differ(before, numbers), f"one signature, two numbers: {known} and {language}"
    actual = list(first.values())
    if getattr(metric, "splitter", "") == "multilingual":
        assert [language for language, _ in actual] == [None, "en", "de"]  # a guessed language may be correct
    else:
        assert all(differ(a[1], b[1]) for i, a in enumerate(actual) for b in actual[:i])


def test_the_listed_options_exist() -> None:
    for name, option in WRITTEN:
        assert option in {field.name for field in fields(METRICS.get(name))}  # type: ignore[arg-type]


def test_a_setting_changes_neither() -> None:
    closeness = contributed("A metric", 1)["Closeness"]
    assert [field.name for field in fields(closeness) if is_setting(field)] == ["languages", "batch"]
    if why_not := closeness().why_not():
        pytest.skip(why_not)
    (one, two) = (measured(closeness(batch=size), synthetic_sets(), {}) for size in (1, 32))
    assert one[0] == two[0]
    assert not differ(one[1], two[1])  # the second reads the cache of the first


@pytest.mark.parametrize(
    ("spec", "part"),
    [
        ("chrf:beta=3", "|space:no|beta:3|version:"),
        ("chrf:beta=2", "|space:no|version:"),
        ("bleu:smoothing=floor:smooth_value=0.125", "|smooth:floor[0.125]|"),
        ("bleu:smoothing=floor:smooth_value=0.5", "|smooth:floor[0.50]|"),
        ("bleu:smoothing=add-k", "|smooth:add-k[1.00]|"),
    ],
)
def test_signatures_have_the_format_of_sacrebleu(spec: str, part: str) -> None:
    (score,) = {score.signature for score in assay.score(["a"], ["a"], metrics=spec).scores.values()}
    assert part in score


@pytest.mark.parametrize(
    ("languages", "rule"),
    [((None, None), "rouge_score"), (("en", None), "rouge_score"), (("de", "fr"), "unicode"),
     (("de", None), "auto[rouge_score*1+unicode*1]")],
)  # fmt: skip
def test_rouge_states_its_tokenizer(languages: tuple[str | None, ...], rule: str) -> None:
    examples = [
        assay.Example(id=str(i), references=("ä b",), language=language) for i, language in enumerate(languages)
    ]
    outputs = {str(i): "ä b" for i in range(len(languages))}
    actual = assay.score(outputs, examples=examples, metrics="rouge1")
    assert f"|tokenizer:{rule}|" in actual.scores["rouge1"].signature
    together = assay.score_all({"a": outputs, "b": outputs}, examples=examples, metrics="rouge1")
    assert {each.scores["rouge1"].signature for each in together.values()} == {actual.scores["rouge1"].signature}
