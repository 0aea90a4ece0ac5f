"""BERTScore: the package bert-score on the same weights, by layer, with idf, several references and rescaling."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.errors import AssayError
from assay.metrics import resolve
from assay.metrics.semantic.bertscore import NAMES, _rescaling
from assay.models import encoder as encoders
from assay.models.encoder import Encoder
from tests.conftest import OUTPUTS, REFERENCES
from tests.support import each, score

pytestmark = pytest.mark.skipif(bool(why_not := Encoder().why_not()), reason=str(why_not))

SEVERAL = [[REFERENCES[0], "A teahouse, for adults."], [REFERENCES[1]], [REFERENCES[2], "Wexley has a garden.", "x"]]
BASELINE = "LAYER,P,R,F\n0,0.1,0.1,0.1\n3,0.2,0.25,0.22\n6,0.11,0.12,0.13\n"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    Path("references.txt").write_text("\n".join(text for many in SEVERAL for text in many), encoding="utf-8")
    Path("baseline.csv").write_text(BASELINE, encoding="utf-8")


def peer(outputs: list[str], references: Any, layer: int, **options: Any) -> np.ndarray[Any, Any]:
    bert_score = pytest.importorskip("bert_score")
    found = bert_score.score(outputs, references, model_type=str(Encoder().folder), num_layers=layer, **options)
    return np.array([values.numpy() for values in found], dtype=np.float64)


@pytest.mark.parametrize("layer", [0, 3, 6])
@pytest.mark.parametrize(("options", "given"), [
    ("", {}),
    (":idf=references.txt", {"idf": True}),
    (":baseline=baseline.csv", {"rescale_with_baseline": True, "baseline_path": "rows.csv", "lang": "en"}),
])  # fmt: skip
@pytest.mark.parametrize("references", [REFERENCES, SEVERAL])
def test_it_is_what_the_package_computes(references: Any, options: str, given: dict[str, Any], layer: int) -> None:
    if references is REFERENCES and "idf" in options:
        Path("references.txt").write_text("\n".join(REFERENCES), encoding="utf-8")
    # the package takes a line by its place in the file, which has one for each layer
    rows = [f"{i},{','.join(map(str, _rescaling('baseline.csv', i if i in (0, 3, 6) else 0)))}" for i in range(7)]
    Path("rows.csv").write_text("\n".join(["LAYER,P,R,F", *rows]), encoding="utf-8")
    expected = peer(OUTPUTS, references, layer, **given)
    found = each(f"bertscore:layer={layer}{options}", OUTPUTS, references)
    for name, values in zip(NAMES, expected, strict=True):
        assert found[name] == pytest.approx(values.tolist(), abs=1e-5), name


@pytest.mark.parametrize("idf", [False, True])
def test_what_is_cut_off_has_no_weight_either(idf: bool) -> None:
    outputs, references = ["rain " * 600, "a garden"], ["rain fell " * 300, "the garden"]
    Path("references.txt").write_text("\n".join(references), encoding="utf-8")
    expected = peer(outputs, references, 6, idf=idf)
    found = each(f"bertscore:long=cut{':idf=references.txt' if idf else ''}", outputs, references)
    assert np.array([found[name] for name in NAMES]) == pytest.approx(expected, abs=1e-5)


def test_on_released_outputs_it_is_what_the_package_computes(shared_data: Any) -> None:
    import json

    file = sorted(shared_data("eks/model_outputs").rglob("*_test_preds.jsonl"))[0]
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()][:40]
    outputs, references = [row["prediction"] for row in rows], [row["reference"] for row in rows]
    expected = peer(outputs, references, 6)
    found = each("bertscore", outputs, references)
    for name, values in zip(NAMES, expected, strict=True):
        np.testing.assert_allclose(found[name], values, atol=1e-5)


def test_a_pair_has_the_value_that_it_has_alone() -> None:
    """Beside a longer reference, the package takes its padding for nearer than tokens of which none is near."""
    output = (
        "oak clerk points on sold : quiet , winter ( barges ; nobody were ! wet : z % rope tides # x or ( x sold tar"
    )
    outputs, references = [output] * 2, ["a green bruno bruno the green.", "this is a long one " * 20]
    alone = peer(outputs[:1], references[:1], 6)[0, 0]
    assert peer(outputs, references, 6)[0, 0] - alone > 1e-4
    assert each("bertscore", outputs, references)["bertscore.precision"][0] == pytest.approx(alone, abs=1e-6)


def test_identical_texts_have_one_and_empty_ones_nothing() -> None:
    found = each("bertscore", ["a cat", "", "a cat", " "], ["a cat", "a cat", "", ""])
    assert found["bertscore.f1"] == pytest.approx([1, 0, 0, 0], abs=1e-6)
    rescaled = each("bertscore:baseline=baseline.csv", ["a cat", ""], ["a cat", "a cat"])
    assert rescaled["bertscore.precision"] == pytest.approx([1, 0], abs=1e-6)


def test_against_the_source_it_needs_sources() -> None:
    assert resolve("bertscore:against=source")[0].metric.needs == ("sources",)
    found = score("bertscore:against=source", OUTPUTS, ["x"] * 3, REFERENCES)
    assert found == pytest.approx(score("bertscore", OUTPUTS, REFERENCES), abs=1e-6)


def test_a_text_longer_than_the_encoder_counts_to_its_end() -> None:
    padding = "The weather was fine and nothing happened. " * 80
    long = f"{padding}A ship sank."
    found = score("bertscore", ["A ship sank."], [long])
    assert found["bertscore.precision"] > score("bertscore:long=cut", ["A ship sank."], [long])["bertscore.precision"]
    assert score("bertscore", [long], [long])["bertscore.f1"] == pytest.approx(1, abs=1e-5)


def test_other_weights_of_tokens_encode_nothing_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is kept are the cosines of each token: another idf or baseline takes them as they are."""
    import assay

    assert not assay.score(OUTPUTS, REFERENCES, metrics="bertscore").failed
    monkeypatch.setattr(encoders, "_forward", None)
    for options in ("", ":idf=references.txt", ":baseline=baseline.csv"):
        assert not assay.score(OUTPUTS, REFERENCES, metrics=f"bertscore{options}").failed, options


@pytest.mark.parametrize(
    ("options", "content", "message"),
    [
        ("idf=none.txt", None, "bertscore:idf=none.txt: file not found. Give references, one per line or as JSONL."),
        ("baseline=none.csv", None, "bertscore:baseline=none.csv: cannot be read. Give a CSV file with LAYER,P,R,F."),
        ("baseline=b.csv", "LAYER,P\n6,1\n", "bertscore:baseline=b.csv: expected the columns LAYER,P,R,F with numbers"),
        ("baseline=b.csv", "LAYER,P,R,F\n6,1,0,x\n", "expected the columns LAYER,P,R,F with numbers"),
        ("baseline=b.csv", "LAYER,P,R,F\n5,0,0,0\n", "bertscore:baseline=b.csv: no row for layer 6"),
        ("baseline=b.csv", "LAYER,P,R,F\n6,1,0,0\n", "values of layer 6 must be finite and below 1"),
        ("baseline=b.csv", "LAYER,P,R,F\n6,-inf,0,0\n", "values of layer 6 must be finite and below 1"),
        ("layer=9", None, "minilm: layer=9 must be from 0 to 6"),
    ],
)
def test_files_that_do_not_fit_are_named(options: str, content: str | None, message: str) -> None:
    if content:
        Path("b.csv").write_text(content, encoding="utf-8")
    (request,) = resolve(f"bertscore:{options}")
    assert message in str(request.metric.why_not())
    with pytest.raises(AssayError, match=r"bertscore|minilm"):
        score(f"bertscore:{options}", ["a"], ["b"])
