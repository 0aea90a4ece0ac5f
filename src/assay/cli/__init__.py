"""The command line: one thin module per command, imported only when it is called."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from assay.errors import AssayError, UsageError
from assay.show.escape import plain
from assay.version import VERSION

COMMANDS = {
    "score": "score outputs against references, sources or examples",
    "compare": "two systems on the same items: differences, intervals, p-values",
    "selfcheck": "how often the test calls your systems different where nothing differs",
    "slots": "which fillers of an event template outputs mention, per role",
    "metrics": "what can be measured, what it needs, and whether it runs here",
    "read": "published files of a dataset to examples",
    "render": "the text a model is given for each example",
    "forms": "the ways to write an input as text, and their options",
    "filter": "which sentences of a long source a model gets to see",
    "datasets": "what can be read: cards, measured statistics, fetching, choosing",
    "challenge": "a challenge set of altered inputs, each naming its parent",
    "challenges": "the ways to alter inputs, and their options",
    "make": "made-up examples of a protocol, and augmented training targets",
    "systems": "what can answer: baselines, models, endpoints, commands",
    "generate": "a system's texts for examples",
    "rank": "a system's scores for candidates",
    "choose": "which of two continuations a system finds likelier",
    "judge": "a chat model's ratings of outputs",
    "train": "a model from examples, resumable",
    "run": "datasets x systems x metrics into a results folder",
    "correlate": "metrics against people: which may be trusted, for which mistake",
    "agreement": "how far annotators agree, and what kind of rater each is",
    "power": "how small a difference can be seen, how many more items it takes",
    "check-folder": "whether saved runs, results and answers are as they were written",
    "cache": "what is kept between runs, how much room it takes, clearing it",
    "reproduce": "published tables computed again from released data",
    "report": "one page about a results folder: HTML, Markdown or LaTeX",
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
        return super().resolve_command(ctx, args)

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
    """Run a command; every foreseen problem is one line on stderr and an exit code, never a traceback."""
    try:
        code = group.main(args=arguments, prog_name="assay", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.UsageError as error:
        error.show()
        sys.exit(2)
    except click.ClickException as error:
        click.echo(f"assay: {error.format_message()}", err=True)
        sys.exit(1)
    except AssayError as error:
        click.echo(f"assay: {plain(error)}", err=True)  # texts from files may hold line breaks and control characters
        sys.exit(2 if isinstance(error, UsageError) else 1)
    except (click.Abort, KeyboardInterrupt):
        click.echo("assay: stopped; what was finished is kept", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has gone (`| head`). Nothing more to say, and nothing to say it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as error:
        click.echo(f"assay: {error.filename or 'disk'}: {error.strerror or error}", err=True)
        sys.exit(1)
