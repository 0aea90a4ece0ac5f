"""Data unlike the sample: chats, contexts, missing items, many small subsets, metrics on which all are equal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import assay
from assay.explorer.headline import headline
from assay.explorer.queries import Queries
from assay.explorer.report import write_report
from assay.explorer.standalone import built

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.skipif(not built(), reason="needs the built pages (make pages)")
Look = Callable[..., "Page"]
Serve = Callable[[Path], str]
SYSTEMS = ["Große Lösung (v2)", "Müller & Söhne", "gpt x (mini)", "Name, der sehr lang ist (2024-11, beta)"]
TOWNS = "Köln Zürich Graz Bremen Kiel Ulm Bern Wien Linz Essen".split()


def weather(i: int) -> str:
    return f"In {TOWNS[i % 10]} ist es heute sonnig bei {i} Grad, der Wind weht mit {i * 3} Stundenkilometern."


def output(system: int, i: int) -> str:
    """The first system drops few words, the second more; the third often answers with the reference."""
    every = (9, 3, 7, 2)[system]
    return " ".join(word for place, word in enumerate(weather(i).split()) if (place + i) % every or place < 2)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")

    def write(name: str, rows: list[dict[str, Any]]) -> None:
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / name).write_text(lines, encoding="utf-8")

    items = range(36)
    write("weather.jsonl", [
        {"id": f"w {i}", "references": [weather(i)], "source": TOWNS[i % 10], "language": "de",
         "tags": {"season": ["Winter", "Sommer"][i % 2], "wind": str(i % 12)}}
        for i in items
    ])  # fmt: skip
    write("chats.jsonl", [
        {"id": f"chat {i}", "references": [f"The train to {TOWNS[i]} leaves at {i + 6}."],
         "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello!"},
                      {"role": "assistant", "content": "What can I do?"},
                      {"role": "user", "content": f"A train to {TOWNS[i]}, <b>please</b>?\n- by day"}],
         "contexts": [{"id": "timetable", "text": f"{TOWNS[i]}: {i + 6}:00"}], "expected": {"hour": i + 6}}
        for i in range(10)
    ])  # fmt: skip
    for place, _ in enumerate(SYSTEMS):
        made = [{"id": f"w {i}", "output": output(place, i)} for i in items if place != 3 or i % 4 != 3]
        write(f"weather-{place}.jsonl", made)
        answers = [f"The train to {TOWNS[i]} leaves at {i + 6}." if place < 2 else "Later." for i in range(10)]
        write(f"chats-{place}.jsonl", [{"id": f"chat {i}", "output": text} for i, text in enumerate(answers)])
    judged = [
        {"id": f"w {i}", "system": name, "annotator": who, "criterion": "Verständlichkeit", "value": 5 - place + i % 2}
        for place, name in enumerate(SYSTEMS)
        for i in range(12)
        if place != 3 or i % 4 != 3
        for who in ("anna b.", "Jörg")
    ]
    write("judgements.jsonl", judged)
    config = """name = "own"
ci = 100
allow_missing = true
[[datasets]]
name = "weather"
examples = "weather.jsonl"
judgements = "judgements.jsonl"
metrics = ["chrf", "ter", "mean_length"]
by = ["season", "wind"]
[[datasets]]
name = "chats"
examples = "chats.jsonl"
metrics = ["chrf", "ter", "conversation"]
"""
    for place, name in enumerate(SYSTEMS):
        config += f'[[systems]]\nname = "{name}"\noutputs = "{{dataset}}-{place}.jsonl"\n'
    (folder / "c.toml").write_text(config, encoding="utf-8")
    assay.run(folder / "c.toml", folder / "results")
    return folder / "results"


def test_chats_contexts_and_answers_are_shown(look: Look, serve: Serve, own: Path, tmp_path: Path) -> None:
    """In every report; the server and the one-file report find the same items by their words."""
    write_report([own], tmp_path / "report.html")
    for address in (serve(own), (tmp_path / "report.html").as_uri()):
        page = look(address + "#/examples?dataset=chats")
        turns = page.locator(".chat li")
        expect(turns).to_have_count(4)
        assert turns.nth(3).locator("p").inner_text() == "A train to Köln, <b>please</b>?\n- by day"
        expect(page.locator(".contexts dd").first).to_have_text("Köln: 6:00")
        expect(page.locator(".item")).to_contain_text('{"hour":6}')
        found = look(address + "#/examples?dataset=chats&text=to+Kiel%2C")
        expect(found.locator(".listing .entry b")).to_have_text(["chat 4"])
    write_report([own], tmp_path / "plain.html", plain=True)
    assert "A train to Köln, &lt;b&gt;please" in (tmp_path / "plain.html").read_text(encoding="utf-8")


def test_an_item_without_an_output_says_so(look: Look, serve: Serve, own: Path) -> None:
    page = look(serve(own) + "#/examples?dataset=weather&item=w+3")
    missing = page.locator(".output").filter(has_text=SYSTEMS[3])
    assert missing.inner_text().split("\n")[-1:] == ["no output for this item"]
    expect(page.locator(".mark-key .new").filter(has_text="only in the output")).to_be_visible()


def test_numbers_of_items_are_those_of_scores_and_of_tests(look: Look, serve: Serve, own: Path, tmp_path: Path) -> None:
    """Three systems have 36 items, one has 27: scores are of each system's own items, tests of the common ones."""
    page = look(serve(own) + "#/overview?on=weather")
    expect(page.locator(".under-headline")).to_contain_text(
        "Scores on 27 to 36 items each; tested on the 27 that all 4 systems have."
    )
    expect(page.locator("main .warnings summary")).to_have_text("Check these scores (1)")
    expect(page.locator("main .warnings li")).to_have_count(1)
    listed = page.locator("header .warnings li").count()
    assert page.locator("header .warnings summary").inner_text() == f"Notes ({listed})"
    compared = look(serve(own) + "#/compare?dataset=weather")
    expect(compared.locator(".notice").first).to_contain_text("the 27 items that all 4 systems have")
    for name in ("plain.html", "report.md"):
        write_report([own], tmp_path / name, plain=True)
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "27 to 36 items" in text
        assert "Tests: on the 27 items that all systems have" in text
        assert "systems have different numbers of items" in text


def test_metrics_on_which_all_are_equal_are_no_victories(look: Look, serve: Serve, own: Path) -> None:
    page = look(serve(own) + "#/overview?on=chats")
    sentence = page.locator("h1.headline").inner_text()
    assert sentence.startswith(f"{SYSTEMS[0]} has the best score on both metrics, {SYSTEMS[1]} on 2;")
    assert sentence.endswith(". All have equal scores on conversation.copies.")
    tested = Queries([own]).tested_table("chats")
    assert tested
    assert sentence == headline(tested, SYSTEMS)
    headings = page.locator(".heat text").all_inner_texts()
    assert not [text for text in headings if headings.count(text) > 1 and "…" in text]


def test_subsets_of_a_few_items_are_folded(look: Look, serve: Serve, own: Path) -> None:
    page = look(serve(own) + "#/compare?dataset=weather")
    first, small = page.locator(".heat svg").all()
    shown = first.text_content() or ""
    assert "Winter (18)" in shown
    assert "wind" not in shown
    assert small.is_hidden()
    page.locator(".small-subsets summary").click()
    assert "12 subsets of under 10 items" in page.locator(".small-subsets summary").inner_text()
    assert (small.text_content() or "").count(
        "wind"
    ) == 12 * 5  # a name with its title, and a title for each of three metrics


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_charts_are_as_wide_as_their_place(look: Look, serve: Serve, own: Path, width: int) -> None:
    """No point of a scatter plot and no name of a system is outside what can be seen without scrolling."""
    page = look(serve(own) + "#/correlation?dataset=weather", width)
    inside = """all => all.every(svg => {
        const place = svg.parentElement.getBoundingClientRect(), box = svg.getBoundingClientRect();
        return box.right <= place.right + 1 && svg.getAttribute("width") <= place.width + 1;
    })"""
    assert page.locator("svg.scatter circle").count()
    assert page.eval_on_selector_all(".stage > svg", inside)
    results = look(serve(own) + "#/overview?on=weather", width)
    names = results.locator(".multiples .row").all()
    for label in names:
        full = label.locator("title").text_content() or ""
        assert (label.text_content() or "").removesuffix(full) == full or len(full) > 18, full
