"""Cards: templates, reading and writing without loss, what they lack, conversion, filling, pages, the catalogue."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmark.cards.card import Card, Section, new_card, parse_card, read_card, template_of
from assay.benchmark.cards.catalogue import catalogue
from assay.benchmark.cards.check import check_card
from assay.benchmark.cards.convert import convert
from assay.benchmark.cards.fill import fill
from assay.benchmark.cards.page import page
from assay.benchmark.cards.template import NAMES, PLACEHOLDER, Template, template
from assay.errors import AssayError
from tests.conftest import write_jsonl

Data = Callable[[str], Path]
GEM_CARDS = ("ASSET", "CommonGen", "Czech Restaurant", "E2E", "TURK", "WebNLG", "XSum")


def written(title: str, text: str, form: str = "gem") -> Card:
    """An empty card in which one section says something."""
    card = new_card(template(form), "Harbours")
    sections = tuple(
        Section(each.level, each.title, text if each.title == title else each.text) for each in card.sections
    )
    return Card(card.front, card.opening, sections)


def problems(card: Card, title: str) -> list[str]:
    return [each.problem for each in check_card(card).findings if each.section == title]


def test_templates_have_the_published_numbers_of_sections() -> None:
    def counts(name: str) -> list[int]:
        return [sum(entry.level == level for entry in template(name).counted) for level in (1, 2, 3)]

    assert counts("hf") == [5, 17, 4]
    assert counts("gem") == [8, 19, 4]


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_card_is_empty(name: str) -> None:
    card = new_card(template(name), guides=True)
    found = check_card(card)
    assert found.template == name
    assert found.complete == 0
    assert parse_card(card.markdown()) == card


@pytest.mark.parametrize("name", GEM_CARDS)
def test_published_cards_settle_at_once_and_lose_nothing(shared_data: Data, name: str) -> None:
    path = shared_data(f"gem/data_cards/{name}.md")
    settled = read_card(path).markdown()
    assert parse_card(settled).markdown() == settled

    def words(text: str) -> list[str]:
        return (
            text.removeprefix("\ufeff")
            .replace("[Leave this blank, we autogenerate this section and overwrite content]", "")
            .split()
        )

    assert words(settled) == words(path.read_text(encoding="utf-8"))


def test_asset_is_complete_but_for_credits(shared_data: Data) -> None:
    found = check_card(read_card(shared_data("gem/data_cards/ASSET.md")))
    assert found.levels == {"sections": (7, 8), "sub-sections": (19, 19), "sub-sub-sections": (4, 4)}
    assert [(each.section, each.problem) for each in found.findings if each.is_error] == [
        ("Credits for Data Cards and this Template", "section is missing")
    ]


@pytest.mark.parametrize(("name", "said"), [("FB", 10), ("NUIG-DSI", 9), ("POINTER", 10), ("SimpleNER", 10)])
def test_published_model_cards_are_read(shared_data: Data, name: str, said: int) -> None:
    card = read_card(shared_data(f"gem/model_cards/{name}.json"))
    found = check_card(card)
    assert found.template == "model"
    assert found.levels["sections"] == (3, 3)
    assert found.levels["sub-sections"] == (said, 10)
    assert parse_card(card.markdown()).markdown() == card.markdown()


def test_the_published_template_says_nothing_yet(shared_data: Data) -> None:
    found = check_card(read_card(shared_data("gem/model_cards/template.md")))
    assert found.levels["sub-sections"] == (0, 10)


@pytest.mark.parametrize("name", GEM_CARDS)
def test_conversion_there_and_back_keeps_every_text(shared_data: Data, name: str) -> None:
    def texts(card: Card) -> dict[str, str]:
        placed = [(section.text, entry) for section, entry in card.placed(template("gem")) if entry]
        return {entry.key: text for text, entry in placed if text.strip() not in ("", PLACEHOLDER)}

    card = read_card(shared_data(f"gem/data_cards/{name}.md"))
    there = convert(card, "hf")
    assert template_of(there).name == "hf"
    back = convert(parse_card(there.markdown()), "gem")
    assert texts(back) == texts(card)
    assert check_card(back).levels == check_card(card).levels


def test_sections_move_as_the_table_says() -> None:
    card = written("Data Splits", "three parts", "hf")
    moved = {entry.key: section for section, entry in convert(card, "gem").placed(template("gem")) if entry}
    assert moved["statistics"] == Section(2, "Data Statistics", "three parts")
    kept = convert(written("Contributions", "by Ada", "hf"), "gem")
    place = next(i for i, each in enumerate(kept.sections) if each.title == "Remainder of the Hugging Face data card")
    assert kept.sections[place + 1] == Section(3, "Contributions", "by Ada")


def test_headings_nobody_knows_survive_conversion() -> None:
    card = parse_card(written("Languages", "English (`en`)").markdown() + "\n## Tides\n\nhigh\n\n### Moon\n\nfull\n")
    back = convert(convert(card, "hf"), "gem").markdown()
    assert "Tides\n\nhigh" in back
    assert "Moon\n\nfull" in back


BODY = st.text("ab #*`-~>|\n<![]", max_size=60).map(
    lambda text: "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")
)


@given(st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["Languages", "Tides", "Data Fields"]), BODY), max_size=6))
def test_any_card_settles_at_once(parts: list[tuple[int, str, str]]) -> None:
    text = "\n\n".join(f"{'#' * (level + 1)} {title}\n\n{body}" for level, title, body in parts)
    once = parse_card(text).markdown()
    twice = parse_card(once).markdown()
    assert parse_card(twice).markdown() == twice
    assert re.findall(r"\w+", once) == re.findall(r"\w+", text)


def test_headings_in_code_are_text() -> None:
    card = parse_card("## Languages\n\n```\n## no heading\n```\n\n## Data Fields\n\nx")
    assert [each.title for each in card.sections] == ["Languages", "Data Fields"]
    assert "## no heading" in card.sections[0].text


@pytest.mark.parametrize("text", ["None.", "Not applicable: nothing was added", "N/A", "No additional annotations"])
def test_not_applicable_is_not_missing(text: str) -> None:
    card = written("Annotations", text)
    kept = tuple(each for each in card.sections if each.title not in ("Annotation process", "Who are the annotators?"))
    titles = {each.section for each in check_card(Card(card.front, "", kept)).findings}
    assert not titles & {"Annotations", "Annotation process", "Who are the annotators?"}
    assert {"Annotation process"} <= {each.section for each in check_card(written("Annotations", "by crowd")).findings}


@pytest.mark.parametrize(
    ("title", "text", "problem"),
    [
        ("Languages", "English", "no BCP-47 code"),
        ("Languages", "`qq`", "unknown language code: qq"),
        ("Languages", "`en-GB`, `pt-BR`", None),
        ("Licensing Information", "ask us", "no known licence is named"),
        ("Licensing Information", "CC BY-NC 4.0", "non-commercial use only"),
        ("Licensing Information", "MIT", None),
        ("Citation Information", "our paper", "no citation"),
        ("Citation Information", "@article{x}", None),
        ("Data Fields", f"an id {PLACEHOLDER}", "the text contains a placeholder"),
    ],
)
def test_what_is_said_is_looked_at(title: str, text: str, problem: str | None) -> None:
    assert problems(written(title, text), title) == ([problem] if problem else [])


def test_order_strangers_and_repeats() -> None:
    card = parse_card(
        "## Dataset Creation\n\nx\n\n## Meta Information\n\ny\n\n## Tides\n\nz\n\n## Meta Information\n\ny"
    )
    found = {(each.section, each.problem) for each in check_card(card, template("gem")).findings}
    assert {
        ("Meta Information", "out of order"),
        ("Tides", "not in the template"),
        ("Meta Information", "2 sections with this heading"),
    } <= found


@pytest.mark.parametrize(
    ("measuring", "problem"),
    [
        (PLACEHOLDER, "a use without a measure of its harm"),
        ("we hope for the best", "proposes no measurement"),
        ("compare two subgroups", None),
    ],
)
def test_a_harm_wants_a_measurement(measuring: str, problem: str | None) -> None:
    card = written("Real-World Use", "a news site names women less often", "model")
    sections = tuple(
        Section(each.level, each.title, measuring if each.title == "Measuring Impact" else each.text)
        for each in card.sections
    )
    said = problems(Card(card.front, "", sections), "Measuring Impact")
    assert problem in said if problem else not said


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("---\ntitle: x\n## Languages", r"c\.md:1: front matter is not closed\. Add a line ---\."),
        ("---\n- a\n---\n## Languages", "front matter is a list, not a mapping. Write lines of `key: value`"),
        ("---\na: &x 1\nb: *x\n---\n## Languages", "aliases"),
        ("---\na: [1\n---\n## Languages", "not YAML"),
    ],
)
def test_bad_front_matter_is_named(text: str, why: str) -> None:
    with pytest.raises(AssayError, match=why):
        check_card(parse_card(text, "c.md"))


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    rows = [
        {
            "id": f"h{i}",
            "source": "The tide is high today.",
            "references": ["High."] * (i + 1),
            "split": split,
            "language": "en",
        }
        for i, split in enumerate(["train", "train", "test"])
    ]
    return write_jsonl(tmp_path / "harbours.jsonl", rows)


def test_filling_writes_what_data_shows_and_no_persons_words(examples: Path) -> None:
    filled, titles = fill(written("Data Fields", "mine"), [examples])
    assert titles == ["Languages", "Data Instances", "Data Statistics"]
    texts = {each.title: each.text for each in filled.sections}
    assert "| train | 2 | 3 | 6.0 | 2.0 |" in texts["Data Statistics"]
    assert "- `en`: 3 items" in texts["Languages"]
    assert texts["Data Fields"] == "mine"
    again, _ = fill(parse_card(filled.markdown()), [examples])
    assert again.markdown() == filled.markdown()


def test_a_card_older_than_its_data_is_stale(examples: Path) -> None:
    from assay.benchmark.cards.fill import data_digest

    filled, _ = fill(new_card(template("hf")), [examples])
    assert not [
        each for each in check_card(filled, digest=data_digest([examples])).findings if "changed" in each.problem
    ]
    examples.write_text(examples.read_text() + '{"id": "new"}\n')
    assert [each for each in check_card(filled, digest=data_digest([examples])).findings if "changed" in each.problem]


def test_published_facts_of_a_dataset_are_filled(examples: Path) -> None:
    _, titles = fill(new_card(template("gem")), [examples], "web_nlg_en")
    assert {"Licensing Information", "Citation Information", "Communicative Goal"} <= set(titles)


def test_pages_show_words_and_obey_none() -> None:
    evil = (
        "<script>alert(1)</script> [x](javascript:alert(2)) ![p](http://127.0.0.1/p.png) <img src=x onerror=alert(3)>"
    )
    html = page(written("Languages", evil))
    assert "<script" not in html
    assert "javascript:" not in html.replace("(javascript:alert(2))", "")
    assert "<img" not in html
    assert "&lt;script&gt;" in html


def test_a_catalogue_says_what_is_lacking(shared_data: Data) -> None:
    found = {each.title: each for each in catalogue([shared_data("gem/data_cards")])[0]}
    assert found["WebNLG"].languages == ("en", "ru")
    assert found["ASSET"].licence == "non-commercial"
    assert found["E2E"].task == "data-to-text"


def test_cards_of_2022_are_read(tmp_path: Path) -> None:
    path = tmp_path / "harbours.yaml"
    path.write_text(
        """---
title: harbours
type: Data-to-Text
---
<div class="datacard"><section><h3>Dataset Overview <div class="tooltip"><h4>Credit</h4></div></h3>
<div><h4>Languages and Intended Use</h4><div class="datacard-field"><h5>License</h5><p>MIT <b>only</b></p></div></div>
<div><h4>Credit</h4><p>us</p><ul><li>Ada</li><li><code>Bo</code></li></ul></div></section></div>"""
    )
    card = read_card(path)
    assert [(each.level, each.title) for each in card.sections] == [
        (1, "Dataset Overview"), (2, "Languages and Intended Use"), (3, "License"), (2, "Credit")
    ]  # fmt: skip
    assert card.sections[2].text == "MIT **only**"
    assert card.sections[3].text == "us\n\n- Ada\n- `Bo`"
    assert template_of(card).name == "gem2022"


def test_guides_stand_beside_every_entry() -> None:
    forms: list[Template] = [template(name) for name in NAMES]
    assert all(len(entry.guide) > 5 for form in forms for entry in form.entries)
    assert len(json.dumps([form.title for form in forms])) > 20


@pytest.mark.parametrize(("name", "wanted"), [("hf", [5, 17, 4]), ("gem", [8, 19, 4])])
def test_an_empty_card_has_the_headings_of_its_template(name: str, wanted: list[int]) -> None:
    """Counted in the text, as a reader would: what may be left out is not asked for."""
    marks = re.findall(r"^(#{2,4}) (?!Table of Contents)", new_card(template(name)).markdown(), re.MULTILINE)
    assert [marks.count("#" * level) for level in (2, 3, 4)] == wanted


def test_challenge_sets_bring_their_section(tmp_path: Path) -> None:
    rows = '{"id": "a", "references": ["x"], "parent": "b", "tags": {"challenge": "typos"}}\n'
    (tmp_path / "c.jsonl").write_text(rows)
    filled, written = fill(new_card(template("gem")), [], challenges=[tmp_path / "c.jsonl"])
    assert written == ["Transformations"]
    assert [each.title for each in filled.sections if each.level > 1 and "ransform" in each.title + each.text] == [
        "Transformations"
    ]
    before = [each.title for each in filled.sections]
    assert before.index("Special test sets") == before.index("Transformations") - 1
    again, _ = fill(parse_card(filled.markdown()), [], challenges=[tmp_path / "c.jsonl"])
    assert again == filled
