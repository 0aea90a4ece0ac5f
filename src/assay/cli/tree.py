"""The command tree: sections, groups and verbs; each verb is a module that is imported when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import click
from click.shell_completion import CompletionItem

from assay.cli.shared.help import HELP

EVERYDAY = {
    "score": "score one system's outputs",
    "compare": "test whether systems differ, on the same items",
    "table": "write a paper-ready table (LaTeX, Markdown, HTML)",
    "check": "fail CI if a new system is worse than a baseline by a margin",
    "support": "check which sentences the contexts or sources support",
    "run": "evaluate datasets x systems from one config file",
    "report": "write a one-file report about results",
    "view": "explore results interactively in a browser",
}
GROUPS: dict[str, tuple[str, dict[str, str]]] = {
    "data": (
        "read, render, filter and synthesize examples",
        {
            "list": "list the datasets that can be read",
            "show": "show the card and the measured statistics of a dataset",
            "fetch": "download a dataset from the Hugging Face hub",
            "select": "choose datasets from a survey by utility and rules",
            "read": "convert the published files of a dataset to examples",
            "render": "write the input of each example as the text a model reads",
            "forms": "list the forms that write an input as text",
            "filter": "select the source sentences that a model reads, within a budget",
            "turns": "write chats as one item per turn, with the dialogue as cluster",
            "overlap": "find test items that occur in the training data (contamination)",
            "markup": "convert, check and count texts with marked spans",
            "entities": "build entity-aggregation data: groups, crowd phrases, rankings",
            "perceived": "texts that readers take for human-written, to train a generator on",
            "users": "responses of users, to train and evaluate personalised systems",
            "synthesize": "write synthetic examples of a protocol, or augmented training targets",
        },
    ),
    "challenge": (
        "challenge sets, subsets and behavioural tests",
        {
            "list": "list the perturbations",
            "make": "make a challenge set of perturbed inputs, linked to the original items",
            "tag": "tag items for contrast subsets, or draw a sample",
            "subsets": "list the rules that divide a set into subsets",
            "drs": "challenge sets for meaning representations (DRS), and ROSE",
            "test": "behavioural tests of a system: functionality, invariance, direction",
        },
    ),
    "system": (
        "generate, rank, choose and train",
        {
            "list": "list the systems that run here: baselines, models, endpoints, commands",
            "generate": "generate outputs for examples",
            "rank": "score and rank candidates",
            "choose": "forced choice between two continuations by likelihood",
            "train": "train a model on examples; can be interrupted and resumed",
        },
    ),
    "judge": (
        "rate outputs with a language model, and measure the judge",
        {
            "list": "list the forms of judges: questions, levels, shape of the answer",
            "lint": "check a form for what reviews of judge prompts complain about",
            "run": "rate outputs with a chat model",
            "validate": "may this judge replace annotators? agreement, error rates, biases",
            "variance": "variance of ratings by item, judge, prompt and draw; what to buy next",
            "rank": "win rates and strengths (Bradley-Terry, Davidson) from pairwise judgements",
            "rates": "rate of a label, corrected by the error rates of the judge",
        },
    ),
    "metric": (
        "metrics, their agreement with human judgements, and audits",
        {
            "list": "list the metrics, what they need and whether they run here",
            "correlate": "correlate metrics with human judgements",
            "audit": "measure how metrics react to outputs made worse by rule",
            "traps": "sentences with a planted error: does the metric prefer the original?",
            "reproduce": "recompute published tables from released data",
            "convert": "published checkpoints of AlignScore, HHEM and SummaC as folders that assay reads",
            "meaning": "what a difference is worth: how often annotators agree with its sign",
            "choose": "which metric orders texts and systems as annotators do",
            "calibrate": "map a score to the human scale, with intervals for single texts",
        },
    ),
    "analyze": (
        "groups, power, agreement, slots, originality, dialogue",
        {
            "groups": "differences between groups of items, or between training and test data",
            "null-test": "false-positive rate of the test on your own outputs",
            "power": "detectable difference, and the number of items or judgements needed",
            "agreement": "inter-annotator agreement, rater behaviour and rankings",
            "human-ceiling": "score each reference against the others",
            "slots": "input values that outputs express, omit or add",
            "originality": "fragments that outputs share with a single source of a corpus",
            "users": "how well texts identify their users, and the focused set of those that do",
            "controls": "requested and achieved control values of simplifications",
            "thresholds": "thresholds of an acceptability filter of n-best lists, compared",
            "entrainment": "how far outputs follow the turns before them, in length and wording",
            "dialog": "MultiWOZ evaluation: Inform, Success, BLEU, richness",
        },
    ),
    "study": (
        "human evaluation: design, assign, collect, analyze",
        {
            "new": "write a study design to start from",
            "lint": "check a design against two reviews of human evaluation",
            "assign": "assign items to annotators",
            "serve": "run the study on an annotation server",
            "collect": "read completed annotation sheets",
            "status": "show progress, cost, agreement and flagged annotators",
            "analyze": "analyze judgements: agreement, rankings, rates, order effects",
            "export": "export judgements, tables, a release bundle or a datasheet",
            "compare": "check whether two studies are comparable",
            "simulate": "simulate power, agreement, duration and cost before the study",
            "forget": "delete one participant's data",
            "map": "convert a table of ratings to judgements",
            "estimate": "mean judgement of each system from few judgements and proxy scores of all",
            "review": "tabulate papers coded with the items of the reviews",
        },
    ),
    "benchmark": (
        "versions, cards and submissions of a benchmark",
        {
            "new": "start the manifest of a benchmark",
            "add": "add a task to a manifest",
            "retire": "remove a task from a manifest",
            "freeze": "freeze a version: hashes of items and cards, metric signatures",
            "check": "check a frozen version against its files",
            "diff": "compare two versions, and list which results are comparable",
            "rescore": "score stored submissions with new metrics or a new version",
            "shrink": "choose the items of a smaller test set",
            "bundle": "write the public bundle of a store",
            "card": "write, fill, check and convert data, model and metric cards",
            "validate": "validate a submission",
            "submit": "submit outputs to a store or a server",
        },
    ),
    "server": (
        "the server for benchmarks and studies",
        {
            "start": "start the server",
            "add": "add a frozen benchmark version",
            "invite": "print a sign-in link for a user",
            "backup": "write a backup archive",
            "restore": "restore a backup archive into an empty folder",
            "mcp": "let assistants evaluate files, over the Model Context Protocol",
        },
    ),
    "store": (
        "saved runs, results folders and the cache",
        {
            "verify": "verify saved runs, results and answers against their digests",
            "anomalies": "find implausible results: zeros, equal scores, unequal item sets",
            "cache": "show or clear what is cached between runs",
        },
    ),
}
SECTIONS = {
    "Everyday": tuple(EVERYDAY),
    "Data, systems": ("data", "challenge", "system", "judge"),
    "Trust": ("metric", "analyze"),
    "People": ("study",),
    "Benchmarks": ("benchmark", "server", "store"),
}
COMMANDS = EVERYDAY | {name: about for name, (about, _) in GROUPS.items()}
RENAMED = {
    "agreement": "analyze agreement",
    "anomalies": "store anomalies",
    "audit": "metric audit",
    "behaviour": "challenge test",
    "cache": "store cache",
    "card": "benchmark card",
    "challenges": "challenge list",
    "check-folder": "store verify",
    "choose": "system choose",
    "contrasts": "challenge subsets",
    "correlate": "metric correlate",
    "cross": "analyze human-ceiling",
    "datasets": "data list",
    "dialog": "analyze dialog",
    "drs": "challenge drs",
    "entities": "data entities",
    "filter": "data filter",
    "forms": "data forms",
    "gaps": "analyze groups",
    "generate": "system generate",
    "make": "data synthesize",
    "markup": "data markup",
    "mcp": "server mcp",
    "metrics": "metric list",
    "originality": "analyze originality",
    "overlap": "data overlap",
    "power": "analyze power",
    "rank": "system rank",
    "read": "data read",
    "render": "data render",
    "reproduce": "metric reproduce",
    "selfcheck": "analyze null-test",
    "serve": "server start",
    "slots": "analyze slots",
    "status": "run status",
    "submit": "benchmark submit",
    "systems": "system list",
    "tag": "challenge tag",
    "train": "system train",
    "traps": "metric traps",
    "validate": "benchmark validate",
}
"""Former names, which answer with the new one."""
WITHIN = {"challenge": "make", "judge": "run"}
"""Groups whose name was that of a command, and what that command is called now."""


class LazyGroup(click.Group):
    """A group whose commands are known by name and imported when they are called: `--help` imports none of them."""

    def __init__(self, name: str, package: str, verbs: Mapping[str, str], help: str = "") -> None:
        super().__init__(name, help=help, no_args_is_help=True, context_settings=HELP)
        self.package = package
        self.verbs = verbs

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.verbs)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.verbs:
            return None
        command: click.Command = import_module(f"{self.package}.{name.replace('-', '_')}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.verbs:
            if now := renamed(ctx.command_path, args[0]):
                raise click.UsageError(now, ctx)
            from assay.specs import did_you_mean

            near = elsewhere(args[0]) or did_you_mean(args[0], self.verbs)
            raise click.UsageError(f"no command called {args[0]}{near}", ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete names without importing the commands."""
        return [CompletionItem(name, help=about) for name, about in self.verbs.items() if name.startswith(incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.verbs.items()))


def renamed(path: str, name: str) -> str:
    """Return the sentence that names a command's new name, or an empty one if `name` is no former command."""
    if path == "assay":
        new = RENAMED.get(name, "")
        return f"`assay {name}` is now `assay {new}`" if new else ""
    group = path.removeprefix("assay ")
    verb = WITHIN.get(group, "")
    return f"`assay {group} …` is now `assay {group} {verb} …`; see `assay {group} --help`" if verb else ""


def elsewhere(name: str) -> str:
    """Return which groups have a command of this name, or an empty text."""
    there = [f"`assay {group} {name}`" for group, (_, verbs) in GROUPS.items() if name in verbs]
    if name in EVERYDAY:
        there.insert(0, f"`assay {name}`")
    return f"; there is {', '.join(there)}" if there else ""


class Root(LazyGroup):
    """The program: everyday commands and groups, listed in sections."""

    def __init__(self) -> None:
        super().__init__("assay", "assay.cli.everyday", COMMANDS)
        self.help = "Evaluate generated text, with confidence intervals on every score."
        self.epilog = "Start: assay score outputs.jsonl -r references.jsonl --ci 1000"
        self.context_settings = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name in GROUPS:
            about, verbs = GROUPS[name]
            return LazyGroup(name, f"assay.cli.{name}", verbs, help=f"{about[0].upper()}{about[1:]}.")
        return super().get_command(ctx, name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            from assay.cli.shared.options import refuse_repeats

            refuse_repeats(command, click.Context(command, ctx, name), rest)
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        for section, names in SECTIONS.items():
            for place, name in enumerate(names):
                formatter.write(f"{'' if place else section:<15} {name:<10} {COMMANDS[name]}\n")
