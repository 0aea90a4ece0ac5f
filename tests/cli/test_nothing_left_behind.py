"""A command that is refused leaves nothing behind: inputs are read before a folder or file is made for the output."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Call

Run = Callable[..., Call]
DESIGN = """name = "tides"
[[questions]]
criterion = "fluency"
kind = "likert"
text = "How fluent is it?"
"""
FILES = {
    "design.toml": DESIGN,
    "empty.toml": 'name = "tides"\n',
    "good.jsonl": '{"id": "1", "output": "the tide is high", "references": ["the tide is high"], "source": "tide"}\n',
    "bad.jsonl": '{"id": "1", "output": "the tide\n',
    "bad.tar": "no archive",
    "run.toml": 'name = "t"\n[[datasets]]\nname = "t"\nexamples = "none.jsonl"\n'
    '[[systems]]\nname = "lead"\nsystem = "lead"\n',
}
SCORE = "score good.jsonl -e good.jsonl --save new"
SERVE = "study serve design.toml --add --folder new"
REFUSED = {
    "score none.jsonl -e good.jsonl --save new": "none.jsonl: no such file",
    "score bad.jsonl -e good.jsonl --save new": "bad.jsonl:1",
    "score good.jsonl -e none.jsonl --save new": "none.jsonl: no such file",
    f"{SCORE} -m no_such_metric": "no metric called no_such_metric",
    f"{SCORE} --scores none.jsonl": "none.jsonl: no such file",
    "compare good.jsonl none.jsonl -e good.jsonl --plots new": "none.jsonl: no such file",
    "table good.jsonl none.jsonl -e good.jsonl -o new/out.tex": "none.jsonl: no such file",
    "check good.jsonl --baseline none.jsonl -e good.jsonl --margin rouge1=1 --junit new/out.xml": "none.jsonl: no",
    "run none.toml -o new": "none.toml: no such file",
    "run run.toml -o new": "none.jsonl",
    "report none -o new/out.html": "none: no such file",
    "data read web_nlg_ru none -o new/out.jsonl": "none",
    "data render none.jsonl --as concepts -o new/out.jsonl": "none.jsonl: no such file",
    "data filter none.jsonl --strategy lead --budget 5 -o new/out.jsonl": "none.jsonl: no such file",
    "data overlap none.jsonl good.jsonl -o new/out.jsonl": "none.jsonl: no such file",
    "challenge make typos none.jsonl -o new/out.jsonl": "none.jsonl: no such file",
    "challenge tag none.jsonl --rule clauses -o new/out.jsonl": "none.jsonl: no such file",
    "system generate none.jsonl -S lead -o new/out.jsonl": "none.jsonl: no such file",
    "system generate good.jsonl -S no_such_system -o new/out.jsonl": "no system called",
    "system rank none.jsonl -S frequency --train good.jsonl -o new/out.jsonl": "none.jsonl: no such file",
    "system choose none.jsonl -S ngram --train good.jsonl -o new/out.jsonl": "none.jsonl: no such file",
    "system train extractor --train none.jsonl --valid good.jsonl -o new": "none.jsonl: no such file",
    "judge run none.jsonl -S chat:m --criterion fluency -e good.jsonl -o new/out.jsonl": "none.jsonl: no such file",
    "metric audit none.jsonl -e good.jsonl --save new --plots new/plots": "none.jsonl: no such file",
    "metric correlate --scores none.json --human none.json --plots new": "none.json: no such file",
    "study assign design.toml none.jsonl -o new/out.jsonl --people 2 --sheets new/sheets": "none.jsonl: no such file",
    "study export none -o new": "none: no such file",
    "study map none.csv --columns none.toml -o new/out.jsonl": "no such file",
    f"{SERVE} --tasks none.jsonl": "none.jsonl: no such file",
    f"{SERVE} --tasks bad.jsonl": "bad.jsonl:1",
    f"{SERVE} --lessons none.jsonl": "none.jsonl: no such file",
    f"{SERVE} --consent none.txt": "none.txt: no such file",
    "study serve run.toml --add --folder new": "run.toml",
    "study serve empty.toml --add --folder new": "empty.toml: no questions",
    "benchmark submit none.jsonl --benchmark none.toml --store new": "none.jsonl: no such file",
    "benchmark bundle none -o new": "none: not a submission store",
    "benchmark add none.toml tides -o new/out.toml": "none.toml: no such file",
    "benchmark retire none.toml tides --why old -o new/out.toml": "none.toml: no such file",
    "server add new none.toml": "none.toml: no such file",
    "server add new design.toml": "design.toml",
    "server invite new anna@example.org": "new: no such server folder",
    "server backup new new/backup.tar": "new: no such server folder",
    "server restore new none.tar": "none.tar: no such file",
    "server restore new bad.tar": "bad.tar",
    "server start new --host 256.0.0.1": "Cannot listen on 256.0.0.1",
    "store verify new": "new: neither a saved run",
}


@pytest.mark.parametrize(("command", "reason"), REFUSED.items(), ids=REFUSED)
def test_a_refused_command_leaves_nothing_behind(
    here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, reason: str
) -> None:
    if command.startswith(("server", "study serve")):
        pytest.importorskip("fastapi")
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    call = here(*command.split())
    assert call.code in (1, 2), call.out
    assert reason in call.err
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES)
