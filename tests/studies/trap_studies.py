"""Synthetic studies with traps, what reaches an annotator of them, and a classifier of it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from assay.records import Example, Output
from assay.studies.design import Design, People, Quality, Question, Sample
from assay.studies.events import Check, MemoryStore
from assay.studies.presets import preset
from assay.studies.sheets import assign_all, sheet_records
from assay.studies.study import Study
from assay.studies.tasks import plan_tasks
from assay.studies.traps import with_checks
from assay.text.sentences import split_sentences

NOUNS = "harbour council mayor pier ship bridge market school river tower garden station library theatre".split()
VERBS = "sold opened closed repaired visited praised measured painted guarded rented".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday".split()
ARTICLES = 400


def sentence(draw: random.Random) -> str:
    subject, thing, other = draw.sample(NOUNS, 3)
    return f"The {subject} {draw.choice(VERBS)} the {thing} near the {other} on {draw.choice(DAYS)}."


def articles(count: int) -> list[list[str]]:
    draw = random.Random(7)
    return [[sentence(draw) for _ in range(9)] for _ in range(count)]


def outputs(news: Sequence[Sequence[str]], systems: int) -> list[Output]:
    """Each system copies one to four sentences of the article and changes a word of some, like a neural extractor."""
    draw = random.Random(11)
    made = []
    for number, article in enumerate(news):
        for system in range(systems):
            chosen = sorted(draw.sample(range(9), draw.randint(1, 4)))
            text = " ".join(draw.choice((article[each], changed(article[each], draw))) for each in chosen)
            made.append(Output(id=f"n{number}", output=text, system=f"s{system}"))
    return made


def changed(text: str, draw: random.Random) -> str:
    return re.sub(r"(?<=^The )\w+", draw.choice(NOUNS), text)


def in_own_words(article: Sequence[str], draw: random.Random) -> str:
    """One to four facts of the article in other words: half of them share no five words in a row with it."""
    chosen = sorted(draw.sample(range(len(article)), draw.randint(1, 4)))
    facts = [article[each].rstrip(".").split() for each in chosen]
    return " ".join(
        f"{fact[-1]} saw the {fact[1]} and the {fact[4]}." if draw.random() < 0.5
        else f"Reports say that the {' '.join(fact[1:7])} {draw.choice(NOUNS)} some time ago, as expected."
        for fact in facts
    )  # fmt: skip


def abstractive(news: Sequence[Sequence[str]], systems: int) -> list[Output]:
    draw = random.Random(17)
    return [
        Output(id=f"n{number}", output=in_own_words(article, draw), system=f"s{system}")
        for number, article in enumerate(news)
        for system in range(systems)
    ]


def traps(news: Sequence[Sequence[str]]) -> dict[str, list[Check]]:
    draw = random.Random(13)
    made = {}
    for number, article in enumerate(news):
        wrong = [changed(each, draw) for each in draw.sample(article, 6)]
        made[f"n{number}"] = [Check("trap", each, "EntE") for each in wrong]
    return made


def traps_of_references(news: Sequence[Sequence[str]]) -> dict[str, list[Check]]:
    """Traps as `assay metric traps make --references` writes them, from references like the outputs."""
    draw = random.Random(19)
    made = {}
    for number, article in enumerate(news):
        sentences = split_sentences(in_own_words(article, draw))
        place = draw.randrange(len(sentences))
        wrong = re.sub(r"(?<=the )\w+", draw.choice(NOUNS), sentences[place], count=1)
        context = (*sentences[:place], wrong, *sentences[place + 1 :])
        made[f"n{number}"] = [Check("trap", wrong, "EntE", sentences=context, sentence=place)]
    return made


STUDIES = {
    "extractive": (outputs, traps),
    "abstractive": (abstractive, traps_of_references),
    "abstractive, traps of sources": (abstractive, traps),
}


def assigned(design: Design, systems: int = 4, count: int = ARTICLES, texts: str = "extractive") -> Study:
    news = articles(count)
    examples = [Example(id=f"n{i}", source=" ".join(own)) for i, own in enumerate(news)]
    write, trap = STUDIES[texts]
    plan = plan_tasks(design, write(news, systems), examples)
    study = Study(design, MemoryStore())
    study.open(0.0, "salt")
    study.add_tasks(with_checks(design, plan.tasks, trap(news)), 0.0)
    return study


def designs() -> dict[str, Design]:
    frank = preset("frank")
    quality = Quality(traps_per_task=1)
    people = People(per_item=1)
    named = Question(criterion="names", kind="choice", text="Do {entities} fit?", labels={"yes": "yes", "no": "no"})
    return {
        "by sentence": msgspec.structs.replace(frank, sample=Sample(groups=5), quality=quality, people=people),
        "by text": Design(name="t", questions=[named], sample=Sample(groups=5), quality=quality, people=people),
    }


def pages_of(study: Study) -> Iterator[tuple[bool, list[float], list[dict[str, Any]], dict[str, Any]]]:
    """Yield for each shown text whether it is a trap, its place, the values of its pages, its part of the sheet."""
    from assay.studies.server.rendering import screen_values
    from assay.studies.server.screens import screens_of

    for assignment in assign_all(study, ["ann"], 0.0)["ann"]:
        task, layout = study.tasks[assignment.task], study.layout(assignment)
        screens = screens_of(study, assignment)
        (sheet,) = sheet_records(study, [assignment])
        for place, number in enumerate(layout):
            own = [screen for screen in screens if screen.text == number]
            pages = [screen_values(study.design, task, screen, layout, {}, {}) for screen in own]
            at: dict[str, Any] = {
                name: sheet[name][place] for name in ("texts", "sources", "sentences") if name in sheet
            }
            where = [place / len(layout), screens.index(own[0]) / len(screens), float(len(own))]
            yield number >= len(task.texts), where, pages, at


def area(rows: np.ndarray, labels: np.ndarray) -> float:
    """Area under the ROC curve of a logistic regression with squares, by five-fold cross-validation."""
    fitted = np.zeros(len(labels))
    scaled = (rows - rows.mean(0)) / np.where(rows.std(0) > 0, rows.std(0), 1)
    features = np.hstack([scaled, scaled**2, np.ones((len(rows), 1))])
    # At random: every fifth text would be all texts of one place in their tasks.
    folds = np.random.default_rng(0).permutation(len(labels)) % 5
    for fold in range(5):
        train = folds != fold
        x, y = features[train], labels[train].astype(float)
        balance = np.where(y == 1, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
        weights = np.zeros(features.shape[1])
        for _ in range(400):
            guess = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
            weights -= 0.3 * (x.T @ (balance * (guess - y)) / len(y) + 1e-3 * weights)
        fitted[~train] = features[~train] @ weights
    ranks = np.argsort(np.argsort(fitted)) + 1
    positive = int(labels.sum())
    return float((ranks[labels].sum() - positive * (positive + 1) / 2) / (positive * (len(labels) - positive)))
