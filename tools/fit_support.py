"""Fit the weights of `support`: python -m tools.fit_support DATA -o src/assay/metrics/support/support.toml

DATA has `summedits` and `frank` as published. Fitted on all domains of SummEdits, planted edits of their documents and
of FRANK's validation articles, and FRANK's validation summaries; FRANK's test part is not read. `--only rules` keeps
the weights of the file that need the entailment model, which takes minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from assay.metrics.support.entailment import WITH_ENTAILMENT, entailment_model
from assay.metrics.support.features import SIGNS, WORDS
from assay.records.documents import read_toml, to_toml
from benchmarks.support_rows import DOMAINS, L2, Row, fit, frank, frank_planted, summedits, with_entailment


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit the weights of support.")
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--only", choices=["rules"], help="fit what needs no model; keep the other weights of the file")
    options = parser.parse_args()
    rows = [*summedits(options.data), *frank_planted(options.data, "valid")]
    rows += [row for row in frank(options.data) if row.part == "valid"]
    about = {
        "fitted_on": "SummEdits; FRANK, validation part; planted edits of their documents",
        "domains": ", ".join(DOMAINS), "claims": len(rows), "l2": L2, "model": entailment_model().label,
    }  # fmt: skip
    tables = {
        "about": about, "weights": _fitted(rows, WORDS),
        "signs": _fitted([row for row in rows if row.group != "frank"], SIGNS),
    }  # fmt: skip
    if options.only:
        tables["entailment"] = read_toml(options.output)["entailment"]
    else:
        tables["entailment"] = _fitted(with_entailment(rows), WITH_ENTAILMENT)
    options.output.write_text(to_toml(tables))
    print(f"{options.output}: {len(rows)} claims")


def _fitted(rows: Sequence[Row], names: Sequence[str]) -> dict[str, float]:
    values = fit(rows, names).tolist()
    return {name: round(value, 4) for name, value in zip(("intercept", *names), values, strict=True)}


if __name__ == "__main__":
    main()
