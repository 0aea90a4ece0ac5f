"""The types of the pages are made from the structs that Python sends, and are never older than they."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import msgspec
import pytest

from assay.explorer.queries import Queries
from assay.explorer.standalone import embedded

ROOT = Path(__file__).parents[2]


def test_types_are_up_to_date() -> None:
    made = runpy.run_path(str(ROOT / "tools" / "make_types.py"))
    assert made["FILE"] == ROOT / "web" / "src" / "types.ts"
    assert made["FILE"].read_text(encoding="utf-8") == made["types"](), "run python tools/make_types.py"


def test_optional_and_null_fields_differ() -> None:
    text = (ROOT / "web" / "src" / "types.ts").read_text(encoding="utf-8")
    assert "  why?: string;" in text  # left out where there is no reason
    assert "  p_adjusted: number | null;" in text  # always there
    assert '  better: "higher" | "lower" | null;' in text
    assert "  examples: Record<string, ExamplePage>;" in text


@pytest.mark.slow
def test_payloads_match_the_structs(sample: Path) -> None:
    """Read back strictly: no field is of another type than its struct says, and none is unknown to it."""
    from assay.explorer.payloads import Embedded

    sent = msgspec.json.encode(embedded(Queries([sample])))
    found = msgspec.json.decode(sent, type=Embedded)
    assert json.loads(msgspec.json.encode(found)) == json.loads(sent)
