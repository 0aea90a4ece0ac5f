"""Dialogues in the explorer: saved by `assay analyze dialog`, shown turn by turn, with offers that miss the goal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay.errors import AssayError
from assay.explorer.queries import Queries
from assay.explorer.report import write_report
from assay.explorer.standalone import built
from tests.conftest import Call

if TYPE_CHECKING:
    from playwright.sync_api import Page

Run = Callable[..., Call]
Look = Callable[..., "Page"]
Serve = Callable[[Path], str]
AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
browser_only = [pytest.mark.slow, pytest.mark.skipif(not built(), reason="needs the built pages (make pages)")]
MARKUP = "<img src=x onerror=document.title='owned'>"
NORTH = {"restaurant": {"area": "north"}}


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An invented town in which one system offers what was asked for and the other forgets the area."""
    folder = tmp_path_factory.mktemp("town")
    venues = [("1", "mill", "north"), ("2", f"sea {MARKUP}", "south"), ("3", "quay", "north")]
    rows: dict[str, list[Any]] = {
        "restaurant": [{"id": id, "name": name, "area": area} for id, name, area in venues],
        "hotel": [], "attraction": [], "train": [],
    }  # fmt: skip
    for domain, listed in rows.items():
        (folder / f"{domain}_db.json").write_text(json.dumps(listed))
    turns = ["which area ?", "[restaurant_name] is nice .", "call [restaurant_phone]"]
    good: list[Any] = [{"response": text, "state": NORTH if i else {"restaurant": {}}} for i, text in enumerate(turns)]
    bad = [
        {"response": text + MARKUP, "state": {"restaurant": {}}, "active_domains": ["restaurant"]} for text in turns[:2]
    ]
    files = {
        "good": {"d1": good, "d2": good},
        "bad": {"d1": bad},
        "refs": {"d1": turns, "d2": turns},
        "goals": {"d1": {"restaurant": {"informable": {"area": "north"}, "requestable": ["phone"]}}},
    }  # fmt: skip
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder


@pytest.fixture
def save(here: Run, town: Path) -> Callable[..., Path]:
    def to(*more: str, name: str = "saved") -> Path:
        files = ["--databases", town, "--goals", town / "goals.json", "-r", f"own={town / 'refs.json'}"]
        call = here(
            "analyze", "dialog", town / "good.json", town / "bad.json", *files, "--json", *more, "--save", town / name
        )
        assert call.code == 0
        assert call.json["systems"].keys() == {"good", "bad"}
        return town / name

    return to


def test_saved_dialogues_have_runs_by_domain(save: Callable[..., Path]) -> None:
    overview = Queries([save()]).overview
    whole = {line.system: line for line in overview.runs if not line.subset}
    assert {system: line.value("inform") for system, line in whole.items()} == {"good": 100, "bad": 0}
    assert whole["good"].value("bleu.own") == pytest.approx(100)
    assert whole["good"].scores["inform"].signature.startswith("multiwoz|venues:subset|updates:name_id|")
    assert [line.system for line in overview.runs if line.subset == "domain=restaurant"] == ["good", "bad"]
    assert any("saved: good: 1 predicted dialogues have no goal" in note for note in overview.notes_of_all())


def test_dialogue_page_has_state_offers_and_missing_slots(save: Callable[..., Path]) -> None:
    queries = Queries([save()])
    listed = {entry.id: entry.verdicts for entry in queries.dialogues("saved").dialogues}
    assert listed == {"d1": {"good": "success", "bad": "neither"}, "d2": {}}
    page = queries.dialogue("saved", "d1")
    good, bad = page.systems
    assert [(goal.domain, goal.wanted, goal.requested, goal.fitting) for goal in page.goals] == [
        ("restaurant", [("area", "north")], ["PHONE"], 2)
    ]
    assert [[(slot.value, slot.new) for slot in turn.state] for turn in good.turns] == [
        [], [("north", True)], [("north", False)]
    ]  # fmt: skip
    assert [[(o.fitting, o.total, o.new) for o in turn.offers] for turn in good.turns] == [
        [], [(2, 2, True)], [(2, 2, False)]
    ]  # fmt: skip
    assert [turn.provided for turn in good.turns] == [[], [], [("restaurant", ["PHONE"])]]
    (offer,) = bad.turns[1].offers
    assert [(venue.id, venue.fits) for venue in offer.venues] == [("2", False), ("1", True), ("3", True)]
    assert (bad.match, bad.missing) == ({"restaurant": False}, {"restaurant": ["PHONE"]})
    assert (good.final, bad.final) == ([], [])
    with pytest.raises(AssayError, match="no dialogue d9 in saved"):
        queries.dialogue("saved", "d9")
    with pytest.raises(AssayError, match="no dialogues x; available: saved"):
        queries.dialogues("x")


def test_final_offers_are_shown(save: Callable[..., Path], here: Run, town: Path) -> None:
    """Some papers search once, with the last state: no turn changes the offer, yet there is one."""
    good, _ = Queries([save("--setup", "augpt", name="end")]).dialogue("end", "d1").systems
    assert [turn.offers for turn in good.turns] == [[], [], []]
    assert [(offer.fitting, offer.total) for offer in good.final] == [(2, 2)]
    call = here("analyze", "dialog", town / "good.json", "--databases", town, "--goals", town / "goals.json", "--setup",
                "augpt", "--trace", "d1")  # fmt: skip
    assert "restaurant: 1, 3" in call.out


def test_damaged_dialogues_are_named_and_others_shown(save: Callable[..., Path], tmp_path: Path) -> None:
    whole = save()
    (tmp_path / "broken").mkdir()
    text = (whole / "dialogues.json").read_text()
    for damage in (text[:200], text.replace('"value":', '"worth":'), "[]", ""):
        (tmp_path / "broken/dialogues.json").write_text(damage)
        queries = Queries([tmp_path / "broken", whole])
        assert list(queries.library.dialogues) == ["saved"]
        assert any("broken/dialogues.json" in problem for problem in queries.overview.problems)


def test_inconsistent_dialogues_are_still_shown(save: Callable[..., Path], tmp_path: Path) -> None:
    """Written by anybody: goals that are gone, offers of domains that nobody wants, no turns at all."""
    held = json.loads((save() / "dialogues.json").read_text())
    held["goals"], held["names"] = {}, {}
    held["systems"][0]["dialogues"]["d1"]["turns"] = []
    held["systems"][1]["richness"] = {}
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd/dialogues.json").write_text(json.dumps(held))
    queries = Queries([tmp_path / "odd"])
    assert queries.overview_json
    assert [one.system for one in queries.dialogue("odd", "d1").systems] == ["good", "bad"]


@pytest.mark.parametrize("form", ["report.md", "report.tex", "plain.html"])
def test_reports_include_dialogue_scores(save: Callable[..., Path], tmp_path: Path, form: str) -> None:
    write_report([save()], tmp_path / form, plain=form == "plain.html")
    assert "inform" in (tmp_path / form).read_text()


def test_sng0580_has_the_published_trace(here: Run, tmp_path: Path, shared_data: Callable[[str], Path]) -> None:
    """The worked example of the paper, from the released answers and databases."""
    wanted = {"food": "chinese", "pricerange": "cheap"}
    goals = {"sng0580": {"restaurant": {"informable": wanted, "requestable": ["address", "postcode"]}}}
    (tmp_path / "goals.json").write_text(json.dumps(goals))
    ubar, databases = shared_data("multiwoz/predictions/ubar.json"), shared_data("multiwoz/database")
    here(
        "analyze",
        "dialog",
        ubar,
        "--databases",
        databases,
        "--goals",
        tmp_path / "goals.json",
        "--save",
        tmp_path / "one",
    )
    (ubar_trace,) = Queries([tmp_path / "one"]).dialogue("one", "sng0580").systems
    assert ubar_trace.verdict == "success"
    offered = [{venue.id for offer in turn.offers for venue in offer.venues} for turn in ubar_trace.turns]
    assert offered == [set(), *[{"19212", "19185", "19219"}] * 3]
    given = [dict(turn.provided).get("restaurant", []) for turn in ubar_trace.turns]
    assert given == [[], ["ADDRESS"], ["ADDRESS", "POST"], ["ADDRESS", "POST"]]


class TestInChromium:
    pytestmark = browser_only

    @pytest.mark.parametrize("place", ["served", "single"])
    def test_read(self, look: Look, serve: Serve, save: Callable[..., Path], tmp_path: Path, place: str) -> None:
        folder = save()
        write_report([folder], tmp_path / "r.html")
        address = serve(folder) if place == "served" else (tmp_path / "r.html").as_uri()
        page = look(address + "#/dialogues")
        page.get_by_role("link", name="d1").click()
        page.wait_for_selector("article.dialogue")
        said = page.locator("article.dialogue").inner_text()
        assert "missing: PHONE" in said
        assert "2 of 3 match the goal · new offer" in said
        assert MARKUP in said
        assert "owned" not in page.title().split("·")[0]
        page.locator("#dialogue-system").select_option("good")
        page.wait_for_url("**system=good**")
        page.wait_for_selector("caption:text('good, turn by turn')")
        assert page.locator(".trace tbody tr").count() == 3
        page.locator("#dialogue-verdict").select_option("neither")
        page.wait_for_selector(".status:text('0 of 2 dialogues match')")

    def test_without_dialogues_the_page_is_not_named(self, look: Look, serve: Serve, sample: Path) -> None:
        page = look(serve(sample))
        assert page.get_by_role("link", name="Dialogues").count() == 0
        page = look(serve(sample) + "#/dialogues")
        assert "assay analyze dialog --save" in page.locator("main").inner_text()

    @pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (1200, "dark"), (360, "light")])
    def test_no_barrier(
        self, look: Look, serve: Serve, save: Callable[..., Path], width: int, scheme: str
    ) -> None:  # fmt: skip
        if not AXE.exists():
            pytest.skip("needs web/node_modules/axe-core")
        for route in ("#/dialogues?id=d1", "#/dialogues?id=d1&system=bad"):
            page = look(serve(save()) + route, width=width, scheme=scheme)
            page.wait_for_selector("article.dialogue")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.evaluate(AXE.read_text(encoding="utf-8"))
            found: list[dict[str, Any]] = page.evaluate("axe.run().then(result => result.violations)")
            assert {one["id"]: one["nodes"][0]["html"] for one in found if one["impact"] != "minor"} == {}
