"""faithful: what sentences and words are worth beside a source, what is refused, and what may never be learned from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.errors import AssayError
from assay.metrics import resolve
from assay.metrics.faithfulness.faithful import Faithful
from assay.metrics.faithfulness.faithful_weights import read_weights
from assay.text.support import WAYS
from tests.support import TEXT, each, items, score

SOURCE = (
    "The old mill by the river burned down on Monday night. Nobody was hurt, said fire chief Nora Quist. "
    "It had 12 rooms and was built in 1874. The town council will meet again in May to plan a new bridge."
)
TRUE = "The old mill by the river burned down on Monday night."
WRONG_NUMBER = "It had 15 rooms and was built in 1874."
STITCHED = "The town council burned down the bridge, said fire chief May."
FOREIGN = "A striker from Porto signed for three seasons yesterday."


def value(output: str, source: str = SOURCE) -> float:
    return score("faithful", [output], None, [source])["faithful"]


def test_what_is_copied_is_worth_all_and_what_is_synthetic_little() -> None:
    assert value(TRUE) == 1
    assert value(f"{TRUE} Nobody was hurt, said fire chief Nora Quist.") == 1
    assert value(TRUE) > max(value(WRONG_NUMBER), value(STITCHED)) > value(FOREIGN)
    costs = read_weights(None).costs
    assert value("Zebras quarrel loudly abroad.") == pytest.approx(
        1 - sum(costs[w][0] for w in ("order", "phrases", "near"))
    )


def test_a_value_by_hand() -> None:
    """Nine words, of which 15 is not in the source: eight are in order; it stands in three of six runs of four words
    and in three of seven runs of three; of the neighbours 15 rooms, rooms built, built 1874 the first are nowhere
    near each other; one of two numbers is unknown."""
    found = each("faithful", [WRONG_NUMBER], None, [SOURCE])
    assert found["faithful.order"] == pytest.approx([8 / 9])
    assert found["faithful.phrases"] == pytest.approx([1 / 2])
    assert found["faithful.near"] == pytest.approx([2 / 3])
    assert found["faithful.numbers"] == pytest.approx([1 / 2])
    copied, costs = 4 / 7, read_weights(None).costs
    lack = {"order": 1 / 9, "phrases": 1 / 2, "near": 1 / 3, "numbers": 1 / 2}
    wanted = 1 - sum(lack[way] * (new * (1 - copied) + same * copied) for way, (new, same) in costs.items())
    assert found["faithful"] == pytest.approx(np.multiply(wanted, found["faithful.signs"]))
    assert found["faithful.worst"] == pytest.approx(found["faithful"])
    assert each("faithful:overlap", [WRONG_NUMBER], None, [SOURCE])["faithful"] == pytest.approx([wanted])


REPORT = (
    "Revenue was 4 million dollars in 2020. Acme bought Bolt in March 2019. Analysts fear that the merger may fail. "
    "The mayor did not resign."
)


@pytest.mark.parametrize(
    ("false", "true"),
    [
        ("Revenue was 7 million.", "Revenue amounted to 4 million dollars in 2020."),
        ("Bolt bought Acme in March 2019.", "Bolt was bought by Acme in March 2019."),
        ("Bolt acquired Acme.", "In March 2019, Acme purchased Bolt."),
        ("The mayor resigned.", "The mayor did not resign."),
        ("The merger will fail.", "Analysts fear the merger may fail."),
        ("Acme bought Bolt in April 2019.", "Acme bought Bolt in 2019."),
    ],
)
def test_a_contradiction_is_worth_less_than_a_paraphrase(false: str, true: str) -> None:
    assert value(false, REPORT) < value(true, REPORT)


def test_signs_lower_the_score_and_are_explained() -> None:
    plain = score("faithful:overlap", ["Revenue was 7 million dollars in 2020."], None, [REPORT])
    (sentence,) = Faithful().explain(REPORT, "Revenue was 7 million dollars in 2020.")
    assert sentence.kept.reasons == ("7 million dollars: the evidence has 4 million dollars",)
    assert sentence.value == pytest.approx(plain["faithful"] * sentence.kept.factor)
    assert sentence.kept.factor < 0.8
    assert "faithful.signs" not in plain


def test_the_page_has_the_costs_that_are_used() -> None:
    page = (Path(__file__).parents[3] / "docs/metrics/faithful.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split("|") for line in page.splitlines() if line.startswith("| words")]
    assert len(rows) == 4
    for name, *cells in rows:
        asked = name.strip().split("+")[1:]
        costs = read_weights(None, asked).costs
        told = [tuple(map(float, cell.split(","))) for cell in cells if cell.strip()]
        assert told == [costs[way] for way in (*WAYS, *asked)]


def test_an_output_is_the_mean_of_its_sentences() -> None:
    both = each("faithful", [f"{TRUE} {FOREIGN}", TRUE, FOREIGN], None, [SOURCE] * 3)
    whole, one, other = both["faithful"]
    assert whole == pytest.approx((one + other) / 2)
    assert both["faithful.worst"] == pytest.approx([other, one, other])


def test_the_words_that_cost_a_sentence_are_named() -> None:
    output = f"{TRUE} {WRONG_NUMBER}"
    first, second = Faithful().explain(SOURCE, output)
    assert (first.value, first.words) == (1, ())
    assert output[second.start : second.end] == WRONG_NUMBER[:-1]
    costs = {output[word.start : word.end]: word.cost for word in second.words}
    assert max(costs, key=lambda word: costs[word]) == "15"
    assert "1874" not in costs


@settings(max_examples=40)
@given(st.lists(st.sampled_from([*SOURCE.split(), "Porto", "7", "seven", "zebra."]), max_size=40), TEXT)
def test_costs_add_up_and_values_stay_in_bounds(words: list[str], anything: str) -> None:
    for output in (" ".join(words), anything):
        sentences = Faithful().explain(SOURCE, output)
        for sentence in sentences:
            total = sum(word.cost for word in sentence.words)
            assert sentence.value == pytest.approx(max(0, 1 - total) * sentence.kept.factor)
            assert all(output[word.start : word.end].strip() for word in sentence.words)
        wanted = np.mean([sentence.value for sentence in sentences]) if sentences else 0
        assert value(output) == pytest.approx(wanted)


def test_numbers_are_compared_as_numbers() -> None:
    source = "They sold 1,200 tickets for two shows."
    assert each("faithful", ["They sold 1200 tickets.", "For 2 shows."], None, [source] * 2)["faithful.numbers"] == [
        1,
        1,
    ]


def test_empty_texts_count_nothing_and_are_said() -> None:
    given = items(["", "...", TRUE, TRUE], None, [SOURCE, SOURCE, "", SOURCE])
    assert score("faithful", given)["faithful"] == pytest.approx(1 / 4)
    result = assay.score(["", TRUE], sources=[SOURCE, SOURCE], metrics="faithful")
    assert result.scores["faithful"].value == pytest.approx(1 / 2)
    assert Faithful().notes(given) == [
        "faithful: 2 outputs score 0: no words",
        "faithful: 1 source scores 0: no words",
    ]


def test_long_texts_are_read_in_pieces() -> None:
    long = " ".join(f"word{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}" for i in range(20_000))
    assert value(long, long) == 1
    assert 0 <= value(long, SOURCE) < 0.3
    assert value(TRUE, f"{long} {SOURCE}") > 0.8


def test_another_language_is_skipped_with_the_reason() -> None:
    reason = Faithful().unfit(items(["Ja."], None, ["Ja."], language="de-AT"))
    assert reason == "its weights and stems are English, but 1 of 1 items are de"
    assert Faithful().unfit(items(["Yes."], None, ["Yes."], language="en-GB")) is None


def test_weights_that_are_none_are_refused(tmp_path: Path) -> None:
    missing = resolve(f"faithful:weights={tmp_path / 'x.toml'}")[0].metric.why_not()
    assert missing is not None
    assert "file not found. Give a file that tools/fit_faithful.py wrote" in missing
    for content in (
        "nothing",
        "[weights]",
        '[weights."words"]\norder = [1]\n',
        '[weights."words"]\norder = [-1, 99]\n',
    ):
        (tmp_path / "bad.toml").write_text(content, encoding="utf-8")
        reason = resolve(f"faithful:weights={tmp_path / 'bad.toml'}")[0].metric.why_not()
        assert reason is not None
        assert reason.startswith("faithful:weights=")
    with pytest.raises(AssayError, match=r"also=magic: unknown model magic\. Give entailment or likelihood"):
        resolve("faithful:also=magic")


def test_a_file_of_weights_counts_by_its_content(tmp_path: Path) -> None:
    text = "".join(f"{way} = [0.5, 0.5]\n" for way in ("order", "phrases", "near", "numbers"))
    for name in ("a", "b"):
        (tmp_path / f"{name}.toml").write_text(f'[weights."words"]\n{text}', encoding="utf-8")
    a, b = (resolve(f"faithful:weights={tmp_path / name}.toml")[0].metric for name in "ab")
    assert a.signature("1") == b.signature("1") != Faithful().signature("1")
    assert score(f"faithful:weights={tmp_path}/a.toml", [WRONG_NUMBER], None, [SOURCE])["faithful"] != value(
        WRONG_NUMBER
    )


def test_a_copy_is_supported_where_sentences_touch_too() -> None:
    source = (
        "Nora Quist opened the bridge.It cost 12 pounds to build.Farmers had asked for it.The river was never safe."
    )
    assert each("faithful", [source], None, [source])["faithful"] == [1.0]
    assert len(Faithful().explain(source, source)) == 4
