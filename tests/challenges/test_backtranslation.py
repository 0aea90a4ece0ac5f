"""Back-translation: engines, the rule of length, the share that is accepted; Apertium where it is installed."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from assay.challenges import perturbation
from assay.challenges.backtranslation import BackTranslation
from assay.challenges.perturbation import challenge_set
from assay.errors import AssayError
from assay.records import Example

TEXTS = ("The ferry left.", "It rained.\n\nNobody came to the harbour.", "Ice!")


def examples(*texts: str) -> list[Example]:
    return [Example(id=str(i), source=text, references=("R.",)) for i, text in enumerate(texts)]


def command(folder: Path, name: str, code: str) -> str:
    path = folder / f"{name}.py"
    path.write_text(
        f"import sys\nfor line in sys.stdin:\n    line = line.rstrip('\\n')\n    {code}\n", encoding="utf-8"
    )
    return f"{sys.executable} {path}"


def test_commands_translate_line_by_line(tmp_path: Path) -> None:
    there, back = (
        command(tmp_path, "there", "print(line[::-1])"),
        command(tmp_path, "back", "print(line[::-1].upper())"),
    )
    made = challenge_set(BackTranslation(engine="command", there=there, back=back), examples(*TEXTS))
    assert [each.source for each in made.examples] == [text.upper() for text in TEXTS]
    assert made.examples[0].tags["engine"] == f"command en-es-en {there} {back}"
    assert (made.examples[0].parent, made.examples[0].references) == ("0", ("R.",))
    assert (made.rejected, made.accepted) == ({}, 1.0)


def test_back_translations_that_are_too_long_are_rejected(tmp_path: Path) -> None:
    there, back = command(tmp_path, "there", "print(line)"), command(tmp_path, "back", "print(line + '!' * 7)")
    items = examples("x" * 19, "x" * 20, "", "x" * 40)
    made = challenge_set(BackTranslation(engine="command", there=there, back=back), items)
    assert made.rejected == {"0": "26 characters returned for 19"}  # 7 is above 35 % of 19, and not of 20
    assert [each.parent for each in made.examples] == ["1", "3"]
    assert made.unchanged == ["2"]
    assert made.accepted == 3 / 4


def test_the_maximum_length_change_is_accepted(tmp_path: Path) -> None:
    """63 is 35 % of 180, and in binary a little more than 0.35 * 180."""
    there, back = command(tmp_path, "there", "print(line)"), command(tmp_path, "back", "print(line + '!' * 63)")
    made = challenge_set(BackTranslation(engine="command", there=there, back=back), examples("x" * 180, "x" * 179))
    assert list(made.rejected) == ["1"]


@pytest.mark.parametrize(
    ("there", "back", "message"),
    [
        ("cat", "", "pass two commands"),
        ("no-such-engine x", "cat", "no-such-engine x: no such command"),
        ("head -n 1", "cat", "wrote 1 lines for 4"),
        ("false", "cat", "false: exit status 1"),
    ],
)
def test_an_engine_that_fails_is_named(there: str, back: str, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        challenge_set(BackTranslation(engine="command", there=there, back=back), examples(*TEXTS))


def test_models_translate_in_both_directions(bart: Path) -> None:
    """A model from chance translates nonsense; it is the same nonsense twice, and what is too long is rejected."""
    spec = f"backtranslation:engine=hf:there={bart}:back={bart}:most=1000"
    first, second = (challenge_set(perturbation(spec), examples(*TEXTS)) for _ in range(2))
    assert first == second
    assert len(first.examples) + len(first.unchanged) == 3
    assert first.examples
    with pytest.raises(AssayError, match="pass the models"):
        challenge_set(perturbation("backtranslation:engine=hf"), examples(*TEXTS))


def test_a_causal_model_is_rejected(causal: Path) -> None:
    with pytest.raises(AssayError, match="causal model does not translate"):
        challenge_set(perturbation(f"backtranslation:engine=hf:there={causal}"), examples(*TEXTS))


@pytest.mark.skipif(shutil.which("apertium") is None, reason="needs apertium, which `make apertium` installs")
class TestApertium:
    @pytest.mark.parametrize("via", ["es", "eo"])
    def test_translates_to_the_pivot_language_and_back(self, via: str) -> None:
        made = challenge_set(perturbation(f"backtranslation:via={via}"), examples("The red house stood in the north."))
        (text,) = [each.source or "" for each in made.examples] or ["The red house stood in the north."]
        assert {"house", "north"} <= set(text.strip(".").lower().split())

    def test_an_unknown_pair_is_named(self) -> None:
        with pytest.raises(AssayError, match="apertium has no pair en-xx"):
            challenge_set(perturbation("backtranslation:via=xx"), examples(*TEXTS))

    def test_two_translations_of_a_text_are_identical(self) -> None:
        first, second = (challenge_set(perturbation("backtranslation"), examples(*TEXTS)) for _ in range(2))
        assert first == second


def test_a_missing_apertium_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(AssayError, match="cannot be made here: apertium is not installed; apt-get install apertium"):
        challenge_set(perturbation("backtranslation"), examples(*TEXTS))
