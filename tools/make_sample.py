"""Rewrite the outputs and judgements of the embedded sample from its examples: `python tools/make_sample.py`.

The outputs come from `sample_systems.py`. The judgements are synthetic: their rules look at the texts only, and each
random draw is seeded by the ids it belongs to, so that editing one example changes its own lines only. Only
`Random.random` is used, because Python keeps its sequence the same across versions.
"""

from __future__ import annotations

import argparse
import json
from itertools import pairwise, product
from pathlib import Path
from random import Random
from typing import Any

from sample_systems import SYSTEMS, Example, sentences, words

SAMPLE = Path(__file__).parents[1] / "src" / "assay" / "sample"
DATASETS = ("news", "places", "simple", "dialog")
ANNOTATORS = {"annotator-1": 0.2, "annotator-2": 0.0, "annotator-3": -0.3}
"""Synthetic annotators and their leniency."""
PRONOUNS = {"it", "they", "she", "he", "its", "their", "her", "his"}


def rate(criterion: str, output: str, example: Example, item: float, own: float, leniency: float) -> int:
    """Return a synthetic rating: a rule about the text, `item` (random, shared by annotators), `own` and leniency."""
    if not output:
        return 0 if criterion == "faithfulness" else 1
    parts = sentences(output, example["language"])
    if criterion == "faithfulness":
        verbatim = sum(part in example["source"] for part in parts) / len(parts)
        return int((item < 0.55 + 0.45 * verbatim) != (own < 0.06))
    base = fluency(parts) if criterion == "fluency" else simplicity(parts)
    return min(5, max(1, round(base + 1.6 * (item - 0.5) + 1.2 * (own - 0.5) + leniency)))


def fluency(parts: list[str]) -> float:
    """Lower if adjacent sentences repeat words, or a later one starts with a pronoun."""
    repeated = [len({*words(a)} & {*words(b)}) / min(len(words(a)), len(words(b))) for a, b in pairwise(parts)]
    pronouns = sum(words(part)[0] in PRONOUNS for part in parts[1:])
    return 4.7 - 1.5 * max(repeated, default=0) - 0.4 * pronouns


def simplicity(parts: list[str]) -> float:
    """Lower for long sentences and long words."""
    tokens = [word for part in parts for word in words(part)]
    return 6 - len(tokens) / len(parts) / 5 - 0.6 * (sum(map(len, tokens)) / len(tokens) - 5)


def judgements(examples: dict[str, list[Example]], outputs: dict[tuple[str, str], str]) -> list[dict[str, Any]]:
    judged = [(e, c) for e in examples["news"][::3][:12] for c in ("faithfulness", "fluency")]
    judged += [(e, "simplicity") for e in examples["simple"][::4]]
    rows = []
    for (example, criterion), system, annotator in product(judged, SYSTEMS, ANNOTATORS):
        output = outputs[example["id"], system]
        item = Random(f"{example['id']} {system} {criterion}").random()
        random = Random(f"{example['id']} {system} {criterion} {annotator}").random
        rows.append(
            {
                "id": example["id"],
                "system": system,
                "annotator": annotator,
                "criterion": criterion,
                "value": rate(criterion, output, example, item, random(), ANNOTATORS[annotator]),
                "unit": "summary",
                "seconds": round(2 + 0.3 * len(words(output)) + 3 * random(), 1),
                "method": "synthetic",
            }
        )
    return rows


def files(folder: Path) -> dict[Path, str]:
    """Return every file that the script writes from the examples in the folder, with its text."""
    examples = {n: [json.loads(line) for line in (folder / f"{n}.jsonl").open(encoding="utf-8")] for n in DATASETS}
    outputs = {(e["id"], name): make(e) for items in examples.values() for e in items for name, make in SYSTEMS.items()}
    rows: dict[Path, list[dict[str, Any]]] = {
        folder / "outputs" / system / f"{name}.jsonl": [
            {"id": e["id"], "output": outputs[e["id"], system], "system": system} for e in items
        ]
        for system in SYSTEMS
        for name, items in examples.items()
    }
    rows[folder / "judgements.jsonl"] = judgements(examples, outputs)
    return {path: "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rs) for path, rs in rows.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description="Rewrite the outputs and judgements of the embedded sample.")
    parser.add_argument(
        "--folder", type=Path, default=SAMPLE, help="folder of the examples (default: the sample in the package)"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file differs")
    options = parser.parse_args()
    made = files(options.folder)
    stale = [path for path, text in made.items() if not path.exists() or path.read_bytes() != text.encode()]
    stale += sorted(set((options.folder / "outputs").rglob("*.jsonl")) - set(made))
    if options.check:
        for path in stale:
            print(f"{path}: is out of date; run python tools/make_sample.py")
        return int(bool(stale))
    for path in stale:
        path.unlink(missing_ok=True)
        if path in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(made[path].encode())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
