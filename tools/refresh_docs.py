"""Run the commands that the documentation shows and rewrite the output below them.

    python tools/refresh_docs.py                  # all pages, docs/reference/commands.md and docs/tour.ipynb
    python tools/refresh_docs.py docs/power.md    # some pages
    python tools/refresh_docs.py --only coming-from --only power    # pages with either text in their path
    python tools/refresh_docs.py --show           # old and new lines next to each other; writes nothing
    python tools/refresh_docs.py --check          # exit 1 if a page would change; writes nothing

A shown command is a line `    $ assay ...` of an indented block; a backslash at its end continues it. The lines below,
up to the next `$` or the end of the block, are its output (stdout and stderr). The commands of one page run in order in
a copy of the sample benchmark, with `examples/` of the repository in it; a fenced block ```` ```json title="NAME" ````
is a file there. In the output

- a line `…` marks lines that are left out: as many lines as shown before and after it are kept;
- a line `(output)` is replaced by everything that the command prints;
- no line at all means that the page does not show the output.

Durations such as `0.2 s` are not compared. Doctests of ```` ```python ```` blocks are run in order and rewritten, too.
"""

from __future__ import annotations

import argparse
import difflib
import doctest
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "src" / "assay" / "sample"
NOTEBOOK = ROOT / "docs" / "tour.ipynb"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")), NOTEBOOK]
INDENT = "    "
PROMPT = f"{INDENT}$ "
COLUMNS = "100"
WIDEST = 114
"""Characters of a shown line."""
FILE = re.compile(r'^```\w+ title="([\w.-]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DURATION = re.compile(r"\b\d+(?:\.\d+)? s\b")
SECONDS = 600


class Shown(NamedTuple):
    """One command of a page: its text, and the lines [start, end) of the page that hold its output."""

    command: str
    start: int
    end: int


def shown_commands(lines: list[str]) -> Iterator[Shown]:
    """Yield the commands of a page that start with a prompt."""
    number = 0
    while number < len(lines):
        if not lines[number].startswith(PROMPT):
            number += 1
            continue
        command = lines[number].removeprefix(PROMPT)
        number += 1
        while command.endswith("\\") and number < len(lines):
            command = command[:-1] + lines[number].strip()
            number += 1
        start = end = number
        while number < len(lines) and not lines[number].startswith(PROMPT):
            if lines[number].startswith(INDENT):
                end = number + 1
            elif lines[number].strip():
                break
            number += 1
        yield Shown(command, start, end)
        number = end


def refreshed(page: Path) -> list[str]:
    """Return the lines of a page with the output of its commands as it is now."""
    if page == NOTEBOOK:
        return with_outputs(page).splitlines()
    lines = with_doctests(page.read_text(encoding="utf-8")).splitlines()
    commands = [shown for shown in shown_commands(lines) if shown.command.startswith("assay ")]
    if not commands:
        return lines
    with staged() as stage:
        for name, content in FILE.findall("\n".join(lines)):
            (stage / name).write_text(content, encoding="utf-8")
        outputs = [run(shown.command, stage) for shown in commands]
    for shown, output in zip(reversed(commands), reversed(outputs), strict=True):
        old = [line.removeprefix(INDENT) for line in lines[shown.start : shown.end]]
        lines[shown.start : shown.end] = [f"{INDENT}{line}".rstrip() for line in arranged(old, output)]
    return lines


@contextmanager
def staged() -> Iterator[Path]:
    """Yield a temporary folder with the files that pages use."""
    with tempfile.TemporaryDirectory() as temporary:
        stage = Path(temporary) / "sample"
        shutil.copytree(SAMPLE, stage)
        shutil.copytree(ROOT / "examples", stage / "examples")
        yield stage


def with_outputs(notebook: Path) -> str:
    """Return a notebook with the outputs of its cells as they are now."""
    import nbclient
    import nbformat

    content = nbformat.read(notebook, as_version=4)  # type: ignore[no-untyped-call]
    with staged() as stage:
        nbclient.NotebookClient(content, timeout=SECONDS, resources={"metadata": {"path": str(stage)}}).execute()
    for cell in content["cells"]:
        cell["metadata"] = {}
    content["metadata"] = json.loads(notebook.read_text(encoding="utf-8"))["metadata"]
    return str(nbformat.writes(content))  # type: ignore[no-untyped-call]


def with_doctests(text: str) -> str:
    """Return a page with the results of its doctests as they are now."""
    blocks = [block for block in BLOCK.findall(text) if ">>> " in block]
    if not blocks:
        return text
    names: dict[str, Any] = {}
    with staged() as stage, chdir(stage):
        for block in blocks:
            parts: list[str] = []
            for part in doctest.DocTestParser().parse(block):
                parts.append(part if isinstance(part, str) else _example(part, names))
            text = text.replace(block, "".join(parts), 1)
    return text


def _example(example: doctest.Example, names: dict[str, Any]) -> str:
    printed = io.StringIO()
    with redirect_stdout(printed):
        try:
            exec(compile(example.source, "<page>", "single"), names)  # our own text
        except Exception as error:  # shown as doctest compares it
            kind = type(error)
            print(f"Traceback (most recent call last):\n{kind.__module__}.{kind.__name__}: {error}")
    new = printed.getvalue()
    if doctest.OutputChecker().check_output(example.want, new, 0):
        new = example.want
    first, *rest = example.source.splitlines()
    return "\n".join([f">>> {first}", *(f"... {line}".rstrip() for line in rest), new])


def run(command: str, folder: Path) -> list[str]:
    """Return what a command prints in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": COLUMNS, "NO_COLOR": "1"}
    environment["ASSAY_CACHE"] = str(folder / ".cache")
    done = subprocess.run(
        [sys.executable, "-m", "assay", *shlex.split(command.partition(" #")[0])[1:]],
        cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, encoding="utf-8", timeout=SECONDS, check=False,
    )  # fmt: skip
    lines = [line.rstrip() for line in done.stdout.strip("\n").splitlines()]
    return [part for line in lines for part in fitted(line)]


def fitted(line: str) -> list[str]:
    """Return a printed line that fits the page: sentences are wrapped, tables and JSON are cut."""
    if len(line) <= WIDEST:
        return [line]
    if line.startswith((" ", "{", "[")) or "   " in line:
        return [f"{line[: WIDEST - 1]}…"]
    return textwrap.wrap(line, WIDEST, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def arranged(old: list[str], new: list[str]) -> list[str]:
    """Return the new output cut as the old one is, with old durations kept."""
    if not old:
        return []
    if old == ["(output)"]:
        return new
    if "…" in old:
        at = old.index("…")
        after = len(old) - at - 1
        new = [*new[:at], "…", *(new[-after:] if after else [])]
    return [
        before if before is not None and DURATION.sub("", before) == DURATION.sub("", line) else line
        for before, line in zip_longest(old[: len(new)], new)
    ]


def parser() -> argparse.ArgumentParser:
    formatter = argparse.RawDescriptionHelpFormatter
    options = argparse.ArgumentParser("refresh_docs.py", description=__doc__, formatter_class=formatter)
    options.add_argument("pages", nargs="*", type=Path, metavar="PAGE", help="pages to rewrite (default: all)")
    options.add_argument(
        "--only", action="append", default=[], metavar="TEXT",
        help="pages whose path from the root contains TEXT (default: all); repeatable",
    )  # fmt: skip
    options.add_argument("--show", action="store_true", help="print old and new lines; write nothing")
    options.add_argument("--check", action="store_true", help="exit 1 if a page would change; write nothing")
    return options


def chosen_pages(named: list[Path], only: list[str]) -> list[Path]:
    """Return the named pages, or all, with one of the texts in their path.

    Raises:
        SystemExit: A page does not exist, or no path contains the text.
    """
    pages = [page.resolve() for page in named] or PAGES
    if missing := [f"{page}" for page in pages if not page.is_file()]:
        raise SystemExit(f"no such page: {', '.join(missing)}. Check the path.")
    chosen = [page for page in pages if not only or any(text in f"{page.relative_to(ROOT)}" for text in only)]
    if not chosen:
        raise SystemExit(f"no page has {' or '.join(only)} in its path. Paths begin with docs/ or are README.md.")
    return chosen


def main(arguments: list[str]) -> int:
    request = parser().parse_args(arguments)
    sys.path[:0] = [str(ROOT), str(ROOT / "src")]
    from tools import command_reference

    write = not (request.show or request.check)
    pages = chosen_pages(request.pages, request.only)
    changed = 0
    for page in pages:
        old = page.read_text(encoding="utf-8").splitlines()
        new = command_reference.page().splitlines() if page == command_reference.PAGE else refreshed(page)
        if old == new:
            continue
        changed += 1
        print(f"{page.relative_to(ROOT)}: " + ("rewritten" if write else "differs"))
        if write:
            page.write_text("\n".join(new) + "\n", encoding="utf-8")
        if request.show:
            print("\n".join(difflib.unified_diff(old, new, "shown", "printed now", lineterm="", n=1)))
    print(f"{changed} of {len(pages)} pages " + ("rewritten" if write else "differ"))
    return 1 if changed and request.check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
