"""Fit the weights of `faithful`: python tools/fit_faithful.py FRANK_FOLDER -o faithful.toml

Weights are fitted on the validation part. Combinations with a model take as long as the model needs for 671 summaries;
its values are cached. `--only words` fits the combination without models."""

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
    parser.add_argument("--only", choices=["words"], help="omit combinations with a model")
    options = parser.parse_args()
    examples = list(DATASETS.get("frank")().read(options.frank, "validation"))
    most = 0 if options.only else len(MODELS)
    chosen = [some for n in range(most + 1) for some in combinations(MODELS, n)]
    made = fit_weights(examples, chosen, Context())
    options.output.write_text(made, encoding="utf-8")
    for name, values in read_toml(options.output)["cross_validated"].items():
        print(f"{name}: " + ", ".join(f"{part} {value:.3f}" for part, value in values.items()))


if __name__ == "__main__":
    main()
