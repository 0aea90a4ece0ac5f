"""Pictures and reports that cannot mislead: direction, colours, which items are kept, and nothing of the machine."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import assay
from assay.errors import AssayError
from assay.explorer.queries import Queries
from assay.explorer.report import write_report
from assay.explorer.standalone import MOST_ITEMS, built, embedded, unpacked

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from assay.explorer.payloads import ExampleShown

Look = Callable[..., "Page"]
Serve = Callable[[Path], str]
WORDS = "the cat sat on the mat and then it ran away to the big old house by the sea".split()
N = 300


def outputs(system: str) -> dict[str, str]:
    """`good` is better on nearly all items, most of all on item 271."""
    cut = {"good": 1, "bad": 4, "middle": 2}[system]
    texts = {str(i): " ".join(WORDS[: max(1, 6 + i % 9 - cut)]) for i in range(N)}
    if system == "bad":
        texts["271"] = "nothing"
    return texts


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three systems on 300 items, with judgements of two of them and of a system without outputs."""
    folder = tmp_path_factory.mktemp("three")
    rows = [{"id": str(i), "references": [" ".join(WORDS[: 6 + i % 9])], "source": "x"} for i in range(N)]
    (folder / "e.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    judged = [
        {"id": str(i), "system": system, "annotator": who, "criterion": "fluency", "value": value + (i + len(who)) % 3}
        for i in range(30)
        for system, value in (("good", 3), ("bad", 1), ("people", 4), ("unscored", 2))
        for who in ("a", "bb")
    ]
    (folder / "j.jsonl").write_text("".join(json.dumps(row) + "\n" for row in judged), encoding="utf-8")
    config = 'name = "three"\nci = 50\n[[datasets]]\nname = "d"\nexamples = "e.jsonl"\njudgements = "j.jsonl"\n'
    config += 'metrics = ["ter", "chrf"]\n'
    for name in ("middle", "good", "bad"):
        lines = "".join(json.dumps({"id": id, "output": text}) + "\n" for id, text in outputs(name).items())
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
        config += f'[[systems]]\nname = "{name}"\noutputs = "{folder}/{name}.jsonl"\n'
    (folder / "c.toml").write_text(config, encoding="utf-8")
    assay.run(folder / "c.toml", folder / "results")
    return folder / "results"


@pytest.mark.parametrize("name", ["Amazon_AI_(Shanghai)", "Müller & Söhne", "Große Lösung (v2, 2024)"])
def test_names_as_people_write_them_are_accepted(tmp_path: Path, name: str) -> None:
    (tmp_path / "e.jsonl").write_text('{"id": "1", "references": ["the cat sat"]}\n', encoding="utf-8")
    (tmp_path / "o.txt").write_text("the cat\n", encoding="utf-8")
    config = f"""name = "n"
[[datasets]]
name = "d"
examples = "e.jsonl"
metrics = ["rouge1"]
[[systems]]
name = "{name}"
outputs = "o.txt"
"""
    (tmp_path / "c.toml").write_text(config, encoding="utf-8")
    assay.run(tmp_path / "c.toml", tmp_path / "results")
    assert Queries([tmp_path / "results"]).overview_page.systems == [name]


@pytest.mark.parametrize("name", ["", "../up", "a/b", "a:b", " a", "a ", "a.", ".a", "-a", "what?", "a\tb", "a{b}"])
def test_names_that_no_folder_can_have_are_refused(tmp_path: Path, name: str) -> None:
    escaped = name.replace("\t", "\\t")
    config = (
        f'name = "n"\n[[datasets]]\nname = "d"\nexamples = "e.jsonl"\n[[systems]]\nname = "{escaped}"\noutputs = "o"\n'
    )
    (tmp_path / "c.toml").write_text(config, encoding="utf-8")
    with pytest.raises(AssayError, match="cannot be a folder name"):
        assay.run(tmp_path / "c.toml", tmp_path / "results")


def gap(example: ExampleShown, metric: str, a: str, b: str) -> float:
    scores = {output.system: output.scores[metric] or 0.0 for output in example.outputs}
    return scores[a] - scores[b]


def test_a_one_file_report_keeps_the_items_that_differ_most(three: Path) -> None:
    queries = Queries([three])
    page = embedded(queries).examples["d"]
    kept = {example.id for example in page.examples}
    assert len(kept) == MOST_ITEMS < N == page.total
    compared = 0
    for metric in ("ter", "chrf"):
        for a, b in (("good", "bad"), ("middle", "bad"), ("good", "middle")):
            for order, turn in (("up", -1), ("down", 1)):
                query = [("metric", metric), ("system", a), ("against", b), ("order", order), ("limit", "3")]
                most = [
                    example.id
                    for example in queries.examples("d", query).examples
                    if turn * gap(example, metric, a, b) > 0  # a loss is no win, however small
                ]
                assert kept.issuperset(most), (metric, a, b, order)
                compared += len(most)
    assert compared >= 18
    assert any(int(id) > MOST_ITEMS for id in kept)
    assert f"This file contains {MOST_ITEMS} of 300 items" in page.notes[-1]
    assert "differs most" in page.notes[-1]
    assert "drawn at random" in page.notes[-1]


@pytest.mark.parametrize("ending", ["html", "plain.html", "md", "tex", "csv", "json", "yaml"])
def test_no_report_names_a_path_of_the_machine(three: Path, tmp_path: Path, ending: str) -> None:
    """Intact and damaged results, and two runs of one name from two folders."""
    damaged = tmp_path / "private-place" / "damaged"
    shutil.copytree(three, damaged)
    (damaged / "d/good/outputs.jsonl").write_text("{", encoding="utf-8")
    next((damaged / "d/bad/statistics").glob("ter*")).unlink()
    (damaged / "d/middle/run.json").write_text("{", encoding="utf-8")
    loose = [tmp_path / "private-place" / name / "run" for name in ("first", "second")]
    for folder in loose:
        assay.score(["the cat", "a dog"], [["the cat sat"], ["a dog ran"]], metrics="rouge", system="same", save=folder)
    by_position = tmp_path / "private-place" / "by-position"
    (texts := tmp_path / "private-place" / "of" / "systems" / "plain.txt").parent.mkdir(parents=True)
    texts.write_text("the cat\na dog\n", encoding="utf-8")
    examples = [{"id": str(i), "references": ["the cat sat"]} for i in range(2)]
    assay.score(texts, examples=examples, metrics="rouge", system="plain", save=by_position)
    assert "items were joined by position" in (by_position / "run.json").read_text(encoding="utf-8")
    for folders in ([three], [damaged], loose, [three, damaged], [by_position]):
        out = tmp_path / f"report.{ending}"
        write_report(folders, out, plain=ending.startswith("plain"))
        text = out.read_text(encoding="utf-8")
        if ending == "html":
            text += unpacked(text).decode()
        for path in (three, damaged, *loose):
            assert str(path.parent) not in text, (ending, path)
        assert "private-place" not in text
    names = Queries(loose).overview_page.systems
    assert names == ["first/run", "second/run"]


@pytest.mark.skipif(not built(), reason="needs the built pages (make pages)")
@pytest.mark.slow
class TestPages:
    def test_right_is_always_better(self, look: Look, serve: Serve, three: Path) -> None:
        page = look(serve(three) + "#/compare?a=good&b=bad&dataset=d")
        page.wait_for_selector(".forest circle")
        values = dict(
            page.eval_on_selector_all(
                ".forest circle", "all => all.map(one => [one.dataset.metric, Number(one.dataset.value)])"
            )
        )
        assert set(values) == {"chrf", "ter (axis flipped)"}
        assert min(values.values()) > 0  # a win on every metric, also where lower is better
        said = " ".join(page.locator(".forest").all_text_contents())
        assert "good better →" in said
        assert "← bad better" in said
        page = look(serve(three) + "#/compare?a=bad&b=good&dataset=d")
        page.wait_for_selector(".forest circle")
        turned = page.eval_on_selector_all(".forest circle", "all => all.map(one => Number(one.dataset.value))")
        assert max(turned) < 0

    def test_a_system_has_one_colour_everywhere(self, look: Look, serve: Serve, three: Path) -> None:
        """Blue, orange and green in the order of the systems; grey for systems that have no run."""
        address = serve(three)
        systems = Queries([three]).overview_page.systems
        colours = dict(zip(systems, ("rgb(0, 114, 178)", "rgb(213, 94, 0)", "rgb(0, 158, 115)"), strict=True))
        grey = "rgb(127, 127, 127)"
        page = look(address + "#/correlation?dataset=d")
        swatches: dict[str, Any] = dict(
            page.eval_on_selector_all(
                ".legend li",
                "all => all.filter(one => one.querySelector('.swatch')).map(one => [one.textContent,"
                " getComputedStyle(one.querySelector('.swatch')).borderTopColor])",
            )
        )
        assert swatches["good"] == colours["good"]
        assert swatches["bad"] == colours["bad"]
        means: dict[str, str] = dict(
            page.eval_on_selector_all(
                "svg[aria-label^='Mean fluency'] circle",
                """all => { const names = [...all[0].ownerSVGElement.querySelectorAll('text[text-anchor=end]')]
                .map(one => one.textContent); return all.map((one, i) => [names[i], getComputedStyle(one).fill]); }""",
            )
        )
        assert means == {"good": colours["good"], "bad": colours["bad"], "people": grey, "unscored": grey}
        page = look(address + "#/examples?dataset=d")
        borders = dict(
            page.eval_on_selector_all(
                ".example:first-of-type .output h3",
                "all => all.map(one => [one.textContent, getComputedStyle(one).borderLeftColor])",
            )
        )
        assert borders == colours


@pytest.mark.slow
@pytest.mark.skipif(not built(), reason="needs the built pages (make pages)")
def test_a_strong_negative_correlation_is_named_and_means_are_rounded(look: Look, serve: Serve, tmp_path: Path) -> None:
    """Longer texts were judged worse: no metric follows the judgements, and the page says what runs against them."""
    lengths = [3 + (7 * i) % 11 for i in range(40)]
    texts = {str(i): " ".join(WORDS[:length]) for i, length in enumerate(lengths)}
    examples = [{"id": id, "references": [" ".join(WORDS)], "source": "x"} for id in texts]
    assay.score(texts, examples=examples, metrics="chrf,mean_length", save=tmp_path / "run", system="s")
    judged = [
        {"id": str(i), "system": "s", "annotator": "mean", "criterion": "fluency", "value": (40 - length + i % 3) / 3}
        for i, length in enumerate(lengths)
    ]
    (tmp_path / "run/judgements.jsonl").write_text("".join(json.dumps(row) + "\n" for row in judged), encoding="utf-8")
    page = look(serve(tmp_path / "run") + "#/correlation")
    heading = page.locator("h1").inner_text()
    assert heading.startswith("No metric here is shown to follow fluency; highest: ")
    assert re.search(r"; strongest in the other direction: (chrf|mean_length), r = −\.9\d \[−", heading)
    page = look(serve(tmp_path / "run") + "#/examples")
    shown = page.locator(".judged").first.inner_text()
    assert re.search(r"fluency \d+(\.\d{1,2})? \(mean\)", shown), shown
