"""Resources of METEOR: function words, abbreviations, synonyms, paraphrases.

They are not part of assay. The METEOR 1.5 jar or folder contains all of them; synonyms are also in WordNet.
"""

from __future__ import annotations

import zipfile
from functools import lru_cache
from pathlib import Path

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
"""Language codes in the names of paraphrase files that differ from the usual ones."""
ENDINGS = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""), ("er", ""), ("est", ""), ("er", "e"),
    ("est", "e"),
)  # fmt: skip
"""Suffix rules in the order in which they are tried; the first that gives a word of WordNet, of any kind, counts."""
UNPACKED = ("function/*.words", "nonbreaking/*.prefixes", "synonym/*", "paraphrase-*.gz", "data/paraphrase-*.gz")
"""Files of METEOR's data in a folder without the jar."""


class MeteorData:
    """A folder with METEOR's data, or the jar itself; paraphrase tables are in the same folder, or in `data` below."""

    def __init__(self, path: str) -> None:
        location = Path(path)
        if not location.exists():
            raise AssayError(f"{path}: no such folder or jar; set meteor:data= to the METEOR 1.5 jar or folder")
        self.folder = location if location.is_dir() else location.parent
        self.jar = next(iter(sorted(location.glob("meteor-*.jar"))), None) if location.is_dir() else location
        if self.jar is None and not any(any(location.glob(pattern)) for pattern in UNPACKED):
            raise AssayError(
                f"{path}: contains neither the METEOR 1.5 jar nor its files ({', '.join(UNPACKED)}); "
                "set meteor:data= to the folder with them"
            )

    def place(self, name: str) -> Path | None:
        """Return the path of a file: unpacked, or else the jar."""
        return self.folder / name if (self.folder / name).is_file() else self.jar

    def lines(self, name: str) -> list[str] | None:
        """Return the lines of a file, or None if it is missing."""
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
            raise AssayError(f"{self.jar or self.folder}: cannot be read as METEOR 1.5 data ({error})") from None
        return text.split("\n")[: -1 if text.endswith("\n") else None]

    def function_words(self, language: str) -> frozenset[str]:
        return frozenset(self.lines(f"function/{NAMES.get(language, 'other')}.words") or ())

    def prefixes(self, language: str) -> dict[str, int]:
        """Return the abbreviations that keep their full stop: always, or before numbers only."""
        prefixes = {}
        for line in self.lines(f"nonbreaking/{NAMES.get(language, 'other')}.prefixes") or ():
            word, *mark = line.split() or ["#"]
            if not word.startswith("#"):
                prefixes[word] = BEFORE_NUMBERS if mark[:1] == ["#NUMERIC_ONLY#"] else ANY
        return prefixes

    def synonyms(self) -> Synonyms | None:
        """Return the synonyms, or None if their files are missing."""
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
        """Return the path of the paraphrase table of a language, or None if it is missing."""
        name = f"paraphrase-{PARAPHRASES.get(language, language)}.gz"
        return next((place for place in (self.folder / "data" / name, self.folder / name) if place.is_file()), None)


class Synonyms:
    """Senses of words; two words that share one are synonyms."""

    def __init__(self, senses: dict[str, frozenset[int]], bases: dict[str, list[str]]) -> None:
        self._senses, self._bases = senses, bases
        self._known: dict[str, frozenset[int]] = {}

    def of(self, word: str) -> frozenset[int]:
        """Return the senses of a word and of its base forms."""
        senses = self._known.get(word)
        if senses is None:
            bases = self._bases.get(word) or [self._base(word)]
            senses = self._senses.get(word, frozenset()).union(*(self._senses.get(base, ()) for base in bases))
            self._known[word] = senses
        return senses

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
    """Return the synonyms of WordNet. A sense is identified by its offset in its file; words with one offset in two
    files count as synonyms, as in METEOR."""
    senses: dict[str, set[int]] = {}
    bases: dict[str, list[str]] = {}
    for kind in KINDS:
        known = lexicon(folder, kind)
        for word, places in known.senses.items():
            senses.setdefault(word, set()).update(places)
        for form, base_forms in known.irregular.items():
            bases.setdefault(form, []).extend(base_forms)
    return Synonyms({word: frozenset(ids) for word, ids in senses.items()}, bases)


def find_wordnet() -> Path | None:
    """Return the folder of WordNet if its index is complete, or None."""
    folder = wordnet_folder()
    return folder if folder and all((folder / f"index.{kind}").is_file() for kind in KINDS) else None
