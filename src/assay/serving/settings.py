"""What a server is told by `assay.toml` in its folder; every line of it may be left out."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.records.documents import read_toml

FILE = "assay.toml"
DATABASE = "ASSAY_DATABASE"
"""Environment variable with the URL of the database; ASSAY_DATABASE_FILE names a file that contains it."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    title: str = "assay"
    """What the pages are called."""
    address: str = ""
    """Where people find the server, https://bench.example.org; links begin with it. Else where it listens."""
    proxied: bool = False
    """Whether a proxy stands before it, whose X-Forwarded-For says who asks."""
    largest_body: int = 50_000_000
    """Bytes of a request."""
    requests_per_minute: int = 600
    """Of one person, or of one address where nobody is signed in."""
    sign_ins_per_minute: int = 20
    """Of one address."""
    submissions_per_day: int = 20
    """Of one person to one version of a benchmark."""
    link_hours: int = 72
    session_days: int = 30
    token_days: int = 365
    attempts: int = 5
    """How often a job is tried before it counts as failed."""
    lease_seconds: float = 30.0
    """How long a job belongs to a worker that says nothing more."""

    @property
    def https(self) -> bool:
        return self.address.startswith("https://")


def read_settings(folder: Path) -> Settings:
    """The settings of a server's folder. `ASSAY_ADDRESS` in the environment is an address, for containers."""
    path = folder / FILE
    given = read_toml(path) if path.exists() else {}
    if os.environ.get("ASSAY_ADDRESS"):
        given["address"] = os.environ["ASSAY_ADDRESS"]
    try:
        settings = msgspec.convert(given, Settings)
    except msgspec.ValidationError as error:
        raise AssayError(f"{path}: {error}; docs/service.md lists the settings") from None
    for name in Settings.__struct_fields__:
        value = getattr(settings, name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value <= 0:
            raise AssayError(f"{path}: {name} is {value}; write a number above 0")
    if settings.address and not settings.address.startswith(("http://", "https://")):
        raise AssayError(f"{path}: address is {settings.address!r}; write it with https:// or http://")
    return msgspec.structs.replace(settings, address=settings.address.rstrip("/"))


def database_url() -> str | None:
    """Return the database URL in the file that ASSAY_DATABASE_FILE names; None if the variable is not set."""
    file = os.environ.get(f"{DATABASE}_FILE")
    if not file:
        return None
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise AssayError(f"{DATABASE}_FILE: {file} cannot be read ({error}). Write the URL into it.") from None
