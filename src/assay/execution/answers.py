"""Generate the outputs of a config: train models and run systems, resumably."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.execution.executors import SERIAL, Executor, away
from assay.execution.filtering import Filter, Shortening
from assay.execution.system_request import prepare
from assay.execution.training.kinds import read_recipe, train_model, with_schema
from assay.inputs.marked import MarkedTexts
from assay.inputs.schema import FOMC, Schema, schema, schema_for, schema_name
from assay.inputs.schema_files import content_word
from assay.models.checkpoints import has_finished
from assay.records.error_locations import with_location
from assay.records.files import digest_of
from assay.records.read import read_examples
from assay.records.remote import named_at, placed_at
from assay.records.types import Example
from assay.store.config_records import Dataset, System
from assay.systems import system as make_system
from assay.systems.answering import answer, journal_of
from assay.systems.base import System as AnsweringSystem
from assay.systems.neural.recipe import Recipe
from assay.systems.tasks import TASKS

Say = Callable[[str], None]


def read_dataset(dataset: Dataset, base: Path, seed: int = 0, say: Say = lambda line: None) -> list[Example]:
    """Return the items of a dataset: its examples, instances made from them, or a challenge set."""
    examples = read_examples(placed_at(base, dataset.examples)).examples[: dataset.limit]
    if dataset.challenge:
        examples = _challenge(dataset, base, examples, seed, say)
    if dataset.classes:
        from assay.challenges.equivalence import instances
        from assay.datasets.equivalence_classes import read_classes

        classes = read_classes(placed_at(base, dataset.classes))
        known = marker_schema(dataset, base, examples)
        sets = instances(classes, examples, schema=known if known is not FOMC else None)
        made = [instance for one in sets for instance in one.instances]
        if not made:
            where = named_at(base, dataset.examples)
            raise AssayError(f"{where}: none of its spans is in a class of {dataset.classes}")
        return made
    if dataset.text == "as it is":
        return examples
    marked = marked_texts(dataset, base, examples)
    return [msgspec.structs.replace(one, references=tuple(map(marked.reference, one.references))) for one in examples]


def marked_texts(dataset: Dataset, base: Path, examples: Sequence[Example]) -> MarkedTexts:
    """Return how the marked outputs of a dataset are scored; its references are read so already."""
    named = dataset.schema is not None or any("schema" in example.tags for example in examples)
    return MarkedTexts(dataset.text, marker_schema(dataset, base, examples), named, references=False)


def marker_schema(dataset: Dataset, base: Path, examples: Sequence[Example]) -> Schema:
    """Return the marker schema of a dataset: the one it names, or that of its examples."""
    return schema_for(examples, named_schema(dataset, base), Path(placed_at(base, dataset.examples)).parent)


def named_schema(dataset: Dataset, base: Path) -> str:
    """Return the marker schema that a dataset names, a file below `base` or one that ships; empty for none."""
    file = "" if dataset.schema is None else str(placed_at(base, dataset.schema))
    return file if file and Path(file).is_file() else dataset.schema or ""


def read_dataset_recipe(text: str, dataset: Dataset, base: Path, train: list[Example]) -> tuple[str, Recipe]:
    """Return kind and recipe of a model, with the schema of the training examples of its dataset."""
    kind, recipe = read_recipe(text)
    folder = Path(placed_at(base, dataset.train or "")).parent
    return kind, with_schema(kind, recipe, train, folder, named_schema(dataset, base))


def _challenge(dataset: Dataset, base: Path, examples: list[Example], seed: int, say: Say) -> list[Example]:
    from assay.challenges import perturbation
    from assay.challenges.perturbation import challenge_set

    chosen = perturbation(dataset.challenge or "")
    with with_location(placed_at(base, dataset.examples), examples):
        made = challenge_set(chosen, examples, size=dataset.challenge_size, seed=seed)
    if not made.examples:
        where = named_at(base, dataset.examples)
        raise AssayError(f"{where}: {chosen.name} changes {chosen.changes}, and no item has anything to change")
    counts = [f"{len(made.examples)} changed", f"{len(made.unchanged)} could not be changed"]
    if made.rejected:
        counts.append(f"{len(made.rejected)} rejected ({made.accepted:.1%} accepted)")
    say(f"{dataset.name:<12} {'':<12} {', '.join(counts)}")
    return made.examples


def check_system(entry: System) -> None:
    """Refuse an entry whose system, form or recipe does not exist, before any other runs."""
    if entry.system is not None:
        make_system(entry.system, form=entry.form)
    for recipe in (entry.train, entry.filter_train):
        if recipe:
            read_recipe(recipe)
    if entry.filter:
        Filter.of(entry.filter.replace("{filter}", "lead"))


def answers(
    entry: System, dataset: Dataset, base: Path, out: Path, examples: list[Example], *, force: bool, say: Say,
    executor: Executor = SERIAL,
) -> Path:  # fmt: skip
    """Return the outputs file of a system on a dataset; generate it if the config names the system."""
    if entry.system is None:
        return outputs_of(entry, dataset, base)
    system, examples = _ready(entry, dataset, base, out, examples, say)
    path = answers_file(entry, dataset, out)
    with with_location(placed_at(base, dataset.examples), examples):
        done = answer(
            TASKS.get(dataset.task)(), system, examples, path, name=entry.name, force=force, executor=away(executor)
        )
    for warning in done.usage.get("warnings", ()):
        say(f"{dataset.name:<12} {entry.name:<12} ! {warning}")
    return path


def answers_file(entry: System, dataset: Dataset, out: Path) -> Path:
    return out / dataset.name / entry.name / "answers.jsonl"


def count_answers(entry: System, dataset: Dataset, base: Path, out: Path, examples: list[Example], force: bool) -> int:
    """Return the number of stored answers; those of another system, seed or examples are refused. Nothing is trained:
    raises `UntrainedError` if a model is missing."""
    system, examples = _ready(entry, dataset, base, out, examples, None)
    with with_location(placed_at(base, dataset.examples), examples):
        task = TASKS.get(dataset.task)()
        path = answers_file(entry, dataset, out)
        return journal_of(task, system, examples, path, name=entry.name, force=force).count()


class UntrainedError(AssayError):
    """A model must be trained first: its folder and recipe."""

    def __init__(self, folder: Path, recipe: str) -> None:
        super().__init__(f"{folder}: not trained yet")
        self.folder, self.recipe = folder, recipe


def _ready(
    entry: System, dataset: Dataset, base: Path, out: Path, examples: list[Example], say: Say | None
) -> tuple[AnsweringSystem, list[Example]]:
    """Return the system and its task; a missing model is trained if `say` is given."""
    train = read_examples(placed_at(base, dataset.train)).examples if dataset.train else []
    valid = read_examples(placed_at(base, dataset.valid)).examples if dataset.valid else []
    spec = entry.system or ""
    if entry.filter:
        shorten = _filter(entry, dataset, base, out, train, valid, say)
        train, valid = list(shorten.each(train)), list(shorten.each(valid))
        examples = _shortened(examples, dataset, base, shorten)
    if entry.train:
        _need_examples(dataset, entry)
        model = _model(entry.train, entry.sweep or entry.name, dataset, base, out, train, valid, entry.form, say)
        spec = spec.replace("{model}", str(model))
    system = make_system(spec, form=entry.form, seed=entry.seeds[0] if entry.seeds else None)
    if not entry.train:
        prepare(system, train, "add a train file to the dataset", valid)
    return system, examples


def outputs_of(entry: System, dataset: Dataset, base: Path) -> Path:
    """Return the path of a system's outputs in a config."""
    return placed_at(base, (entry.outputs or "").replace("{dataset}", dataset.name))


def _need_examples(dataset: Dataset, entry: System) -> None:
    if not dataset.train or not dataset.valid:
        raise AssayError(f"dataset {dataset.name}: training {entry.name} requires train and valid examples")


def model_folder(
    out: Path, name: str, kind: str, recipe: Recipe, form: str | None, train: list[Example], valid: list[Example]
) -> Path:
    described = recipe.to_dict()
    if recipe.schema:  # by its content, wherever the file is
        described |= {"schema": content_word(schema(recipe.schema), "markers")}
    return out / "models" / f"{name}-{digest_of(kind, described, form, train, valid)}"


def _model(
    recipe_text: str, name: str, dataset: Dataset, base: Path, out: Path, train: list[Example], valid: list[Example],
    form: str | None, say: Say | None,
) -> Path:  # fmt: skip
    """Return the folder of the trained model; its name contains a digest of data and recipe, so it is trained once."""
    kind, recipe = read_dataset_recipe(recipe_text, dataset, base, train)
    folder = model_folder(out, name, kind, recipe, form, train, valid)
    if not has_finished(folder):
        if say is None:
            raise UntrainedError(folder, recipe_text)
        say(f"{dataset.name:<12} {name:<12} training {recipe_text}")
        train_model(kind, recipe, train, valid, folder, form, lambda line: say(f"  {line}"))
    return folder


def _filter(
    entry: System, dataset: Dataset, base: Path, out: Path, train: list[Example], valid: list[Example], say: Say | None
) -> Shortening:
    """Return the filter of an entry; a trained filter is shared by all entries with the same recipe."""
    items_asked = entry.filter or ""
    if not entry.filter_train:
        chosen = Filter.of(items_asked, base)
        if chosen.strategy == "oracle" and not chosen.schema:
            folder = Path(placed_at(base, dataset.train or dataset.examples)).parent
            some = train if dataset.train else read_examples(placed_at(base, dataset.examples)).examples
            chosen = replace(chosen, schema=schema_name(some, named_schema(dataset, base), folder))
        return chosen.shortening()
    _need_examples(dataset, entry)
    trained = _model(entry.filter_train, "filter", dataset, base, out, train, valid, None, say)
    options = items_asked.removeprefix("{filter}")
    return Filter.of(f"lead{options}").with_strategy(str(trained)).shortening()


def _shortened(examples: list[Example], dataset: Dataset, base: Path, shorten: Shortening) -> list[Example]:
    """Shorten the sources of items. Instances made from targets have no references: they get their document's
    source."""
    if not dataset.classes:
        return list(shorten.each(examples))
    documents = read_examples(placed_at(base, dataset.examples)).examples[: dataset.limit]
    sources = {one.id: one.source for one in shorten.each(documents)}
    return [msgspec.structs.replace(one, source=sources[one.parent or ""]) for one in examples]
