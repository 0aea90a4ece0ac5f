"""What METEOR looks words up in: lists of function words and abbreviations, synonyms, paraphrases.

None of it comes with assay. A folder or jar of METEOR 1.5 has it all; synonyms are also in WordNet's own files.
"""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.text.meteor_words import ANY, BEFORE_NUMBERS
from assay.text.wordnet import ENDINGS as KINDS
from assay.text.wordnet import lexicon, wordnet_folder

NAMES = {
    "en": "english", "cs": "czech", "fr": "french", "es": "spanish", "de": "german", "pt": "portuguese",
    "ru": "russian", "da": "danish", "ro": "romanian", "hu": "hungarian", "tr": "turkish", "fi": "finnish",
    "nl": "dutch", "it": "italian", "no": "norwegian", "sv": "swedish",
}  # fmt: skip
SYNONYMS = ("synonym/english.synsets", "synonym/english.exceptions")
PARAPHRASES = {"cs": "cz"}
"""How the file of paraphrases says a language where others say it otherwise."""
ENDINGS = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""), ("er", ""), ("est", ""), ("er", "e"),
    ("est", "e"),
)  # fmt: skip
"""Tried in this order; the first that gives a word of WordNet counts, whatever kind of word it is."""
UNPACKED = ("function/*.words", "nonbreaking/*.prefixes", "synonym/*", "paraphrase-*.gz", "data/paraphrase-*.gz")
"""What a folder without the jar may hold."""
LONGEST = 7
"""Words of a phrase: METEOR's tables have none that is longer."""
AT_ONCE = 1 << 24
"""Bytes of a table that are looked at together."""
Phrase = tuple[str, ...]


class MeteorData:
    """A folder of METEOR's data, or the jar itself; a paraphrase table lies beside it, or in `data` there."""

    def __init__(self, path: str) -> None:
        given = Path(path)
        if not given.exists():
            raise AssayError(f"{path}: no such folder or jar; meteor:data= names METEOR 1.5's jar or folder")
        self.folder = given if given.is_dir() else given.parent
        self.jar = next(iter(sorted(given.glob("meteor-*.jar"))), None) if given.is_dir() else given
        if self.jar is None and not any(any(given.glob(pattern)) for pattern in UNPACKED):
            raise AssayError(
                f"{path}: neither METEOR 1.5's jar nor one of its files is in it ({', '.join(UNPACKED)}); "
                "meteor:data= names the folder that holds them"
            )

    def place(self, name: str) -> Path | None:
        """Where one of the files is looked for: unpacked before the jar."""
        return self.folder / name if (self.folder / name).is_file() else self.jar

    def lines(self, name: str) -> list[str] | None:
        """The lines of one of the files, or None where it is missing."""
        place = self.place(name)
        if place is None:
            return None
        try:
            if place != self.jar:
                text = place.read_text("utf-8")
            else:
                with zipfile.ZipFile(place) as jar:
                    text = jar.read(name).decode("utf-8")
        except KeyError:
            return None
        except (OSError, UnicodeDecodeError, zipfile.BadZipFile) as error:
            raise AssayError(f"{self.jar or self.folder}: cannot be read as METEOR's data ({error})") from None
        return text.split("\n")[: -1 if text.endswith("\n") else None]

    def function_words(self, language: str) -> frozenset[str]:
        return frozenset(self.lines(f"function/{NAMES.get(language, 'other')}.words") or ())

    def prefixes(self, language: str) -> dict[str, int]:
        """Abbreviations that keep their dot, and whether they do so before numbers alone."""
        found = {}
        for line in self.lines(f"nonbreaking/{NAMES.get(language, 'other')}.prefixes") or ():
            word, *mark = line.split() or ["#"]
            if not word.startswith("#"):
                found[word] = BEFORE_NUMBERS if mark[:1] == ["#NUMERIC_ONLY#"] else ANY
        return found

    def synonyms(self) -> Synonyms | None:
        senses, forms = map(self.lines, SYNONYMS)
        if senses is None or forms is None:
            return None
        bases: dict[str, list[str]] = {}
        for base, inflected in zip(forms[::2], forms[1::2], strict=False):
            for form in inflected.split():
                bases.setdefault(form, []).append(base)
        pairs = zip(senses[::2], senses[1::2], strict=False)
        return Synonyms({word: frozenset(map(int, ids.split())) for word, ids in pairs}, bases)

    def table(self, language: str) -> Path | None:
        """The file of paraphrases."""
        name = f"paraphrase-{PARAPHRASES.get(language, language)}.gz"
        return next((place for place in (self.folder / "data" / name, self.folder / name) if place.is_file()), None)


class Synonyms:
    """Senses of words; two words that share one are synonyms."""

    def __init__(self, senses: dict[str, frozenset[int]], bases: dict[str, list[str]]) -> None:
        self._senses, self._bases = senses, bases
        self._known: dict[str, frozenset[int]] = {}

    def of(self, word: str) -> frozenset[int]:
        """Senses of the word as it stands and of its base forms."""
        found = self._known.get(word)
        if found is None:
            bases = self._bases.get(word) or [self._base(word)]
            found = self._senses.get(word, frozenset()).union(*(self._senses.get(base, ()) for base in bases))
            self._known[word] = found
        return found

    def _base(self, word: str) -> str:
        if word.endswith("ss") or len(word) <= 2:
            return word
        added = "ful" if word.endswith("ful") else ""
        for old, new in ENDINGS:
            made = word.removesuffix(old) + new
            if word.endswith(old) and made in self._senses:
                return made + added
        return ""


@lru_cache(maxsize=1)
def wordnet_synonyms(folder: Path) -> Synonyms:
    """The same from WordNet's files. A sense is known by its place in its file, and words of one place in two files
    count as synonyms: METEOR does so, too."""
    senses: dict[str, set[int]] = {}
    bases: dict[str, list[str]] = {}
    for kind in KINDS:
        known = lexicon(folder, kind)
        for word, places in known.senses.items():
            senses.setdefault(word, set()).update(places)
        for form, found in known.irregular.items():
            bases.setdefault(form, []).extend(found)
    return Synonyms({word: frozenset(ids) for word, ids in senses.items()}, bases)


def find_wordnet() -> Path | None:
    folder = wordnet_folder()
    return folder if folder and all((folder / f"index.{kind}").is_file() for kind in KINDS) else None


def paraphrases(path: Path, texts: Iterable[Sequence[str]]) -> dict[Phrase, list[Phrase]]:
    """Those of the table of which both sides stand in the texts, in the order of the table. There are millions of
    others, so what is not said is thrown away while reading."""
    said = np.unique(np.fromiter((hash(phrase) for words in texts for phrase in _stretches(words)), dtype=np.int64))
    found: dict[Phrase, list[Phrase]] = {}
    for firsts, seconds in _entries(path):
        kept = _among(firsts, said) & _among(seconds, said)
        for place in np.flatnonzero(kept):
            first, second = (tuple(side[place].decode("utf-8").split()) for side in (firsts, seconds))
            found.setdefault(first, []).append(second)
    return found


def _stretches(words: Sequence[str]) -> Iterator[bytes]:
    for start in range(len(words)):
        for end in range(start + 1, min(start + LONGEST, len(words)) + 1):
            yield " ".join(words[start:end]).encode("utf-8", "surrogatepass")


def _among(phrases: Sequence[bytes], said: NDArray[np.int64]) -> NDArray[np.bool_]:
    hashes = np.fromiter(map(hash, phrases), dtype=np.int64, count=len(phrases))
    if not len(said):
        return np.zeros(len(phrases), dtype=np.bool_)
    places = np.minimum(np.searchsorted(said, hashes), len(said) - 1)
    return np.asarray(said[places] == hashes)


def _entries(path: Path) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """The two sides of many entries at a time; an entry is three lines, how likely it is, and the two phrases."""
    rest: list[bytes] = []
    try:
        with gzip.open(path) as stream:
            while piece := stream.read(AT_ONCE):
                first, *others = piece.split(b"\n")
                lines = [*rest[:-1], (rest[-1] if rest else b"") + first, *others]
                whole = (len(lines) - 1) // 3 * 3  # the last line may go on in the next piece
                rest = lines[whole:]
                yield lines[1:whole:3], lines[2:whole:3]
        if len(rest) == 3:  # the file does not end with a line's end
            yield rest[1:2], rest[2:]
    except (OSError, EOFError) as error:
        raise AssayError(f"{path}: cannot be read as a table of paraphrases ({error})") from None
