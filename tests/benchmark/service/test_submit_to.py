"""`assay benchmark submit --to`: sent, waited for, told; and what happens to it while the server is killed."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import uvicorn

from assay.serving.backup import back_up
from assay.serving.database import open_database
from assay.serving.listen import listen
from benchmarks.service import Fire, under_fire
from tests.conftest import Call
from tests.support.made_service import MadeService
from tests.support.made_submissions import CARD, good

Run = Callable[..., Call]


@pytest.fixture
def address(service: MadeService) -> Iterator[str]:
    """The server on a port, with somebody who works."""
    listener = listen("127.0.0.1", 0)
    web = uvicorn.Server(uvicorn.Config(service.app, log_level="warning"))
    ended = threading.Event()

    def work() -> None:
        while not ended.wait(0.1):
            service.work()

    threads = [
        threading.Thread(target=web.run, kwargs={"sockets": [listener]}, daemon=True),
        threading.Thread(target=work, daemon=True),
    ]
    for thread in threads:
        thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/b/tides/1"
    web.should_exit = True
    ended.set()
    for thread in threads:
        thread.join(20)


@pytest.fixture
def token(service: MadeService, tmp_path: Path) -> Path:
    path = tmp_path / "token"
    path.write_text(service.tokens["other"] + "\n")
    return path


def test_sent_scored_and_told(here: Run, address: str, token: Path, tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps(good(model_card=None)))
    (tmp_path / "card.md").write_text(CARD)
    words = ["benchmark", "submit", tmp_path / "s.json", "--to", address, "--token-file", token]
    refused = here(*words, "--json")
    assert refused.code == 1
    assert "no model card" in json.dumps(refused.json["findings"])
    call = here(*words, "--card", tmp_path / "card.md", "--anonymous-until", "2999-01-01")
    assert call.code == 0, call.err
    assert "tides · tides 1 · 1 task: scored" in call.out
    assert "tides_test · 24 outputs: bleu 2.39   chrf 48.99" in call.out
    assert "rouge" not in call.out
    again = here(*words, "--card", tmp_path / "card.md", "--anonymous-until", "2999-01-01", "--json")
    assert (again.json["state"], again.json["public_name"]) == ("scored", "anonymous-2")
    assert again.json["held_back"] is None


def test_a_token_in_the_environment(
    here: Run, service: MadeService, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "s.json").write_text(json.dumps(good()))
    words = ["benchmark", "submit", tmp_path / "s.json", "--to", address, "--no-wait", "--json"]
    monkeypatch.setenv("ASSAY_TOKEN", "forged")
    assert "The token is invalid or has expired." in here(*words).err
    monkeypatch.setenv("ASSAY_TOKEN", service.tokens["reader"])
    assert "Requires the submitter role for tides. Contact its organisers." in here(*words).err
    monkeypatch.setenv("ASSAY_TOKEN", service.tokens["other"])
    call = here(*words)
    assert (call.code, call.json["stored"]) == (0, True)


@pytest.mark.parametrize(
    ("to", "why"),
    [
        ("http://bench.example.org/b/tides/1", "Use https."),
        ("https://bench.example.org/", "the address of a version's page"),
        ("ftp://bench.example.org/b/tides/1", "the address of a version's page"),
        ("https://bench.example.org/b/tides/1", "--to requires a token"),
    ],
)
def test_wrong_usage(here: Run, tmp_path: Path, to: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_TOKEN", raising=False)
    (tmp_path / "s.json").write_text(json.dumps(good()))
    call = here("benchmark", "submit", tmp_path / "s.json", "--to", to)
    assert call.code == 2
    assert why in call.err
    both = here("benchmark", "submit", tmp_path / "s.json", "--to", to, "-o", tmp_path / "store")
    assert "--to excludes --benchmark, --store and --copy" in both.err
    assert "or --to URL" in here("benchmark", "submit", tmp_path / "s.json").err


class WithBackup(Fire):
    """Takes a backup in the middle of it, while clients send."""

    def kill(self) -> None:
        if self.acknowledged and not (self.folder / "a.tar").exists():
            back_up(open_database(None, self.folder / "server"), self.folder / "server", self.folder / "a.tar")
        super().kill()


@pytest.mark.slow
def test_nothing_is_lost_or_doubled_while_the_server_is_killed(here: Run, tmp_path: Path) -> None:
    """The benchmark in small; the whole of it is `python -m benchmarks service`."""
    found, pages, _ = under_fire(WithBackup(tmp_path, clients=5, submissions=10, kills=2))
    assert found == {
        "acknowledged": 10, "refused": 0, "stored": 10, "lost": 0, "doubled": 0, "scored": 10, "marked": 10,
        "published": 10,
    }  # fmt: skip
    assert {status for status, _ in pages} == {200}
    assert here("server", "restore", tmp_path / "other", tmp_path / "a.tar").code == 0
    assert here("server", "backup", tmp_path / "other", tmp_path / "b.tar").code == 0
    assert (tmp_path / "a.tar").read_bytes() == (tmp_path / "b.tar").read_bytes()
