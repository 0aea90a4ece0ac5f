"""Claims with labels for `support`: SummEdits sentences, planted edits, FRANK summaries; and the fit of its weights."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.metrics.support.claims import Sentence, read_sentence, sentences
from assay.metrics.support.entailment import entailment_features
from assay.metrics.support.evidence import Document
from assay.metrics.support.features import Claim, read_claim, read_claims
from assay.models.context import Context
from benchmarks.planted import FALSE, TRUE, plant

DOMAINS = ("scitldr", "qmsumm", "sales_email", "podcast")
OTHER = ("foreign", "splice")
"""A sentence of another document; half a sentence with half of another."""
RATES = {
    "negation": 0.03, "name": 0.05, "opposite": 0.04, "paraphrase": 0.03, "merge": 0.06, "shortened": 0.08,
    "number": 0.06, "roles": 0.05, "hedge": 0.3, "date": 0.2, "unit": 0.4, "attribution": 0.04, "exaggeration": 0.15,
}  # fmt: skip
"""Share of the sentences of an article that are edited in each way; others are all edited, because few fit."""
L2 = 1.0
Floats = NDArray[np.float64]


class Row(NamedTuple):
    """A claim with its label from 0 to 1, the set it is from, its kind, and its item with the label of the item;
    the text of its document."""

    group: str
    part: str
    kind: str
    item: str
    label: float
    of_item: float
    claim: Claim
    source: str = ""


def summedits(data: Path) -> Iterator[Row]:
    """Yield the sentences of SummEdits: one that differs from the original has the label of its summary."""
    documents: dict[str, Document] = {}
    for domain in DOMAINS:
        for row in json.loads((data / "summedits" / f"summedits_{domain}.json").read_text()):
            document = _document(row["doc"], documents)
            original = {one.text for one in sentences(row.get("original_summary") or "")}
            for claim in read_claims(row["summary"], document):
                edited = claim.sentence.text not in original
                label = float(row["label"]) if edited else 1.0
                kind = "edited" if edited else "kept"
                yield Row(
                    "summedits", domain, kind, f"{domain} {row['id']}", label, float(row["label"]), claim, row["doc"]
                )
        texts = [text for text in documents if documents[text].sentences]
        yield from planted("planted", domain, texts, Random(domain), 0.12)
        documents.clear()


def _document(text: str, known: dict[str, Document]) -> Document:
    if text not in known:
        known[text] = Document([("source", text)])
    return known[text]


def frank(data: Path) -> Iterator[Row]:
    """Yield the sentences of FRANK's summaries, each with the factuality of its summary."""
    human = {
        (row["hash"], row["model_name"]): float(row["Factuality"])
        for row in json.loads((data / "frank" / "human_annotations.json").read_text())
    }
    documents: dict[str, Document] = {}
    for line in (data / "frank" / "texts.jsonl").read_text().splitlines():
        row = json.loads(line)
        key = (row["hash"], row["model_name"])
        if key in human:
            document = _document(row["article"], documents)
            for claim in read_claims(row["summary"], document):
                item = f"{row['dataset']} {row['model_name']} {row['hash']}"
                yield Row("frank", row["split"], "summary", item, human[key], human[key], claim, row["article"])


def frank_planted(data: Path, part: str, seed: int = 1) -> Iterator[Row]:
    """Yield planted edits of the articles of one part of FRANK."""
    rows = [json.loads(line) for line in (data / "frank" / "texts.jsonl").read_text().splitlines()]
    yield from planted("articles", part, sorted({row["article"] for row in rows if row["split"] == part}), Random(seed))


def planted(group: str, part: str, texts: Sequence[str], rng: Random, rate: float | None = None) -> Iterator[Row]:
    """Yield edited sentences of documents: false with label 0, true paraphrases with label 1."""
    documents = [Document([("source", text)]) for text in texts]
    lists = [[one for _, one in document.sentences if 5 < len(one.tokens) < 45] for document in documents]
    pool = [one for own in lists for one in own]
    for source, document, own in zip(texts, documents, lists, strict=True):
        for kind, text in (*_edits(own, rng, rate), *_others(own, pool, rng)):
            label = float(kind in TRUE)
            yield Row(group, part, kind, "", label, label, read_claim(read_sentence(text), document), source)


def _edits(own: list[Sentence], rng: Random, rate: float | None) -> Iterator[tuple[str, str]]:
    for one in own:
        for kind in (*FALSE, *TRUE):
            if rng.random() < (rate or RATES.get(kind, 1.0)):
                changed = plant(one.text, kind, rng, own)
                if changed:
                    yield kind, changed


def _others(own: list[Sentence], pool: list[Sentence], rng: Random) -> Iterator[tuple[str, str]]:
    known = {one.text for one in own}
    for _ in range(2 if own else 0):
        other, mine = rng.choice(pool).text, rng.choice(own).text.split()
        if other not in known:
            yield "foreign", other
            yield "splice", " ".join(mine[: len(mine) // 2] + other.split()[len(other.split()) // 2 :])


def with_entailment(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with the features of the entailment model; some minutes for thousands of claims, then cached."""
    more = entailment_features([row.claim for row in rows], Context())
    return [
        row._replace(claim=row.claim._replace(features=row.claim.features | each))
        for row, each in zip(rows, more, strict=True)
    ]


def matrix(rows: Sequence[Row], names: Sequence[str]) -> Floats:
    return np.array([[row.claim.features[name] for name in names] for row in rows], dtype=np.float64)


def fit(rows: Sequence[Row], names: Sequence[str]) -> Floats:
    """Return intercept and costs of a logistic model; costs are not negative, except that of length.

    Supported and unsupported claims of each group have the same total weight; SummEdits counts twice.
    """
    from scipy.optimize import minimize

    values, labels = matrix(rows, names), np.array([row.label for row in rows])
    keys = [(row.group, row.label > 0.5) for row in rows]
    sizes = Counter(keys)
    weights = np.array([(2.0 if key[0] == "summedits" else 1.0) / sizes[key] for key in keys])
    weights *= len(rows) / weights.sum()

    def loss(model: Floats) -> tuple[float, Floats]:
        chance = 1 / (1 + np.exp(-(model[0] - values @ model[1:])))
        lost = -(weights * (labels * np.log(chance + 1e-12) + (1 - labels) * np.log(1 - chance + 1e-12))).sum()
        error = weights * (chance - labels)
        slope = np.concatenate([[error.sum()], -(values.T @ error) + 2 * L2 * model[1:]])
        return float(lost + L2 * (model[1:] ** 2).sum()), slope

    bounds: list[Any] = [(None, None), *((None, None) if name == "long" else (0, None) for name in names)]
    start = np.zeros(len(names) + 1)
    return np.asarray(minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x)


def chances(model: Floats, rows: Sequence[Row], names: Sequence[str]) -> Floats:
    """Return the probability of support of each claim."""
    return np.asarray(1 / (1 + np.exp(-(model[0] - matrix(rows, names) @ model[1:]))))
