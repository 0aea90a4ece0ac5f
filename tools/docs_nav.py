"""Hooks of mkdocs: folders in the navigation, CONTRIBUTING.md as a page, colours of all pages, a report, doctests.

Griffe, which reads the docstrings, loads this file as an extension.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import griffe

ROOT = Path(__file__).parents[1]
FOLDERS = {"Metrics": "metrics", "Datasets": "datasets", "Evidence": "evidence"}
DOCTEST = re.compile(r"^(>>> .*(?:\n(?!\n).*)*)", re.MULTILINE)


def on_config(config: Any) -> Any:
    """Add the pages of each folder to the reference section, its index first."""
    docs = Path(config["docs_dir"])
    reference = next(entry["Reference"] for entry in config["nav"] if "Reference" in entry)
    for title, folder in FOLDERS.items():
        pages = sorted(page.name for page in (docs / folder).glob("*.md") if page.name != "index.md")
        reference.append({title: [f"{folder}/index.md", *(f"{folder}/{name}" for name in pages)]})
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the colours, sizes and the font of all pages, so that the site has no copy of them."""
    from mkdocs.structure.files import File

    sheets = ROOT / "src/assay/explorer/templates"
    for name in ("tokens.css", "inter.woff2"):
        files.append(File.generated(config, f"stylesheets/{name}", abs_src_path=str(sheets / name)))
    files.append(File.generated(config, "sample-report.html", content=sample_report()))
    return files


def sample_report() -> str:
    """Return the report of the sample as one page; where the explorer's pages are not built, the plain one."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "assay"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}  # this checkout
        for command in (["run", "sample", "-o", "results"], ["report", "results", "-o", "report.html"]):
            subprocess.run([*words, *command], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        return (Path(folder) / "report.html").read_text(encoding="utf-8")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return the text of CONTRIBUTING.md for its page, with links to pages of the site."""
    if page.file.src_uri != "contributing.md":
        return markdown
    return (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").replace("](docs/", "](")


def on_post_page(output: str, **_: Any) -> str:
    """Name the dialog of the search, which the theme leaves without a name; empty cells are no headings of columns."""
    named = output.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )
    return re.sub(r"<th( [^>]*)?></th>", r"<td\1></td>", named)


def on_post_template(output_content: str, template_name: str, **_: Any) -> str:
    """Do the same for the page of missing addresses."""
    return on_post_page(output_content) if template_name == "404.html" else output_content


class Doctests(griffe.Extension):
    """Show doctests as code, inside an example section and outside."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            text = re.sub(r"^Example:$", "Examples:", obj.docstring.value, flags=re.MULTILINE)
            obj.docstring.value = DOCTEST.sub(r"```python\n\1\n```", text)


class SharedKeywords(griffe.Extension):
    """Show the keywords that calls share (`**options: Unpack[ScoreOptions]`) as parameters."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        if pkg.name != "assay":
            return
        declared = pkg["api.keywords"]
        defaults = ast.literal_eval(str(declared["DEFAULTS"].value))
        for module in ("api.scoring", "api.meta_evaluation"):
            for function in pkg[module].functions.values():
                taken = str(function.parameters["options"].annotation) if "options" in function.parameters else ""
                if taken.startswith("Unpack["):
                    del function.parameters["options"]
                    for name, annotation in _keywords(declared, taken[len("Unpack[") : -1]).items():
                        function.parameters.add(
                            griffe.Parameter(
                                name, annotation=annotation, kind=griffe.ParameterKind.keyword_only,
                                default=str(defaults.get(name)),
                            )
                        )  # fmt: skip


def _keywords(module: griffe.Module, name: str) -> dict[str, Any]:
    """Return the annotations of a `TypedDict` of a module and of those it extends."""
    declared = module[name]
    bases = [str(base) for base in declared.bases if str(base) in module.classes]
    inherited = {key: value for base in bases for key, value in _keywords(module, base).items()}
    return inherited | {key: attribute.annotation for key, attribute in declared.attributes.items()}
