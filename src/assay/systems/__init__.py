"""Systems: what answers. Baselines, models, endpoints, commands; all with the same three abilities.

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
        "logistic": "assay.systems.logistic:Logistic",
        "hf": "assay.systems.neural.hugging_face:Model",
        "classifier": "assay.systems.neural.classifier:Classifier",
        "chat": "assay.systems.endpoint:Chat",
        "cmd": "assay.systems.command:Command",
        "call": "assay.systems.command:Call",
    },
    "assay.systems",
)
"""Name to class; a module is imported when its system is asked for."""

SECRETS = re.compile(
    r"://(?:[^/\s]*@|\S*\?)|:key_env=(?![A-Za-z_]\w*(?::|$))|:[\w-]*(?:key|token|secret|password)=",
    re.ASCII | re.IGNORECASE,
)
"""A user or password before a host, a query, and a key where only the name of its variable belongs."""


def refuse_secrets(text: str) -> None:
    """A spec is shown and kept with the outputs, so it must not hold a key. To be asked before either happens."""
    name = COLON.split(text.strip(), maxsplit=1)[0]
    if SECRETS.search(text) and not (SYSTEMS.get(name).argument or "").endswith("..."):
        raise AssayError(
            f"system {name}: its spec is kept with the outputs and may hold no secret; leave user, password and ?query "
            "out of base=, put the key into an environment variable, and give the variable's name as key_env="
        )


def system(text: str, *, form: str | None = None, seed: int | None = None) -> System:
    """A system from its name and options, `lead:k=3`, `hf:FOLDER:beams=5`, `cmd:./my.sh`."""
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
    """The bare part behind the name as the option that the system keeps for it."""
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
