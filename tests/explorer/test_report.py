"""The report: one file, complete, safe with hostile texts, and readable in a real browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import assay
from assay.explorer.queries import Queries
from assay.explorer.report import write_report
from assay.explorer.standalone import built, embedded, single_page, static_files, unpacked
from assay.records.files import json_bytes
from assay.show.escape import latex, markdown
from tests.support import has_latex


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_sample_report_is_complete(sample: Path, tmp_path: Path) -> None:
    assert write_report([sample], tmp_path / "r.html", plain=True).datasets == 4
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    for word in (
        "news",
        "places",
        "simple",
        "dialog",
        "lead",
        "copy",
        "template",
        "rewrite",
        "judgements are synthetic",
    ):
        assert word in text
    assert text.count("<svg") == 4
    assert text.index("has the best score") < text.index("<svg") < text.index("<table>")
    assert text.count("<table>") >= 4
    assert text.count("<tr>") > 30
    assert "rouge|nrefs:1|" in text
    page = Page(text)
    for _tag, attributes in page.tags:
        for name in ("src", "href"):
            target = attributes.get(name) or "#"
            assert target.startswith("#"), f"{target} needs a network"
    assert not [tag for tag, _ in page.tags if tag in ("script", "link", "iframe")]


def test_hostile_texts_are_escaped(hostile: Path, tmp_path: Path) -> None:
    write_report([hostile], tmp_path / "r.html", plain=True)
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    page = Page(text)
    assert not [tag for tag, _ in page.tags if tag in ("script", "img")]
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    assert "&lt;script&gt;" in text
    assert "{{ 7 * 7 }}" in text


def chromium(*arguments: str, profile: Path) -> subprocess.CompletedProcess[str]:
    flags = "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync"
    return subprocess.run(
        [
            shutil.which("chromium") or "chromium",
            *flags.split(),
            "--disable-component-update",
            f"--user-data-dir={profile}",
            *arguments,
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium")
def test_hostile_texts_are_escaped_in_the_browser(hostile: Path, tmp_path: Path) -> None:
    write_report([hostile], tmp_path / "r.html", plain=True)
    done = chromium("--dump-dom", f"file://{tmp_path / 'r.html'}", profile=tmp_path / "profile")
    assert done.returncode == 0
    title = re.search(r"<title>(.*?)</title>", done.stdout, flags=re.DOTALL)
    assert title is not None
    assert "assay" in title.group(1)
    assert "owned" not in title.group(1).replace("'owned'", "")
    assert "<img" not in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium")
@pytest.mark.parametrize("width", [360, 1200])
def test_report_is_drawn_in_the_browser(sample: Path, tmp_path: Path, width: int) -> None:
    write_report([sample], tmp_path / "r.html", plain=True)
    picture = tmp_path / "r.png"
    done = chromium(
        f"--window-size={width},1600",
        f"--screenshot={picture}",
        f"file://{tmp_path / 'r.html'}",
        profile=tmp_path / "profile",
    )
    assert done.returncode == 0
    assert picture.stat().st_size > 20_000


def test_several_runs_in_one_report(tmp_path: Path) -> None:
    folder = Path(assay.__file__).parent / "sample"
    for system in ("lead", "copy"):
        outputs = folder / f"outputs/{system}/dialog.jsonl"
        assay.score(outputs, examples=folder / "dialog.jsonl", metrics="bleu", save=tmp_path / system)
    assert write_report([tmp_path / "lead", tmp_path / "copy"], tmp_path / "r.md").datasets == 1
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "| system | bleu ↑ |" in text
    assert "| lead |" in text
    assert "| copy |" in text


def test_report_without_texts(sample: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(sample, copied)
    for file in copied.rglob("*.jsonl"):
        if file.name != "judgements.jsonl":
            file.unlink()
    assert write_report([copied], tmp_path / "r.html", plain=True).datasets == 4


def test_latex_and_markdown_escapes() -> None:
    assert latex("50% of a_b & {x}") == r"50\% of a\_b \& \{x\}"
    assert markdown("a|b\n*c*") == r"a\|b \*c\*"


@pytest.mark.skipif(not has_latex(), reason="needs pdflatex with booktabs (Debian: texlive-latex-recommended)")
def test_latex_compiles(hostile: Path, tmp_path: Path) -> None:
    write_report([hostile], tmp_path / "t.tex")
    body = (tmp_path / "t.tex").read_text(encoding="utf-8")
    (tmp_path / "d.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}\\begin{document}" + body + "\\end{document}", encoding="utf-8"
    )
    done = subprocess.run(["pdflatex", "-halt-on-error", "d.tex"], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0


def test_no_verdict_where_signatures_differ(tmp_path: Path) -> None:
    outputs, references = ["cats running to dogs"] * 9, ["cat runs to dog"] * 9
    runs = [tmp_path / "plain", tmp_path / "stemmed"]
    for folder, metrics in zip(runs, ("rouge1,chrf", "rouge1:stemmer=true,chrf"), strict=True):
        assay.score(outputs, references, metrics=metrics, save=folder, system=folder.name)
    for ending in ("md", "html", "tex"):
        write_report(runs, tmp_path / f"r.{ending}", plain=True)
        text = (tmp_path / f"r.{ending}").read_text(encoding="utf-8")
        assert "higher on" not in text
        assert "ignatures differ, so scores are not comparable between systems: rouge1" in text
        assert len(set(re.findall(r"rouge\|[^`<\s]*", text))) == 2
        if ending != "tex":
            assert (
                "no significant difference on chrf (adjusted p = 1); rouge1 not comparable (signatures differ)." in text
            )
    queries = Queries(runs)
    compared = queries.comparison("plain and stemmed", "plain", "stemmed").metrics
    assert compared["rouge1"].p_adjusted is None
    assert compared["rouge1"].why == "signatures differ"
    assert compared["chrf"].difference == 0


def test_plain_report_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its pictures need no package."""
    texts = [f"w{i} w{i % 7} w{i % 5}" for i in range(80)]
    assay.score(texts, texts[1:] + texts[:1], metrics="rouge1", ci=50, save=tmp_path / "run")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    write_report([tmp_path / "run"], tmp_path / "r.html", plain=True)
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert text.count("<svg") == 1
    assert "matplotlib" not in text
    assert re.search(r"<td[^>]*>[\d.]+ \[[\d.]+, [\d.]+\]</td>", text)


def test_published_table_has_reports_in_every_format(table3: Path, tmp_path: Path) -> None:
    """Values without intervals stand in tables; nothing is drawn of them and nothing is tested."""
    for file in ("r.md", "r.tex", "r.html"):
        assert write_report([table3], tmp_path / file, plain=True).problems == []
        text = (tmp_path / file).read_text(encoding="utf-8")
        assert "rouge1" in text
        assert "Significant differences" not in text
        assert "<svg" not in text


def test_latex_and_markdown_have_subset_tables(sample: Path, tmp_path: Path) -> None:
    for name in ("r.md", "r.tex"):
        write_report([sample], tmp_path / name)
        assert "chrf by language" in (tmp_path / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["md", "tex", "csv", "parquet", "html"])
def test_results_of_other_tools_in_every_format(tmp_path: Path, form: str) -> None:
    scores = {"N": 40, "bleu": 12.5, "rouge1": {"precision": 0.4, "recall": 0.5, "fmeasure": 0.44}}
    (tmp_path / "t5.json").write_text(json.dumps({"submission_name": "T5", "xsum_test": scores}))
    assert write_report([tmp_path / "t5.json"], tmp_path / f"r.{form}", plain=True).datasets == 1
    if form != "parquet":
        text = (tmp_path / f"r.{form}").read_text(encoding="utf-8")
        assert "T5" in text
        assert "12.5" in text


@pytest.mark.slow
@pytest.mark.skipif(not built(), reason="needs the built pages (make pages)")
def test_script_and_report_stay_small(sample: Path) -> None:
    """The data of a report are compressed; what it contains is the same."""
    script, _ = static_files()["pages.js"]
    assert len(script) < 180_000
    queries = Queries([sample])
    page = single_page(queries)
    plain = json_bytes(embedded(queries))
    assert unpacked(page) == plain
    assert len(page) - len(script) < 0.6 * len(plain)
