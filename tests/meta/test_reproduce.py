"""Published tables from released data: the cells that must agree, and those that must say why they do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest

from assay.errors import AssayError, UsageError
from assay.meta.ablation import ablate
from assay.meta.correlate import correlate_metrics, split_by
from assay.meta.joined_scores import JoinedScores, join_scores
from assay.meta.reproduce import draw, reproduce
from assay.meta.reproduce.cells import Cell, cell, matched, read_rows, require_files
from assay.meta.reproduce.eks import column, difference, read_ratings
from assay.meta.reproduce.frank import DATA_NAMES, GROUPS, KINDS, REQUEST
from assay.meta.reproduce.narrative import read_stories
from assay.meta.reproduce.narrative_figures import story_means
from assay.meta.tables.published import scoreboard
from assay.metrics.lexical.meteor import Meteor
from tests.conftest import Call

Find = Callable[[str], Path]
# ablate of semantic frame, discourse, content errors; then of the seven kinds
ABLATION = """
BLEU     | .0117 .0110 .1219 .0204 .0136 -.0010 .0080 .0033 .1044 .0324
METEOR   | -.0136 .0227 .1843 .0082 .0056 -.0031 .0195 .0038 .1590 .0457
Rouge-1  | -.0330 .0206 .2105 .0058 -.0003 -.0174 .0195 .0017 .1765 .0570
Rouge-2  | -.0034 .0173 .1508 .0074 .0159 -.0051 .0127 .0050 .1296 .0386
Rouge-L  | -.0246 .0107 .1902 .0101 .0036 -.0171 .0101 .0011 .1567 .0558
BERTS P  | .0415 .0098 .2618 .0364 .0548 .0070 .0137 -.0030 .2049 .1000
BERTS R  | .0371 .0069 .1283 .0091 .0390 .0206 .0078 -.0004 .0978 .0536
BERTS F1 | .0444 .0094 .2276 .0271 .0537 .0148 .0123 -.0021 .1766 .0895
FEQA     | -.0073 -.0075 .0154 .0196 -.0078 -.0185 .0013 -.0086 .0200 -.0058
QAGS     | .0680 -.0111 .0111 .0195 .0379 .0327 -.0073 -.0037 .0143 .0021
DAE      | .0494 .0292 .0974 .0375 .0448 .0058 .0217 .0082 .0132 .1273
FactCC   | .1706 -.0054 .0570 .0267 .1393 .0636 -.0047 -.0003 .0562 .0207
"""
WILLIAMS = {
    ("BLEU", "METEOR"): 0.0020,
    ("BLEU", "QAGS"): 0.1120,
    ("METEOR", "Rouge-1"): 0.4879,
    ("METEOR", "DAE"): 0.1396,
    ("Rouge-1", "FactCC"): 0.0084,
    ("Rouge-L", "DAE"): 0.0946,
    ("BERTS P", "FactCC"): 0.0031,
    ("FEQA", "QAGS"): 0.0272,
    ("DAE", "FactCC"): 0.0964,
}
SPLITS = {  # Pearson and Spearman on the validation and on the test part
    "Bleu": (0.103, 0.065, 0.101, 0.055),
    "BertScore P Art": (0.220, 0.213, 0.295, 0.252),
    "Dep Entail": (0.125, -0.023, 0.179, 0.202),
    "FactCC": (0.214, 0.268, 0.201, 0.300),
}


def of_table(cells: list[Cell], name: str) -> list[Cell]:
    return [each for each in cells if each.table == name]


@pytest.fixture(scope="module")
def frank(shared_data: Find) -> list[Cell]:
    return reproduce("frank", shared_data("frank").parent)


@pytest.fixture(scope="module")
def joined(shared_data: Find) -> JoinedScores:
    folder = shared_data("frank")
    data = join_scores(folder / "human_annotations.json", folder / "baseline_factuality_metrics_outputs.json")
    return replace(data, metrics=tuple(DATA_NAMES.values()))


@pytest.fixture(scope="module")
def eks(shared_data: Find) -> list[Cell]:
    return reproduce("eks", shared_data("eks").parent)


@pytest.fixture(scope="module")
def narrative(shared_data: Find) -> list[Cell]:
    return reproduce("narrative", shared_data("narrative").parent)


def test_frank_tables_agree_in_every_cell(frank: list[Cell]) -> None:
    assert matched(of_table(frank, "Table 2")) == (144, 0, 12)
    assert matched(of_table(frank, "Table 4")) == (72, 0, 18)
    unknown = [each for each in frank if each.row == "OpenIE"]
    assert unknown
    assert all(each.match is None and each.note for each in unknown)


def test_frank_williams(frank: list[Cell]) -> None:
    found = {(each.row, each.column): each.computed for each in of_table(frank, "Williams p")}
    assert len(found) == 36
    for pair, p in WILLIAMS.items():
        assert found[pair] == pytest.approx(p, abs=5e-5)


def test_frank_ablation(joined: JoinedScores) -> None:
    found = ablate(joined, REQUEST, (*GROUPS, *KINDS, "Other"))
    for name, values in read_rows(ABLATION):
        for kind, value in zip((*GROUPS, *KINDS), values, strict=True):
            assert found[kind][DATA_NAMES[name]] == pytest.approx(float(value), abs=5.1e-5), (name, kind)
        assert found["Other"][DATA_NAMES[name]] == 0


def test_frank_ablation_computed_from_categories(joined: JoinedScores) -> None:
    plain = replace(
        joined, frame=joined.frame.drop([name for name in joined.frame.columns if name.startswith("Flip_")])
    )
    given, computed = (ablate(data, REQUEST, KINDS) for data in (joined, plain))
    for kind in KINDS:
        for metric in joined.metrics:
            assert computed[kind][metric] == pytest.approx(given[kind][metric], abs=1e-8)


def test_frank_statements_and_splits(frank: list[Cell], joined: JoinedScores) -> None:
    assert all(each.match for each in frank if each.column == "holds")
    parts = split_by(joined, "split")
    assert {name: len(part.frame) for name, part in parts.items()} == {"valid": 671, "test": 1575}
    answers = {name: correlate_metrics(part, REQUEST) for name, part in parts.items()}
    for metric, expected in SPLITS.items():
        found = [answers[p].metrics[metric][m]["r"] for p in ("valid", "test") for m in ("pearson", "spearman")]
        assert found == pytest.approx(expected, abs=6e-4)


def test_frank_incorrect_share_is_on_other_rows(frank: list[Cell]) -> None:
    shares = {each.row: each for each in of_table(frank, "Errors by system") if each.column == "incorrect %"}
    computed = {"s2s": 75.6, "pgn": 24.4, "bus": 60.4, "bert_sum": 28.4, "bart": 18.4, "all": 63.9}
    for system, value in computed.items():
        assert shares[system].computed == pytest.approx(value, abs=0.05)
        assert shares[system].match is None
        assert "subset" in shares[system].note


def test_eks_differences(shared_data: Find) -> None:
    ratings = read_ratings(shared_data("eks"))
    expected = {
        "t5": (0.333, 346, 49, 0.00579),
        "bart": (0.344, 306, 47, 0.00454),
        "chatgpt": (0.378, 246.5, 47, 0.00046),
        "pegasus": (0.411, 433.5, 56, 0.00202),
        "gpt4": (0.511, 287.5, 54, 0.0000458),
    }
    for model, (gap, w, n, p) in expected.items():
        test = difference(ratings, "ref", model)
        assert test.difference == pytest.approx(gap, abs=6e-4)
        assert (test.statistic, test.n) == (w, n)
        assert test.p == pytest.approx(p, rel=0.012)
    assert sum(column(ratings, "ref")) / 90 == pytest.approx(4.133, abs=5e-4)


def test_eks_tau_c_and_alpha(eks: list[Cell]) -> None:
    expected = {
        "rouge1": [(0.1363, 0.0346), (0.2082, 0.0020), (-0.0137, 0.8072)],
        "rouge2": [(0.1558, 0.0157), (0.2107, 0.0017), (-0.0532, 0.3420)],
        "rougeL": [(0.1690, 0.0088), (0.1824, 0.0067), (-0.0639, 0.2540)],
    }
    found = {(each.row, each.column): each for each in of_table(eks, "Table 5")}
    for name, values in expected.items():
        for rater, (tau, p) in zip(("B1", "B2", "B3"), values, strict=True):
            assert found[rater, f"{name} tau-c"].computed == pytest.approx(tau, abs=5.1e-5)
            assert found[rater, f"{name} tau-c"].match
            assert found[rater, f"{name} p"].computed == pytest.approx(p, abs=5.1e-5)
    alpha = {each.column: each.computed for each in of_table(eks, "Agreement of raters")}
    assert alpha == {
        "ordinal": pytest.approx(-0.039, abs=5e-4),
        "interval": pytest.approx(-0.030, abs=5e-4),
        "nominal": pytest.approx(-0.063, abs=5e-4),
    }


def test_eks_rouge_both_ways(eks: list[Cell]) -> None:
    assert matched(of_table(eks, "Table 2 from aggregates")) == (42, 2, 0)
    fresh = [each for each in of_table(eks, "Table 2 from predictions") if each.computed is not None]
    tuned = [each for each in fresh if not each.row.startswith(("chatgpt", "gpt4"))]
    assert matched(tuned) == (21, 6, 0)
    for each in tuned:
        assert isinstance(each.published, float)
        assert each.computed == pytest.approx(each.published, abs=0.095)
    chat = [each.computed for each in fresh if each.row.startswith("chatgpt")]
    assert chat == pytest.approx([51.9, 32.9, 38.5], abs=0.05)
    lead = {
        name: [each.computed for each in of_table(eks, f"3-Sent, {name}")]
        for name in ("first event of each document", "all events")
    }
    assert lead["first event of each document"] == pytest.approx([46.00, 28.86, 33.56], abs=0.006)
    assert lead["all events"] == pytest.approx([39.65, 22.95, 28.75], abs=0.006)


def test_figures_of_narrative(shared_data: Find, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folder = shared_data("narrative").parent
    files = draw("narrative", folder, tmp_path / "new", "svg")
    assert [path.name for path in files] == ["ratings.svg", "metrics.svg"]
    shown = files[0].read_text("utf-8")
    assert all(name in shown for name in ("interesting", "coherent", "fluent", "relevant"))
    stories = read_stories(folder / "narrative" / "complete_human_annotations.csv")
    mean, reach = story_means(stories, "interesting", "0.9")
    assert mean == pytest.approx(2.960, abs=5e-4)
    assert 0.05 < reach < 0.25


def test_narrative(narrative: list[Cell]) -> None:
    kappa = [each.computed for each in of_table(narrative, "Fleiss kappa")]
    assert kappa == pytest.approx([0.1305, 0.1403, 0.1296, 0.1019], abs=5.1e-5)
    assert matched(of_table(narrative, "Neighbouring settings")) == (24, 0, 0)
    assert matched(of_table(narrative, "Best p")) == (4, 0, 0)
    found = {(each.row, each.column): each for each in of_table(narrative, "Metric against people")}
    for metric in ("dist-1", "dist-2"):
        assert found[metric, "interesting rho"].computed == pytest.approx(0.75)
        assert found[metric, "interesting rho"].match
        assert found[metric, "interesting p"].computed == pytest.approx(0.0522, abs=5e-5)
    assert all(each.match for each in narrative if each.column == "holds")


once = lru_cache(reproduce)
"""Several tests look at the same cells."""


@pytest.mark.slow
def test_bleu_of_shared_tasks(shared_data: Find) -> None:
    data = shared_data("e2e").parent
    challenge = once("e2e", data)
    bleu = [one for one in challenge if one.column == "BLEU"]
    assert matched(bleu) == (1, 0, 10)
    assert all(one.computed == pytest.approx(one.published, abs=0.005) for one in bleu)
    assert {one.row for one in challenge if one.match is not None} == {"tgen"}  # the one row that a source bears out
    assert all("could not be checked" in one.note for one in challenge if one.match is None and one.published)
    for one in challenge:  # the others are computed by another program, and near
        assert one.published is None or one.computed == pytest.approx(one.published, rel=5e-3)
    shared_data("webnlg")
    systems = reproduce("webnlg", data)
    assert matched(systems) == (0, 0, 26)
    assert sum(one.published is not None for one in systems) == 6
    assert {each.table for each in systems} == {"WebNLG 2020 en", "WebNLG 2020 ru"}


def test_cells_compare_at_the_printed_precision() -> None:
    assert cell("t", "r", "c", "0.10", 0.1049).match
    assert cell("t", "r", "c", "0.10", 0.1051).match is False
    assert cell("t", "r", "c", "12", 12.4).match
    assert cell("t", "r", "c", None, 1.0).match is None
    assert cell("t", "r", "c", "1.0", None).match is None


def test_unknown_names_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="x: unknown reproduction"):
        reproduce("x", tmp_path)
    with pytest.raises(AssayError, match=r"human_annotations\.json: not found"):
        reproduce("frank", tmp_path)
    with pytest.raises(AssayError, match="--data"):
        require_files(tmp_path, "a.json")


def test_fomc(shared_data: Find) -> None:
    """The printed example in every score, and percentages that are whole numbers of right answers."""
    cells = reproduce("fomc", shared_data("fomc").parent)
    assert matched(cells)[:2] == (52, 1)
    example = {one.row: one.computed for one in cells if one.table == "Appendix D"}
    assert example["reference, std_sentence"] == 3
    assert example["reference, attribution"] == 2
    classes = {(one.row, one.column): one.computed for one in cells if one.table == "Class file"}
    assert sum(float(n or 0) for (_, column), n in classes.items() if column == "pairs") == 43_674
    assert sum(float(n or 0) for (_, column), n in classes.items() if column == "pairs of like length") == 27_628
    assert sum(float(n or 0) for (_, column), n in classes.items() if column == "members") == 914


def test_tesa(tmp_path: Path) -> None:
    cells = reproduce("tesa", tmp_path)
    assert matched(cells)[:2] == (30, 1)
    assert {one.computed for one in cells if one.table.endswith("random") and "MAP" in one.row} == {
        "0.220 expected, 95 % from 0.205 to 0.234"
    }


def test_multiwoz(shared_data: Find) -> None:
    """BLEU against the references that are there agrees for all nine; types differ by three at most."""
    cells = once("multiwoz", shared_data("multiwoz").parent)
    assert matched(one for one in cells if one.table == "Table 4")[:2] == (9, 0)
    diversity = [one for one in cells if one.table == "Table 6"]
    assert matched(diversity)[0] >= 41
    for one in diversity:
        near = {"unique tokens": 3, "unique trigrams": 8}.get(one.row, 0.02)
        assert one.computed == pytest.approx(one.published, abs=near)


def test_pointer(shared_data: Find) -> None:
    assert matched(reproduce("pointer", shared_data("pointer").parent))[:2] == (24, 0)


def test_simplification(shared_data: Find) -> None:
    shared_data("asset")
    cells = once("simplification", shared_data("turkcorpus").parent)
    assert matched(cells)[:2] == (10, 3)
    copied = {(one.table, one.column): one.computed for one in cells if one.row == "source"}
    assert copied["ASSET", "SARI"] == pytest.approx(20.7338, abs=1e-4)
    assert copied["TurkCorpus", "SARI"] == pytest.approx(26.2912, abs=1e-4)


FIGURE_4 = {
    "Bleu": [0.078, 0.065, 0.092, 0.139, 0.137, 0.141],
    "Meteor": [0.123, 0.078, 0.151, 0.155, 0.165, 0.150],
    "Rouge 1": [0.120, 0.053, 0.153, 0.155, 0.163, 0.152],
    "Rouge 2": [0.083, 0.061, 0.099, 0.168, 0.180, 0.162],
    "Rouge L": [0.109, 0.077, 0.131, 0.156, 0.156, 0.157],
    "BertScore P Art": [0.346, 0.318, 0.361, 0.180, 0.201, 0.175],
    "FEQA": [-0.009, 0.029, -0.024, 0.024, 0.108, -0.025],
    "QAGS": [0.131, 0.037, 0.167, -0.023, 0.026, -0.048],
    "Dep Entail": [0.245, 0.082, 0.272, 0.044, 0.025, 0.055],
    "FactCC": [0.363, 0.163, 0.442, 0.073, 0.106, 0.058],
}


def test_figures_are_drawn(shared_data: Find, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    data = shared_data("frank").parent
    made = draw("frank", data, tmp_path, "svg")
    assert [path.name for path in made] == ["scatter-feqa.svg", "scatter-factcc.svg", "figure-4.svg"]
    text = made[-1].read_text()
    for name in ("CNN/DM pretrained", "XSum others", "FactCC", "partial pearson with human scores"):
        assert name in text
    with pytest.raises(UsageError, match=r"eks has no figures\. Use one of frank"):
        draw("eks", data, tmp_path, "svg")


def test_frank_from_texts(frank: list[Cell]) -> None:
    assert matched(one for one in frank if one.table == "Table 2 from texts") == (45, 3, 0)
    met = {one.row: one.computed for one in frank if one.table == "Released columns from texts"}
    for name, share in (("Rouge-1", 95.8), ("Rouge-2", 98.0), ("Rouge-L", 97.2), ("BLEU", 91.8)):
        assert met[name] == pytest.approx(share, abs=0.1)
    slopes = {one.row: one.computed for one in frank if one.table == "Figure 3"}
    assert slopes["FEQA, all"] == pytest.approx(1.376, abs=1e-3)
    assert slopes["FactCC, bus"] == pytest.approx(0.527, abs=1e-3)
    bars = {(one.row, one.column): one.computed for one in frank if one.table == "Figure 4"}
    for row, values in FIGURE_4.items():
        found = [
            bars[row, f"{part} {which}"] for part in ("CNN/DM", "XSum") for which in ("all", "pretrained", "others")
        ]
        assert found == pytest.approx(values, abs=6e-4), row


def test_eks_single_items_pairs_and_prompts(eks: list[Cell]) -> None:
    assert matched(one for one in eks if one.table == "ROUGE of single items") == (120, 0, 8)
    assert matched(one for one in eks if one.table == "Section 6 by pair") == (15, 0, 0)
    prompts = [one for one in eks if one.table == "User prompts"]
    assert matched(prompts) == (12, 6, 0)
    assert all("TST3-MUC4-0010.1" in one.note for one in prompts if not one.match)
    counts = {(one.row, one.column): one.computed for one in eks if one.table == "Figure 2"}
    assert [counts["gpt4", f"rating {i}"] for i in range(1, 6)] == [1, 6, 38, 26, 19]


def test_eks_meteor_as_released(eks: list[Cell]) -> None:
    if why := Meteor(variant="nltk").why_not():
        pytest.skip(why)
    cells = [one for one in eks if one.table == "METEOR of runs"]
    for one in cells:
        assert one.computed == pytest.approx(float(one.note.split()[1].rstrip(";")), abs=0.05), one
    means = {one.row: one.computed for one in cells if one.column == "mean"}
    for row, values in {"bart-large": (61.36, 46.22, 40.97), "pegasus-large": (59.34, 44.84, 42.37),
                        "t5-large": (61.61, 45.50, 41.79)}.items():  # fmt: skip
        for setting, value in zip(("temp_and_doc", "temp_only", "doc_only"), values, strict=True):
            assert means[f"{row}/{setting}"] == pytest.approx(value, abs=0.03)


def test_every_difference_is_explained(
    frank: list[Cell], eks: list[Cell], narrative: list[Cell], shared_data: Find
) -> None:
    data = shared_data("fomc").parent
    others = [made for name in ("fomc", "tesa", "multiwoz", "e2e", "simplification") for made in once(name, data)]
    for one in (*frank, *eks, *narrative, *others):
        assert one.match is not False or one.note, one


def test_arithmetic_on_printed_figures_is_not_counted(
    here: Callable[..., Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSAY_DATA", raising=False)
    rows = here("metric", "reproduce", "tesa", "--json").json["rows"]  # needs no data
    assert {row["basis"] for row in rows} == {"print"}
    assert sum(row["match"] is True for row in rows) == 30
    printed = here("metric", "reproduce", "tesa").out
    assert "Section 3 (arithmetic on printed figures, not counted): 1 agree" in printed
    table = scoreboard({"tesa": [Cell(**row) for row in rows]})
    assert list(table.rows[-1]) == ["all from data", 0, 0, 0]
    assert here("metric", "reproduce", "frank").code == 1
