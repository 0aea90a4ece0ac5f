"""One table in five forms: aligned, escaped, readable back."""

from __future__ import annotations

import csv
import doctest
import io
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay.show.tables
from assay.errors import AssayError
from assay.records import Score
from assay.show.escape import plain
from assay.show.tables import FORMS, Cell, Column, Content, Form, Table, score_cell, write, write_all
from assay.show.text_table import cells_wide

HOSTILE = (
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a|b\n| c | d |", "# a\n\n## b", "]]>",
    "\x1b[31mred\x1b[0m", "\u202eright", "–\r\nx", r"\input{/etc/passwd}", "\\", "a & b \\\\ c % d", "$x^2_3$ ~ {}",
    "[link](javascript:alert(1))", "[1, 2](x)", "![i](x)", "`code`", "**bold** _it_", "&lt;b&gt; &#60;", "[x]", "*",
    '=HYPERLINK("x")', "+1+1", "-2+3", "@SUM(A1)", "\t=1", "＝1", "汉字", "e\u0301",
)  # fmt: skip


class Percent:
    scale, digits, bounds = 100.0, 1, (0.0, 1.0)


def example() -> Table:
    columns = [Column("metric", "left"), Column("value"), Column("what", "left", fold=True)]
    rows: list[list[Content]] = [
        ["rouge1", Cell("41.0 [38.2, 44.0]", 0.4103, 0.382, 0.44, strong=True), "overlap of words"],
        ["bleu", 7, None],
    ]
    return Table(columns, rows, "lead", ["40 outputs"])


def test_examples_in_the_docstring() -> None:
    found = doctest.testmod(assay.show.tables)
    assert found.attempted > 3
    assert not found.failed


def test_a_table_as_text() -> None:
    assert write(example(), "text").split("\n") == [
        "lead",
        "  metric               value   what",
        "  rouge1   41.0 [38.2, 44.0]   overlap of words",
        "  bleu                     7   –",
        "  40 outputs",
    ]


def test_markdown() -> None:
    assert write(example(), "markdown").split("\n") == [
        "**lead**",
        "",
        "| metric | value | what |",
        "|:--|--:|:--|",
        "| rouge1 | **41.0 [38.2, 44.0]** | overlap of words |",
        "| bleu | 7 | – |",
        "",
        "*40 outputs*",
    ]


def test_latex() -> None:
    assert write(example(), "latex").split("\n") == [
        r"\begin{table}",
        r"\centering",
        r"\caption{lead}",
        r"\begin{tabular}{lrl}",
        r"\toprule",
        r"metric & value & what \\",
        r"\midrule",
        r"rouge1 & \textbf{41.0 [38.2, 44.0]} & overlap of words \\",
        r"bleu & 7 & -- \\",
        r"\bottomrule",
        r"\end{tabular}",
        "",
        r"\smallskip 40 outputs",
        r"\end{table}",
    ]


def test_html() -> None:
    text = write(example(), "html")
    assert "<caption>lead</caption>" in text
    assert '<th scope="col" style="text-align:right">value</th>' in text
    assert '<th scope="row" style="text-align:left">rouge1</th>' in text
    assert "<strong>41.0 [38.2, 44.0]</strong>" in text
    assert text.endswith("</table>\n<p>40 outputs</p>")


def test_csv_keeps_numbers_and_their_intervals() -> None:
    assert write(example(), "csv").split("\n") == [
        "metric,value,value.low,value.high,what",
        "rouge1,0.4103,0.382,0.44,overlap of words",
        "bleu,7,,,",
    ]


def test_a_score_is_a_cell() -> None:
    cell = score_cell(Score(value=0.5, low=0.25, high=0.75), Percent())
    assert (cell.text, cell.value, cell.low, cell.high) == ("50.0 [25.0, 75.0]", 0.5, 0.25, 0.75)
    missing = score_cell(Score(value=None, why="no references"), Percent())
    assert (missing.text, missing.remark) == ("–", "no references")
    assert score_cell(None, Percent()).remark == "not computed"


def test_narrow_terminals_fold_and_never_cut() -> None:
    columns = [Column("name", "left"), Column("n"), Column("what", "left", fold=True)]
    table = Table(columns, [["a", 1, "many words that do not fit on one line"], ["b", 2, "x" * 40]])
    lines = write(table, "text", 30).split("\n")
    assert max(map(len, lines)) <= 30
    assert "".join("".join(lines).split()).count("x") == 40
    words = " ".join(" ".join(line.split()) for line in lines)
    assert "many words that do" in words
    assert next(line.split() for line in lines if line.startswith("  b"))[:2] == ["b", "2"]
    wide = write(table, "text", 12)  # what cannot give way stays whole
    assert "x" * 8 in wide


def test_wide_letters_and_marks_stay_in_line() -> None:
    table = Table.of("", ["", "n"], [["汉字", "1"], ["e\u0301t", "22"], ["plain", "333"]])
    assert {cells_wide(line) for line in write(table, "text").split("\n")} == {2 + 5 + 3 + 3}


def test_bold_only_when_asked() -> None:
    assert "\x1b" not in write(example(), "text")
    styled = write(example(), "text", styled=True)
    assert "\x1b[1mmetric\x1b[0m" in styled
    assert "\x1b[1m41.0 [38.2, 44.0]\x1b[0m" in styled
    assert re.sub(r"\x1b\[\dm", "", styled) == write(example(), "text")


@pytest.mark.parametrize("form", FORMS)
def test_tables_without_rows(form: Form) -> None:
    text = write(Table.of("none", ["a", "b"], []), form)
    assert "a" in text
    assert write(Table.of("", ["a"], []), form)


@pytest.mark.parametrize("odd", HOSTILE)
@pytest.mark.parametrize("form", FORMS)
def test_no_text_becomes_a_command_or_markup(form: Form, odd: str) -> None:
    """A table full of a hostile text is built like one full of a harmless text."""

    def full(text: str) -> str:
        columns = [Column(text, "left"), Column(text)]
        rows: list[list[Content]] = [[text, Cell(text, strong=True, remark=text)], [Cell(text), text]]
        return write(Table(columns, rows, text, [text]), form)

    hostile, harmless = full(odd), full("name")
    assert hostile.count("\n") == harmless.count("\n")
    assert all(letter.isprintable() or letter == "\n" for letter in hostile)
    if form in CHECKS:
        CHECKS[form](hostile, harmless)


def same_elements(hostile: str, harmless: str) -> None:
    trees = [ElementTree.fromstring(f"<p>{text}</p>") for text in (hostile, harmless)]  # our own page
    shapes = [[(e.tag, sorted(e.attrib)) for e in tree.iter()] for tree in trees]
    assert shapes[0] == shapes[1]


def no_formula(hostile: str, harmless: str) -> None:
    for row in csv.reader(io.StringIO(hostile)):
        assert len(row) == 2
        assert not any(cell.strip().startswith(tuple("=+@＝-")) for cell in row)


def same_commands(hostile: str, harmless: str) -> None:
    known = r"\\(text(backslash|asciitilde|asciicircum|periodcentered|bar|asciigrave))\{\}|\$(\\geq|<|>)\$|\\[{}$&#_%]"
    left = re.sub(r"(?<=[-'])\{\}(?=[-'])", "", re.sub(known, "", hostile))
    for sign in "\\&{}%$#_^~":
        extra = left.count("{}[") + left.count("{}*") if sign in "{}" else 0  # the guard before a bracket
        assert left.count(sign) - extra == harmless.count(sign), sign
    assert not re.search(r"(^|\n)[\[*]", hostile)


def same_marks(hostile: str, harmless: str) -> None:
    left = re.sub(r"\\[\\`*_\[\]<>|~$&]", "", hostile)
    for sign in "\\`*_[]<>|~$":
        assert left.count(sign) == harmless.count(sign), sign


CHECKS: dict[Form, Callable[[str, str], None]] = {
    "html": same_elements, "csv": no_formula, "latex": same_commands, "markdown": same_marks
}  # fmt: skip


@given(st.lists(st.lists(st.text(max_size=12), min_size=3, max_size=3), max_size=4))
def test_csv_reads_back(rows: list[list[str]]) -> None:
    text = write(Table.of("", ["a", "b", "c"], rows), "csv")
    found = list(csv.reader(io.StringIO(text)))
    assert found[0] == ["a", "b", "c"]
    assert len(found) == len(rows) + 1
    for row, back in zip(rows, found[1:], strict=True):
        for cell, read in zip(row, back, strict=True):
            assert read in ({""} if plain(cell) == "–" else {plain(cell), f"'{plain(cell)}"})


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=5))
def test_csv_keeps_floats_exactly(values: list[float]) -> None:
    found = list(csv.reader(io.StringIO(write(Table.of("", list("abcde")[: len(values)], [values]), "csv"))))
    assert [float(cell) for cell in found[1]] == values


def test_several_tables() -> None:
    pair = [Table.of("one", ["a"], [["1"]]), Table.of("=two", ["b"], [["2"]])]
    assert write_all(pair, "text") == "one\n  a\n  1\n\n=two\n  b\n  2"
    assert write_all(pair, "csv") == "one\na\n1\n\n'=two\nb\n2"
    assert write_all(pair[:1], "csv") == "a\n1"


def test_mistakes_are_named() -> None:
    with pytest.raises(AssayError, match="no table format 'word'; choose one of text, markdown"):
        write(example(), "word")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a row of 1 cells in a table of 2 columns"):
        Table.of("", ["a", "b"], [["x"]])
