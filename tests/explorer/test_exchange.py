"""Results written in the words of others and read again: the same lines, numbers, intervals, signatures, directions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.explorer.exchange import every_eval_records
from assay.explorer.overview import Overview, overview_of
from assay.explorer.report import write_report
from assay.store.library import open_results


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exchange") / "r"
    assay.run("sample", folder, only=["lead", "rewrite"])
    return folder


def overview(path: Path) -> Overview:
    return overview_of(open_results([path]))


def facts(of: Overview) -> dict[tuple[str, str, str], Any]:
    return {
        (line.system, line.dataset, line.subset): (
            line.n, line.kind, line.task, line.language, line.parent,
            {name: score for name, score in line.scores.items() if score.value is not None or score.why},
        )
        for line in of.runs
    }  # fmt: skip


@pytest.mark.parametrize("ending", [".json", ".yaml"])
def test_exchange_formats_preserve_all_scores(results: Path, tmp_path: Path, ending: str) -> None:
    before = overview(results)
    write_report([results], tmp_path / f"x{ending}")
    after = overview(tmp_path / f"x{ending}")
    assert after.problems == []
    then, now = facts(before), facts(after)
    assert now.keys() == then.keys()
    for place, said in then.items():
        assert now[place][:5] == said[:5], place
        for name, score in said[5].items():
            kept = now[place][5][name]
            if score.value is None:
                assert (kept.value, kept.why) == (None, score.why)
            else:
                assert kept == score, (place, name)
    assert {name: axis.part.better for name, axis in after.axes.items()} == {
        name: axis.part.better
        for name, axis in before.axes.items()
        if any(line.value(name) is not None for line in before.runs)
    }


def test_records_follow_the_every_eval_schema(results: Path) -> None:
    """The fields that the schema requires, and details that are texts as it asks."""
    for record in every_eval_records(overview(results), 1):
        assert {"schema_version", "evaluation_id", "retrieved_timestamp", "model_info", "eval_library"} <= set(record)
        assert {"source_type", "source_organization_name", "evaluator_relationship"} <= set(record["source_metadata"])
        assert record["evaluation_results"]
        for result in record["evaluation_results"]:
            config = result["metric_config"]
            assert isinstance(config["lower_is_better"], bool)
            assert config["score_type"] == "continuous"  # without one, the schema asks for names of levels
            assert config["min_score"] < config["max_score"]
            assert all(isinstance(text, str) for text in config["additional_details"].values())
            assert all(isinstance(text, str) for text in result["score_details"]["details"].values())
            assert result["source_data"] == {
                "dataset_name": result["source_data"]["dataset_name"],
                "source_type": "other",
            }


CARD = """---
license: mit
model-index:
- name: org/small
  results:
  - task: {type: summarization}
    dataset: {type: news, name: News, split: test}
    metrics:
    - {type: rouge1, value: 0.31, name: ROUGE-1}
    - {type: taste, value: high}
---
# A model
"""


def test_model_card_of_another_tool_is_read(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(CARD)
    found = overview(tmp_path / "README.md")
    (line,) = found.runs
    assert (line.system, line.dataset, line.subset, line.task) == ("org/small", "News", "test", "summarization")
    assert line.scores["rouge1"].value == 0.31
    assert line.scores["taste"].value is None
    assert "model card" in line.scores["rouge1"].signature


def test_several_systems_are_one_list_of_records(results: Path, tmp_path: Path) -> None:
    write_report([results], tmp_path / "x.json")
    assert [record["model_info"]["name"] for record in json.loads((tmp_path / "x.json").read_text())] == [
        "lead",
        "rewrite",
    ]


@pytest.mark.parametrize("ending", [".json", ".yaml"])
def test_published_score_files_survive_export_and_import(
    shared_data: Callable[[str], Path], tmp_path: Path, ending: str
) -> None:
    """Some of their lines have no number at all, some have reasons in its place."""
    published = tmp_path / "published"
    published.mkdir()
    for name in ("bart-base", "tgen"):
        shutil.copy(shared_data(f"gem/results/{name}.scores.json"), published)
    before = overview(published)
    assert not all(line.scores for line in before.runs)
    write_report([published], tmp_path / f"x{ending}")
    after = overview(tmp_path / f"x{ending}")
    then, now = facts(before), facts(after)
    assert now.keys() == then.keys()
    for place, said in then.items():
        assert now[place][:5] == said[:5]
        assert {name: (score.value, score.why) for name, score in now[place][5].items()} == {
            name: (score.value, score.why) for name, score in said[5].items()
        }
