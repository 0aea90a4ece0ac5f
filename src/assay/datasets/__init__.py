"""Datasets of the field: published files to examples, and their cards as data. This room knows only records.

from assay import datasets
report = datasets.Report("mucsum")
for example in datasets.dataset("mucsum").read(Path("mucsum"), "test", report): ...
"""

from __future__ import annotations

from importlib import import_module

from assay.datasets.base import Card, Dataset, canonical_split
from assay.datasets.record import Report
from assay.errors import UsageError

DATASETS = {
    "asset": "asset:Asset",
    "common_gen": "common_gen:CommonGen",
    "cs_restaurants": "cs_restaurants:CsRestaurants",
    "dart": "dart:Dart",
    "drs": "drs:Drs",
    "e2e_nlg": "e2e_nlg:E2ENlg",
    "fomc": "fomc:Fomc",
    "frank": "frank:Frank",
    "mlsum_de": "mlsum:MlsumDe",
    "mlsum_es": "mlsum:MlsumEs",
    "muc4": "muc4:Muc4",
    "mucsum": "mucsum:Mucsum",
    "multiwoz": "multiwoz:MultiWoz",
    "schema_guided_dialog": "schema_guided_dialog:SchemaGuidedDialog",
    "summeval": "summeval:SummEval",
    "tesa": "tesa:Tesa",
    "totto": "totto:Totto",
    "turk": "turk:Turk",
    "web_nlg_en": "web_nlg:WebNlgEn",
    "web_nlg_ru": "web_nlg:WebNlgRu",
    "wiki_auto": "wiki_auto:WikiAuto",
    "wiki_lingua": "wiki_lingua:WikiLingua",
    "xsum": "xsum:XSum",
}
"""Name to module and class; a module is imported when its dataset is asked for."""


def dataset_class(name: str) -> type[Dataset]:
    """The class of a dataset; an unknown name is answered with the nearest ones."""
    key = name.lower().replace("-", "_")
    if key not in DATASETS:
        from difflib import get_close_matches

        near = get_close_matches(key, DATASETS, n=3) or sorted(DATASETS)
        raise UsageError(f"no dataset '{name}'; did you mean {', '.join(near)}? (assay datasets lists all)")
    module, _, attribute = DATASETS[key].partition(":")
    found: type[Dataset] = getattr(import_module(f"assay.datasets.{module}"), attribute)
    return found


def dataset(name: str, **options: str) -> Dataset:
    """A dataset's reader, with its options (`rows="pair"`)."""
    return dataset_class(name)(**options)


__all__ = ["DATASETS", "Card", "Dataset", "Report", "canonical_split", "dataset", "dataset_class"]
