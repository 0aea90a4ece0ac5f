"""Cards written in the browser without a script: kept, checked, in two tabs at once, by whom they belong to."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from assay.benchmark.cards.card import new_card, parse_card
from assay.benchmark.cards.check import check_card
from assay.benchmark.cards.editor.sheet import sheet_of
from assay.benchmark.cards.template import NAMES, PLACEHOLDER, template
from assay.serving.server import Server
from tests.support.card_writers import Writer, app, server

__all__ = ["app", "server"]

HOSTILE = "</textarea><script>document.title='owned'</script>"


@pytest.fixture
def ada(app: Any, server: Server) -> Writer:
    return Writer(app, server)


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_card_of_every_kind(ada: Writer, name: str) -> None:
    """As `assay benchmark card new` writes it; every guide stands beside its field."""
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
    assert [each["problem"] for each in told["findings"] if each["section"] == "Languages"] == [
        "unknown language code: qq"
    ]
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
        ("latin.md", "## Citation\n\nGröße".encode("cp1252"), "latin.md:3: not valid UTF-8"),
        ("none.md", b"no headings at all", "none.md: no headings, so not a card."),
        ("front.md", b"---\ntitle: [\n---\n\n## Languages\n\nx", "front matter"),
        ("open.md", b"---\ntitle: x\n\n## Languages", "front matter is not closed. Add a line ---."),
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
    assert "You have no cards yet." in answer.text


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


def test_cards_are_ones_own(ada: Writer, app: Any, server: Server) -> None:
    address = ada.begin("model", title="Secret")
    bob = Writer(app, server, "bob@example.org")
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


def test_long_fields_unknown_templates_and_versions_are_refused(ada: Writer) -> None:
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
    again = sheet.updated({"front-license": "cc-by-4.0"}).card(form).facts
    assert again == card.facts | {"license": "cc-by-4.0", "task_categories": PLACEHOLDER}
    assert card.with_fact("language", "cy").facts == card.facts | {"language": "cy"}


def test_the_whole_server_has_the_page(server: Server) -> None:
    from assay.server.app import build_app

    ada = Writer(build_app(server), server)
    assert 'href="/cards"' in ada.http.get("/").text
    assert ada.http.get(ada.begin("hf")).status_code == 200
