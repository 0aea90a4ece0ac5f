"""`assay server start`: what the command does besides serving, and the files that put it into a container."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Call

pytest.importorskip("fastapi")
pytest.importorskip("sqlalchemy")

from tests.support.made_service import frozen

Run = Callable[..., Call]
DEPLOY = Path(__file__).parents[3] / "deploy"


@pytest.fixture
def server(here: Run, tmp_path: Path) -> Path:
    call = here("server", "add", tmp_path / "server", frozen(tmp_path / "tides"))
    assert (call.code, "tides 1: added with 2 tasks" in call.out) == (0, True)
    return tmp_path / "server"


def test_inviting(here: Run, server: Path) -> None:
    call = here("server", "invite", server, "Ada@Example.org", "--role", "organiser", "--for", "tides")
    assert call.code == 0
    assert re.fullmatch(r"http://127\.0\.0\.1:8000/sign-in\?link=[\w-]{43}", call.out.splitlines()[-1])
    again = here("server", "invite", server, "ada@example.org", "--for", "tides")
    assert again.out.splitlines()[-1] != call.out.splitlines()[-1]


def test_inviting_an_owner_again_keeps_the_role(here: Run, server: Path) -> None:
    """Without --role a user keeps what they have; with it, the change is stated."""
    assert here("server", "invite", server, "own@b.org", "--role", "owner").code == 0
    again = here("server", "invite", server, "own@b.org")
    assert "own@b.org: owner of the whole server. " in again.out
    one = here("server", "invite", server, "own@b.org", "--for", "tides")
    assert "own@b.org: owner of tides. " in one.out
    assert "submitter" in here("server", "invite", server, "new@b.org", "--for", "tides").out
    lowered = here("server", "invite", server, "own@b.org", "--role", "reader")
    assert "reader of the whole server (was: owner)" in lowered.out


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (["invite", "SERVER", "no address"], 1, "not an e-mail address"),
        (["invite", "SERVER", "a@b.org", "--role", "king"], 2, "Choose one of: reader"),
        (["invite", "SERVER", "a@b.org", "--for", "winds"], 1, "no such benchmark on this server"),
        (["add", "SERVER", "nothing.toml"], 1, "nothing.toml"),
        (["restore", "SERVER", "nothing.tar"], 1, "Restore into an empty folder."),
        (["start", "SERVER", "--database", "mysql://a@b/c"], 1, "mysql is not supported"),
    ],
)
def test_what_cannot_be_done_is_said(here: Run, server: Path, words: list[str], code: int, why: str) -> None:
    call = here("server", *(server if word == "SERVER" else word for word in words))
    assert call.code == code
    assert why in call.err
    assert "Traceback" not in call.err


def test_settings_that_are_none(here: Run, tmp_path: Path) -> None:
    for text, why in (
        ("titel = 'x'", "titel"),
        ("attempts = 0", "Write a number above 0."),
        ("address = 'bench.example.org'", "Begin it with https://"),
    ):
        (tmp_path / "assay.toml").write_text(text)
        call = here("server", "backup", tmp_path, tmp_path / "x.tar")
        assert call.code == 1
        assert why in call.err


def test_backup_and_restore(here: Run, server: Path, tmp_path: Path) -> None:
    assert here("server", "invite", server, "a@b.org", "--for", "tides").code == 0
    assert here("server", "backup", server, tmp_path / "a.tar").code == 0
    assert here("server", "restore", tmp_path / "other", tmp_path / "a.tar").code == 0
    assert here("server", "backup", tmp_path / "other", tmp_path / "b.tar").code == 0
    assert (tmp_path / "a.tar").read_bytes() == (tmp_path / "b.tar").read_bytes()
    assert here("server", "restore", tmp_path / "other", tmp_path / "a.tar").code == 1


def test_the_database_may_be_named_in_a_file(
    here: Run, server: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_DATABASE_FILE", str(tmp_path / "url"))
    assert "cannot be read" in here("server", "backup", server, tmp_path / "a.tar").err
    (tmp_path / "url").write_text(f"sqlite:///{tmp_path}/elsewhere.sqlite\n")
    assert here("server", "backup", server, tmp_path / "a.tar").code == 0
    assert (tmp_path / "elsewhere.sqlite").exists()


def test_the_container_runs_what_there_is() -> None:
    """There is no container engine here: the files are read, and what they name is held against the repository."""
    lines = (DEPLOY / "Containerfile").read_text(encoding="utf-8").splitlines()
    copied = [
        word for line in lines if line.startswith("COPY ") and "--from" not in line for word in line.split()[1:-1]
    ]
    assert len(copied) > 5
    assert all((DEPLOY.parent / word).exists() for word in copied)
    assert lines[-2:] == [
        'ENTRYPOINT ["assay", "server", "start", "/data"]',
        'CMD ["--host", "0.0.0.0", "--port", "8000"]',
    ]
    assert "USER assay" in lines
    assert "web/node_modules" in (DEPLOY.parent / ".dockerignore").read_text(encoding="utf-8").splitlines()


def test_the_compose_file_names_what_there_is() -> None:
    given: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    server = given["services"]["server"]
    assert (DEPLOY / server["build"]["context"] / server["build"]["dockerfile"]).is_file()
    assert set(server["depends_on"]) <= set(given["services"])
    for service in given["services"].values():
        assert set(service["secrets"]) <= set(given["secrets"])
        assert {volume.partition(":")[0] for volume in service["volumes"]} <= set(given["volumes"])
    ignored = (DEPLOY / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {Path(secret["file"]).name for secret in given["secrets"].values()} <= set(ignored)
    assert all(port.startswith("127.0.0.1:") for port in server["ports"])


@pytest.mark.parametrize("call", [("invite", "a@b.org"), ("backup", "x.tar")], ids=lambda call: call[0])
def test_a_mistyped_folder_is_not_a_new_server(here: Run, tmp_path: Path, call: tuple[str, str]) -> None:
    verb, argument = call
    done = here("server", verb, tmp_path / "servr", argument)
    assert done.code == 1
    assert "no such server folder" in " ".join(done.err.split())
    assert not (tmp_path / "servr").exists()
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "notes.txt").write_text("mine\n")
    done = here("server", verb, tmp_path / "results", argument)
    assert done.code == 1
    assert "not a server folder (assay.sqlite, secret and assay.toml are missing)" in " ".join(done.err.split())
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["notes.txt"]
