"""Subset rules: tag the items of a set, so that scores can be broken down by subset.

Each rule is one file and one row of the table below; `assay.contrasts` entry points add more.
"""

from __future__ import annotations

from assay.challenges.contrast.base import Contrast, contrast_sets, tagged
from assay.registry import Registry
from assay.specs import build, parse

CONTRASTS: Registry[type[Contrast]] = Registry(
    "contrast",
    {
        "clauses": "assay.challenges.contrast.clauses:Clauses",
        "d-level": "assay.challenges.contrast.d_level:DLevel",
        "frequency": "assay.challenges.contrast.frequency:Frequency",
        "novelty": "assay.challenges.contrast.novelty:Novelty",
        "people": "assay.challenges.contrast.people:People",
        "period": "assay.challenges.contrast.period:Period",
        "rule": "assay.challenges.contrast.rule:Rule",
        "seen": "assay.challenges.contrast.seen:Seen",
        "shape": "assay.challenges.contrast.shape:Shape",
    },
    group="assay.contrasts",
)


def contrast(text: str) -> Contrast:
    """Return the subset rule of a name with options, e.g. `seen:train=train.jsonl`."""
    spec = parse(text)
    cls = CONTRASTS.get(spec.name)
    return build(cls, spec, cls.presets)


__all__ = ["CONTRASTS", "Contrast", "contrast", "contrast_sets", "tagged"]
