"""Rewrite the outputs and judgements of the embedded sample from its examples: `python tools/make_sample.py`.

Everything is seeded by the id it belongs to, so that editing one example changes its own lines only. Only
`Random.random` is used, because its sequence is the one that Python keeps the same across versions.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random
from typing import Any
from unicodedata import normalize

Example = dict[str, Any]

SAMPLE = Path(__file__).parents[1] / "src" / "assay" / "sample"
DATASETS = ("news", "places", "simple", "dialog")
EMPTY_OUTPUTS = 2
ANNOTATORS = {"made-up-1": 0.2, "made-up-2": 0.0, "made-up-3": -0.3}  # how lenient each one is
FLUENCY = {"lead": 4.7, "copy": 4.5, "template": 3.9, "noisy": 2.2}
FAITHFULNESS = {"lead": 0.97, "copy": 0.97, "template": 0.92, "noisy": 0.6}  # the chance of a 1

SENTENCE_END = re.compile(r"(?<=[^\d][.!?]) ")  # a digit before the stop: an ordinal such as "3. května"
THAI_CLUSTER = re.compile(r"[เ-ไ]?[^เ-ไ][ะ-ฺ็-๎]*")
CONJUNCTIONS = {"en": "and|but|yet|because|whereas", "de": "und|aber", "cs": "a|ale"}
PRONOUNS = {"which": "it", "who": "they"}
TEMPLATES = json.loads(Path(__file__).with_name("sample_templates.json").read_text(encoding="utf-8"))


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def sentences(text: str, language: str) -> list[str]:
    return text.split(" ") if language == "th" else SENTENCE_END.split(text)


def realise(language: str, what: str, detail: str, slot: str, value: str) -> str:
    """The template for a slot or act: the one for this very detail (a value, a slot) if there is one."""
    templates: dict[str, str] = TEMPLATES[language]
    return (templates.get(f"{what} {detail}") or templates[what]).format(slot=slot, value=value)


def clauses(sentence: str, language: str) -> list[str]:
    """The sentence cut at commas and conjunctions; a piece of fewer than four words stays with the next one."""
    pieces: list[str] = []
    ends = rf",? (?:{CONJUNCTIONS[language]}) |[,;] | [(–] ?|\) ?"
    for piece in filter(None, re.split(ends, sentence.rstrip("."))):
        if pieces and len(pieces[-1].split()) < 4:
            pieces[-1] += f", {piece}"
        else:
            first, _, rest = piece.partition(" ")
            pieces.append(f"{PRONOUNS.get(first, first)} {rest}".strip())
    return [piece[0].upper() + piece[1:] + "." for piece in pieces]


def steps(example: Example) -> list[str]:
    """What `lead` and `template` choose from: sentences, clauses, or one sentence for each slot or act."""
    language, typed = example["language"], example["input"]
    if typed["type"] == "article":
        return sentences(example["source"], language)
    if typed["type"] == "sentence":
        return clauses(example["source"], language)
    if typed["type"] == "slots":
        return [realise(language, slot, value, slot, value) for slot, value in typed["slots"].items()]
    return [realise(language, a["act"], a["slot"], a["slot"], " or ".join(a["values"])) for a in typed["acts"]]


def lead(example: Example) -> str:
    return steps(example)[0]


def copy(example: Example) -> str:
    if example["input"]["type"] != "dialog-acts":
        return str(example["source"])
    return ", ".join(" ".join([a["act"], a["slot"], *a["values"]]).strip() for a in example["input"]["acts"])


def template(example: Example) -> str:
    if example["input"]["type"] != "article":
        return " ".join(steps(example))
    title, thai = example["input"]["title"], example["language"] == "th"
    units: Callable[[str], list[str]] = THAI_CLUSTER.findall if thai else words
    closest = max(steps(example), key=lambda sentence: len(set(units(sentence)) & set(units(title))))
    return f"{title}{'' if thai else '.'} {closest}"


def noisy(example: Example) -> str:
    """The first reference with words dropped, repeated and swapped, and now and then another number."""
    random = Random(f"noisy {example['id']}").random
    thai = example["language"] == "th"
    left: list[str] = THAI_CLUSTER.findall(example["references"][0]) if thai else example["references"][0].split()
    kept: list[str] = []
    while left:
        word = left.pop(0)
        if random() < 0.35:
            word = re.sub(r"\d+", lambda m: str(int(m[0]) + 1 + int(8 * random())).zfill(len(m[0])), word, count=1)
        chance = random()
        if chance < 0.05 and (kept or left):  # dropped, unless nothing would be left
            continue
        if chance > 0.96 and left:
            kept.append(left.pop(0))
        kept += [word] * (2 if 0.05 <= chance < 0.09 else 1)
    return normalize("NFC", ("" if thai else " ").join(kept))


SYSTEMS: dict[str, Callable[[Example], str]] = {"lead": lead, "copy": copy, "template": template, "noisy": noisy}


def rating(criterion: str, system: str, output: str, example: Example, item: float, own: float, bias: float) -> int:
    """An invented rating: a rule about the text, chance that annotators share (`item`), their own chance, leniency."""
    if not output:
        return 0 if criterion == "faithfulness" else 1
    if criterion == "faithfulness":
        known = set(re.findall(r"\d+", example["source"] + " " + example["references"][0]))
        wrong = not set(re.findall(r"\d+", output)) <= known
        faithful = item < FAITHFULNESS[system] and not wrong
        return int(faithful != (own < 0.08))
    per_sentence = len(words(output)) / len(sentences(output, example["language"]))
    base = FLUENCY[system] if criterion == "fluency" else 6 - per_sentence / 5 - (system == "noisy")
    return min(5, max(1, round(base + 1.6 * (item - 0.5) + 1.2 * (own - 0.5) + bias)))


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
                "value": rating(criterion, system, output, example, item, random(), ANNOTATORS[annotator]),
                "unit": "summary",
                "seconds": round(2 + 0.3 * len(words(output)) + 3 * random(), 1),
            }
        )
    return rows


def files(folder: Path) -> dict[Path, str]:
    """Every file that the script makes from the examples in the folder, with its text."""
    examples = {n: [json.loads(line) for line in (folder / f"{n}.jsonl").open(encoding="utf-8")] for n in DATASETS}
    ids = sorted(example["id"] for items in examples.values() for example in items)
    outputs = {(e["id"], name): make(e) for items in examples.values() for e in items for name, make in SYSTEMS.items()}
    random = Random("empty outputs").random
    for _ in range(EMPTY_OUTPUTS):
        outputs[ids.pop(int(len(ids) * random())), "noisy"] = ""
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
    parser.add_argument("--folder", type=Path, default=SAMPLE, help="where the examples are")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file differs")
    options = parser.parse_args()
    made = files(options.folder)
    stale = [path for path, text in made.items() if not path.exists() or path.read_bytes() != text.encode()]
    stale += sorted(set((options.folder / "outputs").rglob("*.jsonl")) - set(made))
    if options.check:
        for path in stale:
            print(f"{path}: differs from what the examples give; run python tools/make_sample.py")
        return int(bool(stale))
    for path in stale:
        path.unlink(missing_ok=True)
        if path in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(made[path].encode())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
