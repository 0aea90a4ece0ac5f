"""Fit the weights of `faithful` anew: python tools/fit_faithful.py FRANK_FOLDER -o faithful.toml

Only the validation part is learned from. Combinations that ask a model take as long as the model needs for 671
summaries; what it said is kept in the cache. `--only words` fits the quick combination alone."""

from __future__ import annotations

import argparse
from itertools import combinations
from pathlib import Path

from assay.datasets import DATASETS
from assay.meta.fit_faithful import fit_weights
from assay.metrics.faithfulness.faithful_models import MODELS
from assay.models.context import Context
from assay.records.documents import read_toml


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("frank", type=Path, help="folder with human_annotations.json and texts.jsonl")
    parser.add_argument("--output", "-o", type=Path, required=True, help="file of weights")
    parser.add_argument("--only", choices=["words"], help="leave out what asks a model")
    given = parser.parse_args()
    examples = list(DATASETS.get("frank")().read(given.frank, "validation"))
    most = 0 if given.only else len(MODELS)
    asked = [some for n in range(most + 1) for some in combinations(MODELS, n)]
    made = fit_weights(examples, asked, Context())
    given.output.write_text(made, encoding="utf-8")
    for name, found in read_toml(given.output)["cross_validated"].items():
        print(f"{name}: " + ", ".join(f"{part} {value:.3f}" for part, value in found.items()))


if __name__ == "__main__":
    main()
