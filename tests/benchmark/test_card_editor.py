"""Cards written in the browser: with and without a script, in two tabs at once, by keyboard, on a phone."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("sqlalchemy")

from starlette.testclient import TestClient

from assay.benchmark.card import new_card, parse_card
from assay.benchmark.card_check import check_card
from assay.benchmark.card_editor.routes import add_routes
from assay.benchmark.card_editor.sheet import sheet_of
from assay.benchmark.card_template import NAMES, PLACEHOLDER, template
from assay.serving.account_routes import add_account_routes
from assay.serving.people import add_person, new_link
from assay.serving.served import Served, open_served, served_app

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

HOSTILE = "</textarea><script>document.title='owned'</script>"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    made = open_served(tmp_path / "served", None, "http://127.0.0.1")
    yield made
    made.database.close()


@pytest.fixture
def app(served: Served) -> Any:
    app = served_app(served)
    add_account_routes(app, served)
    add_routes(app, served)
    return app


def link(served: Served, email: str) -> str:
    with served.database.write() as connection:
        return new_link(connection, add_person(connection, email, ""), "", served.settings)


class Writer:
    """Somebody with a browser that has no script."""

    def __init__(self, app: Any, served: Served, email: str = "ada@example.org") -> None:
        self.http = TestClient(
            app, base_url="http://127.0.0.1", follow_redirects=False, headers={"Accept": "text/html"}
        )  # fmt: skip
        assert self.http.post("/sign-in", data={"link": link(served, email)}).status_code == 303
        self.csrf = self.hidden("/cards", "csrf")

    def hidden(self, address: str, name: str) -> str:
        found = re.search(rf'name="{name}" value="([^"]*)"', self.http.get(address).text)
        assert found
        return found[1]

    def begin(self, form: str = "gem", title: str = "Harbours", **more: str) -> str:
        answer = self.http.post("/cards", data={"csrf": self.csrf, "template": form, "title": title, **more})
        assert answer.status_code == 303, answer.text
        return str(answer.headers["location"])

    def post(self, address: str, version: int, files: Any = None, **given: str) -> Any:
        return self.http.post(address, data={"csrf": self.csrf, "version": str(version), **given}, files=files)

    def text(self, address: str) -> str:
        return self.http.get(f"{address}/card.md").text


@pytest.fixture
def ada(app: Any, served: Served) -> Writer:
    return Writer(app, served)


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_card_of_every_kind(ada: Writer, name: str) -> None:
    """As `assay card new` writes it; every guide stands beside its field."""
    address = ada.begin(name)
    assert parse_card(ada.text(address)) == new_card(template(name), "Harbours") or name == "hf"
    assert check_card(parse_card(ada.text(address))).complete == check_card(new_card(template(name), "x")).complete
    page = ada.http.get(address).text
    for entry in template(name).entries:
        if not entry.optional:
            assert entry.guide.replace("'", "&#39;").replace('"', "&#34;") in page
    assert page.count("<textarea") >= len(template(name).counted)


def test_what_is_written_is_kept_and_checked(ada: Writer) -> None:
    address = ada.begin("gem")
    before = ada.http.get(address).text
    name = re.search(r'<h3 id="h-(part-\d+)">Languages</h3>', before)
    assert name
    answer = ada.post(
        address, 1, **{name[1]: "English (BCP-47: `en`)\r\nand nothing else", "front-type": "data-to-text"}
    )
    assert answer.headers["location"] == f"{address}?done=1"
    assert "Saved." in ada.http.get(f"{address}?done=1").text
    card = parse_card(ada.text(address))
    assert next(each.text for each in card.sections if each.title == "Languages").splitlines()[1] == "and nothing else"
    assert card.facts["type"] == "data-to-text"
    told = ada.post(f"{address}/autosave", 2, **{name[1]: "Klingon (BCP-47: `qq`)"}).json()
    assert told["version"] == 3
    assert [each["problem"] for each in told["findings"] if each["section"] == "Languages"] == ["no language code: qq"]
    assert told["complete"] == check_card(parse_card(ada.text(address)), template("gem")).complete
    assert told["share"] == round(100 * told["complete"])


def test_two_tabs(ada: Writer) -> None:
    """The second is told, sees both texts, and decides; nothing is written over before."""
    address = ada.begin("metric")
    assert ada.post(address, 1, **{"part-2": "from the first tab"}).status_code == 303
    late = ada.post(address, 1, **{"part-2": f"from the second tab {HOSTILE}"})
    assert late.status_code == 409
    assert "This card was changed elsewhere" in late.text
    assert "from the first tab" in late.text
    assert "from the second tab" in late.text
    assert HOSTILE not in late.text
    assert "from the first tab" in ada.text(address)
    auto = ada.post(f"{address}/autosave", 1, **{"part-2": "from the second tab"})
    assert (auto.status_code, auto.json()["conflict"]) == (409, True)
    assert "from the first tab" in ada.text(address)
    again = ada.post(address, -1, **{"part-2": "from the second tab"})
    assert again.status_code == 409, "pressing the same button twice changes nothing"
    copy = ada.post(address, -1, action="copy", **{"part-2": "from the second tab"}).headers["location"]
    assert "from the second tab" in ada.text(copy.partition("?")[0])
    assert "from the first tab" in ada.text(address)
    ada.post(address, -1, action="over", **{"part-2": "from the second tab"})
    assert "from the second tab" in ada.text(address)


def test_half_a_code_block_loses_nothing(ada: Writer) -> None:
    """While one types, Markdown is broken most of the time: fields keep their texts and names, and it is said."""
    address = ada.begin("hf")
    texts = {f"part-{i}": f"text {i}" for i in range(1, 27)}
    version = 1
    for broken in ("```json\n{", "# a heading\n\nbelow", "---\ntitle: x", "<!-- open", "<h3>x</h3>"):
        given = texts | {"part-3": broken, "front-pretty_name": broken, "rest": f"more: [1\n{broken}"}
        told = ada.post(f"{address}/autosave", version, **given).json()
        version = told["version"]
        page = ada.http.get(address).text
        shown = dict(re.findall(r'<textarea id="(part-\d+)"[^>]*>\n?(.*?)</textarea>', page, re.DOTALL))
        assert {name: text for name, text in shown.items() if name != "part-3"} == {
            name: text for name, text in texts.items() if name != "part-3"
        }
        assert any(each["section"] == "front matter" for each in told["findings"])
        assert ada.http.get(f"{address}/preview").status_code == 200
    told = ada.post(f"{address}/autosave", version, **texts | {"part-3": "```\nopen", "rest": ""}).json()
    assert any("open code block" in each["problem"] for each in told["findings"])


def test_a_card_that_one_has(ada: Writer, shared_data: Any) -> None:
    """Published cards go in and come out with all their words."""
    paths = [
        *sorted(shared_data("gem/data_cards").rglob("*.md"))[:4],
        *sorted(shared_data("gem/model_cards").rglob("*.json")),
    ]
    for path in paths:
        data = path.read_bytes()
        answer = ada.http.post("/cards", data={"csrf": ada.csrf}, files={"file": (path.name, data)})
        assert answer.status_code == 303, (path, answer.text[-600:])
        out = ada.text(answer.headers["location"])
        if path.suffix == ".md":
            words = set(parse_card(data.decode()).markdown().split()) - {'"', PLACEHOLDER}
            missing = {word for word in words if word.strip("\"'#") not in out}
            assert not missing, path


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("latin.md", "## Citation\n\nGröße".encode("cp1252"), "latin.md line 3: not valid UTF-8"),
        ("none.md", b"no headings at all", "none.md: no headings in it"),
        ("front.md", b"---\ntitle: [\n---\n\n## Languages\n\nx", "front matter"),
        ("open.md", b"---\ntitle: x\n\n## Languages", "never ends"),
        ("other.md", b"## Something else\n\nx", "no heading of a card template"),
        ("odd.json", b'{"contentHtml": 3}', "contentHtml"),
        ("bad.json", b'{"contentHtml": ', "bad.json"),
        ("empty.md", b"", "empty.md: the file is empty"),
    ],
)  # fmt: skip
def test_what_is_no_card_is_refused(ada: Writer, name: str, content: bytes, said: str) -> None:
    answer = ada.http.post("/cards", data={"csrf": ada.csrf}, files={"file": (name, content)})
    assert answer.status_code == 400
    found = re.search(r'<p class="problem" role="alert">(.*?)</p>', answer.text, re.DOTALL)
    assert found
    assert said in found[1]
    assert "/tmp" not in found[1]
    assert "You have no card yet." in answer.text


def test_windows_marks_and_lines_are_read(ada: Writer) -> None:
    content = "\ufeff## Languages\r\n\r\nEnglish (`en`)\r\n".encode()
    answer = ada.http.post("/cards", data={"csrf": ada.csrf}, files={"file": ("w.md", content)})
    assert "English (`en`)" in ada.text(answer.headers["location"])


def test_what_is_known_is_filled_in(ada: Writer) -> None:
    address = ada.begin("gem", dataset="web_nlg_en")
    text = ada.text(address)
    assert "filled by assay" in text
    assert "- train: 35,426 items" in text
    assert "data_digest" not in text
    examples = "\n".join(
        json.dumps({"id": f"h{i}", "references": ["two words"], "language": "cy", "split": "test"}) for i in range(3)
    )
    page = ada.http.get(address).text
    place = re.search(r'<h4 id="h-(part-\d+)">Data Fields', page) or re.search(r'h-(part-\d+)">Data Fields', page)
    assert place
    files = {"examples": ("harbours.jsonl", examples)}
    answer = ada.post(f"{address}/prefill", 1, files=files, **{place[1]: "my own words"})
    assert answer.status_code == 303, answer.text
    filled = ada.text(address)
    assert "| test | 3 | 3 |" in filled
    assert "my own words" in filled
    assert "data_digest: " in filled
    broken = ada.post(
        f"{address}/prefill", 2, files={"examples": ("x.jsonl", b"\xff\xfe{")}, **{place[1]: "later words"}
    )
    assert broken.status_code == 400
    assert "later words" in broken.text, "what was typed is still in its field"
    assert "x.jsonl" in broken.text
    assert ada.post(f"{address}/prefill", 2, dataset="nosuch").status_code == 400


def test_cards_are_ones_own(ada: Writer, app: Any, served: Served) -> None:
    address = ada.begin("model", title="Secret")
    bob = Writer(app, served, "bob@example.org")
    stranger = TestClient(app, base_url="http://127.0.0.1", follow_redirects=False)
    for path in ("", "/preview", "/card.md"):
        assert bob.http.get(address + path).status_code == 404
        assert stranger.get(address + path).status_code == 401
    for path in ("", "/autosave", "/prefill", "/delete"):
        assert bob.post(address + path, 1, sure="1").status_code == 404
        assert stranger.post(address + path, data={"version": "1"}).status_code == 401
        assert ada.http.post(address + path, data={"version": "1", "sure": "1"}).status_code == 403, "no token"
    assert "Secret" not in bob.http.get("/cards").text
    assert ada.post(f"{address}/delete", 1).status_code == 400
    assert ada.post(f"{address}/delete", 1, sure="1").status_code == 303
    assert ada.http.get(address).status_code == 404


def test_hostile_words_stay_words(ada: Writer) -> None:
    address = ada.begin("hf", title=HOSTILE)
    ada.post(address, 1, **{"part-2": HOSTILE + "\n\n[x](javascript:alert(1))", "rest": f"note: {json.dumps(HOSTILE)}"})
    for path in ("", "/preview"):
        page = ada.http.get(address + path).text
        assert "<script>document" not in page
        assert 'href="javascript' not in page
    assert "<script>document" not in ada.http.get("/cards").text


def test_limits(ada: Writer) -> None:
    address = ada.begin("hf")
    assert ada.post(address, 1, **{"part-2": "x" * 1_100_000}).status_code == 413
    assert ada.http.post("/cards", data={"csrf": ada.csrf, "template": "nosuch"}).status_code == 400
    for version in ("", "x", "9" * 40):
        assert ada.http.post(address, data={"csrf": ada.csrf, "version": version, "part-2": "y"}).status_code == 409


@pytest.mark.parametrize("name", NAMES)
def test_a_sheet_holds_a_whole_card(name: str) -> None:
    form = template(name)
    card = new_card(form, "X", guides=True)
    assert sheet_of(card, form).card(form) == card


def test_front_matter_of_any_shape_stays() -> None:
    front = (
        'pretty_name: "A: b"\nlanguage:\n- en\n- de\nlicense: mit\nconfigs:\n- name: x\n  files:\n  - a\n# why\nn: 3'
    )
    form = template("hf")
    card = parse_card(f"---\n{front}\n---\n\n## Dataset Description\n\nx\n")
    sheet = sheet_of(card, form)
    assert sheet.front == {"pretty_name": "A: b", "license": "mit", "task_categories": ""}
    again = sheet.taken({"front-license": "cc-by-4.0"}).card(form).facts
    assert again == card.facts | {"license": "cc-by-4.0", "task_categories": PLACEHOLDER}
    assert card.with_fact("language", "cy").facts == card.facts | {"language": "cy"}


@pytest.fixture
def address(app: Any) -> Iterator[str]:
    """The real server, on a port of its own."""
    import uvicorn

    from assay.serving.listen import listen

    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


def entered(browser: Browser, served: Served, address: str, **options: Any) -> BrowserContext:
    context = browser.new_context(**options)
    page = context.new_page()
    page.goto(f"{address}/sign-in?link={link(served, 'eve@example.org')}")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_load_state()  # the page stays open: to close one that is still loading may never end
    return context


def begun(context: BrowserContext, address: str, kind: str = "GEM data card (2021)") -> Page:
    page = context.new_page()
    page.goto(f"{address}/cards")
    page.get_by_label("Kind of card").select_option(label=kind)
    page.get_by_label("Name").fill("Harbours")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector("#card")
    return page


class TestInChromium:
    pytestmark = pytest.mark.slow

    def test_a_card_is_written_with_the_guide_beside_it(self, browser: Browser, served: Served, address: str) -> None:
        context = entered(browser, served, address)
        page = begun(context, address)
        field = page.get_by_label("Languages", exact=True)
        guide = page.locator(f"#{(field.get_attribute('aria-describedby') or '').split()[0]}")
        assert guide.inner_text() == template("gem").entry("languages").guide
        beside, box = guide.bounding_box(), field.bounding_box()
        assert beside is not None
        assert box is not None
        assert beside["x"] > box["x"] + box["width"]
        assert page.locator("#percent").inner_text() == "0 %"
        field.focus()
        page.keyboard.type("English (BCP-47: `en`)")
        page.wait_for_selector("#state:text('Saved.')")
        assert page.locator("#percent").inner_text() != "0 %"
        page.reload()
        assert page.get_by_label("Languages", exact=True).input_value() == "English (BCP-47: `en`)"
        page.get_by_role("button", name="Save and look at it").click()
        page.wait_for_selector(".rendered")
        assert "BCP-47" in page.locator(".rendered code, .rendered").first.inner_text()
        context.close()

    def test_two_tabs_and_a_server_that_is_gone(self, browser: Browser, served: Served, address: str) -> None:
        context = entered(browser, served, address)
        one = begun(context, address, "Metric card")
        two = context.new_page()
        two.goto(one.url)
        one.locator("#part-2").fill("first tab")
        one.wait_for_selector("#state:text('Saved.')")
        two.locator("#part-2").fill("second tab")
        two.wait_for_selector("#state:text('changed in another tab')")
        two.get_by_role("button", name="Save", exact=True).click()
        two.wait_for_selector("#conflict")
        assert two.locator("#part-2").input_value() == "second tab"
        assert "first tab" in two.locator("pre").all_inner_texts()
        two.get_by_role("button", name="Keep mine as a copy").click()
        two.wait_for_selector(".good")
        assert two.url.partition("?")[0] != one.url
        assert two.locator("#part-2").input_value() == "second tab"
        context.set_offline(True)
        one.locator("#part-3").fill("while nobody answers")
        one.wait_for_selector("#state:text('kept in this browser')")
        context.set_offline(False)
        later = context.new_page()
        later.goto(one.url)
        later.get_by_role("button", name="Take them").click()
        later.wait_for_selector("#state:text('Saved.')")
        assert later.locator("#part-3").input_value() == "while nobody answers"
        context.close()

    def test_without_a_script(self, browser: Browser, served: Served, address: str) -> None:
        context = entered(browser, served, address, java_script_enabled=False)
        page = begun(context, address, "Hugging Face data card")
        page.get_by_label("Languages", exact=True).fill("Welsh (`cy`)")
        page.get_by_role("button", name="Save", exact=True).click()
        page.wait_for_selector(".good")
        assert page.get_by_label("Languages", exact=True).input_value() == "Welsh (`cy`)"
        with page.expect_download() as waiting:
            page.get_by_role("link", name="Download").click()
        assert "Welsh (`cy`)" in Path(waiting.value.path()).read_text(encoding="utf-8")
        context.close()

    @pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (1200, "dark"), (360, "light")])
    def test_no_barrier(self, browser: Browser, served: Served, address: str, width: int, scheme: Any) -> None:
        axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
        context = entered(browser, served, address, viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = begun(context, address)
        pages = [page.url, f"{page.url}/preview", f"{address}/cards"]
        for each in pages:
            page.goto(each)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            found = axe.Axe().run(page).response["violations"]
            assert {one["id"]: one["nodes"][0]["html"] for one in found} == {}
        context.close()

    def test_by_keyboard(self, browser: Browser, served: Served, address: str) -> None:
        """From the first field to the saved card without a mouse."""
        context = entered(browser, served, address)
        page = begun(context, address, "Metric card")
        page.locator("#front-title").focus()
        for word in ("Tide error", "lexical", "lower"):
            page.keyboard.press("Control+A")
            page.keyboard.type(word)
            page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.name") == "rest"
        page.keyboard.press("Tab")
        page.keyboard.type("What it measures.")
        page.wait_for_selector("#state:text('Saved.')")
        page.locator("#front-title").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(".good")
        assert page.locator("h1").inner_text() == "Tide error"
        context.close()


def test_the_whole_server_has_the_page(served: Served) -> None:
    from assay.cli.serving import app_of

    ada = Writer(app_of(served), served)
    assert 'href="/cards"' in ada.http.get("/").text
    assert ada.http.get(ada.begin("hf")).status_code == 200
