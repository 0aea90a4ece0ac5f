"""Fit the extractive reader of `feqa`: python -m tools.fit_cloze_reader EXAMPLES -o cloze_reader.toml

EXAMPLES (JSONL, or a published format: frank:FOLDER) have articles as sources. Questions are synthetic: a sentence of
an article with a name, number or date as a blank, to be filled from the rest of the article, where it occurs, too. A
multinomial logistic regression over the mentions of the kind, each at its best place. `--held-out` evaluates on other
articles, and on the sentences of their references; intervals are of resampled articles.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.metrics.faithfulness.cloze_reader import FEATURES, features, read_source
from assay.metrics.faithfulness.clozes import Cloze, by_overlap, clozes, clozes_of_source
from assay.metrics.faithfulness.qags import word_f1
from assay.records import Example, read_examples
from assay.records.documents import to_toml
from assay.seeds import rng_for
from assay.text.sentences import split_sentences

Floats = NDArray[np.float64]
PER_ARTICLE = 40
EPOCHS, RATE, DECAY = 30, 0.05, 1e-3
RESAMPLES = 2_000


class Question(NamedTuple):
    """A cloze, the features of each mention that could fill it, and the text that is read."""

    article: str
    cloze: Cloze
    matches: dict[str, list[list[float]]]
    source: str


def of_articles(examples: Sequence[Example]) -> Iterator[Question]:
    """Yield clozes of the sentences of each article, about the rest of it."""
    for text in dict.fromkeys(example.source or "" for example in examples):
        source, sentences = read_source(text), split_sentences(text, "multilingual", "en")
        made = list(clozes_of_source(text))
        rng_for(0, text[:200]).shuffle(made)
        kept = 0
        for cloze in made:
            if kept == PER_ARTICLE:
                break
            matches = features(cloze, source.without(cloze.sentence))
            if _is_answerable(cloze, matches):
                rest = " ".join(each for number, each in enumerate(sentences) if number != cloze.sentence)
                yield Question(text, cloze, matches, rest)
                kept += 1


def of_references(examples: Sequence[Example]) -> Iterator[Question]:
    """Yield clozes of the references, about their articles."""
    for text, example in {example.source or "": example for example in examples}.items():
        for cloze in (cloze for reference in example.references for cloze in clozes(reference)):
            matches = features(cloze, read_source(text))
            if _is_answerable(cloze, matches):
                yield Question(text, cloze, matches, text)


def fit(questions: Sequence[Question]) -> dict[str, float]:
    """Return the weight of each feature."""
    rows = np.array([row for one in questions for places in one.matches.values() for row in places])
    spread = rows.std(axis=0) + 1e-9
    weights = np.zeros(len(FEATURES))
    draw = np.random.default_rng(0)
    for epoch in range(EPOCHS):
        for place in draw.permutation(len(questions)):
            one = questions[place]
            scaled = [np.array(places) / spread for places in one.matches.values()]
            best = np.array([each[np.argmax(each @ weights)] for each in scaled])
            right = np.array([mention.lower() == one.cloze.answer.lower() for mention in one.matches], dtype=float)
            scores = best @ weights
            shares = np.exp(scores - scores.max())
            step = (right / right.sum() - shares / shares.sum()) @ best - DECAY * weights
            weights += RATE / (1 + epoch / 5) * step
    return {name: round(float(value), 4) for name, value in zip(FEATURES, weights / spread, strict=True)}


def report(name: str, questions: Sequence[Question], weights: dict[str, float]) -> None:
    """Print the word F1 of the reader and of simpler ways, with 95 % intervals from resampled articles."""
    vector = np.array([weights[each] for each in FEATURES])
    filled: dict[str, list[float]] = {"reader": [], "overlap": [], "most frequent": [], "random": []}
    for one in questions:
        answer, names = one.cloze.answer, list(one.matches)
        scores = [float(np.max(np.array(one.matches[mention]) @ vector)) for mention in names]
        filled["reader"].append(word_f1(answer, names[int(np.argmax(scores))]))
        filled["overlap"].append(word_f1(answer, by_overlap(one.cloze, one.source)))
        filled["most frequent"].append(word_f1(answer, max(names, key=lambda mention: len(one.matches[mention]))))
        filled["random"].append(float(np.mean([word_f1(answer, mention) for mention in names])))
    articles, places = np.unique([one.article for one in questions], return_inverse=True)
    print(f"{name}: {len(questions)} questions of {len(articles)} articles")
    columns = {way: np.array(values) for way, values in filled.items()}
    columns["reader - overlap"] = columns["reader"] - columns["overlap"]
    for way, values in columns.items():
        low, high = _interval(values, places, len(articles))
        print(f"  {way:<18} {values.mean():.3f} [{low:.3f}, {high:.3f}]")


def _interval(values: Floats, places: NDArray[np.int64], articles: int) -> tuple[float, float]:
    sums, counts = np.bincount(places, values, articles), np.bincount(places, minlength=articles)
    drawn = np.random.default_rng(0).integers(0, articles, (RESAMPLES, articles))
    low, high = np.percentile(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1), [2.5, 97.5])
    return float(low), float(high)


def _is_answerable(cloze: Cloze, matches: dict[str, list[list[float]]]) -> bool:
    """Return whether the answer is one of several mentions."""
    return len(matches) > 1 and any(mention.lower() == cloze.answer.lower() for mention in matches)


def _letters(example: Example) -> str:
    """Return the beginning of an article without spaces and punctuation, which differ between releases."""
    return "".join(filter(str.isalnum, (example.source or "")[:400])).lower()[:150]


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit the extractive reader of feqa.")
    parser.add_argument("examples")
    parser.add_argument("--split", help="split of the examples to fit on (default: all)")
    parser.add_argument("--held-out", action="append", default=[], metavar="EXAMPLES", help="articles to evaluate on")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    examples = read_examples(options.examples).examples
    fitted = [example for example in examples if options.split in (None, example.split)]
    questions = list(of_articles(fitted))
    weights = fit(questions)
    seen = {_letters(example) for example in fitted}
    about = {"questions": len(questions), "articles": len({one.article for one in questions})}
    options.output.write_text(to_toml({"about": about, "weights": weights}))
    report("fitted on", questions, weights)
    for file in options.held_out:
        others = [example for example in read_examples(file).examples if _letters(example) not in seen]
        report(f"{file}, synthetic", list(of_articles(others)), weights)
        if asked := list(of_references(others)):
            report(f"{file}, references", asked, weights)


if __name__ == "__main__":
    main()
