"""Paper-ready tables: marks checked by an independent computation, and escaping in every format."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import assay
from assay.errors import AssayError
from assay.results.result import Result
from assay.show.tables import FORMS, Form
from tests.support import has_latex

Floats = NDArray[np.float64]
WORDS = "the a cat dog sat ran on mat in house tree big".split()
HOSTILE = ("=cmd|' /C calc'!A0", r"\input{/etc/passwd} & % $x_1^2$ # {", "<script>alert(1)</script>", "a|b`*_c[d](e)")


def corpus(shares: dict[str, float], n: int = 80, seed: int = 0, metrics: str = "rouge1,ter") -> dict[str, Result]:
    """Systems that get this share of words right."""
    chance = np.random.default_rng(seed)
    references = [" ".join(chance.choice(WORDS, 8)) for _ in range(n)]
    texts = {
        name: [" ".join(np.where(chance.random(8) < share, text.split(), "x")) for text in references]
        for name, share in shares.items()
    }
    examples = [
        {"id": str(i), "references": [text], "tags": {"size": str(i % 3 * 5)}} for i, text in enumerate(references)
    ]
    return assay.score_all(texts, examples=examples, metrics=metrics)


def step_down_by_hand(
    items: dict[str, dict[str, Floats]], seed: int = 1, draws: int = 4000
) -> dict[tuple[str, str, str], float]:
    """Westfall and Young's correction of the paired sign-flip test of means, written out: by number and pair."""
    chance = np.random.default_rng(seed)
    n = len(next(iter(next(iter(items.values())).values())))
    signs = chance.choice([-1.0, 1.0], size=(draws, n))
    observed, null = {}, {}
    for name, systems in items.items():
        for a, b in combinations(sorted(systems), 2):
            gaps = systems[b] - systems[a]
            flipped = signs @ gaps / n
            observed[name, a, b] = abs(gaps.mean()) / flipped.std()
            null[name, a, b] = np.abs(flipped) / flipped.std()
    found, before = {}, 0.0
    order = sorted(observed, key=lambda key: -observed[key])
    for place, key in enumerate(order):
        largest = np.max([null[other] for other in order[place:]], axis=0)
        before = max(before, (1 + (largest >= observed[key]).sum()) / (draws + 1))
        found[key] = before
    return found


def test_marks_are_those_of_an_independent_computation() -> None:
    """Only p near the level may fall on either side: the two draw other swaps."""
    checked = 0
    for seed in range(6):
        results = corpus({"a": 0.6, "b": 0.57, "c": 0.5, "d": 0.61, "e": 0.45}, seed=seed, metrics="rouge1,rouge2")
        items = {
            number: {name: result.per_example[number].to_numpy() for name, result in results.items()}
            for number in ("rouge1", "rouge2")
        }
        p = step_down_by_hand(items)
        (held,) = assay.table(results).sets
        for number, systems in items.items():
            best = max(systems, key=lambda name: systems[name].mean())
            assert held.verdict(number, best) == "best"
            for name in set(systems) - {best}:
                chance = p[number, min(best, name), max(best, name)]
                if not 0.03 < chance < 0.08:
                    assert held.verdict(number, name) == ("behind" if chance < 0.05 else "tied"), (seed, number, name)
                    checked += 1
    assert checked > 30


def test_two_systems_are_judged_as_compare_does() -> None:
    for seed in range(8):
        results = corpus({"a": 0.6, "b": 0.54}, seed=seed, metrics="rouge1,rouge2,chrf,ter")
        (held,) = assay.table(results).sets
        assert held.rankings
        compared = assay.compare(results["a"], results["b"])
        assert held.rankings.method == compared.how.words()
        for name, row in compared.items():
            ahead = {held.verdict(name, system): system for system in "ab"}
            assert row.p_adjusted is not None
            assert ("behind" in ahead) == (row.p_adjusted < 0.05)
            if row.better:
                assert ahead["best"] == row.better


def test_lower_is_better_where_it_is_and_descriptions_have_no_best() -> None:
    made = assay.table(corpus({"good": 0.9, "bad": 0.3}, metrics="rouge1,ter,mean_length"))
    (held,) = made.sets
    assert [held.verdict(name, "good") for name in ("rouge1", "ter", "mean_length")] == ["best", "best", ""]
    head = made.write("markdown")
    assert "| rouge1 ↑ | ter ↓ | mean\\_length |" in head
    assert "↑ higher is better; ↓ lower is better; n = 80." in head


def test_the_note_says_test_family_and_n() -> None:
    text = assay.table(corpus({"a": 0.6, "b": 0.57, "c": 0.3}), ci=100).write("text")
    assert "over 6 tests" in text
    assert re.search(r"paired permutation test, 1,000 random permutations; p < \.05 after Westfall-Young max-T", text)
    assert "n = 80" in text
    assert "95 % confidence intervals, 100 bootstrap resamples" in text
    by_metric = assay.table(corpus({"a": 0.6, "b": 0.57, "c": 0.3}), family="metric").write("text")
    assert "over 3 tests per metric" in by_metric


def test_sets_side_by_side_and_subsets_in_natural_order() -> None:
    results = corpus({"a": 0.9, "b": 0.4})
    other = corpus({"b": 0.9, "c": 0.4}, seed=5)
    made = assay.table({"first": results, "second": other})
    latex = made.write("latex")
    assert r" & \multicolumn{2}{c}{first} & \multicolumn{2}{c}{second} \\" in latex
    assert r"\cmidrule(lr){2-3} \cmidrule(lr){4-5}" in latex
    assert made.systems == ["a", "b", "c"]
    assert made.write("text").count("80 items") == 2
    by = assay.table(results, by="size")
    assert [each.subset for each in by.sets] == ["all", "size=0", "size=5", "size=10"]
    sizes = [each.n for each in by.sets]
    assert sizes[0] == sum(sizes[1:]) == 80


def test_only_items_that_all_have_are_tabled() -> None:
    results = corpus({"a": 0.9, "b": 0.4, "c": 0.5})
    fewer = results["b"].take(np.arange(10, 80))
    made = assay.table([results["a"], fewer, results["c"]])
    assert made.sets[0].n == 70
    expected = "Items differ: compared on the 70 items that all 3 systems have (a has 80, b has 70, c has 80)."
    assert [warning for warning in made.warnings if "Items differ" in warning] == [expected]


def test_what_cannot_be_tested_is_said_and_not_bold() -> None:
    chance = np.random.default_rng(0)
    few = [result.take(np.arange(4)) for result in corpus({"a": 0.9, "b": 0.1, "c": 0.2}).values()]
    made = assay.table(few)
    assert "Not tested: rouge1, ter (4 items, minimum 6 for a significance test)." in made.write("text")
    assert "**" not in made.write("markdown").split("|:--|")[1]
    texts = {str(i): " ".join(chance.choice(WORDS, 5)) for i in range(30)}
    one = assay.score(texts, texts, metrics="rouge1", system="one")
    other = assay.score(texts, dict.fromkeys(texts, "x"), metrics="rouge1", system="two")
    assert "Not tested: rouge1 (references differ)." in assay.table([one, other]).write("text")
    alone = assay.table([one])
    assert alone.sets[0].rankings is None
    assert "Bold" not in alone.write("text")


def test_sorted_by_a_number() -> None:
    results = corpus({"a": 0.3, "b": 0.9, "c": 0.6})
    assert assay.table(results, sort="rouge1").systems == ["b", "c", "a"]
    assert assay.table(results, sort="ter").systems == ["b", "c", "a"]
    with pytest.raises(AssayError, match=r"sort=bleu: not a metric of the table\. Use one of rouge1, ter\."):
        assay.table(results, sort="bleu").write("text")


def test_wrong_calls_say_what_to_give() -> None:
    results = corpus({"a": 0.3, "b": 0.9})
    with pytest.raises(AssayError, match="each with its own system name"):
        assay.table([results["a"], results["a"]])
    with pytest.raises(AssayError, match=r"expected results of assay\.score, not str"):
        assay.table(["a"])  # type: ignore[list-item]
    with pytest.raises(AssayError, match="No family is called none"):
        assay.table(corpus({"a": 0.3, "b": 0.9, "c": 0.1}), family="none")  # type: ignore[arg-type]


def hostile(form: Form) -> str:
    results = corpus(dict.fromkeys(HOSTILE, 0.5))
    return assay.table(results, caption=HOSTILE[1], label="tab:a}b").write(form)


@pytest.mark.parametrize("form", FORMS)
def test_texts_are_written_safely(form: Form) -> None:
    text = hostile(form)
    if form == "csv":
        rows = list(csv.reader(io.StringIO(text)))
        assert rows[1][0] == "'" + HOSTILE[0]
        assert rows[0][:3] == ["", "rouge1", "rouge1.verdict"]
        assert {row[2] for row in rows[1:]} <= {"best", "tied", "behind"}
    elif form == "html":
        assert "<script>" not in text
        ElementTree.fromstring(f"<div>{text}</div>")  # well-formed
    elif form == "latex":
        assert r"\input" not in text
        assert r"\textbackslash{}input\{/etc/passwd\} \& \% \$x\_1\textasciicircum{}2\$ \# \{" in text
        assert r"\label{tab:a-b}" in text
    elif form == "markdown":
        assert r"a\|b\`\*\_c\[d\](e)" in text


def test_signatures_stand_in_a_comment() -> None:
    results = corpus({"a": 0.3, "b": 0.9})
    latex = assay.table(results).write("latex").splitlines()
    assert latex[0] == r"% needs \usepackage{booktabs}"
    assert any(line.startswith("% rouge1: rouge|nrefs:1|") for line in latex)
    assert "<!-- rouge1: rouge|nrefs:1|" in assay.table(results).write("markdown")


def test_pdflatex_compiles_it(tmp_path: Path) -> None:
    if not has_latex():
        pytest.skip("needs pdflatex with booktabs (Debian: texlive-latex-recommended)")
    body = assay.table({"one": corpus(dict.fromkeys(HOSTILE, 0.5)), "two": corpus({"a": 0.2, "b": 0.9})}, ci=50).write(
        "latex"
    )
    document = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{body}" + "\n\\end{document}\n"
    (tmp_path / "t.tex").write_text(document, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]


def test_options_that_are_not_the_usual_ones_stand_in_the_heading() -> None:
    results = corpus({"a": 0.3, "b": 0.9}, metrics="rouge1:stemmer=true,chrf")
    label = results["a"].labels["rouge1"]
    assert label != "rouge1"
    assert assay.table(results).write("csv").startswith(f",{label},{label}.verdict,chrf,")
