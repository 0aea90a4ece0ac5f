"""Readers of published datasets: files to examples, and cards as data.

from assay import datasets
reader = datasets.dataset("e2e_nlg:rows=pair")
for example in reader.read(Path("cleaned-data"), "test"): ...
"""

from __future__ import annotations

from assay.datasets.base import Card, Dataset, canonical_split
from assay.datasets.record import Report
from assay.registry import Registry
from assay.specs import build, parse

DATASETS: Registry[type[Dataset]] = Registry(
    "dataset",
    {
        "alttest": "assay.datasets.alttest:AltTest",
        "asset": "assay.datasets.asset:Asset",
        "common_gen": "assay.datasets.common_gen:CommonGen",
        "cs_restaurants": "assay.datasets.cs_restaurants:CsRestaurants",
        "dart": "assay.datasets.dart:Dart",
        "drs": "assay.datasets.drs:Drs",
        "e2e_nlg": "assay.datasets.e2e_nlg:E2ENlg",
        "eks": "assay.datasets.eks:Eks",
        "fomc": "assay.datasets.fomc:Fomc",
        "frank": "assay.datasets.frank:Frank",
        "mlsum_de": "assay.datasets.mlsum:MlsumDe",
        "mlsum_es": "assay.datasets.mlsum:MlsumEs",
        "mqm": "assay.datasets.mqm:Mqm",
        "muc4": "assay.datasets.muc4:Muc4",
        "mucsum": "assay.datasets.mucsum:Mucsum",
        "multiwoz": "assay.datasets.multiwoz:MultiWoz",
        "narrative": "assay.datasets.narrative:Narrative",
        "nli": "assay.datasets.nli:NliPairs",
        "qags": "assay.datasets.qags:Qags",
        "schema_guided_dialog": "assay.datasets.schema_guided_dialog:SchemaGuidedDialog",
        "sts": "assay.datasets.sts:Sts",
        "summedits": "assay.datasets.summedits:SummEdits",
        "summeval": "assay.datasets.summeval:SummEval",
        "tesa": "assay.datasets.tesa:Tesa",
        "totto": "assay.datasets.totto:Totto",
        "turk": "assay.datasets.turk:Turk",
        "web_nlg_en": "assay.datasets.web_nlg:WebNlgEn",
        "web_nlg_ru": "assay.datasets.web_nlg:WebNlgRu",
        "wiki_auto": "assay.datasets.wiki_auto:WikiAuto",
        "wiki_lingua": "assay.datasets.wiki_lingua:WikiLingua",
        "writing_prompts": "assay.datasets.writing_prompts:WritingPrompts",
        "xsum": "assay.datasets.xsum:XSum",
        "xsum_labels": "assay.datasets.xsum_labels:XsumLabels",
    },
    "assay.datasets",
)
"""Name to class; a module is imported when its dataset is requested."""


def dataset(text: str) -> Dataset:
    """Return the reader of a dataset by name and options, e.g. `e2e_nlg:rows=pair`."""
    spec = parse(text)
    spec = spec._replace(name=spec.name.lower().replace("-", "_"))
    return build(DATASETS.get(spec.name), spec)


__all__ = ["DATASETS", "Card", "Dataset", "Report", "canonical_split", "dataset"]
