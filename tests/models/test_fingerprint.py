"""What weights are known by: their content in a folder, their name on the hub."""

from __future__ import annotations

from pathlib import Path

from assay.models.cache import Cache
from assay.models.checkpoints import fingerprint


def test_hub_names_are_told_apart_and_can_name_a_namespace(tmp_path: Path) -> None:
    names = "org/small", "org/large", "smollm2"
    assert len({fingerprint(name) for name in names}) == 3
    assert fingerprint(names[0]) == fingerprint(names[0])
    assert Cache(tmp_path).get_many(fingerprint(names[0]), ["x"]) == {}


def test_a_folder_counts_by_content_wherever_it_is(tmp_path: Path) -> None:
    for name, text in (("a", "{}"), ("b", "{}"), ("c", '{"x": 1}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(text, encoding="utf-8")
    one, same, other = (fingerprint(str(tmp_path / name)) for name in "abc")
    assert one == same != other
