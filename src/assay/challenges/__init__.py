"""Perturbed, selected and paired inputs that test systems and metrics.

Each perturbation is one file and one row of the table below; `assay.challenges` entry points add more.
"""

from __future__ import annotations

from assay.challenges.perturbation import Perturbation
from assay.registry import Registry
from assay.specs import build, parse

CHALLENGES: Registry[type[Perturbation]] = Registry(
    "challenge",
    {
        "backtranslation": "assay.challenges.backtranslation:BackTranslation",
        "casing": "assay.challenges.casing:Casing",
        "contexts": "assay.challenges.contexts:Contexts",
        "drs": "assay.challenges.drs:DrsEdit",
        "no-punctuation": "assay.challenges.punctuation:NoPunctuation",
        "number-format": "assay.challenges.number_format:NumberFormat",
        "numbers": "assay.challenges.numbers:Numbers",
        "scramble": "assay.challenges.order:Scramble",
        "typos": "assay.challenges.typos:Typos",
        "typos-exact": "assay.challenges.typos:TyposExact",
    },
    group="assay.challenges",
)


def perturbation(text: str) -> Perturbation:
    """Return the perturbation of a name with options, e.g. `typos:rate=0.05`."""
    spec = parse(text)
    cls = CHALLENGES.get(spec.name)
    return build(cls, spec, cls.presets)


__all__ = ["CHALLENGES", "Perturbation", "perturbation"]
