"""An ontology, a marker schema, a typology and entity types that no paper has, through every command that takes one.

Nothing is lost silently: an unknown role, marker, code or type is used, or the command says what it lacks.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.datasets.frank_votes import columns, verdicts
from assay.errors import AssayError
from assay.inputs.entity_types import entity_types
from assay.inputs.ontology import ontology
from assay.inputs.schema import schema
from assay.inputs.typology import typology
from assay.records import Example, read_examples
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]
DEALS = """
name = "deals"
[roles.type]
about = "kind of deal"
kind = "label"
[roles.buyer]
about = "acquiring company"
label = "Buyer"
type = "company"
[roles.asset]
about = "what is bought"
[roles.seller]
type = "company"
[roles.price]
about = "price paid"
kind = "circumstance"
"""
CLAIMS = """
name = "claims"
whole = "claim"
[[categories]]
name = "claim"
mandatory = true
[[categories]]
name = "dose"
mandatory = true
start = "<dose>"
end = "</dose>"
[[categories]]
name = "effect"
comment = "required"
"""
RECIPES = """
name = "recipes"
text = "Boil the rice. Then add salt."
other = "Else"
correct = ["Salt is added."]
[aliases]
sequence = "Order"
[errors.Order]
definition = "Steps are in the wrong order."
group = "procedure"
wrong = "Add salt, then boil the rice."
why = "salt comes last"
[errors.Amount]
definition = "An amount is wrong."
group = "content"
wrong = "Boil two cups of rice."
"""
FLEET = """
name = "fleet"
[types.vessel]
plural = "ships"
aliases = ["SHIP"]
[types.company]
plural = "companies"
"""
TEMPLATE = {
    "type": "acquisition", "buyer": ["Norby Mills"], "asset": ["a barn", "two silos"], "seller": ["Ada Reed"],
    "price": "9 million",
}  # fmt: skip
DEAL = {
    "id": "d.1", "source": "Norby Mills bought a barn. Ada Reed sold it for 9 million.",
    "references": ["Norby Mills bought a barn and two silos from Ada Reed."],
    "input": {"kind": "event", "template": TEMPLATE, "document": ["Norby Mills bought a barn.", "Ada Reed sold it."]},
}  # fmt: skip
MARKED = "[CLAIM_START] <dose> 2 mg </dose> [EFFECT_START] helps (sleep) [EFFECT_END] [CLAIM_END]"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("deals", DEALS), ("claims", CLAIMS), ("recipes", RECIPES), ("fleet", FLEET)):
        Path(f"{name}.toml").write_text(text)
    write_jsonl(Path("deals.jsonl"), [DEAL])
    write_jsonl(Path("out.jsonl"), [{"id": "d.1", "output": "Norby Mills bought a barn for 9 million."}])
    return tmp_path


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        (ontology, 'name = "x"\n[roles.a]\nabot = "b"', r"x.toml: roles.a: .*unknown key abot \(did you mean about"),
        (schema, 'name = "x"\nkategories = []', "unknown key kategories"),
        (typology, 'name = "x"\n[errors.A]\ngroup = "g"', "errors.A: .*definition"),
        (typology, 'name = "x"\n[errors.NoE]\ndefinition = "g"', "must not contain"),
        (entity_types, 'name = "x"\n[types.a]\naliases = 3', "types.a: "),
        (entity_types, 'name = "x"\n[types.a]\n[types.b]\naliases = ["A"]', "names two types"),
        (ontology, 'name = "x"\nprompt = ["b"]\n[roles.a]', "prompt names b"),
    ],
)  # fmt: skip
def test_errors_name_file_and_key(own: Path, read: Callable[[str], Any], text: str, said: str) -> None:
    Path("x.toml").write_text(text)
    with pytest.raises(AssayError, match=said):
        read("x.toml")


def test_a_missing_file_is_answered_with_those_that_ship() -> None:
    with pytest.raises(AssayError, match=r"did you mean muc4\?.*muc4-paper"):
        ontology("muc")


def test_roles_of_the_data_are_all_written(here: Run, own: Path) -> None:
    call = here("data", "render", "deals.jsonl", "--as", "event-template:fields=template_only:separator=|")
    text = json.loads(call.out)["text"]
    assert text == "|type: acquisition|buyer: Norby Mills|asset: a barn, two silos|seller: Ada Reed|price: 9 million|"
    assert "! 1 of 1: has roles of no ontology" in call.err
    prompt = json.loads(here("data", "render", "deals.jsonl", "--as", "event-prompt").out)["text"]
    assert all(f"- {name}: " in prompt for name in ("Type", "Buyer", "Asset", "Seller", "Price"))


def test_an_ontology_gives_order_and_descriptions(here: Run, own: Path) -> None:
    call = here(
        "data", "render", "deals.jsonl", "--as", "event-template:fields=template_only:separator=|:ontology=deals.toml"
    )
    assert json.loads(call.out)["text"] == (
        "|kind of deal: acquisition|acquiring company: Norby Mills|what is bought: a barn, two silos|seller: Ada Reed|"
        "price paid: 9 million|"
    )
    assert not call.err
    prompt = here("data", "render", "deals.jsonl", "--as", "event-prompt:ontology=deals.toml").out
    assert "- Buyer: Norby Mills" in prompt
    assert "- Price paid: 9 million" in prompt
    write_jsonl(Path("more.jsonl"), [{**DEAL, "input": {**DEAL["input"], "template": {**TEMPLATE, "broker": "Bo"}}}])  # type: ignore[dict-item]
    call = here("data", "render", "more.jsonl", "--as", "event-template:ontology=deals.toml")
    assert call.code == 1
    assert "id d.1: broker: no role of the ontology deals" in call.err
    call = here("data", "render", "deals.jsonl", "--as", "event-template:ontology=deals.toml:order=paper")
    assert call.code == 1
    assert "order=paper" in call.err


def test_the_ontology_travels_in_the_input(here: Run, own: Path) -> None:
    named = {**DEAL, "input": {**DEAL["input"], "ontology": "deals.toml"}}  # type: ignore[dict-item]
    write_jsonl(Path("named.jsonl"), [named])
    text = json.loads(here("data", "render", "named.jsonl", "--as", "event-template:fields=template_only").out)["text"]
    assert "acquiring company: Norby Mills" in text


def test_metrics_of_foreign_roles(here: Run, own: Path) -> None:
    """Norby Mills and a barn of four entities: 50 %; the price is apart."""
    call = here("score", "out.jsonl", "-e", "deals.jsonl", "-m", "filler_recall", "--json")
    (skipped,) = call.json["skipped"]
    assert "roles that the ontology muc4 lacks: buyer, asset, seller, price" in skipped["why"]
    assert "filler_recall:roles=buyer+asset+seller+price" in skipped["why"]
    call = here("score", "out.jsonl", "-e", "deals.jsonl", "-m", "filler_recall:ontology=deals.toml", "--json")
    scores = call.json["scores"]
    assert scores["filler_recall"]["value"] == pytest.approx(0.5)
    assert scores["filler_recall.price"]["value"] == 1.0
    assert "|ontology:deals-" in scores["filler_recall"]["signature"]
    write_jsonl(Path("json.jsonl"), [{"id": "d.1", "output": json.dumps({"buyer": ["Norby Mills"], "seller": ["Bo"]})}])
    call = here("score", "json.jsonl", "-e", "deals.jsonl", "-m", "ceaf_ree", "--json")
    assert "buyer, asset, seller" in call.json["skipped"][0]["why"]
    call = here("score", "json.jsonl", "-e", "deals.jsonl", "-m", "ceaf_ree:ontology=deals.toml", "--json")
    scores = call.json["scores"]
    assert (scores["ceaf_ree.precision"]["value"], scores["ceaf_ree.recall"]["value"]) == (0.5, 0.25)
    assert "|roles:asset+buyer+seller|" in scores["ceaf_ree.f1"]["signature"]


def test_slots_of_foreign_roles(here: Run, own: Path) -> None:
    roles = here("analyze", "slots", "out.jsonl", "-e", "deals.jsonl", "--json").json["roles"]
    assert {name: (row["fillers"], row["mentioned"]) for name, row in roles.items()} == {
        "buyer": (1, 1), "asset": (2, 1), "seller": (1, 0), "price": (1, 1),
    }  # fmt: skip
    call = here("analyze", "slots", "out.jsonl", "-e", "deals.jsonl", "--ontology", "deals.toml", "--json")
    assert list(call.json["roles"]) == ["buyer", "asset", "seller", "price"]
    call = here("analyze", "slots", "out.jsonl", "-e", "deals.jsonl", "--ontology", "muc4")
    assert call.code == 1
    assert "buyer" in call.err


TRANSFERS = """
name = "wechsel"
[roles.art]
about = "Art des Wechsels"
kind = "label"
[roles.spieler]
[roles."verein"]
source = "Club"
[roles."ablöse"]
kind = "circumstance"
"""


def test_an_ontology_in_german_that_the_input_names(here: Run, own: Path) -> None:
    """Its only label is the type of the event; keys in another case, and those of its documents, are not lost."""
    Path("wechsel.toml").write_text(TRANSFERS)
    template = {"art": "Verkauf", "Spieler": ["Jürgen Groß"], "Club": ["SV Öd"], "ablöse": "zwei Millionen"}
    event = {"kind": "event", "template": template, "document": ["x"]}
    write_jsonl(Path("w.jsonl"), [{"id": "d.1", "input": event}])
    write_jsonl(Path("o.jsonl"), [{"id": "d.1", "output": "Jürgen Groß kostet zwei Millionen."}])
    score = here("score", "o.jsonl", "-e", "w.jsonl", "-m", "filler_recall:ontology=wechsel.toml", "--json")
    values = {name: one["value"] for name, one in score.json["scores"].items()}
    assert values == {
        "filler_recall": 0.5, "filler_recall.spieler": 1, "filler_recall.verein": 0, "filler_recall.ablöse": 1,
    }  # fmt: skip
    lower = {"art": "Verkauf", "spieler": ["Jürgen Groß"], "ablöse": "zwei Millionen"}
    write_jsonl(Path("n.jsonl"), [{"id": "d.1", "input": {**event, "template": lower, "ontology": "wechsel.toml"}}])
    roles = here("analyze", "slots", "o.jsonl", "-e", "n.jsonl", "--json").json["roles"]
    assert {name: row["mentioned"] for name, row in roles.items()} == {"spieler": 1, "verein": 0, "ablöse": 1}
    assert "--metrics filler_recall:ontology=wechsel.toml" in here("analyze", "slots", "o.jsonl", "-e", "n.jsonl").out
    missing = here("score", "o.jsonl", "-e", "n.jsonl", "-m", "filler_recall", "--json").json["skipped"]
    assert "filler_recall:ontology=wechsel.toml" in missing[0]["why"]
    typed = here("data", "render", "n.jsonl", "--as", "event-template:fields=document_with_type")
    assert json.loads(typed.out)["text"] == "x Verkauf"
    Path("bare.toml").write_text(TRANSFERS.replace('"ablöse"', "ablöse"))
    bare = here("data", "render", "n.jsonl", "--as", "event-template:ontology=bare.toml")
    assert 'Quote keys that have letters outside a-z: roles."ablöse"' in bare.err


def test_predicted_roles_of_no_ontology_are_named(here: Run, own: Path) -> None:
    write_jsonl(Path("p.jsonl"), [{"id": "d.1", "output": json.dumps({"buyer": ["Norby Mills"], "broker": ["Bo"]})}])
    call = here("score", "p.jsonl", "-e", "deals.jsonl", "-m", "ceaf_ree:ontology=deals.toml")
    assert "outputs name roles that are not counted, neither right nor wrong: broker (1)" in call.err
    write_jsonl(Path("p.jsonl"), [{"id": "d.1", "output": json.dumps({"buyer": ["Norby Mills"], "price": ["9"]})}])
    assert "not counted" not in here("score", "p.jsonl", "-e", "deals.jsonl", "-m", "ceaf_ree:ontology=deals.toml").err


def test_a_prompt_without_any_role_is_a_warning(here: Run, own: Path) -> None:
    """An event whose roles are all left out of prompts, and a document that is given as the source."""
    Path("short.toml").write_text(DEALS.replace('name = "deals"', 'name = "short"\nprompt = ["seller"]'))
    template = {"type": "acquisition", "buyer": ["Norby Mills"]}
    rows = [{"id": "a", "source": "Norby Mills bought a barn.", "input": {"kind": "event", "template": template}}]
    write_jsonl(Path("one.jsonl"), rows)
    call = here("data", "render", "one.jsonl", "--as", "event-prompt:ontology=short.toml", "-o", "r.jsonl")
    assert call.code == 0, call.err
    assert "none of the roles in prompts (seller)" in " ".join(call.err.split())
    assert json.loads(Path("r.jsonl").read_text())["text"].startswith('Document: "Norby Mills bought a barn."')
    call = here("data", "render", "one.jsonl", "--as", "event-prompt:ontology=deals.toml", "-o", "r.jsonl")
    assert "none of the roles" not in call.err


def test_an_extractor_learns_foreign_roles(own: Path) -> None:
    from assay.inputs.labelled import labelled

    (one,) = labelled(read_examples("deals.jsonl").examples[0])
    assert [(span.category, one.text[span.start : span.end]) for span in one.spans] == [
        ("buyer", "Norby Mills"), ("asset", "a barn"), ("asset", "two silos"), ("seller", "Ada Reed"),
    ]  # fmt: skip


def test_the_template_baseline_names_foreign_roles(here: Run, own: Path) -> None:
    here("system", "generate", "deals.jsonl", "--system", "template", "-o", "t.jsonl")
    assert "seller: Ada Reed" in Path("t.jsonl").read_text()
    event = {"kind": "event", "template": {"Käufer": "Öl AG"}, "document": ["x"]}
    write_jsonl(Path("k.jsonl"), [{"id": "a", "input": event}])
    here("system", "generate", "k.jsonl", "--system", "template", "-o", "u.jsonl")
    assert "Käufer: Öl AG" in Path("u.jsonl").read_text()  # nouns have capitals in German


def test_mentions_by_ontology(here: Run, own: Path) -> None:
    events = {"kind": "events", "templates": [{"type": "acquisition", "buyer": [[{"text": "Norby Mills", "start": 0}]],
              "seller": [[{"text": "Ada Reed", "start": 27}], [{"text": "a barn", "start": 19}]]}]}  # fmt: skip
    write_jsonl(Path("docs.jsonl"), [{"id": "d", "source": DEAL["source"], "input": events}])
    arguments = ("data", "markup", "mentions", "deals.jsonl", "docs.jsonl", "-o", "m.jsonl", "--classes", "c.json")
    call = here(*arguments)
    assert call.code == 1
    assert "no role of the ontology muc4" in call.err
    assert here(*arguments, "--ontology", "deals.toml").code == 0
    assert "[SELLER_START] Ada Reed [SELLER_END]" in Path("m.jsonl").read_text()


def test_entity_types_of_the_user(here: Run, own: Path) -> None:
    document = {"id": "p", "text": "Swan met Heron at sea. Then it rained.", "entities": [
        {"name": "Swan", "type": "SHIP", "mentions": [0]}, {"name": "Heron", "type": "vessel", "mentions": [9]},
    ]}  # fmt: skip
    write_jsonl(Path("fleet.jsonl"), [document])
    call = here("data", "entities", "extract", "fleet.jsonl", "-o", "i.jsonl")
    assert call.code == 1
    assert "no entity type of tesa (person, location, org): 'SHIP'" in call.err
    assert here("data", "entities", "extract", "fleet.jsonl", "-o", "i.jsonl", "--types", "fleet.toml").code == 0
    (one,) = read_examples("i.jsonl").examples
    from assay.studies.shown import placeholders

    assert placeholders(one) == {"entities": "Swan and Heron", "number": "two", "type": "ships"}
    assert placeholders(one, "de-AT") == {"entities": "Swan und Heron", "number": "zwei", "type": "ships"}
    assert placeholders(one, "fi") == {"entities": "Swan, Heron", "number": "2", "type": "ships"}


def test_markers_of_the_user(here: Run, own: Path) -> None:
    rows = [{"id": "a/0/0", "document": "a", "target": "0", "text": "2 mg helps", "source": "Text. More.",
             "spans": [{"category": "claim", "start": 0, "end": 10}, {"category": "dose", "start": 0, "end": 4},
                       {"category": "effect", "start": 5, "end": 10, "comment": "sleep"}]}]  # fmt: skip
    write_jsonl(Path("a.jsonl"), rows)
    assert here("data", "markup", "targets", "a.jsonl", "-o", "t.jsonl").code == 1  # claim is no category of FOMC
    assert here("data", "markup", "targets", "a.jsonl", "-o", "t.jsonl", "--schema", "claims.toml").code == 0
    (target,) = read_examples("t.jsonl").examples
    assert (target.references, target.tags["schema"]) == ((MARKED,), "claims.toml")
    write_jsonl(Path("o.jsonl"), [{"id": "a", "output": "2 mg helps (sleep)"}])
    stripped = here("score", "o.jsonl", "-e", "t.jsonl", "-m", "rouge1", "--text", "without-markers", "--json")
    assert stripped.code == 0, stripped.err
    score = stripped.json["scores"]["rouge1"]
    assert score["value"] == 1.0  # the schema travels with the examples
    assert "|text:without-markers-claims-" in score["signature"]
    raw = here("score", "o.jsonl", "-e", "t.jsonl", "-m", "rouge1", "--json").json["scores"]["rouge1"]
    assert raw["value"] < 1
    assert "text:" not in raw["signature"]
    write_jsonl(Path("r.jsonl"), [{"id": "a", "references": [MARKED.replace("<dose>", "").replace("</dose>", "")]}])
    call = here("score", "o.jsonl", "-e", "r.jsonl", "-m", "rouge1", "--text", "without-markers")
    assert call.code == 1
    assert "id a: the text marks claim, effect, which the schema fomc lacks" in call.err
    call = here(
        "score", "o.jsonl", "-e", "r.jsonl", "-m", "rouge1", "--text", "without-markers", "--schema", "claims.toml"
    )
    assert call.code == 0
    (statistics,) = here("data", "markup", "stats", "t.jsonl", "--json").json["statistics"].values()
    assert statistics["dose a target"]["mean"] == 1
    assert here("data", "markup", "parse", "t.jsonl", "-o", "p.jsonl", "--json").json["spans"] == 3
    write_jsonl(Path("m.jsonl"), [{"id": "a", "output": MARKED}])
    call = here("score", "m.jsonl", "-e", "t.jsonl", "-m", "markers", "--json")
    assert "outputs mark claim, effect" in call.json["skipped"][0]["why"]
    scores = here("score", "m.jsonl", "-e", "t.jsonl", "-m", "markers:schema=claims.toml", "--json").json["scores"]
    assert scores["spans-dose"]["value"] == 1
    novel = here("score", "m.jsonl", "-e", "t.jsonl", "-m", "novelty:statements=apart", "--json")
    assert "the markers to remove are those of claims.toml" in novel.json["skipped"][0]["why"]
    novel = here("score", "m.jsonl", "-e", "t.jsonl", "-m", "novelty:statements=apart:schema=claims.toml", "--json")
    assert novel.json["scores"]["compression"]["value"] == pytest.approx(4 / 6, abs=0.3)
    oracle = ("data", "filter", "t.jsonl", "--strategy", "oracle", "--budget", "9", "-o", "f.jsonl")
    assert here(*oracle).code == 0  # the targets name their schema
    assert "marks claim, effect" in here(*oracle, "--schema", "fomc").err


def test_the_language_is_that_of_the_data(here: Run, own: Path) -> None:
    """Texts of the user are not called English."""
    spans = [{"category": "claim", "start": 0, "end": 9}, {"category": "dose", "start": 0, "end": 4}]
    plain = {"id": "a", "text": "2 mg aldı", "spans": spans}
    for more, expected in (({}, None), ({"language": "tr"}, "tr")):
        write_jsonl(Path("a.jsonl"), [plain | more])
        assert here("data", "markup", "targets", "a.jsonl", "-o", "t.jsonl", "--schema", "claims.toml").code == 0
        assert read_examples("t.jsonl").examples[0].language == expected
        write_jsonl(Path("b.jsonl"), [plain | more | {"document": "a", "target": who} for who in ("x", "y")])
        call = here(
            "data", "markup", "adjudicate", "b.jsonl", "--statements", "--schema", "claims.toml", "-o", "g.jsonl"
        )
        assert call.code == 0, call.err
        assert json.loads(Path("g.jsonl").read_text()).get("language") == expected
        entities = [{"name": name, "type": "SHIP", "mentions": [at]} for name, at in (("Kuğu", 0), ("Martı", 5))]
        write_jsonl(Path("f.jsonl"), [{"id": "p", "text": "Kuğu Martı gördü. Sonra.", "entities": entities} | more])
        assert here("data", "entities", "extract", "f.jsonl", "-o", "i.jsonl", "--types", "fleet.toml").code == 0
        assert read_examples("i.jsonl").examples[0].language == expected


OPINIONS = """
name = "görüşler"
whole = "yargı"
[[categories]]
name = "yargı"
start = "⟦"
end = "⟧"
[[categories]]
name = "duygu_durumu"
comment = "required"
"""


def test_a_schema_in_turkish_from_annotations_and_back(here: Run, own: Path) -> None:
    """Categories in another script, the source and the language; parts in another folder find the schema."""
    Path("görüş.toml").write_text(OPINIONS)
    text = "Şule filmi beğendi."
    spans = [{"category": "yargı", "start": 0, "end": 19}, {"category": "duygu_durumu", "start": 11, "end": 18,
             "comment": "olumlu"}]  # fmt: skip
    rows = [
        {
            "id": f"{i}",
            "document": f"{i}",
            "target": "0",
            "text": text,
            "spans": spans,
            "language": "tr",
            "source": "Y. " + text,
        }
        for i in range(10)
    ]
    write_jsonl(Path("a.jsonl"), rows)
    call = here("data", "markup", "targets", "a.jsonl", "--schema", "görüş.toml", "-o", "t.jsonl")
    assert call.code == 0, call.err
    target = read_examples("t.jsonl").examples[0]
    assert target.references == ("⟦ Şule filmi [DUYGU_DURUMU_START] beğendi (olumlu) [DUYGU_DURUMU_END] . ⟧",)
    here("data", "markup", "parse", "t.jsonl", "-o", "b.jsonl")
    back = [json.loads(line) for line in Path("b.jsonl").read_text().splitlines()]
    assert back == [{**row, "id": f"{i}/0/0"} for i, row in enumerate(rows)]
    here("data", "markup", "split", "t.jsonl", "-o", "parts")
    (part,) = read_examples("parts/test.jsonl").examples
    assert part.tags["schema"] == "../görüş.toml"
    write_jsonl(Path("o.jsonl"), [{"id": part.id, "output": part.references[0]}])
    call = here(
        "score", "o.jsonl", "-e", "parts/test.jsonl", "-m", "rouge1,markers", "--text", "without-markers", "--json"
    )
    assert "|text:without-markers-görüşler-" in call.json["scores"]["rouge1"]["signature"]
    assert "without their markers; leave out --text" in call.json["skipped"][0]["why"]
    wrong = OPINIONS.replace('"duygu_durumu"', '"Duygu"')
    Path("wrong.toml").write_text(wrong)
    call = here("data", "markup", "targets", "a.jsonl", "--schema", "wrong.toml", "-o", "t.jsonl")
    assert "the name 'Duygu' of a category must be letters in lower case" in call.err


def test_the_digest_of_a_schema_is_of_its_content(here: Run, own: Path) -> None:
    write_jsonl(Path("m.jsonl"), [{"id": "a", "output": "x"}])
    signed = []
    for changed in (CLAIMS, CLAIMS.replace("<dose>", "<d>")):
        Path("claims.toml").write_text(changed)
        call = here("score", "m.jsonl", "-m", "markers:schema=claims.toml", "--json")
        signed.append(call.json["scores"]["closed_correctly"]["signature"])
    assert signed[0] != signed[1]


def test_choices_between_custom_markers(here: Run, own: Path) -> None:
    write_jsonl(
        Path("t.jsonl"),
        [{"id": "a", "references": [MARKED]}, {"id": "b", "references": [MARKED.replace("2 mg", "9 mg")]}],
    )
    classes = [{"annotation": "dose", "evaluation": "dose", "equivalence_classes": [["2 mg"], ["9 mg"]],
                "class_names": ["low", "high"]}]  # fmt: skip
    Path("c.json").write_text(json.dumps(classes))
    chosen = ("-S", "ngram", "--train", "t.jsonl", "-o", "o.jsonl")
    arguments = ("system", "choose", "t.jsonl", "--classes", "c.json", *chosen, "--plain")
    call = here(*arguments)
    assert call.code == 1
    assert "no span of its targets is in a class" in call.err
    call = here(*arguments, "--schema", "claims.toml", "--confusion", "dose", "--json")
    assert call.code == 0, call.err
    assert {cell["positive"] for cell in call.json["confusion"]} == {"low", "high"}  # names, not 0 and 1
    prefix = [one.input["prefix"] for one in read_examples("o.instances.jsonl").examples if one.input]
    assert set(prefix) == {""}  # markers removed
    lint = ("data", "markup", "lint", "c.json", "--targets", "t.jsonl", "--json")
    assert any("no target has" in one["problem"] for one in here(*lint).json["findings"])
    findings = here(*lint, "--schema", "claims.toml").json["findings"]
    assert not any("no target has" in one["problem"] for one in findings)


def test_mandatory_fields_are_reported(here: Run, own: Path) -> None:
    spans = [{"category": "claim", "start": 0, "end": 10}, {"category": "effect", "start": 5, "end": 10}]
    write_jsonl(Path("a.jsonl"), [{"id": "s", "text": "2 mg helps", "spans": spans}])
    arguments = ("data", "markup", "targets", "a.jsonl", "-o", "t.jsonl", "--schema", "claims.toml")
    call = here(*arguments)
    assert call.code == 0
    assert "id s: sentence 0-10 has no dose" in call.err
    assert "has no comment" in call.err
    strict = here(*arguments, "--strict")
    assert strict.code == 1
    assert "leave out --strict" in strict.err
    twice = [*spans, {"category": "effect", "start": 7, "end": 10, "comment": "x"}]
    write_jsonl(Path("e.jsonl"), [{"id": "s", "input": {"kind": "annotated", "text": "2 mg helps", "spans": twice}}])
    warned = here("data", "render", "e.jsonl", "--as", "annotated:schema=claims.toml").err
    assert "a span of effect overlaps another of the same category" in warned
    assert "lacks a mandatory category: dose" in warned


def test_a_typology_of_the_user_in_a_study(here: Run, own: Path) -> None:
    design = here("study", "new", "--preset", "frank", "-o", "d.toml")
    assert design.code == 0
    text = Path("d.toml").read_text()
    start, end = text.index("[questions.labels]"), text.index("[sample]")
    Path("d.toml").write_text((text[:start] + text[end:]).replace('typology = "frank"', 'typology = "recipes.toml"'))
    from assay.studies.design import read_design
    from assay.studies.traps import read_traps

    design_read = read_design(Path("d.toml"))
    assert list(design_read.questions[0].labels) == ["Order", "Amount", "Else"]
    write_jsonl(
        Path("traps.jsonl"), [{"document": "a", "text": "t", "expected": name} for name in ("sequence", "Amount", "")]
    )
    assert [check.expected for check in read_traps(Path("traps.jsonl"), design_read)["a"]] == ["Order", "Amount", ""]
    write_jsonl(Path("traps.jsonl"), [{"document": "a", "text": "t", "expected": "OutE"}])
    with pytest.raises(AssayError, match=r"'OutE' is not an error code.*aliases"):
        read_traps(Path("traps.jsonl"), design_read)
    assert here("study", "export", "d.toml", "--as", "lessons", "-o", "l.jsonl").code == 0
    assert (
        "has a qualification test, and the typology no [[lessons]]"
        in here("study", "export", "d.toml", "--as", "lessons", "-o", "l.jsonl").err
    )
    lessons = [json.loads(line) for line in Path("l.jsonl").read_text().splitlines()]
    assert [(one["text"], one["expected"]) for one in lessons] == [
        ("Salt is added.", ""), ("Add salt, then boil the rice.", "Order"), ("Boil two cups of rice.", "Amount"),
    ]  # fmt: skip
    votes = [
        {"id": "a", "system": "s", "annotator": who, "criterion": "factual", "value": value, "unit": "sentence:0"}
        for who, value in (("x", "Order"), ("y", "Order+Else"), ("z", "NoE"))
    ]
    write_jsonl(Path("v.jsonl"), votes)
    call = here("study", "export", "v.jsonl", "--as", "frank", "-o", "h.json")
    assert "'Order' is no code of the typology frank" in call.err
    assert here("study", "export", "v.jsonl", "--as", "frank", "-o", "h.json", "--typology", "recipes.toml").code == 0
    (columns,) = json.loads(Path("h.json").read_text())
    assert (columns["Factuality"], columns["Order"], columns["Amount"], columns["procedure"]) == (0, 0, 1, 0)
    Path("d.toml").write_text(text.replace('typology = "frank"', 'typology = "recipes.toml"'))
    with pytest.raises(AssayError, match="the label OutE is not in"):
        read_design(Path("d.toml"))


def test_the_other_error_may_have_words_of_its_own(tmp_path: Path) -> None:
    """Else annotators of another language read `something else`; it is one label, not two."""
    path = tmp_path / "kochen.toml"
    path.write_text('name = "k"\nother = "Sonst"\n[errors.Menge]\ndefinition = "falsche Menge"\n')
    assert typology(str(path)).options["Sonst"] == "something else"
    path.write_text(path.read_text() + '[errors.Sonst]\ndefinition = "ein anderer Fehler"\n')
    known = typology(str(path))
    assert known.labels == ("Menge", "Sonst", "NoE")
    assert known.options == {"Menge": "falsche Menge", "Sonst": "ein anderer Fehler"}
    assert columns(verdicts([{"x": ["Sonst"], "y": ["Sonst"]}]), known) == {
        "Factuality": 0, "Menge": 0, "Other": 0, "Flip_Menge": 0, "Flip_Other": 0,
    }  # as OtherE in FRANK  # fmt: skip


def test_the_shipped_files_are_those_of_the_papers() -> None:
    assert schema("fomc").names[0] == schema("fomc").whole == "std_sentence"
    assert ontology().entities == ("perpind", "perporg", "target", "victim", "weapon")
    assert typology().labels[-2:] == ("OtherE", "NoE")
    assert list(entity_types().types) == ["person", "location", "org"]
    assert Example(id="x").tags == {}
