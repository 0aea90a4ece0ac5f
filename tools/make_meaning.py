"""Write the evidence of `assay metric meaning`: mean judgements and scores of the systems of released data sets.

    python tools/make_meaning.py DATA

Only means of systems are kept; no text of the data sets is.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import assay
from assay.datasets import DATASETS
from assay.datasets.markup import xml_elements

METRICS = "chrf,chrf++,bleu,rouge1,rouge2,rougeL"
TARGET = Path(__file__).parents[1] / "src" / "assay" / "meta" / "evidence" / "meaning.json"


def webnlg(data: Path, language: str) -> Iterator[dict[str, Any]]:
    name = f"rdf-to-text-generation-test-data-with-refs-{language}.xml"
    references = [
        [lex.text or "" for lex in record.value.findall("lex") if lex.get("lang", language) in (language, "")]
        for record in xml_elements(data / "webnlg" / language / "test" / name, "entry", "eid")
    ]
    scores = {}
    for path in sorted((data / "webnlg" / "outputs-2020" / language).glob("*.txt")):
        outputs = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        scores[path.stem] = values(outputs, references)
    judged = DATASETS.get(f"web_nlg_{language}")().judgements(data / "webnlg")
    yield from sets(f"WebNLG 2020 {language}", "data-to-text", language, list(judged), scores)


def summeval(data: Path) -> Iterator[dict[str, Any]]:
    rows = [json.loads(line) for line in (data / "summeval" / "summeval.jsonl").open(encoding="utf-8")]
    scores = {}
    for system in sorted({row["system"] for row in rows}):
        own = [row for row in rows if row["system"] == system]
        scores[system] = values([row["output"] for row in own], [row["references"] for row in own])
    for criterion in rows[0]["human"]:
        human = {name: [row["human"][criterion] for row in rows if row["system"] == name] for name in scores}
        yield record("SummEval", "summarization", "en", criterion, human, scores)


def values(outputs: list[str], references: list[list[str]]) -> dict[str, float]:
    result = assay.score(outputs, references, metrics=METRICS)
    return {name: round(100 * s.value if name.startswith("rouge") else s.value, 2)
            for name, s in result.scores.items() if "." not in name and s.value is not None}  # fmt: skip


def sets(name: str, task: str, language: str, judged: list[Any], scores: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for criterion in dict.fromkeys(row.criterion for row in judged):
        human: dict[str, list[float]] = {}
        for row in judged:
            if row.criterion == criterion and row.system in scores:
                human.setdefault(row.system, []).append(float(row.value))
        yield record(name, task, language, criterion, human, {name: scores[name] for name in human})


def record(
    name: str, task: str, language: str, criterion: str, human: dict[str, list[float]], scores: dict[str, Any]
) -> dict[str, Any]:
    systems = {each: {"human": round(mean(human[each]), 4), "scores": scores[each]} for each in human}
    return {"set": name, "task": task, "language": language, "criterion": criterion, "systems": systems}


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    evidence = [*webnlg(folder, "en"), *webnlg(folder, "ru"), *summeval(folder)]
    TARGET.write_text(json.dumps(evidence, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{len(evidence)} sets in {TARGET}")
