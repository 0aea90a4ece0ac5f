"""The records of a config: datasets, systems and settings, as `assay run` reads them and results folders keep them."""

from __future__ import annotations

from typing import Literal

import msgspec


class Dataset(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    name: str
    examples: str
    """Path of the examples, relative to the config."""
    about: str = ""
    judgements: str | None = None
    suite: str | None = None
    metrics: list[str] | None = None
    language: str | None = None
    by: list[str] = []
    """Properties whose values the report shows side by side."""
    task: str = "generate"
    """What systems are asked: a text, a list of texts (their beams), scores for candidates (rank), or which of two
    continuations is likelier (choose)."""
    train: str | None = None
    """Examples for systems that look at some, and to train models on."""
    valid: str | None = None
    classes: str | None = None
    """For choose: a file of equivalence classes; the examples are then marked targets to make instances of."""
    text: Literal["as it is", "without markers", "markers as words"] = "as it is"
    """How marked texts are scored."""
    limit: int | None = None
    """Only the first so many examples."""
    challenges: list[str] = []
    """Ways to alter its inputs, `typos:bfp05`: each makes a dataset of its own beside it, called NAME-typos-bfp05."""
    challenge_size: int = 500
    """Items of each challenge set at the most."""
    challenge: str | None = None
    """Of a challenge set, what was done to the examples; set by `challenges`, not by hand."""


class System(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    name: str
    outputs: str | None = None
    """Path of the outputs; `{dataset}`, `{seed}` and `{prompt}` stand for the names of what a run is of."""
    system: str | None = None
    """Instead of outputs: the system that makes them, `lead:k=3`; `{model}` stands for the model trained for it."""
    form: str | None = msgspec.field(default=None, name="as")
    """How inputs are written for it."""
    train: str | None = None
    """How to train its model on the dataset's training examples: `seq2seq:tiny:epochs=5`."""
    filter: str | None = None
    """Which sentences of a source it gets to see, in training too: `lead:budget=512`, `oracle:budget=512`, the folder
    of a filter or a file of scores, relative to the config; `{filter}:budget=512` is what filter_train trains."""
    filter_train: str | None = None
    """How to train a filter on the dataset's training examples: `filter:tiny:epochs=5`."""
    seeds: list[int] = []
    """One run for each; their mean and deviation are reported."""
    prompts: list[str] = []
    """One run for each, as for seeds: names of prompts, or TOML files relative to the config."""
    matrix: dict[str, list[str | int | float | bool]] = {}
    """Values for what stands in braces, `{checkpoint}`: one entry for each setting of all of them."""
    sweep: str | None = None
    """The entry whose matrix it is a setting of, and which one; set by `matrix`, not by hand."""
    setting: dict[str, str] = {}
    group: str | None = None
    """The entry it is one of several runs of: entries with the same group have a row for their mean."""
    tasks: list[str] | None = None
    """The tasks it is asked; all if not said."""
    about: str = ""


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    name: str
    datasets: list[Dataset]
    systems: list[System]
    results: str | None = None
    """Where to write; `results/NAME` below the current folder if not said."""
    ci: int = 1000
    seed: int = 0
    allow_missing: bool = False
