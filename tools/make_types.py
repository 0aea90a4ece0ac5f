"""Write `web/src/types.ts` from the structs that Python sends to the pages.

    python tools/make_types.py           # write it
    python tools/make_types.py --check   # say whether it is up to date

A field that may be left out of the JSON (`UNSET`, or a default in a struct that omits defaults) is optional there.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

from msgspec import UNSET, structs
from msgspec import inspect as kinds

from assay.explorer.payloads import Embedded, ExampleQuery

FILE = Path(__file__).parents[1] / "web" / "src" / "types.ts"
HEAD = "// What the pages read. Made from the structs in assay.explorer by tools/make_types.py; do not edit.\n"
SENT = (Embedded, ExampleQuery)
"""The structs that all others belong to."""
PLAIN = {
    kinds.StrType: "string",
    kinds.IntType: "number",
    kinds.FloatType: "number",
    kinds.BoolType: "boolean",
    kinds.NoneType: "null",
    kinds.RawType: "Record<string, unknown> | null",
    kinds.AnyType: "unknown",
}


def types() -> str:
    """Return the whole file."""
    structs: dict[str, kinds.StructType] = {}
    for struct in SENT:
        _collect(kinds.type_info(struct), structs)
    return "\n".join([HEAD, *(_interface(struct) for struct in structs.values())])


def _collect(kind: kinds.Type, structs: dict[str, kinds.StructType]) -> None:
    """Collect every struct below this one, inner ones first."""
    if isinstance(kind, kinds.StructType):
        for field in kind.fields:
            _collect(field.type, structs)
        known = structs.setdefault(kind.cls.__name__, kind)
        if known.cls is not kind.cls:
            raise SystemExit(f"two structs are called {kind.cls.__name__}; pages need one name for one thing")
    for inner in _inside(kind):
        _collect(inner, structs)


def _inside(kind: kinds.Type) -> tuple[kinds.Type, ...]:
    match kind:
        case kinds.UnionType(types=types):
            return types
        case kinds.ListType(item_type=item):
            return (item,)
        case kinds.DictType(value_type=value):
            return (value,)
        case kinds.TupleType(item_types=items):
            return items
    return ()


def _interface(struct: kinds.StructType) -> str:
    lines = [f"/** {_words(struct.cls)} */", f"export interface {struct.cls.__name__} {{"]
    omits = struct.cls.__struct_config__.omit_defaults
    unset = {field.name for field in structs.fields(struct.cls) if field.default is UNSET}
    for field in struct.fields:
        optional = field.name in unset or (omits and not field.required)
        lines.append(f"  {field.encode_name}{'?' if optional else ''}: {_type(field.type)};")
    return "\n".join([*lines, "}", ""])


def _words(cls: type) -> str:
    """Return the first paragraph of the docstring of a struct."""
    return " ".join((inspect.getdoc(cls) or cls.__name__).split("\n\n")[0].split())


def _type(kind: kinds.Type) -> str:
    match kind:
        case kinds.StructType(cls=cls):
            return cls.__name__
        case kinds.LiteralType(values=values):
            return " | ".join(f'"{value}"' for value in values)
        case kinds.UnionType(types=types):
            return " | ".join(dict.fromkeys(_type(one) for one in _ordered(types)))
        case kinds.ListType(item_type=item):
            inner = _type(item)
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case kinds.TupleType(item_types=items):
            return f"[{', '.join(map(_type, items))}]"
        case kinds.DictType(value_type=value):
            return f"Record<string, {_type(value)}>"
    for known, name in PLAIN.items():
        if isinstance(kind, known):
            return name
    raise SystemExit(f"no TypeScript is known for {kind}; add it to tools/make_types.py")


def _ordered(types: tuple[kinds.Type, ...]) -> list[kinds.Type]:
    """Return the types of a value, null last."""
    return sorted(types, key=lambda kind: isinstance(kind, kinds.NoneType))


def main() -> None:
    made = types()
    if "--check" not in sys.argv[1:]:
        FILE.write_text(made, encoding="utf-8")
    elif FILE.read_text(encoding="utf-8") != made:
        raise SystemExit(f"{FILE.name} is stale; run python tools/make_types.py")


if __name__ == "__main__":
    main()
