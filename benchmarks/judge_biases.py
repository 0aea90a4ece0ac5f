"""Planted biases of a judge: are they found with sign and covering interval, and is an unbiased judge left alone?

    python -m benchmarks.judge_biases [--runs 200]

The judge answers the real calls of a form in JSON, with planted preferences for the first position, longer texts, its
own model's outputs, and one more system. Annotators are noisy around the same truth.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.judges.calls import Call, calls_of
from assay.judges.form import Criterion, JudgeForm, judge_form
from assay.judges.judge import Judge
from assay.meta.judge_validation import ValidationRequest, validate_judges
from assay.records import Example, Judgement
from assay.systems.base import Answer
from assay.systems.prompts import Messages

SYSTEMS = ("a", "b", "own", "kind")
PLANTED = {"position": 0.3, "length": 5.0, "own": 12.0, "kind": 8.0}
"""Share of pairs decided by position; points of a scale from 0 to 100: per doubling, for `own`, for `kind`."""
FORM = JudgeForm(
    name="quality", version="1", kind="rating", about="synthetic", user="{source} {output} {criteria} {answer}",
    criteria=(Criterion(name="quality", question="How good?", levels={"0": "bad", "100": "good"}),),
)  # fmt: skip


@dataclass
class Planted:
    """A judge by rule: the truth of each text plus noise and planted biases."""

    truth: dict[tuple[str, str], float]
    words: dict[tuple[str, str], int]
    biased: bool
    draw: np.random.Generator
    calls: dict[str, Call] = field(default_factory=dict)

    def value(self, key: tuple[str, str]) -> float:
        given = self.truth[key] + self.draw.normal(0, 8)
        if self.biased:
            given += PLANTED["length"] * (math.log2(1 + self.words[key]) - 5)
            given += PLANTED.get(key[1], 0.0)
        return given

    def reply(self, examples: Sequence[Example], messages: Messages) -> Iterator[Answer]:
        for example in examples:
            call = self.calls[example.id]
            keys = [(call.example.id, system) for system in call.systems]
            if len(keys) == 1:
                yield Answer(example.id, json.dumps({"reason": "1 fact", "quality": round(self.value(keys[0]))}))
                continue
            by_place = self.biased and self.draw.random() < PLANTED["position"]
            first = by_place or self.truth[keys[0]] + self.draw.normal(0, 8) > self.truth[keys[1]] + self.draw.normal(
                0, 8
            )
            yield Answer(example.id, json.dumps({"reason": "", "preference": "first" if first else "second"}))


def one_run(seed: int, biased: bool, items: int = 150) -> dict[str, Any]:
    """Return the biases that a validation finds."""
    draw = np.random.default_rng(seed)
    examples = [Example(id=f"i{i}", source="s") for i in range(items)]
    keys = [(example.id, system) for example in examples for system in SYSTEMS]
    words = {key: int(draw.integers(8, 60) * (1.5 if key[1] == "own" else 1)) for key in keys}
    level = {example.id: draw.normal(50, 6) for example in examples}
    truth = {key: float(level[key[0]] + draw.normal(0, 5)) for key in keys}
    outputs = {system: {id: " ".join(["w"] * words[id, system] + [system]) for id, _ in keys} for system in SYSTEMS}
    texts = {(id, system): outputs[system][id] for id, system in keys}
    asker = Planted(truth, {key: count + 1 for key, count in words.items()}, biased, draw)
    judged: list[Judgement] = []
    for form in (FORM, judge_form("pairwise")):
        systems = outputs if form is FORM else {name: outputs[name] for name in ("a", "b")}
        calls = calls_of(form, examples, systems)
        judge = Judge("toy", form).with_calls(calls)
        asker.calls = {call.key: call for call in calls}
        judged += [row for verdict in judge.verdicts(asker, judge.items(calls)) for row in verdict.judgements(form)]
    noise = iter(draw.normal(0, 8, 3 * len(keys)).tolist())
    people = [
        Judgement(
            id=id,
            system=system,
            annotator=name,
            criterion="quality",
            value=float(round(truth[id, system] + next(noise))),
        )
        for name in ("p1", "p2", "p3")
        for id, system in keys
    ]
    request = ValidationRequest(own="own", texts=texts, samples=0)
    found = validate_judges([*people, *judged], request)["toy"]
    return {"answer": found.answer, "biases": {bias.name: bias for bias in found.biases}}


def simulate(runs: int = 200) -> dict[str, Any]:
    """Return coverage of the planted sizes, signs that were found, and false alarms."""
    own, kind = PLANTED["own"], PLANTED["kind"]
    mean = (own + kind) / len(SYSTEMS)
    truth = {
        "position": PLANTED["position"], "length": PLANTED["length"], "self_preference": own - kind / 3,
        "system:own": own - mean, "system:kind": kind - mean, "system:a": -mean, "system:b": -mean,
    }  # fmt: skip
    covered, signs, found = (dict.fromkeys(truth, 0) for _ in range(3))
    alarms = 0
    for run in range(runs):
        biases = one_run(run, True)["biases"]
        for name, size in truth.items():
            bias = biases[name]
            covered[name] += bias.low <= size <= bias.high
            signs[name] += (bias.value > 0) == (size > 0)
            found[name] += bias.significant
        alarms += any(bias.significant for bias in one_run(10_000 + run, False)["biases"].values())
    share = {name: {"planted": size, "covered": covered[name] / runs, "sign": signs[name] / runs,
                    "found": found[name] / runs} for name, size in truth.items()}  # fmt: skip
    return {"runs": runs, "biases": share, "false_alarms": alarms / runs}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    print(json.dumps(simulate(parser.parse_args().runs), indent=1))
