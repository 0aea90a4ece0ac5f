"""Ways to damage a file: bytes changed, cut, doubled and put together anew; values of JSON replaced by others.

A mutation is a few plain numbers, so that a seed, a test and a fuzzer make the same file from the same numbers.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

PIECES: tuple[bytes, ...] = (
    b'"', b"'", b"{", b"}", b"[", b"]", b",", b":", b"\n", b"\r\n", b"\t", b"\\", b"<", b">", b"&", b"=", b"|", b"#",
    b"\x00", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x80\xa8", b"\xc2\x85",
    b"\\ud800", b"\\udfff\\ud800", b"\\u0000", b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-1e999", b"1e-999", b"-0",
    b"null", b"true", b"9" * 30, b"9" * 400, b"9" * 5000, b"0.1", b"-1", b"4294967296", b"9223372036854775808",
    b"\x1b[2J", b"../../etc/passwd", b"/dev/zero", b"[" * 500, b"{\"a\":" * 300, b"[" * 20_000, b"<a>" * 3000,
    b"a." * 500, b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>", b"&x;", b"=cmd|' /C calc'!A0",
    b"[/red]", b"$x^{", b"%s", b" " * 3000, b"\xcc\x81" * 200, b"PAR1", b"\x1f\x8b\x08", b"PK\x03\x04", b"\xd9\xa3",
    b"{dataset}", b"__class__",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 3.5, float("nan"), float("inf"), 10**18, 10**30, 10**400, -(10**400), 1e308, "", " ",
    "x", "\x00", "\ud800", "1", "nan", "\u2028", "[/red]", "../x", "x" * 5000, [], [[]], [None], ["x"], [1, "x", None],
    {}, {"": None}, {"a": 1}, {"id": 1}, [[[[[[[[[[1]]]]]]]]]], {"a": {"a": {"a": {"a": []}}}}, 2**31, 2**63, 2**64,
    -(2**63),
)  # fmt: skip


class Mutation(NamedTuple):
    kind: int
    place: float
    """Where in the file, from 0 to 1."""
    size: int
    pick: int
    """Which piece, value or byte."""


def _flip(data: bytearray, at: int, mutation: Mutation) -> None:
    data[at] ^= 1 << (mutation.pick % 8)


def _set(data: bytearray, at: int, mutation: Mutation) -> None:
    data[at] = mutation.pick % 256


def _insert(data: bytearray, at: int, mutation: Mutation) -> None:
    data[at:at] = PIECES[mutation.pick % len(PIECES)]


def _replace(data: bytearray, at: int, mutation: Mutation) -> None:
    data[at : at + mutation.size] = PIECES[mutation.pick % len(PIECES)]


def _delete(data: bytearray, at: int, mutation: Mutation) -> None:
    del data[at : at + mutation.size]


def _cut(data: bytearray, at: int, mutation: Mutation) -> None:
    del data[at:]


def _behead(data: bytearray, at: int, mutation: Mutation) -> None:
    del data[: at // 2]


def _double(data: bytearray, at: int, mutation: Mutation) -> None:
    data[at:at] = data[at : at + 4 * mutation.size] * (1 + mutation.pick % 4)


def _move(data: bytearray, at: int, mutation: Mutation) -> None:
    taken = data[at : at + mutation.size]
    del data[at : at + mutation.size]
    to = mutation.pick % (len(data) + 1)
    data[to:to] = taken


def _number(data: bytearray, at: int, mutation: Mutation) -> None:
    """Four bytes as a number of another size."""
    value = (0, 1, 0x7FFFFFFF, 0xFFFFFFFF, 0x80000000, len(data))[mutation.pick % 6]
    data[at : at + 4] = value.to_bytes(4, "little")


BYTES = (_flip, _set, _insert, _replace, _delete, _cut, _behead, _double, _move, _number)
IN_JSON = len(BYTES)
"""The kinds from here on change a value of JSON; two of them, one that puts another and one that takes it away."""
KINDS = IN_JSON + 4


def apply(content: bytes, mutations: Sequence[Mutation]) -> bytes:
    """A damaged copy. What is packed with gzip is as often damaged inside as outside."""
    packed = content.startswith(b"\x1f\x8b") and sum(mutation.pick for mutation in mutations) % 2 == 0
    data = bytearray(gzip.decompress(content) if packed else content)
    for mutation in mutations:
        if mutation.kind >= IN_JSON:
            data = bytearray(_in_json(bytes(data), mutation))
        elif data:
            BYTES[mutation.kind % IN_JSON](data, min(int(mutation.place * len(data)), len(data) - 1), mutation)
    return gzip.compress(bytes(data), 1) if packed else bytes(data)


def _in_json(data: bytes, mutation: Mutation) -> bytes:
    """One value of a JSON document, or of one of its lines, replaced or taken out; other files get a piece instead."""
    lines = data.split(b"\n")
    for whole in (True, False):
        number = min(int(mutation.place * len(lines)), len(lines) - 1)
        try:
            document = json.loads(data if whole else lines[number])
        except (ValueError, RecursionError):
            continue
        changed = json.dumps(_changed(document, mutation)).encode("utf-8", "replace")
        if whole:
            return changed
        return b"\n".join([*lines[:number], changed, *lines[number + 1 :]])
    broken = bytearray(data or b"x")
    _insert(broken, min(int(mutation.place * len(broken)), len(broken) - 1), mutation)
    return bytes(broken)


def _changed(document: Any, mutation: Mutation) -> Any:
    places = list(_places(document))
    place = places[int(mutation.place * 7919 * len(places)) % len(places)]
    value = VALUES[mutation.pick % len(VALUES)]
    if not place:
        return value
    inside = document
    for key in place[:-1]:
        inside = inside[key]
    if (mutation.kind - IN_JSON) % 4 == 3:
        del inside[place[-1]]
    elif (mutation.kind - IN_JSON) % 4 == 2 and isinstance(inside, dict):
        inside[f"{place[-1]}{mutation.size}"] = inside.pop(place[-1])
    else:
        inside[place[-1]] = value
    return document


def _places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, inner in items for place in _places(inner, (*at, key)))]


def drawn(rng: Random) -> list[Mutation]:
    """Mutations by chance: mostly one or two, so that what lies behind the first check is reached as well."""
    return [
        Mutation(rng.randrange(KINDS), rng.random(), 1 + int(rng.expovariate(1 / 12)), rng.randrange(10_000))
        for _ in range(1 + int(rng.expovariate(1.2)))
    ]
