"""The record of a stored submission: its name, date, tasks and anonymity."""

from __future__ import annotations

import re

import msgspec

from assay.records.digests import short_digest

PSEUDONYM = re.compile(r"anonymous-\d+")
"""Public names of anonymous submissions; not allowed as submission names."""
LONGEST, BYTES = 80, 200
"""Maximum number of characters and bytes of a name used as a folder."""


class SubmissionRecord(msgspec.Struct, frozen=True):
    """Metadata of a stored submission."""

    name: str
    system: str
    """The name as a folder."""
    received: str
    pseudonym: str
    tasks: list[str]
    sha256: str
    benchmark: str
    """Digest of the manifest it was submitted to."""
    parameters: int | None = None
    description: str = ""
    anonymous: bool = False
    anonymous_until: str = ""
    from_version: str = ""
    """Version it was originally submitted to, if it was carried over."""

    def shown_as(self, day: str) -> str:
        """Return the public name on a day: the pseudonym while the submission is anonymous."""
        hidden = self.anonymous and (not self.anonymous_until or day < self.anonymous_until)
        return self.pseudonym if hidden else self.system


def system_name(name: str) -> str:
    """Return the name of a submission as a folder name, with a digest if it had to be changed."""
    plain = re.sub(r"[^\w.+-]+", "-", name).strip("-.+")[:LONGEST].encode()[:BYTES].decode(errors="ignore")
    if plain == name and not PSEUDONYM.fullmatch(name):
        return plain
    return f"{plain or 'submission'}-{short_digest(name)}"


def distinct_system_name(system: str, id: str) -> str:
    """Return a folder name for another submission of the same name, with the end of its id."""
    return f"{system[:60].encode()[: BYTES - 20].decode(errors='ignore')}-x{id[-6:]}"
