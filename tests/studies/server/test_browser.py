"""Chromium: a study by keyboard only, without a script, a closed browser, span annotation, accessibility."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from assay.serving.listen import listen, server_of
from assay.serving.server import SESSION
from tests.studies.server.synthetic import CODES, KINDS, Site, design_of, frank_design, frank_task, lessons, tasks_of
from tests.support.signed_in import confirmed, session_of

pytest.importorskip("playwright.sync_api", reason="needs playwright")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow
Make = Callable[..., Site]


@contextmanager
def running(site: Site) -> Iterator[str]:
    """Serve the app of a site on a port, with links to it."""
    listener = listen("127.0.0.1", 0)
    server = server_of(site.app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    site.served.address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        yield site.served.address
    finally:
        server.should_exit = True
        thread.join(10)


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open pages in separate contexts; script errors and refused requests fail the test."""
    contexts: list[Any] = []
    errors: list[str] = []

    def to(address: str, width: int = 1200, scheme: str = "light", **more: Any) -> Page:
        size = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, color_scheme=scheme, **more)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.goto(address)
        return page

    yield to
    for context in contexts:
        context.close()
    assert not [error for error in errors if "status of 422" not in error]  # expected for invalid forms


def tab_to(page: Page, selector: str) -> None:
    """Move the focus to an element with the Tab key."""
    for _ in range(60):
        if page.evaluate("(it) => document.activeElement.matches(it)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no way to {selector} by Tab on {page.url}")


def press_on(page: Page, *keys: str) -> None:
    """Press keys, the last of which opens another page."""
    page.wait_for_selector("html[data-ready]")
    for key in keys[:-1]:
        page.keyboard.press(key)
    with page.expect_navigation():
        page.keyboard.press(keys[-1])


def test_frank_by_keyboard_only(site: Make, visit: Callable[..., Page]) -> None:
    """Tutorial with one error, qualification test, and ten tasks with reading tests and traps."""
    made = site(frank_design(), [frank_task(number) for number in range(10)], lessons())
    names = made.now()
    readings = dict(reading_tests(made))
    assert len(names.tasks) == len(readings) == 10
    with running(made) as address:
        page = visit(address + made.link("anna"))
        tab_to(page, "input[name=agree]")
        press_on(page, "Space", "Enter")
        assert "/tutorial/0" in page.url
        press_on(page, "y", "Enter")
        assert "Correct." in page.inner_text("main")
        press_on(page, "Enter")
        press_on(page, "y", "Enter")  # incorrect: it is explained and has to be corrected
        assert "Not correct." in page.inner_text("main")
        press_on(page, "n", "4", "Enter")
        assert "Correct." in page.inner_text("main")
        press_on(page, "Enter")
        assert "/qualification/0" in page.url
        press_on(page, "y", "Enter")
        press_on(page, "n", "4", "Enter")
        for done in range(10):
            assert "/read/" in page.url, (done, page.url)
            press_on(page, "Enter")
            foreign = next(readings[task] for task in [current(made)])
            shown = page.locator("fieldset label span").all_inner_texts()
            press_on(page, str(shown.index(foreign) + 1), "Enter")
            for _ in range(3):  # two sentences of the summary, and the trap
                marked = page.locator(".judged").inner_text()
                press_on(page, *(("n", "4") if "sold the old pier" in marked else ("y",)), "Enter")
        assert "Thank you" in page.inner_text("main")
        assert page.locator(".code code").inner_text()
    study = made.now()
    finished = [each for each in study.assignments.values() if each.done]
    assert len(finished) == 10
    assert all({answer.value for answer in each.answers} == {"NoE", "RelE"} for each in finished)
    person = study.annotators["anna"]
    assert not person.blocked
    assert person.passed("tutorial") == 0.5
    assert person.passed("qualification") == 1.0
    assert [check.right for check in person.checks if check.check == "trap"] == [1] * 10
    assert CODES[2] == "RelE"


def reading_tests(site: Site) -> Iterator[tuple[str, str]]:
    from assay.studies.server.store import load_study

    with site.served.database.read() as connection:
        for task, reading in load_study(connection, site.study).materials.reading_tests.items():
            yield task, reading.foreign


def current(site: Site) -> str:
    return next(each.task for each in site.now().open_assignments())


def test_drafts_survive_a_closed_browser(site: Make, visit: Callable[..., Page]) -> None:
    """A draft is found in another browser, by the invitation or by a link that can be used once."""
    design = design_of("typology")
    made = site(design, [frank_task(0, 0)])
    with running(made) as address:
        page = visit(address + made.link("anna"))
        page.check("input[name=agree]")
        page.click("[data-next]")
        press_on(page, "y", "Enter")
        page.wait_for_selector("html[data-ready]")
        page.keyboard.press("n")
        page.keyboard.press("2")
        page.fill("textarea", "half a thou")
        page.wait_for_selector("[data-saved]:not(:empty)")
        page.fill("textarea", "half a thought")
        page.context.close()
        other = visit(address + made.link("anna"), width=390)
        assert other.url.endswith("/work/a1/1")
        assert other.is_checked("input[value=no]")
        assert other.is_checked("input[value=OtherE]")
        assert other.input_value("textarea") in ("half a thou", "half a thought")
        other.click("text=Return the task")
        other.click("text=Link for another device")
        link = other.locator(".code code").inner_text()
        third = visit(link)
        assert third.url.endswith("/work/a1/1")
        assert third.is_checked("input[value=OtherE]")
        third.go_back()
        third.goto(address + f"/studies/{made.study}/work/a1/0")
        assert third.is_checked("input[value=yes]")


def test_spans_by_keyboard(site: Make, visit: Callable[..., Page]) -> None:
    made = site(design_of("spans"), tasks_of("spans", 1))
    with running(made) as address:
        page = visit(address + made.link("anna"))
        page.check("input[name=agree]")
        page.click("[data-next]")
        page.wait_for_selector("html[data-ready]")
        tab_to(page, "[data-words]")
        for key in ("ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "2"):
            page.keyboard.press(key)
        assert "Added." in page.locator("[data-said]").inner_text()
        tab_to(page, ".spans li input")
        page.keyboard.type("why so?")
        tab_to(page, "[data-next]")
        with page.expect_navigation():
            page.keyboard.press("Enter")
    (answer,) = made.now().assignments["a1"].answers
    text = made.now().tasks["t0"].texts[0].text
    start, end = map(int, answer.unit.removeprefix("span:").split("-"))
    assert text[start:end] == " ".join(text.split()[1:4])
    assert (answer.value, answer.comment) == ("major", "why so?")


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (390, "dark")])
def test_accessibility_of_every_page(
    site: Make, kinds: Callable[[str], Site], visit: Callable[..., Page], scheme: str, width: int
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python").Axe()
    problems: dict[str, Any] = {}

    def check(page: Page, name: str) -> None:
        page.wait_for_load_state("load")
        violations = axe.run(page).response["violations"]
        if violations:
            problems[name] = [(each["id"], each["nodes"][0]["html"][:200]) for each in violations]
        wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        if wide:
            problems[f"{name} is wider than the window"] = True

    look = {"width": width, "scheme": scheme}
    with running(kinds("likert")) as address:
        for kind in KINDS:
            person = f"axe {scheme} {width}"
            page = visit(address + kinds(kind).link(person), **look)
            check(page, f"intro {kind}")
            page.check("input[name=agree]")
            page.click("[data-next]")
            check(page, kind)
            if kind != "spans" and kind != "post-editing":
                page.click("[data-next]")
                check(page, f"{kind} with something missing")
        go = signed_in(kinds("likert"), visit, address, **look)
        check(go, "studies")
        go.click("text=by-likert")
        check(go, "dashboard")
    made = site(frank_design(), [frank_task(number) for number in range(3)], lessons())
    with running(made) as address:
        page = visit(address + made.link("anna"), **look)
        page.check("input[name=agree]")
        page.click("[data-next]")
        for keys in (("y", "Enter"), ("Enter",), ("y", "Enter"), ("n", "4", "Enter"), ("Enter",)):
            check(page, f"tutorial before {keys}")
            press_on(page, *keys)
        check(page, "qualification")
        press_on(page, "y", "Enter")
        press_on(page, "n", "4", "Enter")
        check(page, "article")
        press_on(page, "Enter")
        check(page, "reading")
        foreign = dict(reading_tests(made))[current(made)]
        wrong = next(
            i for i, name in enumerate(page.locator("fieldset label span").all_inner_texts()) if name != foreign
        )
        press_on(page, str(wrong + 1), "Enter")
        check(page, "blocked")
    assert not problems


def signed_in(site: Site, visit: Callable[..., Page], address: str, **look: Any) -> Page:
    with site.served.database.write() as connection:
        person = confirmed(connection, "ada@example.org", {"": "organiser"})
    page = visit(f"{address}/sign-in", **look)
    page.context.add_cookies([{"name": SESSION, "value": session_of(site.served, person), "url": address}])
    page.goto(f"{address}/running")
    return page


def test_the_article_is_searched_and_digits_stay_text(site: Make, visit: Callable[..., Page]) -> None:
    tasks = [msgspec.structs.replace(task, source=task.source * 3) for task in tasks_of("likert", 1)]
    made = site(design_of("likert"), tasks)
    with running(made) as address:
        page = visit(address + made.link("anna"))
        tab_to(page, "input[name=agree]")
        press_on(page, "Space", "Enter")
        page.wait_for_selector("html[data-ready]")
        field = page.get_by_role("searchbox", name="Find in the article")
        field.fill("PIER")
        status = page.locator(".find [role=status]")
        assert status.inner_text() == "1 / 3"
        field.press("Enter")
        assert status.inner_text() == "2 / 3"
        assert page.evaluate("CSS.highlights.get('found').size") == 3
        field.fill("")
        field.press("4")  # no answer, though 4 is a key of one
        assert field.input_value() == "4"
        assert page.locator("input:checked:not([data-shortcuts])").count() == 0


def test_ratings_need_no_script_and_stay_in_sight_on_a_phone(site: Make, visit: Callable[..., Page]) -> None:
    long = [msgspec.structs.replace(text, text=text.text * 40) for text in tasks_of("likert", 1)[0].texts]
    task = msgspec.structs.replace(tasks_of("likert", 1)[0], texts=tuple(long), source="")
    made = site(design_of("likert"), [task, *tasks_of("likert", 2)[1:]])
    with running(made) as address:
        page = visit(address + made.link("anna"), width=390, java_script_enabled=False)
        page.check("input[name=agree]")
        page.click("[data-next]")
        for number in (1, 2):
            page.get_by_role("heading", name=f"Task {number} of 2").wait_for()
            options = page.locator("input[type=radio]")
            boxes = [each.bounding_box() for each in options.all()]
            assert len(boxes) == 5
            assert all(box and 0 < box["y"] < 900 - box["height"] for box in boxes), "answers are out of sight"
            assert page.locator("[data-next]").bounding_box()["y"] < 900  # type: ignore[index]
            page.locator("input[type=radio][value='4']").check()
            page.click("[data-next]")
        page.get_by_text("Thank you").first.wait_for()


def test_the_organiser_has_tabs_and_without_a_script_all_sections(
    kinds: Callable[[str], Site], visit: Callable[..., Page]
) -> None:
    made = kinds("likert")
    with running(made) as address:
        page = signed_in(made, visit, address)
        page.click("text=by-likert")
        page.locator("#h-export").wait_for(state="hidden")
        assert page.locator("#h-progress").is_visible()
        page.get_by_role("link", name="Exports").click()
        page.locator("#h-export").wait_for()
        assert not page.locator("#h-progress").is_visible()
        assert page.locator("nav.sections a[aria-current]").inner_text() == "Exports"
        page.reload()
        page.locator("#h-export").wait_for()
        cookies = page.context.cookies()
        plain = visit(f"{address}/sign-in", java_script_enabled=False)
        plain.context.add_cookies([{"name": each["name"], "value": each["value"], "url": address} for each in cookies])
        plain.goto(page.url)
        assert plain.locator("#h-progress").is_visible()
        assert plain.locator("#h-export").is_visible()
        plain.set_viewport_size({"width": 390, "height": 844})
        plain.get_by_role("link", name="Annotators").click()
        tabs, heading = plain.locator("nav.sections").bounding_box(), plain.locator("#h-people").bounding_box()
        assert tabs
        assert heading
        assert heading["y"] >= tabs["y"] + tabs["height"], "the heading is below the tabs"


def test_the_ends_of_a_slider_are_above_its_ends_on_a_phone(
    kinds: Callable[[str], Site], visit: Callable[..., Page]
) -> None:
    made = kinds("slider")
    with running(made) as address:
        page = visit(address + made.link("anna"), width=390)
        page.check("input[name=agree]")
        page.click("[data-next]")
        page.locator(".slider input[type=range]").wait_for()
        slider = page.locator(".slider input[type=range]").bounding_box()
        low, high = (each.bounding_box() for each in page.locator(".slider > span").all())
        assert slider
        assert low
        assert high
        assert low["y"] == high["y"] < slider["y"]
        assert low["x"] == pytest.approx(slider["x"], abs=8)
        assert high["x"] + high["width"] == pytest.approx(slider["x"] + slider["width"], abs=8)
