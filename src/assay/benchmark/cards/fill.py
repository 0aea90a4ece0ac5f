"""Automatic content of a data card: splits, lengths, fields, an example, languages, licence and citation.

Only placeholders and earlier automatic content are replaced; text written by hand is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assay.benchmark.cards.card import Card, template_of, with_entries
from assay.benchmark.cards.check import written_text
from assay.datasets import DATASETS
from assay.datasets.base import Card as Known
from assay.records import Example, read_examples, to_json
from assay.records.files import digest_of
from assay.show.tables import Table, write
from assay.text.spacy_words import spacy_words
from assay.text.spans import find_span

BEGIN, END = "<!-- filled by assay -->", "<!-- end of what assay filled -->"
ROLES = {
    "id": "string, identifies the item",
    "source": "string, input",
    "input": "record, input",
    "references": "list of strings, output",
    "language": "BCP-47 code",
    "split": "string",
    "parent": "id of the original item",
    "tags": "strings by name",
}
LONGEST = 300
"""Maximum number of characters of a text in the example."""


def data_digest(paths: Sequence[Path]) -> str:
    """Return the digest of the data files, independent of their names."""
    return "sha256:" + digest_of(*(path.read_bytes() for path in paths))


def fill(
    card: Card, paths: Sequence[Path], dataset: str = "", challenges: Sequence[Path] = ()
) -> tuple[Card, list[str]]:
    """Fill a card from data.

    Args:
        card: The card.
        paths: Files of examples.
        dataset: Name of a published dataset, for licence, citation and goal.
        challenges: Files of challenge sets derived from the data.

    Returns:
        The card and the titles of the sections that were written.
    """
    form = template_of(card)
    examples = [example for path in paths for example in read_examples(path).examples]
    known = DATASETS.get(dataset).card if dataset else None
    texts = _texts(examples, known, [(path, list(read_examples(path).examples)) for path in challenges])
    optional = [entry for entry in form.entries if entry.optional and entry.key in texts]
    card = with_entries(card, form, {key for entry in optional for key in (entry.key, entry.parent)})
    sections = list(card.sections)
    written = []
    for section, entry in card.placed(form):
        text = texts.get(entry.key) if entry else None
        block = f"{BEGIN}\n\n{text}\n\n{END}"
        if not text or entry is None:
            continue
        if span := find_span(section.text, BEGIN, END):
            new = section.text[: span[0]] + block + section.text[span[1] :]
        elif not written_text(section.text):
            new = block
        else:
            continue
        place = next(i for i, each in enumerate(sections) if each is section)
        sections[place] = replace(section, text=new)
        written.append(section.title)
    filled = replace(card, sections=tuple(sections))
    return (filled.with_fact("data_digest", data_digest(paths)) if paths else filled), written


def _texts(
    examples: Sequence[Example], known: Known | None, challenges: Sequence[tuple[Path, Sequence[Example]]]
) -> dict[str, str]:
    languages = Counter(example.language for example in examples if example.language)
    texts = {
        "instances": f"```json\n{to_json(_shortened(examples[0]))}\n```" if examples else "",
        "fields": _fields(examples),
        "statistics": _statistics(examples),
        "languages": "\n".join(f"- `{code}`: {count:,} items" for code, count in languages.most_common()),
        "transformations": "\n".join(_challenge(path, items) for path, items in challenges),
    }
    if known:
        texts |= {
            "licensing": known.licence,
            "citation": known.citation,
            "goal": known.goal,
            "changes": "\n".join(f"- {change}" for change in known.modifications),
        }
        if not examples:
            texts["languages"] = "\n".join(f"- `{code}`" for code in known.languages)
            texts["statistics"] = "\n".join(f"- {split}: {count:,} items" for split, count in known.sizes.items())
    return {key: text for key, text in texts.items() if text}


def _shortened(example: Example) -> Mapping[str, object]:
    import msgspec

    def cut(value: object) -> object:
        if isinstance(value, str):
            return value if len(value) <= LONGEST else value[:LONGEST].rstrip() + " …"
        if isinstance(value, list | tuple):
            return [cut(each) for each in value]
        return {key: cut(each) for key, each in value.items()} if isinstance(value, dict) else value

    plain = msgspec.to_builtins(example)
    return {key: cut(value) for key, value in plain.items() if value not in (None, [], (), {})}


def _fields(examples: Iterable[Example]) -> str:
    used: Counter[str] = Counter()
    tags: Counter[str] = Counter()
    n = 0
    for example in examples:
        n += 1
        used.update(name for name in ROLES if getattr(example, name))
        tags.update(example.tags.keys())
    lines = [f"- `{name}`: {ROLES[name]} (in {count:,} of {n:,} items)" for name, count in used.items()]
    return "\n".join([*lines, *(f"- `tags.{name}`: string (in {count:,})" for name, count in sorted(tags.items()))])


def _statistics(examples: Iterable[Example]) -> str:
    rows: dict[str, list[float]] = {}
    for example in examples:
        row = rows.setdefault(example.split or "unknown", [0, 0, 0, 0, 0])
        lengths = [len(spacy_words(text)) for text in example.references]
        row[0] += 1
        row[1] += len(lengths)
        row[2] += sum(lengths)
        if example.source:
            row[3] += 1
            row[4] += len(spacy_words(example.source))
    if not rows:
        return ""
    table = Table.of(
        "",
        ["split", "items", "references", "words per source", "words per reference"],
        [
            [split, int(n), int(references), _mean(source, sources), _mean(words, references)]
            for split, (n, references, words, sources, source) in rows.items()
        ],
    )
    return write(table, "markdown")


def _mean(total: float, n: float) -> str | None:
    return f"{total / n:.1f}" if n else None


def _challenge(path: Path, items: Sequence[Example]) -> str:
    kinds = Counter(item.tags.get("challenge", path.stem) for item in items)
    parents = len({item.parent for item in items if item.parent})
    return "\n".join(f"- {kind}: {count:,} items derived from {parents:,} test items" for kind, count in kinds.items())
