"""METEOR 1.5: alignment of words by form, stem, synonym and paraphrase; F-mean with a fragmentation penalty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats
from assay.metrics.lexical.meteor_alignment import Stages, aligned
from assay.metrics.lexical.meteor_data import (
    NAMES,
    SYNONYMS,
    MeteorData,
    Synonyms,
    find_wordnet,
    wordnet_synonyms,
)
from assay.metrics.lexical.meteor_nltk import nltk_rows
from assay.metrics.lexical.meteor_paraphrases import paraphrases
from assay.models.code_digest import large_digest
from assay.records.files import digest_of
from assay.records.items import Items
from assay.text.english import primary
from assay.text.meteor_words import NORMALIZED, meteor_words, split

STAGES = ("exact", "stem", "synonym", "paraphrase")
BY_LANGUAGE = {
    "en": ((0.85, 0.20, 0.60, 0.75), {"exact": 1.0, "stem": 0.6, "synonym": 0.8, "paraphrase": 0.6}),
    "cs": ((0.95, 0.20, 0.60, 0.80), {"exact": 1.0, "paraphrase": 0.4}),
    "fr": ((0.90, 1.40, 0.60, 0.65), {"exact": 1.0, "stem": 0.2, "paraphrase": 0.4}),
    "es": ((0.65, 1.30, 0.50, 0.80), {"exact": 1.0, "stem": 0.8, "paraphrase": 0.6}),
    "de": ((0.95, 1.00, 0.55, 0.55), {"exact": 1.0, "stem": 0.8, "paraphrase": 0.2}),
    "ru": ((0.75, 1.40, 0.70, 0.50), {"exact": 1.0, "stem": 0.5, "paraphrase": 0.5}),
}
"""Alpha, beta, gamma, delta, and the weight of each stage, tuned to human rankings of translations."""
OTHERS = ((0.75, 1.40, 0.70, 0.50), {"exact": 1.0, "stem": 0.5})
ENGLISH_TASKS = {
    "adq": ((0.75, 1.40, 0.45, 0.70), (1.0, 1.0, 0.6, 0.8)),
    "hter": ((0.40, 1.50, 0.35, 0.55), (1.0, 0.2, 0.6, 0.8)),
    "util": ((0.65, 0.10, 0.55, 0.65), (1.0, 0.0, 0.0, 0.8)),
    "li": ((0.75, 1.40, 0.70, 0.50), (1.0, 0.5, 0.5, 0.5)),
}
LENGTHS = ("output", "output_function", "reference", "reference_function", "chunks")
MATCHES = tuple(f"{side}_{kind}_{stage}" for side in ("output", "reference") for kind in ("content", "function")
                for stage in STAGES)  # fmt: skip
NLTK = ("meteor", "precision", "recall", "penalty", "count")
Reached = Literal["auto", "exact", "stem", "synonym", "paraphrase"]


@dataclass(frozen=True)
class Meteor(SumMetric):
    """METEOR 1.5. The corpus score is computed from summed matches, lengths and chunks; it is not a mean over items.
    The best reference of each item counts."""

    language: str = "en"
    """Language of the items, which sets parameters and stages; one of those of METEOR 1.5."""
    data: str | None = None
    """Path of the METEOR 1.5 jar or folder; without it, only what is installed is used. The signature identifies the
    contents: `function` words, abbreviations (`prefixes`), `synonyms`, `paraphrases`."""
    stages: Reached = "auto"
    """Last matching stage; `auto` uses all stages whose resources are available."""
    task: Literal["rank", "adq", "hter", "util", "li"] = "rank"
    """Human judgements that the parameters were tuned to; English only, except `rank`."""
    norm: Literal["auto", "norm", "nopunct", "lower", "none"] = "auto"
    """Tokenization: like -norm (`auto`, if the language supports it), -noPunct, -lower, or white space only."""
    function_words: Literal["own", "english"] = "own"
    """List of function words: that of the language, or English for all languages, as in the METEOR 1.5 program."""
    variant: Literal["1.5", "nltk"] = "1.5"
    """`nltk`: METEOR as in NLTK, a mean over items with greedy alignment by form, stem and synonym."""

    name: ClassVar = "meteor"
    category: ClassVar = "lexical"
    summary: ClassVar = "words aligned by form, stem, synonym and paraphrase, with a fragmentation penalty"
    citation: ClassVar = "Denkowski and Lavie (2014), Meteor Universal; Banerjee and Lavie (2005)"
    presets: ClassVar = {"nltk": {"variant": "nltk"}, "original": {"function_words": "english"}}
    extra: ClassVar = "meteor"

    def __post_init__(self) -> None:
        if self.language not in NAMES:
            raise AssayError(f"meteor:language={self.language}: METEOR 1.5 supports {', '.join(NAMES)}")
        if self.language != "en" and (self.task != "rank" or self.variant == "nltk"):
            raise AssayError("meteor: task and variant are for English only; omit them, or set language=en")
        if self.norm in ("norm", "nopunct") and self.language not in NORMALIZED:
            raise AssayError(f"meteor:norm={self.norm}: not available for {self.language}; use lower or none")

    def parts(self) -> tuple[Part, ...]:
        return (
            Part("meteor", scale=100, digits=1),
            Part("meteor.precision", shown=False, scale=100, digits=1),
            Part("meteor.recall", shown=False, scale=100, digits=1),
            Part("meteor.penalty", "lower", shown=False, scale=100, digits=1),
        )

    def columns(self) -> tuple[str, ...]:
        return NLTK if self.variant == "nltk" else (*LENGTHS, *MATCHES)

    @property
    def parameters(self) -> tuple[tuple[float, ...], dict[str, float]]:
        """Alpha, beta, gamma and delta, and the weight of each stage of the language."""
        if self.task == "rank":
            return BY_LANGUAGE.get(self.language, OTHERS)
        numbers, weights = ENGLISH_TASKS[self.task]
        return numbers, dict(zip(STAGES, weights, strict=True))

    def why_not(self) -> str | None:
        if self.variant == "nltk":
            return None if find_wordnet() else "meteor:nltk needs WordNet: apt install wordnet-base, or set WNSEARCHDIR"
        if "stem" in self._requested() and _stemmer(self.language) is None:
            return "needs PyStemmer for stems: pip install 'assay-eval[meteor]', or use meteor:stages=exact"
        if self.stages in ("synonym", "paraphrase") and self.stages not in self._reached():
            return f"needs {self.stages}s: set meteor:data=PATH to the METEOR 1.5 jar or folder"
        return None

    def unfit(self, items: Items) -> str | None:
        other = sorted({primary(one.language) for one in items.bare if one.language} - {self.language})
        if not other:
            return None
        known, unknown = ([one for one in other if (one in NAMES) == has] for has in (True, False))
        mixed = len({primary(one.language or "") for one in items.bare}) > 1
        way = f"meteor:language={known[0]}" if known else ""
        remedies = (
            [f"score {known[0]} separately with {way} and --subset language={known[0]}" if mixed else f"use {way}"]
            if known
            else []
        )
        if unknown:
            omit = "" if known else "; omit these items"
            remedies.append(f"METEOR 1.5 does not support {', '.join(unknown)}{omit}")
        return f"items are in {', '.join(other)}, but language={self.language}; {'; '.join(remedies)}"

    def notes(self, items: Items) -> list[str]:
        """Return what METEOR 1.5 as published has and this score has not."""
        if self.variant == "nltk" or self.stages != "auto":
            return []
        reached = self._reached()
        missing = [f"{stage}s" for stage in self._requested() if stage not in reached]
        missing += [] if self.data else ["function words"]
        if not missing:
            return []
        return [
            f"meteor: without {', '.join(missing)} of METEOR 1.5 (stages: {', '.join(reached)}); published scores, "
            "such as those of GEM, have them and differ. Set meteor:data=PATH"
        ]

    def _requested(self) -> list[str]:
        """Return the stages that the language and the option `stages` select."""
        own = [stage for stage in STAGES if stage in self.parameters[1]]
        return own if self.stages == "auto" else [s for s in own if STAGES.index(s) <= STAGES.index(self.stages)]

    def _reached(self) -> list[str]:
        """Return the requested stages whose resources are available."""
        data = MeteorData(self.data) if self.data else None
        available = {
            "exact": True,
            "stem": True,
            "synonym": _synonym_source(self.data) is not None,
            "paraphrase": data is not None and data.table(self.language) is not None,
        }
        return [stage for stage in self._requested() if available[stage]]

    def options(self) -> dict[str, Any]:
        """Return the options, with files by content and `auto` by the stages it selected."""
        if self.variant == "nltk":
            return {"variant": "nltk", "synonyms": _synonym_source(None)}
        reached = self._reached()
        data = MeteorData(self.data) if self.data else None
        table = data.table(self.language) if data and "paraphrase" in reached else None
        lists = {
            "function": sorted(self._function(data)),
            "prefixes": [f"{word}{how}" for word, how in data.prefixes(self.language).items()] if data else [],
        }
        return {
            "language": self.language,
            "stages": "+".join(reached),
            "task": self.task,
            "norm": self._norm(),
            **{name: digest_of(entries) if entries else "none" for name, entries in lists.items()},
            "synonyms": _synonym_source(self.data) if "synonym" in reached else "none",
            "paraphrases": large_digest(table) if table else "none",
        }

    def _norm(self) -> str:
        return self.norm if self.norm != "auto" else "norm" if self.language in NORMALIZED else "lower"

    def _function(self, data: MeteorData | None) -> frozenset[str]:
        language = self.language if self.function_words == "own" else "en"
        return data.function_words(language) if data else frozenset()

    def _cut(self) -> Callable[[str], list[str]]:
        how = self._norm()
        if how in ("lower", "none"):
            return lambda text: split(text.lower() if how == "lower" else text)
        prefixes = MeteorData(self.data).prefixes(self.language) if self.data else {}
        return lambda text: meteor_words(text, self.language, prefixes, how == "norm")

    def statistics(self, items: Items) -> Dense:
        if self.variant == "nltk":
            return Dense(NLTK, nltk_rows(items))
        cut, data = self._cut(), MeteorData(self.data) if self.data else None
        outputs = [cut(text) for text in items.outputs]
        references = [[cut(text) for text in texts] for texts in items.references]
        reached = self._reached()
        table = data.table(self.language) if data and "paraphrase" in reached else None
        stages = Stages(
            _stemmer(self.language) if "stem" in reached else None,
            _synonyms(self.data).of if "synonym" in reached else None,
            paraphrases(table) if table else None,
        )
        counted = aligned(outputs, references, stages, self._function(data))
        scores = self.values(counted)["meteor"]
        starts = np.cumsum([0, *map(len, references)])
        best = [start + int(np.argmax(scores[start:end])) for start, end in pairwise(starts.tolist())]
        return Dense(self.columns(), counted[best])

    def values(self, sums: Floats) -> Values:
        if self.variant == "nltk":
            with np.errstate(invalid="ignore", divide="ignore"):
                means = sums[:, :4] / sums[:, 4:]
            return dict(zip((part.name for part in self.parts()), means.T, strict=True))
        (alpha, beta, gamma, delta), weights = self.parameters
        stage = np.array([weights.get(name, 0.0) for name in STAGES])
        output, output_function, reference, reference_function, chunks = sums[:, : len(LENGTHS)].T
        counts = sums[:, len(LENGTHS) :].reshape(len(sums), 2, 2, len(STAGES))
        weighted = counts @ stage @ np.array([delta, 1 - delta])
        matched = counts.sum(axis=(2, 3))
        with np.errstate(invalid="ignore", divide="ignore"):
            precision = weighted[:, 0] / (delta * (output - output_function) + (1 - delta) * output_function)
            recall = weighted[:, 1] / (delta * (reference - reference_function) + (1 - delta) * reference_function)
            mean = 1 / ((1 - alpha) / precision + alpha / recall)
            penalty = gamma * (2 * chunks / matched.sum(axis=1)) ** beta
            score = np.maximum(mean * (1 - penalty), 0.0)
        values = {"meteor": score, "meteor.precision": precision, "meteor.recall": recall, "meteor.penalty": penalty}
        return {name: np.nan_to_num(value, nan=0.0) for name, value in values.items()}


def _synonym_source(path: str | None) -> str | None:
    """Return the source of synonyms, identified by content; None if there is none."""
    data, folder = MeteorData(path) if path else None, find_wordnet()
    if data and data.lines(SYNONYMS[1]) is not None:
        places = sorted({place for name in SYNONYMS if (place := data.place(name))})
        return f"meteor-{'+'.join(str(large_digest(place)) for place in places)}"
    return f"wordnet-{large_digest(folder / 'index.noun')}" if folder else None


@lru_cache(maxsize=2)
def _synonyms(path: str | None) -> Synonyms:
    supplied = MeteorData(path).synonyms() if path else None
    folder = find_wordnet()
    if supplied is not None:
        return supplied
    if folder is None:
        raise AssayError("meteor: no synonyms found; set meteor:data=PATH to the METEOR 1.5 jar or folder")
    return wordnet_synonyms(folder)


@lru_cache(maxsize=4)
def _stemmer(language: str) -> Callable[[str], str] | None:
    try:
        import Stemmer
    except ImportError:
        return None
    known = Stemmer.Stemmer(NAMES[language])

    def stem(word: str) -> str:
        try:
            return str(known.stemWord(word))
        except UnicodeEncodeError:  # a lone surrogate
            return word

    return stem
