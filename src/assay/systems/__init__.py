"""Systems that are evaluated: baselines, models, endpoints and commands, with the same three abilities.

from assay import systems
lead = systems.system("lead:k=3")
texts = [answer.text for answer in lead.generate(examples)]
"""

from __future__ import annotations

import re
from dataclasses import fields

from assay.errors import AssayError
from assay.registry import Registry
from assay.specs import COLON, Spec, build, did_you_mean, parse
from assay.systems.base import ABILITIES, Answer, Logprob, System

SYSTEMS: Registry[type[System]] = Registry(
    "system",
    {
        "copy": "assay.systems.baselines:Copy",
        "lead": "assay.systems.baselines:Lead",
        "random-sentence": "assay.systems.baselines:RandomSentence",
        "oracle-extract": "assay.systems.baselines:OracleExtract",
        "template": "assay.systems.template:Template",
        "random": "assay.systems.baselines:Random",
        "frequency": "assay.systems.baselines:Frequency",
        "gold": "assay.systems.baselines:Gold",
        "ngram": "assay.systems.ngram:Ngram",
        "nearest": "assay.systems.nearest:Nearest",
        "logistic": "assay.systems.logistic:Logistic",
        "perceived": "assay.systems.perceived:Perceived",
        "hf": "assay.systems.neural.hugging_face:Model",
        "self-trained": "assay.systems.neural.self_trained:SelfTrained",
        "insertion": "assay.systems.neural.insertion_system:Insertion",
        "personal": "assay.systems.neural.personal:PersonalModel",
        "simplifier": "assay.systems.neural.simplifier:Simplifier",
        "shuffled": "assay.systems.baselines:Shuffled",
        "classifier": "assay.systems.neural.classifier:Classifier",
        "ranker": "assay.systems.neural.ranker:Ranker",
        "chat": "assay.systems.endpoint:Chat",
        "completions": "assay.systems.completions:Completions",
        "cmd": "assay.systems.command:Command",
        "call": "assay.systems.command:Call",
    },
    "assay.systems",
)
"""Name to class; modules are imported on first use."""

SECRETS = re.compile(
    r"://(?:[^/\s]*@|\S*\?)|:key_env=(?![A-Za-z_]\w*(?::|$))|:[\w-]*(?:key|token|secret|password)=",
    re.ASCII | re.IGNORECASE,
)
"""Matches a user or password before a host, a query, and a key in place of the name of its variable."""


def refuse_secrets(text: str) -> None:
    """Raise an error if a spec contains a secret: specs are shown and stored with the outputs."""
    name = COLON.split(text.strip(), maxsplit=1)[0]
    if SECRETS.search(text) and not (SYSTEMS.get(name).argument or "").endswith("..."):
        raise AssayError(
            f"system {name}: the spec is stored with the outputs and must not contain a secret; remove user, password "
            "and ?query from base=, put the key into an environment variable and name the variable with key_env="
        )


def system(text: str, *, form: str | None = None, seed: int | None = None) -> System:
    """Return a system from its spec.

    Args:
        text: name and options: `lead:k=3`, `hf:FOLDER:beams=5`, `cmd:./my.sh`.
        form: how inputs are written as text (default: by the kind of input).
        seed: random seed, unless the spec sets one.
    """
    refuse_secrets(text)
    name = COLON.split(text.strip(), maxsplit=1)[0]
    kind, colon, number = name.partition(":")
    if colon and kind in SYSTEMS:  # `:8000` is the port of a URL
        raise AssayError(f"{text}: a number after a colon is read as a port; a folder is written {kind}:./{number}")
    cls = SYSTEMS.get(name)
    spec = _with_argument(cls, text.strip(), name)
    made = build(cls, spec, cls.presets)
    made.spec = text.strip()
    if form is not None:
        from assay.inputs import form as make_form

        made.form = make_form(form)
    if seed is not None and "seed" not in dict(spec.options):
        made.seed = seed
    return made


def _with_argument(cls: type[System], text: str, name: str) -> Spec:
    """Parse a spec; a first part without a key becomes the `argument` option of the system."""
    if cls.argument and cls.argument.endswith("..."):
        return Spec(name, ((cls.argument.removesuffix("..."), text[len(name) + 1 :]),) if len(text) > len(name) else ())
    spec = parse(text)
    bare = [preset for preset in spec.presets if preset not in cls.presets]
    if cls.argument and bare:
        presets = tuple(preset for preset in spec.presets if preset != bare[0])
        return Spec(name, ((cls.argument, bare[0]), *spec.options), presets)
    known = [field.name for field in fields(cls) if field.init]
    strange = next((key for key, _ in spec.options if key not in known), None)
    if cls.argument and strange and cls.argument not in dict(spec.options) and not did_you_mean(strange, known):
        whole = f"{strange}={dict(spec.options)[strange]}"
        raise AssayError(
            f"{name}: no option {strange}; if {whole} is its {cls.argument}, write {name}:{cls.argument}={whole}"
        )
    return spec


__all__ = ["ABILITIES", "SYSTEMS", "Answer", "Logprob", "System", "system"]
