"""Check that the package, its citation file and the changelog name one version: python tools/check_version.py 0.1.0

With --notes, print the section of the changelog instead: the text of the release.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def versions(root: Path) -> dict[str, str]:
    """Return the version that each file states, by file name."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    patterns = {
        "src/assay/version.py": r'VERSION = "([^"]+)"',
        "CITATION.cff": r"(?m)^version: (\S+)$",
        "CHANGELOG.md": r"(?m)^## (\S+)",
    }
    stated = {"pyproject.toml": str(project["version"])}
    for name, pattern in patterns.items():
        match = re.search(pattern, (root / name).read_text(encoding="utf-8"))
        stated[name] = match[1] if match else "none"
    return stated


def notes(changelog: str, version: str) -> str:
    """Return the section of a version in the changelog, without its heading."""
    match = re.search(rf"(?ms)^## {re.escape(version)}\b[^\n]*\n(.*?)(?=^## |\Z)", changelog)
    if not match:
        raise SystemExit(f"CHANGELOG.md: no section for {version}. Add a heading `## {version}`.")
    return match[1].strip() + "\n"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Check that all files name one version.")
    parser.add_argument("version", help="Version to be released, without the v of the tag.")
    parser.add_argument("--notes", action="store_true", help="Print the release notes from CHANGELOG.md.")
    options = parser.parse_args(arguments)
    text = notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), options.version)
    wrong = [f"{name}: {stated}" for name, stated in versions(ROOT).items() if stated != options.version]
    if wrong:
        raise SystemExit(f"version {options.version} expected, but " + ", ".join(wrong))
    if options.notes:
        print(text, end="")


if __name__ == "__main__":
    main()
