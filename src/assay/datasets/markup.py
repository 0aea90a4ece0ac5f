"""Read XML records as a stream, without access to other files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.datasets.record import Record
from assay.datasets.sources import opened
from assay.errors import AssayError


def xml_elements(path: Path, tag: str, id_attribute: str) -> Iterator[Record]:
    """Yield each element of a tag as a record; document types and entity declarations are rejected."""
    from xml.etree.ElementTree import Element, TreeBuilder
    from xml.parsers import expat

    finished: list[Element] = []
    builder: TreeBuilder | None = None
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal builder, depth
        if builder is None and name == tag:
            builder, depth = TreeBuilder(), 0
        if builder is not None:
            depth += 1
            builder.start(name, attributes)

    def end(name: str) -> None:
        nonlocal builder, depth
        if builder is not None:
            builder.end(name)
            depth -= 1
            if depth == 0:
                finished.append(builder.close())
                builder = None

    def characters(data: str) -> None:
        if builder is not None:
            builder.data(data)

    def refuse(*_: object) -> None:
        # External entities can read other files and nested ones can exhaust memory; no published file needs either.
        raise AssayError(f"{path}: declares a document type or entities; rejected, since these can read other files")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, characters
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    count = 0
    with opened(path) as stream:
        last = False
        while not last:
            chunk = stream.read(1 << 16)
            last = not chunk
            problem = None
            try:
                parser.Parse(chunk, last)
            except (expat.ExpatError, LookupError, ValueError) as error:  # also unknown encodings
                problem = f"not well-formed XML ({error}); the file is damaged or cut off here"
            for element in finished:
                count += 1
                yield Record(path, f"{tag} {count} id {element.get(id_attribute)}", element, index=count - 1)
            finished.clear()
            if problem:
                yield Record(path, f"after {tag} {count}", problem=problem)
                return
