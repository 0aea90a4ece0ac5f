"""What is written as TOML is read as what it was."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.records.documents import parse_yaml, read_toml, to_toml

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
PLAIN = st.one_of(
    TEXT, st.booleans(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False),
    st.lists(TEXT, max_size=3),
)  # fmt: skip
TABLE = st.dictionaries(TEXT, PLAIN, max_size=4)
DOCUMENT = st.dictionaries(
    TEXT, st.one_of(PLAIN, TABLE, st.lists(TABLE, min_size=1, max_size=3)), min_size=1, max_size=4
)


@given(DOCUMENT)
def test_the_same_comes_back(value: dict[str, Any]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.toml"
        path.write_bytes(to_toml(value).encode())
        assert read_toml(path) == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [("a: [", "not YAML"), ("a: &x [1]\nb: *x", "aliases"), ("a" * 300_000, "characters of YAML")],
)
def test_yaml_that_is_none_or_grows_is_refused(text: str, problem: str) -> None:
    with pytest.raises(AssayError, match=problem):
        parse_yaml(text, "x.yaml")
    assert parse_yaml("a: 1\nb: [x]", "x.yaml") == {"a": 1, "b": ["x"]}
