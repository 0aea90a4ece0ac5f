"""Items in a language that a metric does not support: the reason, and a remedy that works."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from assay.metrics.engine.languages import english_only, unsupported_languages
from tests.conftest import Call, write_jsonl
from tests.support import items

SAID = "The harbour of Tarn opens again."


def mixed(folder: Path, languages: str) -> list[object]:
    """Return outputs and examples, one item per language, as arguments of a command."""
    rows = list(enumerate(languages.split()))
    outputs = write_jsonl(folder / "outputs.jsonl", [{"id": str(i), "output": f"{SAID} {i}"} for i, _ in rows])
    about = {"source": f"{SAID} It rains.", "references": [SAID]}
    examples = [{"id": str(i), "language": language, **about} for i, language in rows]
    return [outputs, "-e", write_jsonl(folder / "examples.jsonl", examples)]


def test_the_reason_mentions_other_items_only_if_there_are_any() -> None:
    german = items(["Ja."], ["Ja."], ["Ja."], language="de-AT")
    assert english_only("its rules are English", german) == "its rules are English, but 1 of 1 items are de"
    why = unsupported_languages("embedding", "minilm", frozenset({"en"}), german)
    assert why == (
        "minilm supports en, but 1 of 1 items are de; choose a model for them "
        "(embedding:languages=any scores all items)"
    )
    assert unsupported_languages("embedding", "minilm", None, german) is None


def test_a_subset_in_one_language_is_scored(here: Callable[..., Call], tmp_path: Path) -> None:
    arguments = mixed(tmp_path, "en-GB de en tr de")
    metrics = ["-m", "chrf,faithful,consistency,meteor:stages=exact"]
    whole = here("score", *arguments, *metrics, "--json").json
    reasons = {each["metric"]: each["why"] for each in whole["skipped"]}
    assert reasons["faithful"] == (
        "its weights and stems are English, but 3 of 5 items are de 2, tr 1; score the rest with "
        "--subset language=en,en-GB, without --save"
    )
    assert set(whole["scores"]) == {"chrf"}
    actual = here("score", *arguments, *metrics, "--subset", "language=en,en-GB", "--json").json
    assert (actual["n"], actual["skipped"]) == (2, [])
    alone = here("score", *mixed(tmp_path, "en en"), "-m", "faithful", "--json").json
    assert {"chrf", "faithful", "meteor"} <= set(actual["scores"])
    assert actual["scores"]["faithful"]["value"] == alone["scores"]["faithful"]["value"] > 0
    german = ["-m", "meteor:stages=exact:language=de,faithful", "--subset", "language=de", "--json"]
    actual = here("score", *mixed(tmp_path, "en-GB de en tr de"), *german).json
    assert set(actual["scores"]) >= {"meteor"}
    assert [each["metric"] for each in actual["skipped"]] == ["faithful"]
    assert actual["skipped"][0]["why"].endswith("2 of 2 items are de")


def test_a_subset_in_one_language_is_compared(here: Callable[..., Call], tmp_path: Path) -> None:
    outputs, *arguments = mixed(tmp_path, "en de en")
    other = write_jsonl(tmp_path / "other.jsonl", [{"id": str(i), "output": "It rains."} for i in range(3)])
    command = [outputs, other, *arguments, "-m", "chrf,faithful", "--subset", "language=en", "--json"]
    actual = here("compare", *command).json["metrics"]
    assert actual["faithful"]["n"] == actual["chrf"]["n"] == 2
    assert "faithful" in here("table", *command[:-1]).out
