"""Settings of a server, from `assay.toml` in its folder; every setting has a default."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.records.documents import read_toml
from assay.records.key_problems import key_problem

FILE = "assay.toml"
DATABASE = "ASSAY_DATABASE"
"""Environment variable with the URL of the database; ASSAY_DATABASE_FILE names a file that contains it."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings of a server."""

    title: str = "assay"
    """Title of the site."""
    address: str = ""
    """Public address, e.g. https://bench.example.org; links begin with it (default: the address listened on)."""
    proxied: bool = False
    """Whether a reverse proxy sets X-Forwarded-For to the address of the client."""
    largest_body: int = 50_000_000
    """Maximum size of a request in bytes."""
    largest_total: int = 200_000_000
    """Maximum size in bytes of all requests that are being received or answered."""
    requests_per_minute: int = 600
    """Requests per minute of a user, or of an IP address without a signed-in user."""
    sign_ins_per_minute: int = 20
    """Sign-in attempts per minute of an IP address."""
    submissions_per_day: int = 20
    """Submissions per day of a user to a version of a benchmark."""
    link_hours: int = 72
    """Validity of a sign-in link."""
    session_days: int = 30
    """Validity of a browser session."""
    token_days: int = 365
    """Validity of an API token."""
    attempts: int = 5
    """Attempts of a job before it has failed."""
    job_seconds: float = 7200.0
    """Maximum duration of a job, such as the scoring of a submission; a longer one is stopped and has failed."""
    job_bytes: int | None = None
    """Maximum memory of a process that runs jobs, in bytes (default: half of that of the machine)."""
    lease_seconds: float = 30.0
    """Seconds until a job of an unresponsive worker is given to another."""

    @property
    def https(self) -> bool:
        return self.address.startswith("https://")


def read_settings(folder: Path) -> Settings:
    """Read the settings of a server folder; the environment variable ASSAY_ADDRESS overrides the address."""
    path = folder / FILE
    values = read_toml(path) if path.exists() else {}
    if os.environ.get("ASSAY_ADDRESS"):
        values["address"] = os.environ["ASSAY_ADDRESS"]
    try:
        settings = msgspec.convert(values, Settings)
    except msgspec.ValidationError as error:
        raise AssayError(f"{path}: {key_problem(error, Settings)}. docs/service.md lists the settings.") from None
    for name in Settings.__struct_fields__:
        value = getattr(settings, name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value <= 0:
            raise AssayError(f"{path}: {name} is {value}. Write a number above 0.")
    if settings.address and not settings.address.startswith(("http://", "https://")):
        raise AssayError(f"{path}: address is {settings.address!r}. Begin it with https:// or http://.")
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
