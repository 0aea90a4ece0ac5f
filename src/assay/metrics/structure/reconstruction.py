"""Reconstruction: whether an extractor recovers the dialogue acts of the input from the output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from assay.extras import missing_extra
from assay.inputs import form, form_for
from assay.inputs.acts import SEPARATOR, act_text
from assay.inputs.labelled import SERVICE
from assay.inputs.serialised import parts
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.models.checkpoints import fingerprint
from assay.models.context import Context
from assay.models.extractor import ExtractedSpan, Extractor
from assay.records.documents import read_json
from assay.records.files import digest_of
from assay.records.inputs import kind_of, read_input
from assay.records.items import Items
from assay.records.kinds import Act, Acts
from assay.records.types import Example
from assay.text.phrases import plain_words

COLUMNS = ("exact", "same", "missing", "invented", "duplicated", "asked", "count")
LOOKED_AT = 100
BATCH, LONGEST_LINE = 32, 256
"""Texts per batch of a text model, and the most tokens of an input that it writes."""
LIKELY = 0.5
"""Probability above which a label of a whole text applies."""
Pair = tuple[str, str]
"""Act with slot, and a normalised value; empty for an act without a value."""


class Structure(NamedTuple):
    service: str
    acts: list[Act]

    @property
    def line(self) -> str:
        """The service and its acts in alphabetical order, as in the input of a model."""
        return SEPARATOR.join((self.service, ", ".join(sorted(map(act_text, self.acts)))))

    @property
    def pairs(self) -> Counter[Pair]:
        """Acts and values without order."""
        return Counter(
            (f"{act.act} {act.slot or ''}".strip(), " ".join(plain_words(value)))
            for act in self.acts
            for value in act.values or [""]
        )


class Difference(NamedTuple):
    """Differences between an output and its input."""

    missing: list[Pair]
    invented: list[Pair]
    duplicated: list[Pair]
    """Values that occur more often than in the input."""


@dataclass(frozen=True)
class Reconstruction(SumMetric):
    """Share of outputs from which a trained model recovers exactly their input.

    `reconstruction` compares the serialised input, order included; `reconstruction.set` compares its normalised parts
    in any order. An extractor recovers dialogue acts; a text model, such as the reconstructor of self-training, also
    slots, triples and other inputs. `reconstruction.missing`, `.invented` and `.duplicated` are the errors
    relative to the number of values in the inputs.
    """

    model: str = ""
    """Folder of an extractor trained on dialog acts (`assay system train extractor`), or of a model from texts to
    serialised inputs (`FOLDER/round-0/reconstructor` of self-training), frozen for all systems."""

    name: ClassVar = "reconstruction"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "share of outputs from which the input can be reconstructed"
    needs: ClassVar = ("inputs",)
    citation: ClassVar = "Bakshi et al. (2021), Structure-to-Text Generation with Self-Training"

    def parts(self) -> tuple[Part, ...]:
        whole = [Part(name, scale=100, digits=1) for name in ("reconstruction", "reconstruction.set")]
        errors = [
            Part(f"reconstruction.{kind}", "lower", shown=False, scale=100, digits=1, bounds=(0.0, None))
            for kind in ("missing", "invented", "duplicated")
        ]
        return *whole, *errors

    def columns(self) -> tuple[str, ...]:
        return COLUMNS

    def options(self) -> dict[str, Any]:
        if self.model and _is_text_model(self.model):
            return {"model": digest_of(fingerprint(self.model))[:12]}
        return {"model": Extractor(self.model).label if self.model and not self.why_not() else ""}

    def why_not(self) -> str | None:
        if not self.model:
            return "needs an extractor. Give reconstruction:model=FOLDER (of `assay system train extractor`)."
        return missing_extra("neural") if _is_text_model(self.model) else Extractor(self.model).why_not()

    def unfit(self, items: Items) -> str | None:
        if self.model and _is_text_model(self.model):
            structured = any(example.input for example in islice(items.examples, LOOKED_AT))
            return None if structured else "needs structured inputs, such as slots, triples or dialogue acts"
        if any(structure_of(example) for example in islice(items.examples, LOOKED_AT)):
            return None
        return "needs inputs of kind acts (a service and its dialogue acts)"

    def compute(self, items: Items, context: Context) -> Dense:
        if _is_text_model(self.model):
            return self._compute_lines(items)
        read = Extractor(self.model).extract(list(items.outputs), context)
        values = np.zeros((len(items), len(COLUMNS)))
        for i, (example, spans) in enumerate(zip(items.examples, read, strict=True)):
            wanted = structure_of(example)
            if wanted is not None:
                recovered = reconstructed(spans)
                differs = compare_structures(wanted, recovered)
                counts = [len(kind) for kind in differs]
                values[i] = recovered.line == wanted.line, not any(counts), *counts, wanted.pairs.total(), 1
        return Dense(COLUMNS, values)

    def _compute_lines(self, items: Items) -> Dense:
        """Compare serialised inputs, in the default form of each input, with those that a text model writes."""
        from assay.systems.neural.hugging_face import Model

        model = Model(path=self.model, max_new=LONGEST_LINE)
        texts = [Example(id=str(i), source=output) for i, output in enumerate(items.outputs)]
        values = np.zeros((len(items), len(COLUMNS)))
        for start in range(0, len(texts), BATCH):
            answers = model.generate(texts[start : start + BATCH])
            for i, answer in enumerate(answers, start):
                example = items.examples[i]
                if not example.input:
                    continue
                line = " ".join(form(form_for(example)).render(example).split())
                wanted, recovered = parts(line), parts(answer.text)
                extra = recovered - wanted
                duplicated = sum(count for part, count in extra.items() if part in wanted)
                errors = ((wanted - recovered).total(), extra.total() - duplicated, duplicated)
                same = wanted == recovered
                values[i] = line == " ".join(answer.text.split()), same, *errors, wanted.total(), 1
        return Dense(COLUMNS, values)

    def values(self, sums: Floats) -> Values:
        column = dict(zip(COLUMNS, sums.T, strict=True))
        return {
            "reconstruction": divide(column["exact"], column["count"]),
            "reconstruction.set": divide(column["same"], column["count"]),
            **{
                f"reconstruction.{kind}": divide(column[kind], column["asked"])
                for kind in ("missing", "invented", "duplicated")
            },
        }

    def undefined(self, part: str) -> str:
        return "no input has dialogue acts or other parts"


def _is_text_model(folder: str) -> bool:
    """Return whether a folder has an encoder-decoder, which writes the input, and not an extractor."""
    file = Path(folder) / "config.json"
    config = read_json(file) if file.is_file() else {}
    return isinstance(config, dict) and bool(config.get("is_encoder_decoder"))


def structure_of(example: Example) -> Structure | None:
    if not example.input or kind_of(example) != "acts":
        return None
    acts = read_input(example, Acts)
    return Structure(acts.service, list(acts.acts)) if acts.acts else None


def reconstructed(spans: Sequence[ExtractedSpan]) -> Structure:
    """Return the structure of extracted spans: values grouped by act, acts without values, the most probable
    service."""
    values: dict[str, list[str]] = {}
    labels: list[str] = []
    services: dict[str, float] = {}
    for one in spans:
        if one.start >= 0:
            values.setdefault(one.label, []).append(one.text)
        elif one.label.startswith(SERVICE):
            services[one.label.removeprefix(SERVICE)] = one.probability
        elif one.probability > LIKELY:
            labels.append(one.label)
    acts = [_act(label, values_of_act) for label, values_of_act in values.items()]
    for text in labels:
        act, _, rest = text.partition(" ")
        slot, _, value = rest.partition(" ")
        acts.append(Act(act, slot or None, [value] if value else []))
    return Structure(max(services, key=lambda name: services[name], default=""), acts)


def _act(label: str, values: list[str]) -> Act:
    act, _, slot = label.partition(" ")
    return Act(act, slot or None, values)


def compare_structures(wanted: Structure, recovered: Structure) -> Difference:
    """Return the missing, invented and duplicated values."""
    extra = recovered.pairs - wanted.pairs
    return Difference(
        list((wanted.pairs - recovered.pairs).elements()),
        [pair for pair in extra.elements() if pair not in wanted.pairs],
        [pair for pair in extra.elements() if pair in wanted.pairs],
    )
