"""Forms of judges: every shipped one can be asked and read, damaged ones are refused, and the linter finds faults."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.judges import built_in, judge_form
from assay.judges.calls import calls_of
from assay.judges.form import ABOUT, prompt_form
from assay.judges.judge import Judge
from assay.judges.lint import lint
from assay.records import Example
from assay.systems.prompts import Prompt
from tests.conftest import Call

Run = Callable[..., Call]
GOOD = """
name = "tone"
version = 2
kind = "rating"
about = "tone of a text"
user = "{output}\\n{criteria}\\n{answer}"
[[criteria]]
name = "tone"
question = "How polite is the output?"
[criteria.levels]
1 = "insulting"
2 = "neutral"
3 = "polite"
"""


def written(folder: Path, text: str) -> str:
    path = folder / "form.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_dozen_forms_of_every_kind_ship_without_findings() -> None:
    forms = [judge_form(name) for name in built_in()]
    assert len(forms) >= 12
    assert {form.kind for form in forms} == {*ABOUT}
    assert [form.name for form in forms] == built_in()
    assert not [finding for form in forms for finding in lint(form)]


@pytest.mark.parametrize("name", built_in())
def test_a_form_asks_about_its_texts(name: str) -> None:
    form = judge_form(name)
    example = Example(id="1", source="the source {x}", references=("the reference",))
    outputs = {"a": {"1": "text of a {y}"}, "b": {"1": "text of b"}}
    calls = calls_of(form, [example], outputs)
    assert len(calls) == (1 if form.kind == "ranking" else 2)
    judge = Judge("me", form).with_calls(calls)
    shown = "\n".join(part["content"] for item in judge.items(calls) for part in judge.messages(item))
    assert "text of a {y}" in shown
    assert "text of b" in shown
    assert all(each.question in shown for each in form.criteria)
    assert all(text in shown for each in form.criteria for text in each.levels.values())
    assert '{"reason": ' in shown or '{"errors": ' in shown
    assert set(form.schema(form.names)["required"]) >= ({"errors"} if form.kind == "spans" else {*form.names})


def test_the_signature_follows_the_content(tmp_path: Path) -> None:
    first = judge_form(written(tmp_path, GOOD))
    assert first.version == "2"
    assert first.signature.startswith("tone-2-")
    assert judge_form(written(tmp_path, GOOD.replace("insulting", "rude"))).signature != first.signature


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("{output}", "{text}"), "no field {text}"),
        (("{output}", "nothing"), "needs {output}"),
        (('kind = "rating"', 'kind = "stars"'), "not a form of a judge"),
        (('about = "tone of a text"', 'abuot = "x"'), "not a form of a judge"),
        (('2 = "neutral"', 'two = "neutral"'), "levels of a rating are numbers"),
        (('3 = "polite"', 'inf = "polite"'), "levels must be increasing numbers, and finite ones"),
        (('kind = "rating"', 'kind = "checklist"'), "has no levels"),
        (('name = "tone"\nquestion', 'name = "reason"\nquestion'), "distinct, not empty and not `reason`"),
    ],
)
def test_damaged_forms_are_refused(tmp_path: Path, change: tuple[str, str], why: str) -> None:
    with pytest.raises(AssayError, match=r"form\.toml") as error:
        judge_form(written(tmp_path, GOOD.replace(*change)))
    assert why in str(error.value)


def test_unknown_names_get_a_suggestion() -> None:
    with pytest.raises(AssayError, match="did you mean fluency"):
        judge_form("fluncy")
    with pytest.raises(AssayError, match=r"mine\.toml: no such file"):
        judge_form("mine.toml")
    with pytest.raises(AssayError, match="no criterion tone"):
        judge_form("summary").only(["tone"])


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (("How polite is", "How polite and clear is"), "two-questions"),
        (("How polite is the output?", "How polite is the output? Is it short?"), "two-questions"),
        (("How polite is", "How obviously polite is"), "leading"),
        (('1 = "insulting"', '1 = ""'), "unlabelled-end"),
        (('2 = "neutral"', '2 = ""'), "unlabelled-level"),
        (('2 = "neutral"', '2 = "polite"'), "same-levels"),
        (('3 = "polite"', '3 = "very good"'), "vague-level"),
        (("\\n{criteria}", ""), "no-criteria"),
        (("\\n{answer}", ""), "no-answer-format"),
        (("How polite is the output?", "How faithful to the source is the output?"), "no-input"),
        (('user = "', 'system = "Rate the text by ChatGPT."\nuser = "'), "leading"),
        (('user = "', 'system = "Longer texts deserve more."\nuser = "'), "leading"),
        (("How polite is the output?", "Wie höflich und klar ist der Text?"), "two-questions"),
        (("How polite is the output?", "Wouldn't you call the output polite?"), "leading"),
        (("How polite is the output?", "How close to the reference is the output?"), "no-reference"),
        (("How polite is the output?", "Rate the politeness from 1 to 10. Use whole numbers."), "other-scale"),
        (('2 = "neutral"', '2 = "2"'), "vague-level"),
    ],
)
def test_the_linter_names_the_fault_and_no_other(tmp_path: Path, change: tuple[str, str], rule: str) -> None:
    assert GOOD.replace(*change) != GOOD
    assert [finding.rule for finding in lint(judge_form(written(tmp_path, GOOD.replace(*change))))] == [rule]
    neutral = GOOD.replace("How polite is the output?", "How polite is the output? Explain it in 1 to 2 sentences.")
    assert not lint(judge_form(written(tmp_path, GOOD))) + lint(judge_form(written(tmp_path, neutral)))


def test_a_plain_prompt_keeps_its_braces() -> None:
    form = prompt_form(Prompt("mine", "1", "", 'A {{"low": {low}}} of {criterion}: {output}'), "sty{le", (1, 5))
    assert form.prompt(form.names).messages(output="x{y}") == [
        {"role": "user", "content": 'A {"low": 1} of sty{le: x{y}'}
    ]


def test_commands(here: Run, tmp_path: Path) -> None:
    listed: Any = here("judge", "list", "--json").json["forms"]
    assert set(listed) == {*built_in()}
    assert listed["support"]["needs"] == ["contexts", "output"]
    assert "5 = no error of grammar" in here("judge", "list", "fluency").out
    assert here("judge", "lint").code == 0
    bad = written(tmp_path, GOOD.replace("How polite is", "How polite and clear is"))
    call = here("judge", "lint", bad, "--json")
    assert call.code == 1
    assert call.json["forms"][bad][0]["rule"] == "two-questions"
    assert here("judge", "lint", written(tmp_path, GOOD.replace('2 = "neutral"', '2 = ""'))).code == 0
    assert here("judge", "lint", bad.replace("form", "form"), "--strict").code == 1
