"""The command line: one thin module per command, imported only when it is called."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper

import click

from assay.errors import AssayError, UsageError
from assay.show.escape import plain
from assay.version import VERSION

COMMANDS = {
    "score": "score outputs against references, sources or examples",
    "compare": "two systems on the same items: differences, intervals, p-values",
    "table": "the table of a paper: best in bold, those not told apart from it marked",
    "check": "a gate for CI: fails when quality fell beyond a margin",
    "gaps": "what a system loses between groups of items, or from training to test",
    "cross": "how far people agree who have written about the same items",
    "selfcheck": "how often the test calls your systems different where nothing differs",
    "originality": "which fragments of outputs one source alone has, and whose they are",
    "slots": "which values of their inputs outputs say, leave out and add",
    "metrics": "what can be measured, what it needs, and whether it runs here",
    "read": "published files of a dataset to examples",
    "render": "the text a model is given for each example",
    "forms": "the ways to write an input as text, and their options",
    "markup": "texts with marked spans: annotations to targets and back, classes of spans",
    "filter": "which sentences of a long source a model gets to see",
    "datasets": "what can be read: cards, measured statistics, fetching, choosing",
    "overlap": "test items that stand in the training part: exactly, normalised, nearly",
    "challenge": "a challenge set of altered inputs, each naming its parent",
    "challenges": "the ways to alter inputs, and their options",
    "tag": "contrast subsets: what is hard about each item, as tags; samples",
    "contrasts": "the ways to divide a set into subsets, and their options",
    "drs": "meaning representations: challenge items beside their parents, ROSE",
    "make": "made-up examples of a protocol, and augmented training targets",
    "entities": "groups of entities and people's phrases for them, as rankings",
    "systems": "what can answer: baselines, models, endpoints, commands",
    "generate": "a system's texts for examples",
    "rank": "a system's scores for candidates",
    "choose": "which of two continuations a system finds likelier",
    "judge": "a chat model's ratings of outputs",
    "train": "a model from examples, resumable",
    "run": "datasets x systems x metrics into a results folder",
    "status": "how far the runs of a results folder are: finished, running, stopped, failed",
    "correlate": "metrics against people: which may be trusted, for which mistake",
    "audit": "can a metric be gamed: outputs made worse by rule, and what it says of them",
    "traps": "sentences with a planted mistake: which metric puts the original first",
    "behaviour": "what breaks a system: pass rates on altered inputs, with intervals",
    "agreement": "how far annotators agree, and what kind of rater each is",
    "dialog": "MultiWOZ systems: offers that fit the goal, requests answered, BLEU by style, richness",
    "study": "human evaluation: designs, assignment, checks of people, analysis, simulation",
    "power": "how small a difference can be seen, how many more items it takes",
    "card": "what a dataset, system or metric is, written down and checked for what it lacks",
    "validate": "whether a submission can be taken: names, ids, lengths, leaks, its model card",
    "submit": "take a submission into a store: validated, scored, held-back metrics kept back",
    "serve": "a server that benchmarks are submitted to: sign-in, queue, scoring, results",
    "benchmark": "a benchmark as a manifest: tasks, cards and metrics frozen into versions",
    "check-folder": "whether saved runs, results and answers are as they were written",
    "cache": "what is kept between runs, how much room it takes, clearing it",
    "reproduce": "published tables computed again from released data",
    "report": "one page about a results folder: HTML, Markdown or LaTeX",
    "anomalies": "what cannot be in results: impossible orders, zeros, unequal sets, equal numbers",
    "view": "walk through results in a browser",
}


class LazyGroup(click.Group):
    """Commands are known by name and loaded by need: `assay --help` imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"assay.cli.{name.replace('-', '_')}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS:
            from assay.specs import did_you_mean

            raise click.UsageError(f"no command called {args[0]}{did_you_mean(args[0], COMMANDS)}", ctx)
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            from assay.cli.options import refuse_repeats

            refuse_repeats(command, click.Context(command, ctx, name), rest)
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _version(ctx: click.Context, param: click.Parameter, asked: bool) -> None:
    if not asked:
        return
    from assay.text._kernels import compiled

    kernels = compiled()
    slow = [name for name, fast in kernels.items() if not fast]
    state = "kernels compiled" if not slow else f"kernels running uncompiled, slower: {', '.join(slow)}"
    click.echo(f"assay {VERSION} ({state})")
    ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: assay score outputs.jsonl --references references.jsonl --ci 1000",
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Say which and leave."
)
def group() -> None:
    """How good generated text is, and how far to believe the answer."""


def main(arguments: list[str] | None = None) -> None:
    """Run a command; every problem is one line on stderr and an exit code, never a traceback.

    Called without arguments it is the program itself, and signals are for it.
    """
    given = sys.argv[1:] if arguments is None else arguments
    if arguments is None:
        from assay.cli.last_resort import say_of_thread
        from assay.cli.stopping import listen_to_signals

        listen_to_signals()
        say_of_thread(given)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # names of files may be no text, and a terminal may know few letters
            stream.reconfigure(errors="backslashreplace")
    sys.exit(_ended(given))


def _ended(arguments: list[str]) -> int:
    """The exit code of a command, once what has to be said was said."""
    try:
        code = group.main(args=arguments, prog_name="assay", standalone_mode=False)
        sys.stdout.flush()  # now: what cannot be written is said, and not at the very end as a traceback
        return code if isinstance(code, int) else 0
    except click.UsageError as error:
        error.show()
        return 2
    except click.ClickException as error:
        return _failed(error.format_message())
    except AssayError as error:
        return _failed(error, 2 if isinstance(error, UsageError) else 1)
    except (click.Abort, KeyboardInterrupt):
        return _failed("stopped; what was finished is kept", 130)
    except BrokenPipeError:
        _close_output()  # whoever read it has gone (`| head`): nothing more to say, and nothing to say it to
        return 141
    except OSError as error:
        _close_output()
        return _failed(_of_disk(error))
    except MemoryError:
        return _failed("out of memory; use fewer --workers, a smaller batch, or fewer items at once")
    except RecursionError:
        return _failed("something that was given is nested too deeply to be worked on; check how it was written")
    except (SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # also the panics of libraries, which are no Exception
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
    return (
        f"disk: {why}; make room where it writes, or where temporary files lie ({where}; TMPDIR names another folder)"
    )


def _failed(why: object, code: int = 1) -> int:
    with suppress(OSError):
        click.echo(f"assay: {plain(why)}", err=True)  # texts from files may hold line breaks and control characters
    return code


def _close_output() -> None:
    """Where nobody reads it, or it cannot be written, what is still held back goes nowhere."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
