"""Optional dependencies (extras), and the message if one is missing."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

EXTRAS = {
    "neural": ("torch", "transformers", "tokenizers", "safetensors"),
    "endpoint": ("httpx",),
    "dialog": ("rapidfuzz",),
    "comet": ("comet",),
    "studio": ("fastapi", "sqlalchemy", "alembic", "itsdangerous", "python_multipart", "uvicorn"),
    "cluster": ("ray",),
    "remote": ("fsspec",),
    "plots": ("matplotlib",),
    "logs": ("zstandard",),
    "meteor": ("Stemmer",),
}
"""Import names of the packages of each extra."""
INSTALLED_WITH = {"starlette": "fastapi", "pydantic": "fastapi", "huggingface_hub": "transformers"}
"""Import names that a package of an extra depends on."""
SEPARATE = ("nltk", "nubia_score", "pandas", "py3langid", "questeval", "spacy", "stanza", "wordfreq")
"""Import names that no extra installs: the code that imports them names the command that does."""


def missing_extra(name: str, *packages: str) -> str | None:
    """Return why an extra is not available, with the command that installs it; None if it is.

    Args:
        name: The extra.
        packages: Import names that are needed (default: all packages of the extra).
    """
    missing = [package for package in packages or EXTRAS[name] if find_spec(package) is None]
    return not_installed(missing, name) if missing else None


def not_installed(packages: Sequence[str], extra: str) -> str:
    """Return the message for packages that are missing, with the command that installs their extra."""
    verb = "is" if len(packages) == 1 else "are"
    return f"{', '.join(packages)} {verb} not installed; pip install 'assay-eval[{extra}]'"
