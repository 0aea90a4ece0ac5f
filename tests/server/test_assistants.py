"""Tools of assistants: the protocol, what tools return, and which files they may touch."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from assay.server.assistants.folders import Folders
from assay.server.assistants.protocol import LONGEST, Session
from assay.server.assistants.tools import tools


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "data"
    made.mkdir()
    outputs = [
        {"id": str(i), "system": system, "output": f"The harbour had {number + i} ships."}
        for system, number in (("a", 10), ("b", 70))
        for i in range(8)
    ]
    text = [f"The harbour had {10 + i} ships." for i in range(8)]
    examples = [{"id": str(i), "source": one, "references": [one], "language": "en"} for i, one in enumerate(text)]
    for name, rows in (("outputs", outputs), ("examples", examples)):
        (made / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "secret.jsonl").write_text(json.dumps(examples[0]), encoding="utf-8")
    return made


def ask(folder: Path, method: str, writable: bool = False, **parameters: Any) -> Any:
    line = json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": parameters})
    answer = Session(tools(Folders.of([folder], writable))).answer(line.encode())
    assert answer is not None
    assert answer["id"] == 7
    return answer.get("result", answer.get("error"))


def call(folder: Path, name: str, arguments: dict[str, Any], writable: bool = False) -> Any:
    result = ask(folder, "tools/call", writable, name=name, arguments=arguments)
    if not result.get("isError"):
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return result["structuredContent"]
    return result["content"][0]["text"]


DATA: dict[str, Any] = {"outputs": ["outputs.jsonl"], "examples": "examples.jsonl", "metrics": ["rouge1"]}


def test_the_version_of_the_client_is_spoken_where_known(folder: Path) -> None:
    assert ask(folder, "initialize", protocolVersion="2024-11-05")["protocolVersion"] == "2024-11-05"
    assert ask(folder, "initialize", protocolVersion="1999-01-01")["protocolVersion"] == "2025-06-18"


def test_tools_state_types_and_that_they_only_read(folder: Path) -> None:
    listed = ask(folder, "tools/list")["tools"]
    assert [tool["name"] for tool in listed] == ["score", "compare", "support", "table"]
    assert all(tool["annotations"]["readOnlyHint"] and tool["outputSchema"]["properties"] for tool in listed)


def test_score_returns_what_the_command_prints(folder: Path) -> None:
    systems = call(folder, "score", DATA)["systems"]
    assert systems["a"]["scores"]["rouge1"]["value"] == 1.0
    assert systems["b"]["scores"]["rouge1"]["value"] == pytest.approx(0.8)
    assert systems["b"]["n"] == 8


def test_compare_has_differences_and_p(folder: Path) -> None:
    (only,) = call(folder, "compare", DATA)["comparisons"]
    assert (only["a"], only["b"]) == ("a", "b")
    assert only["metrics"]["rouge1"]["difference"] == pytest.approx(-0.2)
    assert only["metrics"]["rouge1"]["p"] < 0.05


def test_support_shows_the_least_supported_first(folder: Path) -> None:
    found = call(folder, "support", {"outputs": "outputs.jsonl", "examples": "examples.jsonl", "most": 3})
    assert found["systems"]["a"]["supported"] == 1.0
    assert found["systems"]["b"]["contradicted_sentences"] == 8
    assert [one["system"] for one in found["sentences"]] == ["b"] * 3
    assert found["warnings"] == []


def test_table_is_markdown_unless_another_format_is_asked_for(folder: Path) -> None:
    assert "| a |" in call(folder, "table", DATA)["table"]
    assert r"\toprule" in call(folder, "table", DATA | {"format": "latex"})["table"]


@pytest.mark.parametrize("name", ["../secret.jsonl", "/etc/hosts", "link.jsonl", "https://example.org/x.jsonl", "a\0b"])
def test_other_files_are_refused(folder: Path, name: str) -> None:
    (folder / "link.jsonl").symlink_to(folder.parent / "secret.jsonl")
    for arguments in ({"outputs": name, "examples": "examples.jsonl"}, {"outputs": "outputs.jsonl", "examples": name}):
        assert any(word in call(folder, "support", arguments) for word in ("outside of", "not a path"))
    assert "outside of" in call(folder, "score", DATA | {"examples": "frank:../secret.jsonl"})


def test_paths_may_begin_where_the_server_was_started(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Assistants name files as they see them: below the folder that is open, not below the folder of the server."""
    monkeypatch.chdir(folder.parent)
    files = {"outputs": f"{folder.name}/outputs.jsonl", "examples": f"{folder.name}/examples.jsonl"}
    assert call(folder, "support", files)["n"] == 8
    assert "no such file" in call(folder, "support", files | {"outputs": "secret.jsonl"})
    call(folder, "support", files | {"output": f"{folder.name}/new.jsonl"}, True)
    assert (folder / "new.jsonl").exists()


def test_options_of_metrics_name_no_other_files(folder: Path) -> None:
    assert "outside of" in call(folder, "score", DATA | {"metrics": ["faithful:weights=/etc/hosts"]})
    assert "asks another machine" in call(folder, "score", DATA | {"metrics": ["judge:model=x"]})


def test_nothing_is_written_without_permission(folder: Path) -> None:
    files = {"outputs": "outputs.jsonl", "examples": "examples.jsonl", "output": "sentences.jsonl"}
    assert "--write" in call(folder, "support", files)
    call(folder, "support", files, True)
    assert len((folder / "sentences.jsonl").read_text("utf-8").splitlines()) == 16
    assert "new file" in call(folder, "support", files, True)
    assert "outside of" in call(folder, "support", files | {"output": "../x.jsonl"}, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "needs the argument outputs"),
        ({"outputs": "x"}, "type array"),
        ({"outputs": [3]}, "type string"),
        ({"outputs": ["outputs.jsonl"], "ci": -1}, "from 0 to"),
        ({"outputs": ["outputs.jsonl"], "sytem": "a"}, "no argument sytem"),
        ({"outputs": ["missing.jsonl"]}, "no such file"),
    ],
)
def test_wrong_arguments_are_explained(folder: Path, arguments: dict[str, Any], said: str) -> None:
    assert said in call(folder, "score", arguments)


def test_a_session_survives_what_is_no_message(folder: Path) -> None:
    lines = [b"nonsense\n", b"[" * 10_000 + b"\n", b"x" * (LONGEST + 5) + b"\n", b'{"id": {}, "method": "ping"}\n',
             b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n', b'{"id": 1, "method": "no"}\n',
             b'{"jsonrpc": "2.0", "id": "a", "method": "ping"}\n']  # fmt: skip
    target = io.BytesIO()
    Session(tools(Folders.of([folder]))).serve(io.BytesIO(b"".join(lines)), target)
    answers = [json.loads(line) for line in target.getvalue().splitlines()]
    assert [each.get("error", {}).get("code") for each in answers] == [-32700, -32700, -32600, -32600, -32601, None]
    assert answers[-1] == {"jsonrpc": "2.0", "id": "a", "result": {}}
