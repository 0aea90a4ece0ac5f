"""Compile the kernels when a C compiler is at hand; without one the same files run as plain Python."""

import os
from pathlib import Path

from setuptools import Extension, setup

KERNELS = sorted(Path("src/assay").glob("*/_kernels/[a-z]*.py"))
# What Cython adds to every module that takes arrays is compiled once, in a module of its own, not once a kernel:
# that is two thirds of the building time.
SHARED = "assay.text._kernels._arrays"
# By hand in C, because Cython cannot say which registers hold what.
SHORT = Extension("assay.models._short_products", ["src/assay/models/_short_products.c"], optional=True)
# For tests: every index is looked at before it is used, and the address sanitizer looks on (it must be preloaded).
CHECKED = os.environ.get("ASSAY_KERNELS") == "checked"
OPTIONS = ["-O0", "-g0", "-fsanitize=address"] if CHECKED else ["-O3", "-g0"]


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
    SHORT.extra_compile_args = OPTIONS
    return [*compiled, SHORT]


if __name__ == "__main__":  # Cython's own workers read this file too
    setup(ext_modules=extensions(), options={"build_ext": {"parallel": True}})
