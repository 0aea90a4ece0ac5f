"""The released FRANK scores: partial correlations, Williams, rank nulls and ROC-AUC against worked-out values."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.stats.classification import roc_auc
from assay.stats.correlation import of_group_means, pearson
from assay.stats.partial import modal_share, partial, rank_nulls, residuals
from assay.stats.williams import williams

Table = dict[str, NDArray[Any]]

ORACLES = {
    "Bleu": (0.101425, 0.066963, 2246),
    "Meteor": (0.137002, 0.105267, 2246),
    "Rouge 1": (0.136681, 0.102044, 2246),
    "Rouge 2": (0.119006, 0.075122, 2246),
    "Rouge L": (0.130926, 0.088787, 2246),
    "BertScore P Art": (0.271081, 0.243244, 2246),
    "BertScore R Art": (0.143203, 0.128467, 2246),
    "BertScore F1 Art": (0.240433, 0.213976, 2246),
    "FEQA": (0.004533, 0.011132, 2242),
    "QAGS": (0.064965, 0.081406, 2246),
    "Dep Entail": (0.162394, 0.142939, 2163),
    "FactCC": (0.203923, 0.304108, 2246),
}
# XSum: null mean, its sd, mean within-system Spearman
NULLS = {
    "Bleu": (0.121, 0.022, 0.116),
    "Rouge 1": (0.005, 0.021, 0.138),
    "BertScore P Art": (-0.008, 0.020, 0.153),
    "FEQA": (0.041, 0.019, 0.009),
    "QAGS": (0.009, 0.019, -0.011),
    "Dep Entail": (0.249, 0.014, 0.107),
    "FactCC": (0.209, 0.016, 0.069),
}


@pytest.fixture(scope="module")
def frank(shared_data: Callable[[str], Path]) -> Table:
    human = json.loads(shared_data("frank/human_annotations.json").read_text())
    released = json.loads(shared_data("frank/baseline_factuality_metrics_outputs.json").read_text())
    scores = {(r["hash"], r["model_name"]): r for r in released}
    table: Table = {
        key: np.array([row[key] for row in human]) for key in ("Factuality", "model_name", "dataset", "split")
    }
    for metric in ORACLES:
        column = [scores[row["hash"], row["model_name"]].get(metric) for row in human]
        table[metric] = np.array([np.nan if value is None else value for value in column], dtype=float)
    return table


def rows(frank: Table, metric: str, **where: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    keep = ~np.isnan(frank[metric])
    for column, value in where.items():
        keep &= frank[column] == value
    return frank[metric][keep], frank["Factuality"][keep], frank["model_name"][keep]


@pytest.mark.parametrize("metric", ORACLES)
def test_partial_correlations(frank: Table, metric: str) -> None:
    x, y, system = rows(frank, metric)
    expected_r, expected_rho, n = ORACLES[metric]
    linear = partial(x, y, system, corrected_df=False)
    ranked = partial(x, y, system, method="spearman")
    assert linear.n == ranked.n == n
    assert linear.r == pytest.approx(expected_r, abs=5e-7)
    assert ranked.r == pytest.approx(expected_rho, abs=5e-6)
    assert linear.df == n - 2


def test_p_values_and_corrected_df(frank: Table) -> None:
    x, y, system = rows(frank, "FEQA")
    assert partial(x, y, system, corrected_df=False).p == pytest.approx(0.830, abs=5e-4)
    assert partial(x, y, system, method="spearman", corrected_df=False).p == pytest.approx(0.598, abs=5e-4)
    assert partial(x, y, system).df == 2242 - 2 - 8


@pytest.mark.parametrize("metric", NULLS)
def test_rank_nulls_on_xsum(frank: Table, metric: str) -> None:
    x, y, system = rows(frank, metric, dataset="bbc")
    null = rank_nulls([x], y, system, permutations=200, seed=1)[0]
    mean, sd, within = NULLS[metric]
    assert null.null_mean == pytest.approx(mean, abs=0.01)
    assert null.null_sd == pytest.approx(sd, abs=0.003)
    assert null.within_mean == pytest.approx(within, abs=0.0006)


def test_rank_nulls_by_subset(frank: Table) -> None:
    x, y, system = rows(frank, "FactCC", dataset="bbc", split="valid")
    null = rank_nulls([x], y, system, permutations=200)[0]
    assert (null.null_mean, null.observed) == pytest.approx((-0.305, -0.253), abs=0.01)
    for where, mean, off in (({}, 0.072, 0.01), ({"dataset": "cnndm"}, 0, 0.02)):
        x, y, system = rows(frank, "FactCC", **where)
        assert rank_nulls([x], y, system, permutations=200)[0].null_mean == pytest.approx(mean, abs=off)
    value, share = modal_share(rows(frank, "FactCC", dataset="bbc")[1])
    assert value == 0
    assert share > 0.85


def test_williams_between_metrics(frank: Table) -> None:
    for first, second, t, p in (
        ("BertScore P Art", "FactCC", 2.743, 0.00307),
        ("Rouge 1", "BertScore P Art", 5.279, 7.1e-8),
        ("Dep Entail", "FactCC", 1.303, 0.0964),
    ):
        both = ~np.isnan(frank[first]) & ~np.isnan(frank[second])
        system = frank["model_name"][both]
        a, b, y = (residuals(frank[column][both], system) for column in (first, second, "Factuality"))
        result = williams(pearson(a, y).r, pearson(b, y).r, pearson(a, b).r, int(both.sum()))
        assert abs(result.t) == pytest.approx(t, abs=6e-4)
        assert (result.p_greater if result.t > 0 else result.p / 2) == pytest.approx(p, rel=0.01)


def test_system_level_and_roc(frank: Table) -> None:
    x, y, system = rows(frank, "QAGS")
    assert of_group_means(x, y, system, "pearson").r == pytest.approx(0.992, abs=5e-4)
    for metric, expected in (("BertScore P Art", 0.823), ("FactCC", 0.770), ("FEQA", 0.732)):
        score, human, _ = rows(frank, metric)
        assert roc_auc(score, human == 1) == pytest.approx(expected, abs=6e-4)
