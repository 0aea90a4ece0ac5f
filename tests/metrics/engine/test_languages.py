"""Items in a language that a metric does not read: said, with a remedy that works."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from assay.metrics.engine.languages import english_only, unsupported_languages
from tests.conftest import Call, write_jsonl
from tests.support import items

SAID = "The harbour of Tarn opens again."


def mixed(folder: Path, languages: str) -> list[object]:
    """Outputs and examples, an item a language, as arguments of a command."""
    rows = list(enumerate(languages.split()))
    outputs = write_jsonl(folder / "outputs.jsonl", [{"id": str(i), "output": f"{SAID} {i}"} for i, _ in rows])
    about = {"source": f"{SAID} It rains.", "references": [SAID]}
    examples = [{"id": str(i), "language": language, **about} for i, language in rows]
    return [outputs, "-e", write_jsonl(folder / "examples.jsonl", examples)]


def test_the_reason_names_the_rest_only_where_there_is_one() -> None:
    german = items(["Ja."], ["Ja."], ["Ja."], language="de-AT")
    assert english_only("its rules are English", german) == "its rules are English, but 1 of 1 items are de"
    why = unsupported_languages("embedding", "minilm", frozenset({"en"}), german)
    assert why == (
        "minilm supports en, but 1 of 1 items are de; choose a model for them "
        "(embedding:languages=any scores all items)"
    )
    assert unsupported_languages("embedding", "minilm", None, german) is None


def test_a_subset_in_one_language_is_scored(here: Callable[..., Call], tmp_path: Path) -> None:
    given = mixed(tmp_path, "en-GB de en tr de")
    metrics = ["-m", "chrf,faithful,consistency,meteor:stages=exact"]
    whole = here("score", *given, *metrics, "--json").json
    reasons = {each["metric"]: each["why"] for each in whole["skipped"]}
    assert reasons["faithful"] == (
        "its weights and stems are English, but 3 of 5 items are de 2, tr 1; score the rest with "
        "--subset language=en,en-GB, without --save"
    )
    assert set(whole["scores"]) == {"chrf"}
    found = here("score", *given, *metrics, "--subset", "language=en,en-GB", "--json").json
    assert (found["n"], found["skipped"]) == (2, [])
    alone = here("score", *mixed(tmp_path, "en en"), "-m", "faithful", "--json").json
    assert {"chrf", "faithful", "meteor"} <= set(found["scores"])
    assert found["scores"]["faithful"]["value"] == alone["scores"]["faithful"]["value"] > 0
    german = ["-m", "meteor:stages=exact:language=de,faithful", "--subset", "language=de", "--json"]
    found = here("score", *mixed(tmp_path, "en-GB de en tr de"), *german).json
    assert set(found["scores"]) >= {"meteor"}
    assert [each["metric"] for each in found["skipped"]] == ["faithful"]
    assert found["skipped"][0]["why"].endswith("2 of 2 items are de")


def test_so_it_is_where_systems_are_compared(here: Callable[..., Call], tmp_path: Path) -> None:
    outputs, *given = mixed(tmp_path, "en de en")
    other = write_jsonl(tmp_path / "other.jsonl", [{"id": str(i), "output": "It rains."} for i in range(3)])
    asked = [outputs, other, *given, "-m", "chrf,faithful", "--subset", "language=en", "--json"]
    found = here("compare", *asked).json["metrics"]
    assert found["faithful"]["n"] == found["chrf"]["n"] == 2
    assert "faithful" in here("table", *asked[:-1]).out
