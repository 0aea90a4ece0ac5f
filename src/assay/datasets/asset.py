"""ASSET: ten simplifications for each sentence."""

from __future__ import annotations

import re
from typing import ClassVar

from assay.datasets.base import Card
from assay.datasets.parallel import GOAL, ParallelReferences


class Asset(ParallelReferences):
    name: ClassVar = "asset"
    count: ClassVar = 10
    reference_names: ClassVar = ((re.compile(r"\.orig$"), ".simp"),)
    patterns: ClassVar = {
        "validation": ("asset.valid.orig", "dataset/asset.valid.orig"),
        "test": ("asset.test.orig", "dataset/asset.test.orig"),
    }
    card: ClassVar = Card(
        title="ASSET",
        task="simplification",
        goal=GOAL,
        languages=("en",),
        sizes={"validation": 2000, "test": 359},
        licence="CC BY-NC 4.0",
        references="10",
        input_type="sentence",
        suite="simplification",
        source="https://github.com/facebookresearch/asset",
        files="asset.{valid,test}.orig beside asset.{valid,test}.simp.0 to .9 of dataset/",
        hub=("GEM/wiki_auto_asset_turk", None),
        hub_splits={"test_asset": "test"},
        citation="Alva-Manchego et al.: ASSET (2020)",
    )
