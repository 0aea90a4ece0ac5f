"""Outputs that a benchmark makes itself: models trained, systems asked, everything resumable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from assay.errors import AssayError
from assay.inputs.spans import remove_markers
from assay.models.folders import has_finished
from assay.records.files import digest_of
from assay.records.places import placed
from assay.records.read import read_examples
from assay.records.types import Data, Example, Output
from assay.runs.config import Dataset, System
from assay.runs.training import read_recipe, train_model
from assay.systems import system as make_system
from assay.systems.answering import answer
from assay.systems.base import System as AnsweringSystem
from assay.systems.tasks import TASKS, Generate

Say = Callable[[str], None]


def shown(text: str, how: str) -> str:
    """A marked text as it is scored: sentences become lines, markers go or count as one word each."""
    if how == "as it is":
        return text
    lines = text.split("<sent>")
    if how == "without markers":
        return "\n".join(remove_markers(line) for line in lines)
    return "\n".join(" ".join(line.replace("_", "").split()) for line in lines)


def read_dataset(dataset: Dataset, base: Path) -> list[Example]:
    """The items of a dataset: its examples, or the instances made from them."""
    examples = read_examples(base / dataset.examples).examples[: dataset.limit]
    if dataset.classes:
        from assay.challenges.equivalence import instances
        from assay.datasets.equivalence_classes import read_classes

        classes = read_classes(base / dataset.classes)
        made = [instance for one in instances(classes, examples) for instance in one.instances]
        if not made:
            raise AssayError(f"{base / dataset.examples}: none of its spans belongs to a class of {dataset.classes}")
        return made
    if dataset.text == "as it is":
        return examples
    return [
        msgspec.structs.replace(one, references=tuple(shown(text, dataset.text) for text in one.references))
        for one in examples
    ]


def check_system(entry: System) -> None:
    """Refuse an entry whose system, form or recipe does not exist, before any other has run."""
    if entry.system is not None:
        make_system(entry.system, form=entry.form)
    if entry.train:
        read_recipe(entry.train)


def answers(
    entry: System, dataset: Dataset, base: Path, out: Path, examples: list[Example], *, force: bool, say: Say
) -> Path:
    """Where the outputs of a system on a dataset are; made if the config names the system that makes them."""
    if entry.system is None:
        return base / (entry.outputs or "").replace("{dataset}", dataset.name)
    train = read_examples(base / dataset.train).examples if dataset.train else []
    spec = entry.system
    if entry.train:
        spec = spec.replace("{model}", str(_model(entry, dataset, base, out, train, say)))
    system = make_system(spec, form=entry.form, seed=entry.seeds[0] if entry.seeds else None)
    if not entry.train:
        valid = read_examples(base / dataset.valid).examples if dataset.valid else []
        prepare(system, train, "give the dataset a train file", valid)
    path = out / dataset.name / entry.name / "answers.jsonl"
    with placed(base / dataset.examples, examples):
        done = answer(TASKS.get(dataset.task)(), system, examples, path, name=entry.name, force=force)
    for warning in done.usage.get("warnings", ()):
        say(f"{dataset.name:<12} {entry.name:<12} ! {warning}")
    return path


def generate_outputs(
    examples: Data, spec: str, output: str | PathLike[str] | None, *, form: str | None, train: Data | None, name: str,
    seed: int, limit: int | None, force: bool,
) -> list[Output]:  # fmt: skip
    """A text for every example, kept in a file where one is named."""
    task, system = Generate(), make_system(spec, form=form, seed=seed)
    task.refuse(system)
    prepare(system, [] if train is None else read_examples(train).examples, "give them as train")
    asked = read_examples(examples).examples[:limit]
    with TemporaryDirectory() as folder:
        path = Path(output) if output is not None else Path(folder) / "outputs.jsonl"
        done = answer(task, system, asked, path, name=name, force=force)
    return [Output(id=row["id"], output=row["output"], system=row["system"]) for row in done.rows]


def prepare(system: AnsweringSystem, train: Sequence[Example], remedy: str, valid: Sequence[Example] = ()) -> None:
    """Let a system look at training and validation examples; refuse one that needs some where there are none."""
    if system.trained and not train:
        raise AssayError(f"system {system.name} looks at training examples first; {remedy}")
    if train:
        system.prepare(train, valid)


def _model(entry: System, dataset: Dataset, base: Path, out: Path, train: list[Example], say: Say) -> Path:
    """The folder of the trained model; its name holds what it was trained on and how, so it is trained once."""
    if not dataset.train or not dataset.valid:
        raise AssayError(f"dataset {dataset.name}: to train {entry.name} it needs train and valid examples")
    valid = read_examples(base / dataset.valid).examples
    kind, recipe = read_recipe(entry.train or "")
    content = digest_of(kind, recipe.to_dict(), entry.form, train, valid)
    folder = out / "models" / f"{entry.name}-{content}"
    if not has_finished(folder):
        say(f"{dataset.name:<12} {entry.name:<12} training {entry.train}")
        train_model(kind, recipe, train, valid, folder, entry.form, lambda line: say(f"  {line}"))
    return folder
