"""Synthetic items in which every option of a metric has an effect."""

from __future__ import annotations

import json
from typing import Any

from assay.metrics import Metric
from assay.records import Example, Items, write_scored
from tests.support import items

SENTENCES = [
    "The cat's toys, 3.5 of them, lay on the mat. Dr. Ann saw it; see p. 7. It was so and so, etc. Then she left!",
    "Prices rose by 1.5% (not 2%) - &amp; fell. The the U.S. said so. A dog ran home, happily running after cats.",
    "Er kam am 3. Mai in das naïve Café und blieb. Die Kinder freuten sich, z. B. über Schnee. Dann ging er heim.",
    "Мама мыла раму 、 и ушла. 他喜欢吃苹果。 Then came one.",
    "One more: well-known facts can't be all new , said the man . [RESPONSE] 你好 e.g. this",
]
OUTPUTS = [
    "the cat's toys, 3.5 of them lay on the Mat. Dr. Ann saw them; see p. 9. It was so and so, etc. then She left",
    "Prices rose by 1.5% (not 2%) - &amp; fell. The the U.S. said so. A dog run home, happily runs after runner cats",
    "Er kam am 3. Mai in das Cafe und blieb. die Kinder freuten sich z. B. über den Schnee. Dann ging sie heim",
    "Мама мыла рамы 、 и ушла. 他喜欢苹果。 then come one",
    "One more: well-known facts can't be all new , said a man . [RESPONSE] 你 好 e.g. this",
]


def synthetic_sets(language: str | None = None) -> list[Items]:
    """Return synthetic sets in which every option has an effect: many scripts, several references of which one has all
    words and another more of their order, sources, outputs without some of the n-grams."""
    several = [
        [text, " ".join(reversed(output.split())), other]
        for text, output, other in zip(SENTENCES, OUTPUTS, SENTENCES[1:] + SENTENCES[:1], strict=True)
    ]
    sets: list[tuple[list[str], list[str | list[str]], list[str]]] = [
        (OUTPUTS, [*several], SENTENCES),
        (
            ["a b", "The cat.", "", "x y"],
            ["a b c", ["the cat's.", "The cat sat"], "d", "x z"],
            ["a b c d", "Cat", "d", "y"],
        ),
        (["a b", "x y"], ["a b", "x y z"], ["a", "x"]),
        (
            ["b a d c", "b a D c", "a b c d e f g h"],
            ["a b c d", "A b c d", ["a b c d z z z z z z", "a z b z c z d z e z f z g z h"]],
            ["c d", "c", "d e"],
        ),
        (["cats\nA\nthe kings", "dogs\ncats\ncats"], [["cats", "king"], ["cats"]], ["cats", "dogs"]),
        (["it dies here now", "the sky is"], ["it dying here now", "skies are over the"], ["it dies", "sky"]),
        (["Er kam am 3. Mai und blieb."], ["Er kam am 3. Mai."], ["Er kam am 3. Mai und blieb. Dann ging er heim."]),
        (["it<sent>the sky is blue", "<a>it</a> <b>is"], ["it is", "it"], ["it the sky was blue", "it"]),
    ]
    return [items(*texts, language) for texts in sets]


def choices_made() -> Items:
    """Return items with typed inputs: preferences of a system in three evaluations."""
    choice = {"kind": "choice", "prefix": "", "positive": "a", "negative": "b"}
    named = ["act", "act", "motive", "motive", "motive", "other"]
    examples = [Example(id=str(i), input=choice, tags={"evaluation": name}) for i, name in enumerate(named)]
    outputs = [write_scored(["a", "b"], [float(i in (0, 3, 4)), 0.5]) for i in range(6)]
    return Items(tuple(outputs), tuple(examples))


def sets_for(cls: type[Metric]) -> list[Items]:
    if cls.name == "slot_error":
        slots = Example(id="1", input={"kind": "slots", "slots": [["food", "French"]]})
        return [Items((text,), (slots,)) for text in ("French food", "frogs", "snails", "paris")]
    if cls.name == "concept_coverage":
        return [Items(("they dance",), (Example(id="1", input={"kind": "concepts", "concepts": ["dancing"]}),))]
    if cls.name == "filler_recall":
        event = {"kind": "event", "template": {"victim": ["Ada"], "weapon": ["a rope"]}}
        return [Items(("Ada fell.",), (Example(id="1", input=event),))]
    if cls.name in ANSWERS:
        return [ANSWERS[cls.name]]
    if cls.name == "ceaf_ree":
        return arguments_made()
    if cls.name == "context_bleu":
        turns = [{"speaker": ("user", "sys")[i % 2], "text": text} for i, text in enumerate([*SENTENCES, SENTENCES[0]])]
        dialog = {"kind": "acts", "service": "A_1", "acts": [], "context": turns}
        texts = (*OUTPUTS, "THE CAT'S toys", "zzz the", "你好", "tq")
        return [Items((text,), (Example(id="1", input=dialog),)) for text in texts]
    if cls.name == "mauve":  # clusters of a few items are all alike
        words = [word for text in (*SENTENCES, *OUTPUTS) for word in text.split()][:120]
        return [
            items([" ".join(words[i : i + 3]) for i in range(40)], [" ".join(words[i : i + 5]) for i in range(60, 100)])
        ]
    return [choices_made()] if "inputs" in cls.needs else synthetic_sets()


def arguments_made() -> list[Items]:
    """Return sets in each of which one option has an effect, for any values of the others."""
    several = [[{"text": text, "start": 0} for text in entity] for entity in (["p", "q"], ["c"])]
    gold = [{"type": "arson", "Victim": several}, {"type": "attack", "Victim": [several[1][:1]], "Weapon": several}]
    templates: list[list[dict[str, Any]]] = [
        [{"type": "arson", "victim": ["p", "q", "c"]}],
        [{"type": "arson", "victim": [["p", "x"]]}],
        [{"type": "arson", "victim": ["c", "c", "x"]}],
        [{"type": "attack", "victim": [["p"]]}, {"type": "robbery", "victim": ["c"]}],
        [{"type": "arson", "weapon": ["x"]}],
    ]
    example = Example(id="1", input={"kind": "events", "templates": gold})
    return [Items((json.dumps(one),), (example,)) for one in templates]


PAIRS = (("The cat.", "cat"), ("I say 5", "5"), ("5.5", "5"), ("12 cats", "2"), ("(B)", "B"), ("x y", "x y"))
"""Answers with their references: each way to compare them finds others of them right."""
ANSWERS = {
    "exact_match": items([output for output, _ in PAIRS], [reference for _, reference in PAIRS]),
    "pass_at_k": Items(
        tuple(output for right, _ in PAIRS for output in (right, "zzz")),
        tuple(
            Example(id=f"{i}{sample}", parent=f"{i}a", references=(reference,))
            for i, (_, reference) in enumerate(PAIRS)
            for sample in "ab"
        ),
    ),
    "json_fields": Items(
        ('{"a": "X"}', "[1]", '{"b": 1}'), tuple(Example(id=str(i), expected={"a": "x"}) for i in range(3))
    ),
    "format_valid": Items(
        texts := ('{"a": 1}', '{"a": 1, "x": [1, 2]}', '{"b": 1, "c": 2}', "[1]", 'x{"a":1}', 'x{"b":1}'),
        tuple(Example(id=str(i)) for i in range(len(texts))),
    ),
}
"""Items of metrics over answers."""
