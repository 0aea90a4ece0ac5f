"""The ladder: a held-back score is shown in steps, and trying at random climbs hardly at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from assay.benchmark.freezing import freeze
from assay.benchmark.manifest import read_manifest
from assay.benchmark.service.ladder import climbed
from tests.support.made_benchmarks import MANIFEST, made
from tests.support.made_service import MadeService, made_service
from tests.support.made_submissions import N, text

LADDER = MANIFEST.replace('held_back = ["rouge1"]\n', 'held_back = ["rouge1"]\nladder = { rouge1 = 0.05 }\n', 1)


def test_scores_change_by_steps_only() -> None:
    assert climbed([0.5, 0.52, 0.3, 0.56, 0.6], 0.05) == pytest.approx([0.5, 0.5, 0.5, 0.55, 0.6])
    assert climbed([30.0, 31.0, 28.9, 20.2], 1.0, lower=True) == pytest.approx([30.0, 30.0, 29.0, 20.0])
    assert climbed([], 1.0) == []


def test_random_tries_climb_less_than_the_best_of_them() -> None:
    """200 coin flips of 100 items, combined when they seem better than chance: the ladder hardly says which."""
    draw = np.random.default_rng(0)
    right = draw.random((200, 100)) < 0.5
    scores = right.mean(axis=1)
    shown = climbed(scores.tolist(), 0.1)
    assert len({*shown}) <= 3
    assert len({*scores.tolist()}) > 15
    votes = {
        name: right[np.diff(answers, prepend=answers[0]) > 0] if name == "ladder" else right[scores > 0.5]
        for name, answers in (("ladder", np.array(shown)), ("all", scores))
    }
    fitted = {name: (own.mean(axis=0) > 0.5).mean() if len(own) else 0.5 for name, own in votes.items()}
    assert fitted["all"] > 0.75 > fitted["ladder"]


@pytest.fixture
def laddered(tmp_path: Path) -> Iterator[MadeService]:
    service = made_service(tmp_path, manifest=LADDER)
    yield service
    service.server.database.close()


def test_authors_and_readers_see_steps_of_held_back_scores(laddered: MadeService) -> None:
    good, bad = [text(i) for i in range(N)], ["nothing of this" for _ in range(N)]
    ids = {}
    for name, texts in (("first", good), ("second", bad)):
        tasks = {"tides_test": {"values": texts, "keys": [f"p{i}" for i in range(N)]}}
        ids[name] = laddered.submit("other", submission_name=name, tasks=tasks).json()["id"]
    laddered.work()
    held = laddered.program("organiser").get(f"/api/submissions/{ids['first']}").json()["held_back"]
    best = round(held["tides_test"]["scores"]["rouge1"]["value"] / 0.05) * 0.05
    pages = {name: laddered.client("other").get(f"/submissions/{id}").text for name, id in ids.items()}
    for page in pages.values():  # the second submission is worse, and its author is not told by how much
        assert f"tides_test, rouge1: {best:.4g}" in page
    version = laddered.client("reader").get("/b/tides/1").text
    assert "Ladder of held-back metrics" in version
    assert "<td>first</td>" in version
    assert "<td>second</td>" not in version.split("Ladder of held-back metrics")[1].split("</table>")[0]
    assert "veiled-heron" not in version.split("Ladder of held-back metrics")[1].split("</table>")[0]


def test_a_ladder_needs_a_held_back_metric_and_a_step(tmp_path: Path) -> None:
    for wrong, why in (("{ chrf = 0.5 }", "not held back"), ("{ rouge1 = 0.0 }", "the step is 0")):
        path = made(tmp_path / why.replace(" ", ""), LADDER.replace("{ rouge1 = 0.05 }", wrong))
        findings = freeze(read_manifest(path), path.parent).findings
        assert any(why in finding.problem and finding.is_error for finding in findings)
