"""`assay study estimate`: its JSON, its sentence, and what it refuses."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

Here = Callable[..., Any]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    draw = Random(3)
    scores, judgements = [], []
    for item in range(200):
        for system, level in (("a", 3.0), ("b", 3.1), ("c", 1.0)):
            quality = draw.gauss(level, 1)
            scores.append({"id": str(item), "system": system, "judge": quality + draw.gauss(0, 0.4), "noise": item % 7})
            if item % 5 == 0:
                row = {"id": str(item), "system": system, "annotator": "x", "criterion": "good", "value": quality}
                judgements.append(row)
    few, every = tmp_path / "few.jsonl", tmp_path / "all.jsonl"
    few.write_text("".join(json.dumps(row) + "\n" for row in judgements))
    every.write_text("".join(json.dumps(row) + "\n" for row in scores))
    return few, every


def test_json_and_text(here: Here, files: tuple[Path, Path]) -> None:
    few, every = files
    call = here("study", "estimate", "--judgements", few, "--scores", every, "--proxy", "judge", "--json")
    report = json.loads(call.out)
    own = report["systems"]["c"]
    assert own["judgements"] == 40
    assert own["low"] < 1.0 < own["high"]
    assert own["worth"] > 60
    assert report["groups"] == [["b", "a"], ["c"]] or report["groups"] == [["a", "b"], ["c"]]
    text = here("study", "estimate", "--judgements", few, "--scores", every).out
    assert "you paid for 120" in text
    assert "No significant difference" in text


def test_unusable_judgements_and_scores_are_refused(here: Here, files: tuple[Path, Path], tmp_path: Path) -> None:
    few, every = files
    wrong = here("study", "estimate", "--judgements", few, "--scores", every, "--proxy", "jude")
    assert wrong.code == 2
    assert "judge" in wrong.err
    short = tmp_path / "short.jsonl"
    short.write_text("".join(every.read_text().splitlines(keepends=True)[:300]))
    lost = here("study", "estimate", "--judgements", few, "--scores", short)
    assert lost.code == 1
    assert "not in the scores" in lost.err


def test_columns_of_the_design_are_used_or_refused(here: Here, files: tuple[Path, Path]) -> None:
    few, every = files
    rows = [json.loads(line) | {"p": 0.1 + 0.2 * (number % 2)} for number, line in enumerate(every.open())]
    every.write_text("".join(json.dumps(row) + "\n" for row in rows))
    base = ("study", "estimate", "--judgements", few, "--scores", every, "--proxy", "judge", "--json")
    weighted = json.loads(here(*base, "--probability", "p").out)["systems"]["a"]["value"]
    assert weighted != json.loads(here(*base).out)["systems"]["a"]["value"]
    refused = here(*base, "--probability", "noise")
    assert refused.code == 1
    assert "above 0" in refused.err
    assert "one annotator" in here(*base, "--annotators").err


def test_equal_judgements_have_no_interval(here: Here, files: tuple[Path, Path]) -> None:
    few, every = files
    rows = [json.loads(line) for line in few.open()]
    few.write_text(
        "".join(json.dumps(row | {"value": 5.0 if row["system"] == "a" else row["value"]}) + "\n" for row in rows)
    )
    report = json.loads(here("study", "estimate", "--judgements", few, "--scores", every, "--json").out)
    assert report["systems"]["a"]["low"] is None
    assert "all equal" in report["warnings"][0]
    assert [(each["a"], each["b"]) for each in report["differences"]] == [("b", "c")]


def test_what_is_not_used_is_reported(here: Here, files: tuple[Path, Path]) -> None:
    few, every = files
    rows = [json.loads(line) for line in few.open()]
    labels = [row | {"value": "fine"} for row in rows if row["system"] == "a"]
    kept = [row for row in rows if row["system"] != "c"]
    few.write_text("".join(json.dumps(row) + "\n" for row in [*kept, *labels]))
    warnings = json.loads(here("study", "estimate", "--judgements", few, "--scores", every, "--json").out)["warnings"]
    assert warnings == [
        "40 judgements of good not used: of a pilot, of parts of outputs, or labels",
        "no judgements, so no estimate: c",
    ]


def test_intervals_of_all_systems_together_are_wider_and_win_rates_are_rates(
    here: Here, files: tuple[Path, Path]
) -> None:
    few, every = files
    call = here(
        "study", "estimate", "--judgements", few, "--scores", every, "--proxy", "judge", "--win-rates", "--json"
    )
    report = json.loads(call.out)
    for each in (*report["systems"].values(), *report["differences"]):
        assert each["simultaneous"]["low"] < each["low"] < each["high"] < each["simultaneous"]["high"]
    rates = {(each["a"], each["b"]): each for each in report["win_rates"]}
    assert rates["a", "c"]["low"] > 0.5
    assert 0 <= rates["a", "b"]["low"] < 0.5 < rates["a", "b"]["high"] <= 1
    words = ("study", "estimate", "--judgements", few, "--scores", every, "--proxy", "judge", "--win-rates", "--json")
    by_input = json.loads(here(*words, "--stratum", "noise").out)["win_rates"]
    assert by_input[0]["value"] == pytest.approx(rates["a", "b"]["value"], abs=0.15)
    assert by_input[0] != report["win_rates"][0]
    rows = [json.loads(line) | {"drawn": 0.1 + 0.1 * (number % 2)} for number, line in enumerate(every.open())]
    every.write_text("".join(json.dumps(row) + "\n" for row in rows))
    refused = here(*words, "--probability", "drawn")
    assert refused.code == 2
    assert "Draw whole inputs" in refused.err


def test_rates_stay_between_0_and_1(here: Here, files: tuple[Path, Path]) -> None:
    few, every = files
    rows = [json.loads(line) for line in few.open()]
    few.write_text(
        "".join(
            json.dumps(row | {"value": int(row["value"] > 4.6 - 9 * (row["system"] == "c"))}) + "\n" for row in rows
        )
    )
    report = json.loads(
        here("study", "estimate", "--judgements", few, "--scores", every, "--proxy", "judge", "--json").out
    )
    for each in report["systems"].values():
        assert 0 <= each["low"] <= each["value"] <= each["high"] <= 1
    assert report["systems"]["c"]["value"] == 1
    assert 0.8 < report["systems"]["c"]["low"] < 1


def ratings_near_the_end(few: Path, scale: int = 5) -> None:
    """All outputs of c get the highest rating, almost all of a."""
    rows = [json.loads(line) for line in few.open()]
    few.write_text(
        "".join(
            json.dumps(
                row | {"value": scale - (row["system"] != "c") * (number % (9 if row["system"] == "a" else 2) == 0)}
            )
            + "\n"
            for number, row in enumerate(rows)
        )
    )


def test_ratings_have_intervals_on_their_scale_even_if_all_are_equal(here: Here, files: tuple[Path, Path]) -> None:
    few, every = files
    ratings_near_the_end(few)
    words = ("study", "estimate", "--judgements", few, "--scores", every, "--proxy", "judge", "--json")
    report = json.loads(here(*words).out)
    assert report["scale"] == [4, 5]
    c = report["systems"]["c"]
    assert 4.5 < c["low"] < c["high"] == 5
    assert c["simultaneous"]["low"] < c["low"]
    assert (
        "c: judgements are all equal; the interval is that of judgements alone, by the spread of others"
        in report["warnings"]
    )
    wider = json.loads(here(*words, "--scale", "1-5").out)
    assert wider["scale"] == [1, 5]
    assert all(1 <= each["low"] < each["high"] <= 5 for each in wider["systems"].values())
    a = wider["systems"]["a"]
    assert a["value"] - a["low"] > a["high"] - a["value"]
    assert here(*words, "--scale", "2-4").code == 2


def test_systems_with_annotators_of_their_own_are_warned_of(here: Here, files: tuple[Path, Path]) -> None:
    """A lenient annotator judged one system and a strict one the others: the systems cannot be compared."""
    few, every = files
    rows = [json.loads(line) for line in few.open()]
    base = ("study", "estimate", "--judgements", few, "--scores", every, "--proxy", "judge")

    def judged_by(annotator: Callable[[int, str], str]) -> None:
        few.write_text(
            "".join(json.dumps(row | {"annotator": annotator(n, row["system"])}) + "\n" for n, row in enumerate(rows))
        )

    judged_by(lambda n, system: "lenient" if system == "a" else "strict")
    call = here(*base)
    assert "a and b (and 1 other pair) were judged by different annotators: 0% of their" in " ".join(call.err.split())
    assert json.loads(here(*base, "--json").out)["warnings"][0].startswith("a and b")
    refused = here(*base, "--annotators")
    assert refused.code == 1
    assert "all judgements of a are by one annotator" in refused.err
    judged_by(lambda n, system: f"worker {(n * 7919) % 101}")  # a crowd: few judgements of each, at random
    assert "different annotators" not in here(*base).err
    judged_by(lambda n, system: "xyz"[n // 3 % 3])
    assert not here(*base).err


def test_proxies_that_some_systems_lack_or_that_never_vary(here: Here, files: tuple[Path, Path]) -> None:
    few, every = files
    rows = [json.loads(line) for line in every.open()]
    for row in rows:
        row |= {"flat": 1.0} | ({} if row["system"] == "c" else {"comet": row["judge"]})
    every.write_text("".join(json.dumps(row) + "\n" for row in rows))
    base = ("study", "estimate", "--judgements", few, "--scores", every)
    report = json.loads(here(*base, "--json").out)
    assert report["proxies"] == ["judge", "noise", "flat"]
    assert report["warnings"] == [
        "comet: 200 outputs have no score, of c; not used",
        "flat: the same for all outputs of a system, so of no use as a proxy",
    ]
    refused = here(*base, "--proxy", "comet,judge")
    assert refused.code == 1
    assert "200 outputs have no score, of c. Score them, or use --proxy judge." in " ".join(refused.err.split())
    few.write_text("".join(line for line in few.read_text().splitlines(keepends=True) if '"c"' not in line))
    assert json.loads(here(*base, "--proxy", "comet", "--json").out)["proxies"] == ["comet"]  # c has no judgements
