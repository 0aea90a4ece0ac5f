"""The corpus that outputs are held against: read part by part, or indexed once in a folder and added to later.

INDEX/index.json     how words were cut, and what is in it
INDEX/part-0000/     one part of the corpus (see `fragment_segments`)
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.metrics.diversity.fragment_segments import LONGEST, UNKNOWN, WORDS, Segment, Sentence, segments
from assay.models.code_digest import file_digest
from assay.records.files import to_json, write_text
from assay.records.parse import try_json
from assay.text.fragments import fragment_words, windows
from assay.text.sentences import Splitter, split_sentences

ABOUT = "index.json"
MANY = 16
"""Sources more than asked for, from which on a fragment is simply common."""
Words = tuple[str, ...]


@dataclass
class Sources:
    """Who has written a fragment before: by author where that is known, else by document."""

    first: Sentence
    authors: set[int] = field(default_factory=set)
    theirs: set[int] = field(default_factory=set)
    """Documents with a known author of it."""
    others: set[int] = field(default_factory=set)
    """Documents with an unknown one."""

    @property
    def count(self) -> int:
        """Authors that are known, and documents by unknown ones in which none of the former has written it."""
        return len(self.authors) + len(self.others - self.theirs)

    def add(self, documents: Sequence[int], authors: Sequence[int]) -> None:
        for document, author in zip(documents, authors, strict=True):
            if author == UNKNOWN:
                self.others.add(document)
            else:
                self.authors.add(author)
                self.theirs.add(document)


def read_corpus(path: Path, splitter: Splitter = "plain") -> Iterator[Sentence]:
    """Sentences of a file, line by line: texts, or objects with text (or source or references), document and author,
    which may also be tags. Of an object without a document its id is one."""
    if not path.is_file():
        raise AssayError(f"{path}: no such file; give a text file, JSONL, or the folder of an index")
    with path.open(encoding="utf-8", errors="replace") as stream:
        for number, line in enumerate(stream, 1):
            row = try_json(line) if line.lstrip().startswith("{") else None
            if isinstance(row, dict):
                yield from _of_object(row, path, number, splitter)
            else:
                yield from (Sentence(text) for text in split_sentences(line, splitter))


def _of_object(row: dict[str, Any], path: Path, number: int, splitter: Splitter) -> Iterator[Sentence]:
    tags: dict[str, Any] = row["tags"] if isinstance(row.get("tags"), dict) else {}
    given = next((row[name] for name in ("text", "source", "references", "output") if row.get(name)), None)
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise AssayError(f"{path}:{number}: has no text; a line of a corpus has text, document and author")
    document = _first(row.get("document"), tags.get("document"), row.get("id"))
    author = _first(row.get("author"), tags.get("author"))
    for text in texts:
        for sentence in split_sentences(text, splitter):
            yield Sentence(sentence, document, author)


def _first(*values: Any) -> str | None:
    """The first of them that says something; 0 is a number like others."""
    return next((str(value) for value in values if value is not None and value != ""), None)


class Contents(NamedTuple):
    """What an index holds."""

    sentences: int
    words: int
    twice: int
    """Sentences that stood twice in a part and were left out."""
    documents: bool
    """Whether it says of every sentence which document it is from."""
    authors: bool


def add_to_index(folder: Path, sentences: Iterable[Sentence], lowercase: bool = True, size: int = WORDS) -> Contents:
    """Put sentences into an index, which is made if it is not there. What is in it stays as it is."""
    fresh: dict[str, Any] = {"lowercase": lowercase, "parts": 0, "contents": None}
    if folder.is_dir() and not (folder / ABOUT).exists() and any(not _part(each) for each in folder.iterdir()):
        raise AssayError(f"{folder}: has other files in it and is no index; name an empty or a new folder")
    held = _about(folder) if (folder / ABOUT).exists() else fresh
    if held["lowercase"] != lowercase:
        raise AssayError(f"{folder}: its words are {'' if held['lowercase'] else 'not '}in lower case; say the same")
    before = held["contents"] or {"sentences": 0, "words": 0, "twice": 0, "documents": True, "authors": True}
    contents = Contents(**before)
    for part, twice in segments(sentences, lowercase, size):
        part.save(folder / f"part-{held['parts']:04}")
        lines = list(part.lines)
        contents = Contents(
            contents.sentences + len(lines), contents.words + len(part.tokens) - len(lines), contents.twice + twice,
            contents.documents and all(line.document is not None for line in lines),
            contents.authors and all(line.author for line in lines),
        )  # fmt: skip
        held["parts"] += 1
        write_text(folder / ABOUT, to_json(held | {"contents": contents._asdict()}) + "\n")
    return contents


def _part(path: Path) -> bool:
    """Of an index that was not finished there may be parts alone."""
    return path.name.startswith("part-")


def _about(folder: Path) -> dict[str, Any]:
    try:
        held: dict[str, Any] = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        return {name: held[name] for name in ("lowercase", "parts", "contents")}
    except (OSError, ValueError, KeyError, TypeError):
        raise AssayError(
            f"{folder}: no index (it has no whole {ABOUT}); make one with `assay analyze originality`"
        ) from None


def parts_of(corpus: str, lowercase: bool, splitter: Splitter) -> Iterator[Segment]:
    """The parts of a corpus: of an index as they are, of a file made one after the other and forgotten."""
    path = Path(corpus)
    if not path.is_dir():
        yield from _parts_of_file(corpus, lowercase, splitter)
        return
    about = _about(path)
    if about["lowercase"] != lowercase:
        raise AssayError(f"{corpus}: its words are {'' if about['lowercase'] else 'not '}in lower case; ask likewise")
    for number in range(about["parts"]):
        yield Segment.load(path / f"part-{number:04}")


def _parts_of_file(corpus: str, lowercase: bool, splitter: Splitter) -> Iterator[Segment]:
    small = _small(corpus, lowercase, splitter, file_digest(corpus))
    if small is not None:
        yield from small
    else:
        yield from (part for part, _ in segments(read_corpus(Path(corpus), splitter), lowercase))


@lru_cache(maxsize=2)
def _small(corpus: str, lowercase: bool, splitter: Splitter, digest: str | None) -> list[Segment] | None:
    """A corpus of one part is kept; one that is larger is read again whenever it is asked."""
    if Path(corpus).is_file() and Path(corpus).stat().st_size > 4 * WORDS:
        return None
    return [part for part, _ in segments(read_corpus(Path(corpus), splitter), lowercase)]


def sources_of(queries: Iterable[Words], parts: Iterable[Segment], most: int = 1) -> dict[Words, Sources]:
    """Every fragment of the queries that stands in the corpus, with who has written it. Sources are counted exactly up
    to `most` and some more; what has many is only known to have many."""
    different = list(dict.fromkeys(queries))
    found: dict[Words, Sources] = {}
    for part in parts:
        here: set[Words] = set()
        for query in different:
            for start, end, sentences in part.find(query):
                fragment = query[start:end]
                if fragment in here:
                    continue
                here.add(fragment)
                held = found.get(fragment)
                if held is None:
                    held = found[fragment] = Sources(part.lines[int(sentences.min())])
                if len(held.authors) <= most and held.count <= most + MANY:
                    held.add(part.documents[sentences].tolist(), part.authors[sentences].tolist())
    return found


def literal_counts(sentences: Iterable[Sentence], lowercase: bool) -> Counter[Words]:
    """Fragments as the published algorithm counts them: every occurrence, and of each length in a sentence only up to
    the first that is known. It holds all fragments in memory, which is for small corpora."""
    counts: Counter[Words] = Counter()
    for cut in dict.fromkeys(tuple(fragment_words(sentence.text, lowercase)) for sentence in sentences):
        over = set[int]()
        for start, end in windows(cut, max(LONGEST, len(cut))):
            if end - start in over:
                continue
            fragment = cut[start:end]
            if fragment in counts:
                over.add(end - start)
            counts[fragment] += 1
    return counts


def fragment_counts(parts: Iterable[Segment], most: int = 1) -> dict[Words, int]:
    """Every fragment of a small corpus with its number of sources."""
    held = list(parts)
    texts = {
        tuple(np.array([*part.words])[part.tokens[start:end] - 1].tolist())
        for part in held
        for start, end in zip(
            part.starts.tolist(), [*(part.starts[1:] - 1).tolist(), len(part.tokens) - 1], strict=True
        )
    }
    return {fragment: sources.count for fragment, sources in sources_of(texts, held, most).items()}
