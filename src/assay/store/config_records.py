"""Records of a config: datasets, systems and settings, read by `assay run` and kept in results folders."""

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
    """Fields whose values the report shows side by side."""
    cluster: str | None = None
    """Field whose clusters of items are resampled, `none` for independent items (default: `parent` or a document tag,
    if several items share its value)."""
    task: str = "generate"
    """Task: generate a text, an n-best list, scores for candidates (rank), or a choice between two continuations
    (choose)."""
    train: str | None = None
    """Training examples, for systems that need them and for models to train."""
    valid: str | None = None
    classes: str | None = None
    """For choose: a file of equivalence classes; the examples are then marked targets to make instances from."""
    text: Literal["as it is", "without markers", "markers as words"] = "as it is"
    """How marked texts are scored."""
    schema: str | None = None
    """File of the categories and markers of marked texts (default: that of the examples' tag `schema`, or FOMC's)."""
    limit: int | None = None
    """Number of examples to use, from the first."""
    challenges: list[str] = []
    """Perturbations, e.g. `typos:bfp05`: each gives a further dataset, called NAME-typos-bfp05."""
    challenge_size: int = 500
    """Maximum number of items per challenge set."""
    challenge: str | None = None
    """Perturbation of a challenge set; set by `challenges`, not by hand."""


class System(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    name: str
    outputs: str | None = None
    """Path of the outputs; `{dataset}`, `{seed}` and `{prompt}` are replaced by those of the run."""
    system: str | None = None
    """Instead of outputs: the system that generates them, `lead:k=3`; `{model}` is replaced by the trained model."""
    form: str | None = msgspec.field(default=None, name="as")
    """Form that writes its inputs as text."""
    train: str | None = None
    """Recipe to train its model on the dataset's training examples: `seq2seq:tiny:epochs=5`."""
    filter: str | None = None
    """Source sentences that it reads, in training too: `lead:budget=512`, `oracle:budget=512`, the folder of a filter
    or a file of scores, relative to the config; `{filter}:budget=512` is the filter that filter_train trains."""
    filter_train: str | None = None
    """Recipe to train a filter on the dataset's training examples: `filter:tiny:epochs=5`."""
    seeds: list[int] = []
    """One run per seed; mean and standard deviation are reported."""
    prompts: list[str] = []
    """One run per prompt: names of prompts, or TOML files relative to the config."""
    matrix: dict[str, list[str | int | float | bool]] = {}
    """Values of placeholders, e.g. `{checkpoint}`: one entry per combination."""
    sweep: str | None = None
    """Entry whose matrix it comes from, and its setting; set by `matrix`, not by hand."""
    setting: dict[str, str] = {}
    group: str | None = None
    """Entry that it is one of several runs of: entries with the same group have a row for their mean."""
    tasks: list[str] | None = None
    """Tasks that it runs on (default: all)."""
    about: str = ""


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    name: str
    datasets: list[Dataset]
    systems: list[System]
    results: str | None = None
    """Results folder (default: `results/NAME` in the current folder)."""
    ci: int = 1000
    seed: int = 0
    allow_missing: bool = False
