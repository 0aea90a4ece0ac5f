"""How well `support` sees opposites and synonyms that nobody listed for it: words of WordNet, planted in news.

python -m benchmarks support_words          # data by --data DIR; WordNet in /usr/share/wordnet or WNSEARCHDIR

The opposites and synonyms of benchmarks/planted.py are mostly in the lexicon of `support`, so what they show is that
the lexicon is applied. Here one word of a sentence is replaced by a direct antonym, or by the first other word of its
most frequent sense, and words that the lexicon has are counted apart from those that it lacks.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

import numpy as np

from assay.metrics.support.claims import Sentence, Token, read_sentence
from assay.metrics.support.evidence import Document
from assay.metrics.support.features import read_claim
from assay.metrics.support.lexicon import SAME_AS, form, opposites
from assay.metrics.support.weights import read_weights
from assay.text.wordnet import lexicon, wordnet_folder
from benchmarks.planted import PAIRS, SAME
from benchmarks.released import released
from benchmarks.support import SEED, auroc
from benchmarks.timing import Result

KINDS = ("adj", "adv", "verb", "noun")
ANTONYM = "!"
SHORTEST = 4
"""Letters of a word that is replaced."""
MOST = 4
"""Sentences of an article in which a word is replaced."""


def run() -> Iterator[Result]:
    listed = sum(bool(opposites(one, frozenset((other,)))) for one, other in PAIRS)
    same = sum(form(other) in {form(one), *SAME_AS.get(form(one), ())} for one, other in SAME.items())
    yield {"name": "support, words of benchmarks/planted.py that its lexicon has",
           "values": {"opposites": f"{listed} of {len(PAIRS)}", "synonyms": f"{same} of {len(SAME)}"}}  # fmt: skip
    folder = wordnet_folder()
    if folder is None:
        yield {"name": "support, words of WordNet", "note": "skipped: WordNet is not installed"}
        return
    tables = {"opposite": direct_antonyms(folder), "synonym": first_synonyms(folder)}
    rows = [json.loads(line) for line in Path(released("frank/texts.jsonl")).read_text().splitlines()]
    articles = sorted({row["article"] for row in rows if row["split"] == "test"})
    values: dict[str, list[float]] = defaultdict(list)
    rng, weights = Random(SEED), read_weights()
    for text in articles:
        document = Document([("source", text)])
        own = [one for _, one in document.sentences if 5 < len(one.tokens) < 45]
        for one in rng.sample(own, min(MOST, len(own))):
            values["unchanged"].append(weights.probability(read_claim(one, document).features))
            for kind, table in tables.items():
                if found := _replaced(one, table, rng):
                    token, new, changed = found
                    words = opposites(token.form, frozenset((form(new),))) if kind == "opposite" else (
                        SAME_AS.get(token.form, frozenset()) & {form(new)})  # fmt: skip
                    claim = read_claim(read_sentence(changed), document)
                    values[f"{kind}, {'in' if words else 'not in'} the lexicon"].append(
                        weights.probability(claim.features)
                    )
    true = np.array(values["unchanged"])
    for name, each in sorted(values.items()):
        found_values = {"called": round(float((np.array(each) < 0.5).mean()), 3)}
        if name.startswith("opposite"):
            found_values["auroc"] = round(auroc(true, np.array(each)), 3)
        yield {"name": f"support, WordNet: {name}", "pairs": len(each), "values": found_values}


def direct_antonyms(folder: Path) -> Mapping[str, list[str]]:
    """Return the direct antonyms of each word, not those of similar words."""
    found: dict[str, list[str]] = defaultdict(list)
    for kind in KINDS:
        synsets: dict[str, list[str]] = {}
        pointers: list[tuple[str, str, str]] = []
        for line in (folder / f"data.{kind}").read_text("utf-8").splitlines():
            if line.startswith("  "):
                continue  # lines of the licence
            fields = line.split(" | ")[0].split()
            after = 4 + 2 * int(fields[3], 16)
            synsets[fields[0]] = [word.lower().partition("(")[0] for word in fields[4:after:2]]
            rest = fields[after + 1 :]
            pointers += [
                (fields[0], offset, places)
                for mark, offset, places in zip(rest[::4], rest[1::4], rest[3::4], strict=False)
                if mark == ANTONYM
            ]
        for here, there, places in pointers:
            one, other = synsets[here][int(places[:2], 16) - 1], synsets[there][int(places[2:], 16) - 1]
            if "_" not in other:
                found[one].append(other)
    return found


def first_synonyms(folder: Path) -> Mapping[str, list[str]]:
    """Return the other words of the most frequent sense of each word that is only an adjective, adverb, verb or noun.

    A word of several parts of speech is left out, because nothing here says which one it is in a sentence.
    """
    senses = {kind: lexicon(folder, kind).senses for kind in KINDS}
    found: dict[str, list[str]] = {}
    for kind in KINDS:
        lines = (folder / f"data.{kind}").read_bytes()
        for word, places in senses[kind].items():
            if sum(word in own for own in senses.values()) > 1:
                continue
            fields = lines[places[0] : lines.index(b"\n", places[0])].decode("utf-8").split(" ")
            words = [one.partition("(")[0] for one in fields[4 : 4 + 2 * int(fields[3], 16) : 2]]
            others = [one for one in words if one.islower() and one.isalpha() and one != word]
            if others:
                found[word] = others
    return found


def _replaced(one: Sentence, table: Mapping[str, list[str]], rng: Random) -> tuple[Token, str, str] | None:
    """Return a word that the table has, what replaces it, and the sentence with it."""
    fits = [token for token in one.tokens if token.text.islower() and len(token.text) >= SHORTEST and token.content]
    fits = [token for token in fits if table.get(token.text)]
    if not fits:
        return None
    token = rng.choice(fits)
    new = table[token.text][0]
    return token, new, one.text[: token.start] + new + one.text[token.start + len(token.text) :]
