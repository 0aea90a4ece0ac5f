"""What a store knows of a submission besides its outputs: whose it is, and what it is called where people see it."""

from __future__ import annotations

import re

import msgspec

from assay.records.digests import short_digest

PSEUDONYM = re.compile(r"anonymous-\d+")
"""What anonymous submissions are called; nobody may call themselves so."""
LONGEST, BYTES = 80, 200
"""Letters and bytes of a name that may be a folder."""


class SubmissionRecord(msgspec.Struct, frozen=True):
    """What is known of a submission besides its outputs."""

    name: str
    system: str
    """Its name as a folder."""
    received: str
    pseudonym: str
    tasks: list[str]
    sha256: str
    benchmark: str
    """The digest of the manifest it was made for."""
    parameters: int | None = None
    description: str = ""
    anonymous: bool = False
    anonymous_until: str = ""
    from_version: str = ""
    """The version it was sent in for, where it was carried over."""

    def shown_as(self, day: str) -> str:
        """What it is called in what is published on a day."""
        hidden = self.anonymous and (not self.anonymous_until or day < self.anonymous_until)
        return self.pseudonym if hidden else self.system


def system_name(name: str) -> str:
    """The name of a submission as that of a folder; one that had to be changed is told apart by its letters."""
    plain = re.sub(r"[^\w.+-]+", "-", name).strip("-.+")[:LONGEST].encode()[:BYTES].decode(errors="ignore")
    if plain == name and not PSEUDONYM.fullmatch(name):
        return plain
    return f"{plain or 'submission'}-{short_digest(name)}"


def another_name(system: str, id: str) -> str:
    """The name of a folder for one more submission of this name, told apart by the end of its id."""
    return f"{system[:60].encode()[: BYTES - 20].decode(errors='ignore')}-x{id[-6:]}"
