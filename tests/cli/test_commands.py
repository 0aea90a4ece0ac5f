"""What holds for every command: help with an example, wrong usage is 2, nothing heavy said in vain."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import assay
from assay.cli import COMMANDS
from tests.conftest import Call

Run = Callable[..., Call]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(here: Run, command: str) -> None:
    call = here(command, "--help")
    assert call.code == 0
    assert f"  assay {command}" in call.out


def test_version_says_how_kernels_run(here: Run) -> None:
    assert here("--version").out.startswith(f"assay {assay.__version__} (kernels ")


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_option_is_wrong_usage(here: Run, command: str) -> None:
    call = here(command, "--no-such-option")
    assert (call.code, call.out) == (2, "")
    assert "--no-such-option" in call.err
    assert "Traceback" not in call.err


def test_an_unknown_command_is_wrong_usage(here: Run) -> None:
    call = here("sore")
    assert (call.code, call.out) == (2, "")
    assert "sore" in call.err
