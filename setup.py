"""Compile the kernels when a C compiler is at hand; without one the same files run as plain Python."""

from pathlib import Path

from setuptools import Extension, setup

KERNELS = sorted(Path("src/assay").glob("*/_kernels/[a-z]*.py"))


def extensions() -> list[Extension]:
    from Cython.Build import cythonize

    modules = [
        Extension(
            ".".join(path.with_suffix("").parts[1:]),
            [str(path)],
            extra_compile_args=["-O3"],
            optional=True,
        )
        for path in KERNELS
    ]
    directives = {"language_level": "3", "boundscheck": False, "wraparound": False, "cdivision": True}
    directives["initializedcheck"] = False  # every kernel makes its arrays before it uses them
    compiled: list[Extension] = cythonize(
        modules, compiler_directives=directives, build_dir="build/cython", include_path=["src"]
    )
    return compiled


setup(ext_modules=extensions())
