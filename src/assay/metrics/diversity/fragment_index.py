"""The corpus that outputs are compared with: read part by part, or indexed in a folder that can be extended later.

INDEX/index.json     tokenization and contents
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
from assay.specs import spelled
from assay.text.fragments import fragment_words, windows
from assay.text.sentences import Splitter, split_sentences

ABOUT = "index.json"
MANY = 16
"""Number of sources beyond `most` after which a fragment is common and sources are no longer counted."""
Words = tuple[str, ...]


@dataclass
class Sources:
    """The independent sources of a fragment: authors where they are known, else documents."""

    first: Sentence
    """The first sentence that contains it."""
    authors: set[int] = field(default_factory=set)
    """Known authors."""
    theirs: set[int] = field(default_factory=set)
    """Documents with a known author."""
    others: set[int] = field(default_factory=set)
    """Documents with an unknown author."""

    @property
    def count(self) -> int:
        """Number of known authors, plus documents with unknown authors only."""
        return len(self.authors) + len(self.others - self.theirs)

    def add(self, documents: Sequence[int], authors: Sequence[int]) -> None:
        for document, author in zip(documents, authors, strict=True):
            if author == UNKNOWN:
                self.others.add(document)
            else:
                self.authors.add(author)
                self.theirs.add(document)


def read_corpus(path: Path, splitter: Splitter = "plain") -> Iterator[Sentence]:
    """Yield the sentences of a corpus file.

    A line is a text, or a JSON object with text (or source, references or output), document and author; the last two
    may be tags. The id is used for an object without a document.

    Raises:
        AssayError: For a missing file or a line without text.
    """
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
    content = next((row[name] for name in ("text", "source", "references", "output") if row.get(name)), None)
    texts = [content] if isinstance(content, str) else content
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise AssayError(f'{path}:{number}: "text" is missing; expected text and, if known, document and author')
    document = _first(row.get("document"), tags.get("document"), row.get("id"))
    author = _first(row.get("author"), tags.get("author"))
    for text in texts:
        for sentence in split_sentences(text, splitter):
            yield Sentence(sentence, document, author)


def _first(*values: Any) -> str | None:
    """Return the first value that is not empty, as text; 0 is not empty."""
    return next((str(value) for value in values if value is not None and value != ""), None)


class Contents(NamedTuple):
    """Contents of an index."""

    sentences: int
    words: int
    twice: int
    """Number of duplicate sentences within a part, which are omitted."""
    documents: bool
    """Whether the document of every sentence is known."""
    authors: bool
    """Whether the author of every sentence is known."""


def add_to_index(folder: Path, sentences: Iterable[Sentence], lowercase: bool = True, size: int = WORDS) -> Contents:
    """Add sentences to an index, which is created if it does not exist.

    Raises:
        AssayError: If the folder has other files, or the index another setting of `lowercase`.
    """
    fresh: dict[str, Any] = {"lowercase": lowercase, "parts": 0, "contents": None}
    if folder.is_dir() and not (folder / ABOUT).exists() and any(not _part(each) for each in folder.iterdir()):
        raise AssayError(f"{folder}: contains other files and is not an index; choose an empty or a new folder")
    about = _about(folder) if (folder / ABOUT).exists() else fresh
    if about["lowercase"] != lowercase:
        raise AssayError(f"{folder}: was built with lowercase={spelled(about['lowercase'])}; use the same setting")
    before = about["contents"] or {"sentences": 0, "words": 0, "twice": 0, "documents": True, "authors": True}
    contents = Contents(**before)
    for part, duplicates in segments(sentences, lowercase, size):
        part.save(folder / f"part-{about['parts']:04}")
        lines = list(part.lines)
        contents = Contents(
            contents.sentences + len(lines), contents.words + len(part.tokens) - len(lines),
            contents.twice + duplicates,
            contents.documents and all(line.document is not None for line in lines),
            contents.authors and all(line.author for line in lines),
        )  # fmt: skip
        about["parts"] += 1
        write_text(folder / ABOUT, to_json(about | {"contents": contents._asdict()}) + "\n")
    return contents


def _part(path: Path) -> bool:
    """Return whether this is a part; an unfinished index consists of parts only."""
    return path.name.startswith("part-")


def _about(folder: Path) -> dict[str, Any]:
    try:
        about: dict[str, Any] = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        return {name: about[name] for name in ("lowercase", "parts", "contents")}
    except (OSError, ValueError, KeyError, TypeError):
        raise AssayError(
            f"{folder}: not an index ({ABOUT} is missing or damaged); build one with `assay analyze originality`"
        ) from None


def parts_of(corpus: str, lowercase: bool, splitter: Splitter) -> Iterator[Segment]:
    """Yield the parts of an index, or of a file, which is indexed part by part in memory."""
    path = Path(corpus)
    if not path.is_dir():
        yield from _parts_of_file(corpus, lowercase, splitter)
        return
    about = _about(path)
    if about["lowercase"] != lowercase:
        raise AssayError(f"{corpus}: was built with lowercase={spelled(about['lowercase'])}; use the same setting")
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
    """Return the parts of a small corpus, which are cached; None for a larger one, which is read again each time."""
    if Path(corpus).is_file() and Path(corpus).stat().st_size > 4 * WORDS:
        return None
    return [part for part, _ in segments(read_corpus(Path(corpus), splitter), lowercase)]


def sources_of(queries: Iterable[Words], parts: Iterable[Segment], most: int = 1) -> dict[Words, Sources]:
    """Return the sources of every fragment of the queries that occurs in the corpus. Sources are counted exactly up to
    `most` and a few more; beyond that a fragment is only known to be common."""
    different = list(dict.fromkeys(queries))
    sources: dict[Words, Sources] = {}
    for part in parts:
        here: set[Words] = set()
        for query in different:
            for start, end, sentences in part.find(query):
                fragment = query[start:end]
                if fragment in here:
                    continue
                here.add(fragment)
                known = sources.get(fragment)
                if known is None:
                    known = sources[fragment] = Sources(part.lines[int(sentences.min())])
                if len(known.authors) <= most and known.count <= most + MANY:
                    known.add(part.documents[sentences].tolist(), part.authors[sentences].tolist())
    return sources


def literal_counts(sentences: Iterable[Sentence], lowercase: bool) -> Counter[Words]:
    """Count fragments as the printed algorithm does: every occurrence, and for each length in a sentence only up to the
    first known fragment. All fragments are in memory, so this is for small corpora."""
    counts: Counter[Words] = Counter()
    for cut in dict.fromkeys(tuple(fragment_words(sentence.text, lowercase)) for sentence in sentences):
        finished = set[int]()
        for start, end in windows(cut, max(LONGEST, len(cut))):
            if end - start in finished:
                continue
            fragment = cut[start:end]
            if fragment in counts:
                finished.add(end - start)
            counts[fragment] += 1
    return counts


def fragment_counts(parts: Iterable[Segment], most: int = 1) -> dict[Words, int]:
    """Return every fragment of a small corpus with its number of sources."""
    loaded = list(parts)
    texts = {
        tuple(np.array([*part.words])[part.tokens[start:end] - 1].tolist())
        for part in loaded
        for start, end in zip(
            part.starts.tolist(), [*(part.starts[1:] - 1).tolist(), len(part.tokens) - 1], strict=True
        )
    }
    return {fragment: sources.count for fragment, sources in sources_of(texts, loaded, most).items()}
