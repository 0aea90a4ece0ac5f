"""A judge as a metric: scores, failures as a share, signature by the content of the form, comparison of systems."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import assay
import assay.judges.form
from assay.execution.measure import measure, measure_together
from assay.metrics import Dense, resolve
from assay.records import Example
from assay.records.items import Items
from tests.support.systems_fixtures import Server


@pytest.fixture(autouse=True)
def own_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


def spec(server: Server, form: str) -> str:
    return f"judge:{form}:model=toy:base={server.url}:retries=0"


def by_text(server: Server) -> None:
    """Rates by the number of good words; says nothing about the word `odd`."""

    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        shown = body["messages"][-1]["content"].partition("Output:\n")[2].partition("\n")[0]
        return 200, server.answer("hm" if "odd" in shown else f'{{"reason": "", "fluency": {1 + shown.count("good")}}}')

    server.behave = behave


def test_scores_failures_and_the_cache(server: Server) -> None:
    by_text(server)
    outputs = ["good", "good good good", "odd", "bad"]
    result = assay.score(outputs, metrics=spec(server, "fluency"))
    assert result.scores["judge.fluency"].value == pytest.approx(7 / 3)
    assert result.scores["judge.failed"].value == 0.25
    (said,) = [each for each in result.warnings if "no value" in each]
    assert said.startswith(f"judge: 25.0% of 4 outputs of {result.system} have no value (time-outs")
    assert "form:fluency-1-" in result.scores["judge.fluency"].signature
    assert "model:toy" in result.scores["judge.fluency"].signature
    count = len(server.calls)
    assert assay.score(outputs, metrics=spec(server, "fluency")).scores == result.scores
    assert len(server.calls) == count


def test_two_systems_are_compared_like_by_any_metric(server: Server) -> None:
    by_text(server)
    worse = assay.score({str(i): "bad" * (i + 1) for i in range(30)}, metrics=spec(server, "fluency"), ci=100)
    better = assay.score(
        {str(i): "good " * (1 + i % 3) + str(i) for i in range(30)}, metrics=spec(server, "fluency"), ci=100
    )
    compared = assay.compare(worse, better)
    p = compared["judge.fluency"].p
    assert p is not None
    assert p < 0.05
    assert not any("no value" in each for each in compared.warnings)
    odd = {str(i): "odd" if i < 3 else "bad" * (i + 1) for i in range(30)}
    partly = assay.compare(assay.score(odd, metrics=spec(server, "fluency"), system="odd"), better)
    (said,) = [each for each in partly.warnings if "no value" in each]
    assert said.startswith("judge: 10.0% of 30 outputs of odd have no value")


def loaded(outputs: dict[str, str]) -> Items:
    return Items(tuple(outputs.values()), tuple(Example(id=id) for id in outputs))


def test_systems_that_are_scored_together_keep_their_own_answers(server: Server) -> None:
    """`compare` on files scores the outputs of all systems in one call, with the same ids."""
    by_text(server)
    one, other = {"1": "good", "2": "bad"}, {"1": "good good good", "2": "odd"}
    requests = resolve([spec(server, "fluency")])
    systems = [loaded(each) for each in (one, other)]
    for own, items in zip(measure_together(systems, requests), systems, strict=True):
        (alone,) = measure(items, requests).computed
        rows, wanted = own.computed[0].rows, alone.rows
        assert isinstance(rows, Dense)
        assert isinstance(wanted, Dense)
        assert rows.values.tolist() == wanted.values.tolist()


def test_what_cannot_be_asked_is_skipped_with_the_reason(server: Server, tmp_path: Path) -> None:
    def why(metric: str) -> str:
        return str(assay.score(["x"], metrics=f"ttr,{metric}").skipped[0].why)

    assert "needs a model" in why("judge")
    assert "compares outputs" in why(f"judge:form=pairwise:model=toy:base={server.url}")
    form = tmp_path / "tone.toml"
    form.write_text(
        'name = "tone"\nversion = "1"\nkind = "choice"\nabout = "tone"\nuser = "{output} {criteria} {answer}"\n'
        '[[criteria]]\nname = "tone"\nquestion = "Which tone?"\nlevels = { plain = "as it is", warm = "kind" }\n'
    )
    assert "a score needs their numbers" in why(f"judge:form={form}:model=toy:base={server.url}")
    assert "no form nothing" in why("judge:form=nothing:model=toy")
    assert "shows the source, and an item has none" in why(spec(server, "faithfulness"))
    assert "shows the source and reference, and an item has none" in why(spec(server, "adequacy"))
    assert "use chat or hf" in why("judge:system=lead:model=x")
    assert not server.calls


def test_a_form_of_ones_own_is_signed_by_content(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    text = Path(assay.judges.form.__file__).with_name("forms").joinpath("fluency.toml").read_text()
    first, second = (
        resolve([f"judge:form={_written(path, each)}:model=x"])[0].metric.signature("1")
        for each in (text, text.replace("unreadable", "not readable"))
    )
    assert first != second


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path
