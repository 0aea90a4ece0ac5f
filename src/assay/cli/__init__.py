"""The command line: `cli/<group>/<verb>.py`, one thin module per command, imported when it is called."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from io import TextIOWrapper

import click

from assay.cli.tree import COMMANDS as COMMANDS
from assay.cli.tree import Root
from assay.errors import AssayError, UsageError
from assay.show.escape import plain
from assay.version import VERSION


def _version(ctx: click.Context, param: click.Parameter, requested: bool) -> None:
    if not requested:
        return
    from assay.text._kernels import compiled

    kernels = compiled()
    slow = [name for name, fast in kernels.items() if not fast]
    state = "kernels compiled" if not slow else f"kernels running uncompiled, slower: {', '.join(slow)}"
    click.echo(f"assay {VERSION} ({state})")
    ctx.exit()


def _completion(ctx: click.Context, param: click.Parameter, shell: str | None) -> None:
    if shell:
        from assay.cli.shared.completion import script

        click.echo(script(group, shell))
        ctx.exit()


group = Root()
group.params.append(
    click.Option(
        ["--completion"],
        type=click.Choice(["bash", "zsh", "fish"]),
        expose_value=False,
        is_eager=True,
        callback=_completion,
        help="Print the completion script of a shell and exit.",
    )
)
group.params.append(
    click.Option(
        ["--version"],
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=_version,
        help="Show the version and exit.",
    )
)


NUMBERS = {"a valid integer range": "an integer", "a valid float range": "a number", "a valid float": "a number"}
"""Kinds of values in messages of click, in words."""


def main(arguments: list[str] | None = None) -> None:
    """Run a command; every error is one line on stderr and an exit code, never a traceback.

    Without arguments, it is the program itself and handles signals.
    """
    words = sys.argv[1:] if arguments is None else arguments
    if arguments is None:
        from assay.cli.last_resort import say_of_thread
        from assay.cli.stopping import listen_to_signals

        listen_to_signals()
        say_of_thread(words)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # file names may be no valid text, and terminals may lack characters
            stream.reconfigure(errors="backslashreplace")
    sys.exit(_exit_code(words))


def _exit_code(arguments: list[str]) -> int:
    """Run a command, print its error if there is one, and return its exit code."""
    try:
        code = group.main(args=arguments, prog_name="assay", standalone_mode=False)
        sys.stdout.flush()  # so that a failed write is reported here, not at exit as a traceback
        return code if isinstance(code, int) else 0
    except click.UsageError as error:
        message = error.format_message()
        for words, plainer in NUMBERS.items():
            message = message.replace(words, plainer)
        click.UsageError(message, error.ctx).show()
        return 2
    except click.ClickException as error:
        return _failed(error.format_message())
    except AssayError as error:
        return _failed(error, 2 if isinstance(error, UsageError) else 1)
    except (click.Abort, KeyboardInterrupt):
        from assay.interruption import kept

        return _failed("; ".join(["stopped", *kept()]), 130)
    except BrokenPipeError:
        _close_output()  # the reader has exited (`| head`)
        return 141
    except OSError as error:
        _close_output()
        return _failed(_of_disk(error))
    except MemoryError:
        return _failed("out of memory; use fewer --workers, a smaller batch, or fewer items at once")
    except RecursionError:
        return _failed("an input is nested too deeply; check how it was written")
    except (SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # also panics of libraries, which are no Exception
        from assay.cli.last_resort import one_line

        return _failed(one_line(error, arguments))


def _of_disk(error: OSError) -> str:
    why = error.strerror or error
    if isinstance(error.filename, str | bytes):
        return f"{os.fsdecode(error.filename)}: {why}"
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return f"disk: {why}"
    import tempfile

    where = tempfile.tempdir or os.environ.get("TMPDIR") or "/tmp"
    return f"disk: {why}; free space in the output folder or in {where} (set TMPDIR to use another folder)"


def _failed(why: object, code: int = 1) -> int:
    with suppress(OSError):
        click.echo(f"assay: {plain(why)}", err=True)  # texts from files may contain line breaks and control characters
    return code


def _close_output() -> None:
    """Discard buffered output that can no longer be written."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
