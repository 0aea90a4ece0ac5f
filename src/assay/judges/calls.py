"""The calls of a judge: which texts are shown in which order, about which criteria, in which draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import msgspec

from assay.errors import AssayError
from assay.inputs import Form, form_for
from assay.inputs import form as input_form
from assay.judges.form import JudgeForm
from assay.records.types import Example
from assay.seeds import rng_for


class Call(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One question to the model."""

    key: str
    """Id of the call; the id of the item where there is one call for each."""
    example: Example
    systems: tuple[str, ...]
    texts: tuple[str, ...]
    """The judged texts in the order in which they are shown."""
    criteria: tuple[str, ...]
    draw: int = 0
    order: str = ""
    """Pairwise: `straight` or `swapped`."""


def calls_of(
    form: JudgeForm, examples: Sequence[Example], outputs: Mapping[str, Mapping[str, str]], *, draws: int = 1,
    each: bool = False, seed: int = 0,
) -> list[Call]:  # fmt: skip
    """Return the calls of a form about the outputs of systems.

    Args:
        outputs: text by id, by system.
        draws: number of answers to the same question.
        each: one call for each criterion (default: all criteria in one).
        seed: of the order in which ranked texts are shown.

    Raises:
        AssayError: a comparison of fewer than two systems.
    """
    if form.compares and len(outputs) < 2:
        raise AssayError(f"form {form.name} compares texts: give the outputs of two or more systems")
    groups = [(name,) for name in form.names] if each and len(form.names) > 1 else [form.names]
    calls = []
    for example in examples:
        for parts, systems, texts, order in _shown(form, example, outputs, seed):
            for names in groups:
                for draw in range(draws):
                    more = [*parts, *(names if len(groups) > 1 else ()), *([f"draw {draw + 1}"] if draw else ())]
                    key = "#".join((example.id, *more))
                    call = Call(
                        key=key, example=example, systems=systems, texts=texts, criteria=names, draw=draw, order=order
                    )
                    calls.append(call)
    return calls


def _shown(
    form: JudgeForm, example: Example, outputs: Mapping[str, Mapping[str, str]], seed: int
) -> list[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], str]]:
    """Return what is shown about an item: parts of the key, systems, texts, order."""
    present = {system: texts[example.id] for system, texts in outputs.items() if example.id in texts}
    several = len(outputs) > 1
    if form.kind == "pairwise":
        pairs = [(a, b) for a, b in combinations(present, 2) if present[a] != present[b]]
        orders = [(pair, "straight") for pair in pairs] + [((b, a), "swapped") for a, b in pairs]
        return [((*pair, order), pair, (present[pair[0]], present[pair[1]]), order) for pair, order in orders]
    if form.kind == "ranking":
        if len(present) < 2:
            return []
        if len(present) > 26:
            raise AssayError(f"form {form.name}: ranks at most 26 texts; compare fewer systems")
        shuffled = list(present)
        rng_for(seed, example.id).shuffle(shuffled)
        return [((), tuple(shuffled), tuple(present[system] for system in shuffled), "")]
    return [((system,) if several else (), (system,), (text,), "") for system, text in present.items()]


def identical_pairs(examples: Sequence[Example], outputs: Mapping[str, Mapping[str, str]]) -> int:
    """Return the number of pairs of equal texts about an item, which are not asked about."""
    count = 0
    for example in examples:
        present = [texts[example.id] for texts in outputs.values() if example.id in texts]
        count += sum(a == b for a, b in combinations(present, 2))
    return count


def call_fields(form: JudgeForm, call: Call, source: str) -> dict[str, str]:
    """Return the fields of the form's text for one call."""
    example = call.example
    fields = {
        "source": source, "reference": next(iter(example.references), ""), "contexts": _contexts(example) or source,
        "references": "\n".join(f"- {reference}" for reference in example.references), "output": call.texts[0],
    }  # fmt: skip
    if form.kind == "pairwise":
        fields |= {"first": call.texts[0], "second": call.texts[1]}
    if form.kind == "ranking":
        fields["texts"] = "\n\n".join(f"Output {chr(65 + i)}:\n{text}" for i, text in enumerate(call.texts))
    return fields


def shown_source(example: Example, inputs: Form | None = None) -> str:
    """Return the input of an example as a judge reads it: by a form, else its source, its structured input in the usual
    form of its kind, or its conversation."""
    if inputs is not None:
        return inputs.render(example)
    if example.source is not None:
        return example.source
    if example.input is not None:
        return input_form(form_for(example)).render(example)
    return "\n".join(f"{each.role}: {each.content}" for each in example.messages)


def missing_fields(form: JudgeForm, example: Example, source: str) -> list[str]:
    """Return the fields that the form shows and the example does not have."""
    has = {
        "source": bool(source.strip()), "contexts": bool(_contexts(example) or source.strip()),
        "reference": bool(example.references), "references": bool(example.references),
    }  # fmt: skip
    return [name for name in form.shows if not has.get(name, True)]


def _contexts(example: Example) -> str:
    """Return the contexts of an example, numbered; empty if it has none."""
    listed = getattr(example, "contexts", None) or (example.input or {}).get("contexts")
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        return ""
    texts = [each.get("text", "") if isinstance(each, Mapping) else getattr(each, "text", each) for each in listed]
    return "\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))
