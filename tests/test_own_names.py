"""Names of categories and roles in any script and encoding, and outputs that mark what their schema lacks."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import pytest

from assay.inputs.marked import shown
from assay.inputs.ontology import ontology
from assay.inputs.schema import schema
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]
REVIEWS = """
name = "reseñas"
whole = "opinión"
[[categories]]
name = "opinión"
start = "«"
end = "»"
[[categories]]
name = "valoración"
comment = "required"
"""
DEALS = """
name = "adquisición"
[roles."compañía"]
about = "empresa compradora"
[roles."dueño anterior"]
[roles."año"]
kind = "circumstance"
"""
GOOD = "« El café [VALORACIÓN_START] encantó (pos) [VALORACIÓN_END] . »"
INVENTED = GOOD.replace("VALORACIÓN", "VALOR")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("reseñas.toml").write_text(REVIEWS)
    Path("onto.toml").write_text(DEALS)
    source = "Crónica. El café encantó. Eso dijo el dueño."
    tags = {"schema": "reseñas.toml"}
    write_jsonl(Path("e.jsonl"), [{"id": i, "source": source, "references": [GOOD], "tags": tags} for i in "ab"])
    write_jsonl(Path("o.jsonl"), [{"id": "a", "output": GOOD}, {"id": "b", "output": INVENTED}])
    return tmp_path


def test_a_marker_that_a_model_invents_is_scored_as_words(here: Run, own: Path) -> None:
    """The schema is named by the examples, so that the marker is no sign of a wrong schema, and costs one output."""
    call = here("score", "o.jsonl", "-e", "e.jsonl", "-m", "rouge1", "--text", "without-markers", "--json")
    assert call.code == 0, call.err
    assert call.json["scores"]["rouge1"]["value"] == pytest.approx((1 + 2 * 4 / (4 + 8)) / 2)
    (warning,) = [one for one in call.json["warnings"] if "valor" in one]
    assert "1 of 2 outputs (b) mark valor, which the schema reseñas lacks; these markers are scored as words" in warning
    counted = here("score", "o.jsonl", "-e", "e.jsonl", "-m", "markers:schema=reseñas.toml", "--json")
    assert counted.json["scores"]["spans-valoración"]["value"] == 0.5
    assert any("1 output mark valor" in one for one in counted.json["warnings"])
    apart = "novelty:statements=apart:schema=reseñas.toml"
    novel = here("score", "o.jsonl", "-e", "e.jsonl", "-m", apart, "--json").json
    assert any("1 of 2 outputs (b) mark valor" in one for one in novel["warnings"])
    config = 'name = "r"\n[[datasets]]\nname = "d"\nexamples = "e.jsonl"\ntext = "markers as words"\n'
    Path("r.toml").write_text(f'{config}metrics = ["rouge1"]\n[[systems]]\nname = "s"\noutputs = "o.jsonl"\n')
    assert "2 outputs" in here("run", "r.toml").out


def test_of_an_unnamed_schema_foreign_markers_are_refused(here: Run, own: Path) -> None:
    write_jsonl(Path("bare.jsonl"), [{"id": i, "references": [GOOD]} for i in "ab"])
    call = here("score", "o.jsonl", "-e", "bare.jsonl", "-m", "rouge1", "--text", "without-markers")
    assert call.code == 1
    assert "marks valoración, which the schema fomc lacks" in call.err
    skipped = here("score", "o.jsonl", "-e", "e.jsonl", "-m", "rouge1,markers", "--json").json["skipped"]
    assert "Give markers:schema=FILE (the examples name reseñas.toml)." in skipped[0]["why"]


def test_markers_of_any_text_are_never_counted_as_those_of_fomc(here: Run, own: Path) -> None:
    """They cannot be told from words: only the tag of the examples says that they are not FOMC's."""
    plain = [GOOD.replace("[VALORACIÓN_START] ", "").replace("[VALORACIÓN_END] ", "")]
    tags = {"schema": "reseñas.toml"}
    write_jsonl(Path("e.jsonl"), [{"id": "a", "source": "Crónica.", "references": plain, "tags": tags}])
    write_jsonl(Path("o.jsonl"), [{"id": "a", "output": plain[0]}])
    skipped = here("score", "o.jsonl", "-e", "e.jsonl", "-m", "rouge1,markers,novelty:fomc", "--json").json["skipped"]
    assert [one["metric"] for one in skipped] == ["markers", "novelty:fomc"]
    assert all("those of reseñas.toml" in one["why"] for one in skipped)
    without = ("score", "o.jsonl", "-e", "e.jsonl", "-m", "novelty:fomc", "--text", "without-markers", "--json")
    assert here(*without).json["scores"]["compression"]["value"] == pytest.approx(1 / 5)


def test_a_forgotten_schema_of_any_text_is_noticed(here: Run, own: Path) -> None:
    plain = GOOD.replace("[VALORACIÓN_START] ", "").replace("[VALORACIÓN_END] ", "")
    write_jsonl(Path("e.jsonl"), [{"id": "a", "source": "Crónica.", "references": [plain]}])
    write_jsonl(Path("o.jsonl"), [{"id": "a", "output": plain}])
    score = ("score", "o.jsonl", "-e", "e.jsonl", "-m", "rouge1", "--text", "without-markers", "--json")
    why = "no text has a marker of the schema fomc"
    assert any(why in one for one in here(*score).json["warnings"])
    assert not any(why in one for one in here(*score, "--schema", "reseñas.toml").json["warnings"])
    assert why in here("data", "markup", "stats", "e.jsonl").err
    Path("c.json").write_text('[{"evaluation": "x", "annotation": "act", "equivalence_classes": [["a"], ["b"]]}]')
    choose = ("system", "choose", "e.jsonl", "--classes", "c.json", "--system", "random", "-o", "x.jsonl")
    assert why in here(*choose).err
    pytest.importorskip("torch")
    train = ("system", "train", "seq2seq:tiny:markers=true", "--train", "e.jsonl", "--valid", "e.jsonl", "-o", "m")
    assert f"markers=true, and {why}" in here(*train).err


def test_markers_that_are_words_have_no_spans_to_count(here: Run, own: Path) -> None:
    call = here("score", "o.jsonl", "-e", "e.jsonl", "-m", "rouge1,markers:schema=reseñas.toml", "--text",
                "with-markers", "--json")  # fmt: skip
    assert "a word for each marker" in call.json["skipped"][0]["why"]
    assert [*call.json["scores"]] == ["rouge1", "rouge1.precision", "rouge1.recall"]


def test_an_invented_marker_without_its_other_side_is_named(here: Run, own: Path) -> None:
    """As outputs have that end too early."""
    write_jsonl(Path("o.jsonl"), [{"id": "a", "output": GOOD}, {"id": "b", "output": GOOD + " [VALOR_START] x"}])
    call = here("score", "o.jsonl", "-e", "e.jsonl", "-m", "rouge1", "--text", "without-markers", "--json")
    assert any("mark valor, which" in one for one in call.json["warnings"])
    write_jsonl(Path("o.jsonl"), [{"id": "a", "output": INVENTED}, {"id": "b", "output": GOOD + " [VALOR_START] x"}])
    call = here("data", "markup", "parse", "o.jsonl", "--schema", "reseñas.toml", "-o", "p.jsonl", "--json")
    assert call.code == 0, call.err
    assert sum("valor is no category of the schema reseñas" in one for one in call.json["problems"]) == 2


def test_an_unknown_category_is_answered_with_its_place_and_the_option(here: Run, own: Path) -> None:
    span = {"category": "opinión", "start": 0, "end": 4}
    write_jsonl(Path("a.jsonl"), [{"id": "a", "text": "Bien.", "spans": [span]}])
    error = here("data", "markup", "targets", "a.jsonl", "-o", "t.jsonl").err
    assert error.startswith("assay: a.jsonl:1 id a spans[0]: field 'category' is not one of std_sentence")
    assert "--schema FILE" in error


def test_categories_in_other_scripts_are_different_words(here: Run, own: Path) -> None:
    """A tokenizer of English would split at their letters, and all categories would be the same word."""
    Path("s.toml").write_text('name = "s"\n[[categories]]\nname = "意見"\n[[categories]]\nname = "行為"\n')
    known = schema("s.toml")
    one, other = (shown(f"[{name}_START] x [{name}_END]", "markers as words", known) for name in known.names)
    assert one.isascii()
    assert not {*one.split()} & {*other.split()} - {"x"}
    write_jsonl(Path("r.jsonl"), [{"id": "a", "references": ["[意見_START] x [意見_END]"]}])
    write_jsonl(Path("p.jsonl"), [{"id": "a", "output": "[行為_START] x [行為_END]"}])
    call = here("score", "p.jsonl", "-e", "r.jsonl", "-m", "rouge1", "--text", "with-markers", "--schema", "s.toml",
                "--json")  # fmt: skip
    assert call.json["scores"]["rouge1"]["value"] == pytest.approx(1 / 3)


def test_filter_form_and_training_take_the_schema_of_the_examples(here: Run, own: Path) -> None:
    call = here("data", "filter", "e.jsonl", "--strategy", "oracle", "--budget", "9", "-o", "f.jsonl")
    assert call.code == 0, call.err
    text = "El café encantó."
    spans = [{"category": "opinión", "start": 0, "end": 16}, {"category": "valoración", "start": 8, "end": 15,
             "comment": "pos"}]  # fmt: skip
    item = {"id": "a", "input": {"kind": "annotated", "text": text, "spans": spans}, "tags": {"schema": "reseñas.toml"}}
    write_jsonl(Path("i.jsonl"), [item])
    assert json.loads(here("data", "render", "i.jsonl", "--as", "annotated").out)["text"] == GOOD
    write_jsonl(Path("i.jsonl"), [{**item, "tags": {}}])
    assert (
        "no category 'opinión' in the schema fomc, which" in here("data", "render", "i.jsonl", "--as", "annotated").err
    )


@pytest.mark.parametrize("kind", ["seq2seq:tiny:markers=true", "filter:tiny"])
def test_a_recipe_takes_the_schema_of_its_examples(own: Path, kind: str) -> None:
    from assay.execution.training.kinds import read_recipe, with_schema
    from assay.records import read_examples

    Path("parts").mkdir()
    examples = read_examples("e.jsonl").examples
    name, recipe = read_recipe(f"{kind}:epochs=1")
    assert with_schema(name, recipe, examples, Path()).schema == "reseñas.toml"
    assert with_schema(name, recipe, examples, Path(), "other.toml").schema == "other.toml"
    assert with_schema("seq2seq", read_recipe("seq2seq:tiny")[1], examples, Path()).schema == ""


@pytest.mark.parametrize("of_file", ["NFC", "NFD"])
def test_decomposed_letters_are_the_same_names(here: Run, own: Path, of_file: Literal["NFC", "NFD"]) -> None:
    """Some editors and file systems write ñ as two characters."""
    Path("onto.toml").write_text(normalize(of_file, DEALS))
    assert list(ontology("onto.toml").roles) == ["compañía", "dueño anterior", "año"]
    template = {"compañía": ["Lácteos Muñiz"], "dueño anterior": ["Telar Güell"], "año": "2019"}
    event = {"id": "a", "input": {"kind": "event", "template": template, "document": ["x"]}}
    Path("d.jsonl").write_text(normalize("NFD", json.dumps(event, ensure_ascii=False)) + "\n")
    write_jsonl(Path("p.jsonl"), [{"id": "a", "output": "Lácteos Muñiz compró en 2019."}])
    call = here("score", "p.jsonl", "-e", "d.jsonl", "-m", "filler_recall:ontology=onto.toml", "--json")
    values = {name: one["value"] for name, one in call.json["scores"].items()}
    assert values == {
        "filler_recall": 0.5, "filler_recall.compañía": 1, "filler_recall.dueño anterior": 0, "filler_recall.año": 1,
    }  # fmt: skip
    predicted = json.dumps({"compañía": ["Lácteos Muñiz"], "dueño anterior": ["Nadie"]}, ensure_ascii=False)
    Path("j.jsonl").write_text(json.dumps({"id": "a", "output": normalize("NFD", predicted)}) + "\n")
    scores = here("score", "j.jsonl", "-e", "d.jsonl", "-m", "ceaf_ree:ontology=onto.toml", "--json").json["scores"]
    assert scores["ceaf_ree.precision"]["value"] == 0.5
    span = {"category": normalize("NFD", "valoración"), "start": 0, "end": 4, "comment": "pos"}
    Path("a.jsonl").write_text(json.dumps({"id": "a", "text": "Bien.", "spans": [span]}) + "\n")
    targets = here("data", "markup", "targets", "a.jsonl", "--schema", "reseñas.toml", "-o", "t.jsonl")
    assert targets.code == 0, targets.err


def test_commands_that_are_suggested_can_be_pasted(here: Run, own: Path) -> None:
    """Names of roles may have spaces."""
    template = {"compañía": ["Lácteos Muñiz"], "dueño anterior": ["Telar Güell"]}
    write_jsonl(Path("d.jsonl"), [{"id": "a", "input": {"kind": "event", "template": template, "document": ["x"]}}])
    write_jsonl(Path("p.jsonl"), [{"id": "a", "output": "Lácteos Muñiz compró."}])
    following = here("analyze", "slots", "p.jsonl", "-e", "d.jsonl").out.split("Next: assay ")[1]
    words = [word for word in shlex.split(following) if word not in ("--per-example", "FILE")]
    assert here(*words, "--json").json["scores"]["filler_recall"]["value"] == 0.5
    why = here("score", "p.jsonl", "-e", "d.jsonl", "-m", "filler_recall,rouge1").out
    assert "Give 'filler_recall:roles=compañía+dueño anterior', or" in " ".join(why.split())
