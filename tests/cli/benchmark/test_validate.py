"""`assay benchmark validate`: a submission with the examples of its tasks, synthetic and published."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conftest import Call, write_jsonl
from tests.support.made_submissions import CARD, N, good

Run = Callable[..., Call]


def test_the_command(here: Run, tmp_path: Path) -> None:
    path, card = tmp_path / "s.json", tmp_path / "card.md"
    path.write_text(json.dumps(good(model_card=None)))
    card.write_text(CARD)
    rows = [{"id": f"p{i}", "references": ["The sea."], "split": "test"} for i in range(N)]
    examples = write_jsonl(tmp_path / "e.jsonl", rows)
    call = here("benchmark", "validate", path, "--task", f"tides_test={examples}", "--card", card)
    assert call.code == 0
    assert "24 outputs: valid" in call.out
    call = here("benchmark", "validate", path, "--task", f"tides-test={examples}", "--json")
    assert call.code == 1
    assert call.json["valid"] is False
    assert [each["problem"] for each in call.json["findings"] if each["grave"]] == ["no model card"]
    assert here("benchmark", "validate", path, "--task", "x").code == 2
    shown = " ".join(here("benchmark", "validate", path).out.split())
    assert re.search(r"no model card\. [A-Z].*\.", shown)  # the remedy is a sentence
    path.write_text("{")
    call = here("benchmark", "validate", path)
    assert (call.code, call.out) == (1, "")
    assert "not JSON" in call.err


def test_a_submission_of_published_outputs(here: Run, shared_data: Callable[[str], Path], tmp_path: Path) -> None:
    """Three teams, two tasks each, under GEM's ids and under none."""
    for number, team in enumerate(["bt5", "FBConvAI", "cuni-ufal"]):
        made: dict[str, Any] = {"submission_name": team, "param_count": 1, "model_card": CARD, "tasks": {}}
        arguments = []
        for language in ("en", "ru"):
            path = shared_data(f"webnlg/outputs-2020/{language}") / f"{team}.txt"
            if not path.exists():
                continue
            lines = path.read_text(encoding="utf-8").splitlines()
            keys = [f"web_nlg_{language}-test-{i}" for i in range(len(lines))]
            made["tasks"][f"web_nlg_{language}_test"] = {"values": lines, **({"keys": keys} if number % 2 else {})}
            arguments += [
                "--task",
                f"web_nlg_{language}_test=web_nlg_{language}:{shared_data(f'webnlg/{language}')}/test",
            ]
        file = tmp_path / f"{team}.json"
        file.write_text(json.dumps(made))
        found = here("benchmark", "validate", file, *arguments, "--json").json
        grave = [each for each in found["findings"] if each["grave"]]
        assert found["valid"], grave
