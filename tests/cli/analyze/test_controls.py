"""`assay analyze controls`: requested and achieved values from the details of outputs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.meta.control_report import achieved
from tests.conftest import Call, write_jsonl


def test_achieved_values_are_those_of_the_texts() -> None:
    sources, outputs = ["aa bb cc dd"] * 3, ["aa bb", "aa bb cc dd", "aa bb cc"]
    (row,) = achieved(sources, outputs, [{"nbchars": 0.5}, {"nbchars": 0.7}, {"nbchars": 0.6}], {})
    assert (row.control, row.n, row.achieved) == ("nbchars", 3, 0.75)
    assert row.requested == pytest.approx(0.6)
    assert row.error == pytest.approx(0.15)
    assert row.r == pytest.approx(1.0)
    assert row.low == 0.5
    assert row.high == 1.0
    assert achieved(sources, outputs, [{}, {}, {}], {}) == []


def test_the_command_reads_requests_or_takes_them(here: Callable[..., Call], tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": i, "source": "aa bb cc dd"} for i in "ab"])
    plain = [{"id": i, "output": "aa bb"} for i in "ab"]
    stated = [row | {"controls": {"nbchars": 0.5}, "controls_from": "oracle"} for row in plain]
    outputs = write_jsonl(tmp_path / "o.jsonl", stated)
    said = here("analyze", "controls", outputs, "-e", examples)
    assert said.code == 0
    assert "0.50      0.500" in said.out
    assert "computed from the references (oracle)" in " ".join(said.err.split())
    write_jsonl(outputs, plain)
    assert "--request nbchars=0.95" in here("analyze", "controls", outputs, "-e", examples).err
    given = ("analyze", "controls", outputs, "-e", examples, "--json", "--request")
    assert here(*given, "levsim=0.75").json["controls"][0]["control"] == "levsim"
    assert "no control speed" in here(*given, "speed=1").err
