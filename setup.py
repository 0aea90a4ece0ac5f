"""Build the kernels with a C compiler and the explorer's pages with npm; each is left out where its tool is missing.

Without a compiler the same kernels run as plain Python, only slower. Without npm all of assay works except the pages of
`assay view`. A source distribution contains the built pages, so that installing from it needs no npm.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Command, Extension, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

KERNELS = sorted(Path("src/assay").glob("*/_kernels/[a-z]*.py"))
# Code that Cython adds to every module with arrays is compiled once, in a module of its own, not once per kernel:
# that saves two thirds of the build time.
SHARED = "assay.text._kernels._arrays"
# For tests: every index is checked before use, with the address sanitizer (which must be preloaded).
CHECKED = os.environ.get("ASSAY_KERNELS") == "checked"
OPTIONS = ["-O0", "-g0", "-fsanitize=address"] if CHECKED else ["/O2"] if sys.platform == "win32" else ["-O3", "-g0"]
PAGES = Path("src/assay/explorer/static/pages.js")
WITHOUT_KERNELS = {"dist_info", "egg_info", "sdist"}
"""Commands that compile nothing, so that C code need not be generated for them."""


def extensions() -> list[Extension]:
    from Cython.Build import cythonize

    modules = [
        Extension(".".join(path.with_suffix("").parts[1:]), [str(path)], extra_compile_args=OPTIONS, optional=True)
        for path in KERNELS
    ]
    shared = Extension(SHARED, [f"src/{SHARED.replace('.', '/')}.c"], extra_compile_args=OPTIONS, optional=True)
    directives = {"language_level": "3", "boundscheck": CHECKED, "wraparound": False, "cdivision": True}
    directives["initializedcheck"] = CHECKED  # every kernel makes its arrays before it uses them
    compiled: list[Extension] = cythonize(
        [shared, *modules],
        compiler_directives=directives,
        build_dir="build/cython",
        include_path=["src"],
        nthreads=os.cpu_count() or 1,
        shared_utility_qualified_name=SHARED,
    )
    return compiled


def build_pages(command: Command) -> None:
    """Build the explorer's pages unless they are there and newer than their sources."""
    sources = [path for path in (*Path("web").glob("*.*"), *Path("web/src").glob("*")) if path.is_file()]
    in_checkout = Path(".git").exists()  # in a source distribution they are current, whatever the times of files
    newest = max((path.stat().st_mtime for path in sources), default=0)
    if PAGES.exists() and (not in_checkout or PAGES.stat().st_mtime >= newest):
        return
    npm = shutil.which("npm")
    if not npm or not sources:
        state = "are out of date" if PAGES.exists() else "are missing"
        command.warn(f"The explorer's pages {state} (npm was not found). All commands except `assay view` work.")
        return
    subprocess.run([npm, "ci", "--silent", "--omit=dev"], cwd="web", check=True)
    subprocess.run([npm, "run", "--silent", "build", "--", "--logLevel", "warn"], cwd="web", check=True)


class BuildPython(build_py):
    """With the pages, and without files of an earlier build that have been moved since."""

    def run(self) -> None:
        if not self.editable_mode:
            build_pages(self)
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class SourceDistribution(sdist):
    def run(self) -> None:
        build_pages(self)
        super().run()


if __name__ == "__main__":  # worker processes of Cython import this file too
    setup(
        ext_modules=[] if WITHOUT_KERNELS & set(sys.argv) else extensions(),
        options={"build_ext": {"parallel": True}},
        cmdclass={"build_py": BuildPython, "sdist": SourceDistribution},
    )
