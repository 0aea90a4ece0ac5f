"""Names with options, and the registry behind them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Literal

import pytest

from assay.errors import AssayError
from assay.metrics import METRICS, resolve
from assay.registry import Registry, may_have_plugins
from assay.specs import Spec, build, choices, options, parse, parse_list, setting
from assay.specs_help import options_of


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("rouge", Spec("rouge")),
        ("rouge:gem", Spec("rouge", (), ("gem",))),
        ("rouge:stemmer=true:multi=jackknife", Spec("rouge", (("stemmer", "true"), ("multi", "jackknife")))),
        ("cmd:path=./a=b", Spec("cmd", (("path", "./a=b"),))),
    ],
)
def test_parse(text: str, spec: Spec) -> None:
    assert parse(text) == spec
    assert parse(str(spec)) == spec


def test_parse_list() -> None:
    assert [spec.name for spec in parse_list("a:x=1, b ,,c")] == ["a", "b", "c"]
    with pytest.raises(AssayError, match="the name before the first colon is missing"):
        parse(":x=1")


@dataclass(frozen=True)
class Thing:
    flag: bool = False
    size: int = 1
    share: float = 0.5
    kind: Literal["a", "b"] = "a"
    limit: int | None = 3
    word: str = ""
    place: Path | None = None
    batch: int = setting(8)


def test_options_are_converted_by_type() -> None:
    spec = parse("thing:flag=yes:size=7:share=.25:kind=b:limit=none:word=x")
    assert build(Thing, spec) == Thing(True, 7, 0.25, "b", None, "x")
    assert build(Thing, parse("thing:limit=9")).limit == 9
    assert build(Thing, parse("thing:place=a/b")).place == Path("a/b")
    assert build(Thing, parse("thing:big:flag=true"), {"big": {"size": 100}}) == Thing(flag=True, size=100)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("thing:flag=maybe", "give true or false"),
        ("thing:size=1.5", "give an integer"),
        ("thing:share=x", "give a number"),
        ("thing:kind=c", "choose one of a, b"),
        ("thing:limit=x", "give an integer"),
        ("thing:sise=1", r"no option sise \(did you mean size\?\); it has: flag, size"),
        ("thing:huge", "no preset huge; it has none"),
    ],
)
def test_wrong_options(text: str, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        build(Thing, parse(text))


@pytest.mark.parametrize("text", ["yes", "ON", "1", "True"])
def test_spellings_of_true(text: str) -> None:
    assert build(Thing, parse(f"thing:flag={text}")).flag is True
    assert build(Thing, parse("thing:flag=off")).flag is False


def test_a_setting_changes_nothing() -> None:
    large = build(Thing, parse("thing:batch=64"))
    assert large.batch == 64
    assert large == Thing()
    assert hash(large) == hash(Thing())
    assert options(large)["batch"] == 64
    assert "batch" not in choices(large)
    assert [option.name for option in options_of(Thing) if option.setting] == ["batch"]


def test_types_of_other_options_need_not_exist_at_run_time() -> None:
    made = type("Made", (), {"__annotations__": {"size": "int", "odd": "OnlyForTypeChecking"}, "size": 1, "odd": None})
    made.__module__ = __name__
    assert build(dataclass(made), parse("made:size=3")).size == 3


def test_registry_is_lazy_and_suggests() -> None:
    registry: Registry[Any] = Registry("thing", {"path": "pathlib:Path", "gone": "no_such_module:X"}, "assay.things")
    assert list(registry) == ["path", "gone"]
    assert registry.get("path").__name__ == "Path"
    with pytest.raises(AssayError, match=r"no thing called pat \(did you mean path\?\)"):
        registry.get("pat")
    with pytest.raises(AssayError, match="gone cannot be loaded from no_such_module:X"):
        registry.get("gone")
    registry.add("mine", 5)
    assert registry.get("mine") == 5
    with pytest.raises(AssayError, match="already exists"):
        registry.add("mine", 6)


def test_packages_with_entry_points_of_ours_are_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.path", [str(tmp_path), str(tmp_path / "missing.zip")])
    points = tmp_path / "loud-1.0.dist-info" / "entry_points.txt"
    points.parent.mkdir()
    assert not may_have_plugins()
    points.write_text("[console_scripts]\nassay = loud:main\n")
    assert not may_have_plugins()
    points.write_text("[console_scripts]\na = b:c\n[assay.systems]\nloud = loud:Loud\n")
    assert may_have_plugins()
    points.unlink()
    archive = tmp_path / "packages.zip"
    archive.write_bytes(b"PK")
    monkeypatch.setattr("sys.path", [str(archive)])
    assert may_have_plugins(), "archives are left to importlib.metadata"


def test_entry_points_add_and_cannot_take_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def points(group: str) -> list[EntryPoint]:
        return [EntryPoint("extra", "collections:OrderedDict", group)]

    monkeypatch.setattr("importlib.metadata.entry_points", points)
    monkeypatch.setattr("assay.registry.may_have_plugins", lambda: True)
    registry: Registry[Any] = Registry("thing", {"path": "pathlib:Path"}, "assay.things")
    assert registry.get("extra").__name__ == "OrderedDict"
    clash: Registry[Any] = Registry("thing", {"extra": "pathlib:Path"}, "assay.things")
    assert list(clash) == ["extra"]
    with pytest.raises(AssayError, match=r"two things are called extra: assay's own and collections:OrderedDict"):
        clash.get("extra")


def test_names_of_numbers_and_families() -> None:
    assert resolve("rouge1")[0].metric.name == "rouge"
    assert {part.name for part in resolve("distinct")[0].parts()} >= {"distinct-1", "distinct-3-nopunct"}
    merged = resolve("rouge1,rouge2")
    assert len(merged) == 1
    assert len(resolve("rouge,rouge:stemmer=true")) == 2
    assert resolve("rouge1,rouge")[0].part_names is None
    with pytest.raises(AssayError, match="did you mean distinct-1"):
        resolve("distinkt-1")
    assert "rouge" in METRICS
