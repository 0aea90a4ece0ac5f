"""support: each reason on a sentence written for it, evidence at its offsets, and rates by hand."""

from __future__ import annotations

import pytest

import assay
from assay.errors import AssayError
from assay.metrics.support.checker import REASONS, Checked, check
from assay.metrics.support.claims import is_checkable, read_sentence
from assay.metrics.support.entailment import WITH_ENTAILMENT
from assay.metrics.support.features import WORDS
from assay.metrics.support.weights import read_weights
from assay.records import Example, Items
from assay.records.types import Passage
from tests.support.processor_time import processor_seconds

SOURCE = (
    "Acme bought Bolt in March 2019. Revenue was 4 million dollars. Analysts fear that the company could lose its "
    "licence. The harbour was calm on Monday. Some ships left the port at noon. Prices rose by 5 percent. "
    "The union rejected the offer."
)


def checked(output: str, source: str = SOURCE) -> list[Checked]:
    return check(Items((output,), (Example(id="1", source=source),)))[0]


@pytest.mark.parametrize(
    ("claim", "verdict", "reason"),
    [
        (
            "Revenue was 7 million dollars.",
            "contradicted",
            "number or unit differs (7 million dollars: the evidence has 4",
        ),
        ("Revenue was 4 million euros.", "contradicted", "number or unit differs (4 million euros"),
        ("Bolt bought Acme in March 2019.", "contradicted", "roles exchanged"),
        ("Acme bought Bolt in April 2019.", "contradicted", "date differs (April: the evidence has March)"),
        ("Acme bought Cork in March 2019.", "unsupported", "name differs (Cork"),
        ("The harbour was not calm on Monday.", "contradicted", "negated (the claim negates calm"),
        ("Prices fell by 5 percent.", "contradicted", "opposite stated"),
        ("The union did not reject the offer.", "contradicted", "negated (the claim negates reject"),
        ("The union accepted the offer.", "contradicted", "negated (the evidence negates offer"),
        ("The company lost its licence.", "unsupported", "uncertain in the source, stated as fact"),
        ("Elephants like jazz music in Peru.", "unsupported", "nothing found"),
        ("Prices dropped by 5 percent.", "contradicted", "opposite stated (dropped: the evidence has rose)"),
        ("The port was calm on Tuesday.", "contradicted", "date differs (Tuesday: the evidence has Monday)"),
    ],
)
def test_reasons(claim: str, verdict: str, reason: str) -> None:
    (one,) = checked(claim)
    assert (one.verdict, one.reason[: len(reason)]) == (verdict, reason)
    assert one.probability is not None
    assert one.probability < 0.5


@pytest.mark.parametrize(
    "claim",
    [
        "Acme bought Bolt in March 2019.",
        "Bolt was bought by Acme in March 2019.",
        "Revenue was $4m.",
        "The harbour was calm on Monday, and some ships left the port at noon.",
        "Prices rose by five percent.",
        "The union did not accept the offer.",
        "Analysts fear that the company could lose its licence.",
    ],
)
def test_true_statements(claim: str) -> None:
    (one,) = checked(claim)
    assert (one.verdict, one.reason) == ("supported", "")


HEALTH = (
    "The World Health Organization was not involved. Analysts fear that sales will fall in May. Lena Woods, who led "
    "the firm until 2021, criticised Berg. The union rejected the plan and called strikes for June. The trial "
    "enrolled 240 adults. The cuts save 30 million euros. If you order fifty chairs, you get a discount."
)


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("The WHO was involved.", "negated (the evidence negates involved (not))"),
        ("Sales will fall in May.", "uncertain in the source, stated as fact (the evidence has fear)"),
        ("Berg criticised Lena Woods.", "roles exchanged (Berg and Lena have exchanged roles (criticised))"),
        ("The union welcomed the plan and cancelled strikes.", "negated (the evidence negates plan (rejected))"),
        ("The trial enrolled 240 children.", "opposite stated (children: the evidence has adults)"),
        ("The cuts save EUR 30bn.", "number or unit differs (EUR 30bn: the evidence has 30 million euros)"),
        ("The cuts save thirty million dollars.", "number or unit differs (thirty million dollars"),
    ],
)
def test_reasons_over_other_words(claim: str, reason: str) -> None:
    (one,) = checked(claim, HEALTH)
    assert one.reason[: len(reason)] == reason
    assert one.verdict != "supported"


@pytest.mark.parametrize(
    "claim",
    [
        "The WHO was not involved.",
        "Analysts fear that sales could drop in May.",
        "Berg was criticised by Lena Woods.",
        "The union was against the plan and called strikes for June.",
        "The cuts save EUR 30m.",
        "Ordering fifty chairs brings a discount.",
    ],
)
def test_true_statements_in_other_words_have_no_sign(claim: str) -> None:
    (one,) = checked(claim, HEALTH)
    assert not one.claim.signs.values


def test_what_cannot_be_checked() -> None:
    texts = [
        "What is revenue?",
        "Thanks for asking!",
        "Here are the results:",
        "In my opinion, ships are pretty things.",
        "Hope this helps with your plan!",
    ]
    assert not any(is_checkable(read_sentence(text)) for text in texts)
    assert is_checkable(read_sentence("Revenue was $4m."))


def test_evidence_has_context_and_offsets() -> None:
    contexts = (Passage("a", "Nothing of interest here."), Passage("b", SOURCE))
    items = Items(("Well. Revenue was 4 million dollars.",), (Example(id="1", contexts=contexts, source="unused"),))
    one = check(items)[0][-1]
    record = one.to_dict("bot")
    assert items.outputs[0][record["start"] : record["end"]] == record["sentence"]
    best = record["evidence"][0]
    assert best["context"] == "b"
    assert SOURCE[best["start"] : best["end"]] == best["text"] == "Revenue was 4 million dollars."
    assert (record["verdict"], record["id"], record["system"]) == ("supported", "1", "bot")


def test_the_metric_counts_sentences() -> None:
    outputs = ["Revenue was 7 million dollars. The harbour was calm on Monday.", "Prices rose by 5 percent. Why?"]
    found = assay.score(outputs, sources=[SOURCE, SOURCE], metrics="support").scores
    assert found["support"].value == pytest.approx(2 / 3)
    assert found["support.contradicted"].value == pytest.approx(1 / 3)
    all_ = [one.probability for text in outputs for one in checked(text) if one.probability is not None]
    assert found["support.probability"].value == pytest.approx(sum(all_) / 3)
    worst = (min(all_[:2]) + all_[2]) / 2
    assert found["support.worst"].value == pytest.approx(worst)


def test_without_contexts_and_sources() -> None:
    skipped = assay.score(["A text."], ["A text."], metrics="support").skipped
    assert "needs contexts or sources" in skipped[0].why


def test_other_checkers() -> None:
    items = Items(("Revenue was 7 million dollars.",), (Example(id="1", source=SOURCE),))
    (one,) = check(items, "faithful")[0]
    assert one.probability == pytest.approx(
        assay.score(items.outputs, sources=[SOURCE], metrics="faithful").scores["faithful"].value
    )
    with pytest.raises(AssayError, match="no checker called bleu; there are assay"):
        check(items, "bleu")


def test_weights_never_reward_a_sign() -> None:
    weights = read_weights()
    assert tuple(weights.costs) == WORDS
    assert all(cost >= 0 for name, cost in weights.costs.items() if name != "long")
    nothing = dict.fromkeys(weights.costs, 0.0)
    assert weights.probability(nothing) > 0.5
    assert weights.probability({**nothing, "number": 1.0}) < 0.5


def test_hostile_texts_take_linear_time() -> None:
    def seconds(size: int) -> float:
        texts = ("a " * size, "A" * size, "Not " * size, "1," * size, "A b. " * (size // 4))
        return processor_seconds(lambda: [checked(text, text) for text in texts], runs=2)

    seconds(500)
    assert seconds(8000) < 60 * max(seconds(1000), 0.02)


@pytest.mark.slow
def test_entailment_is_a_checker_with_weights_of_its_own() -> None:
    from assay.metrics import resolve
    from assay.metrics.support.checker import why_not

    if reason := why_not("assay-nli"):
        pytest.skip(reason)
    items = Items(("Acme purchased Bolt. Elephants like jazz.",), (Example(id="1", source=SOURCE, language="en"),))
    with_model, rules = check(items, "assay-nli")[0], check(items)[0]
    assert [one.verdict for one in with_model] == ["supported", "unsupported"]
    assert [one.probability for one in with_model] != [one.probability for one in rules]
    signatures = [resolve([spec])[0].metric.options() for spec in ("support", "support:checker=assay-nli")]
    assert signatures[0]["weights"] != signatures[1]["weights"]
    assert "model" not in signatures[0]
    assert "assay-nli" in signatures[1]["model"]


def test_every_feature_has_a_weight() -> None:
    assert set(read_weights("entailment").costs) == set(WITH_ENTAILMENT)


def test_references_of_some_items_do_not_matter() -> None:
    asked = [Example(id="1", source=SOURCE, references=("x",)), Example(id="2", source=SOURCE)]
    outputs = [{"id": "1", "output": "Revenue was $4 million."}, {"id": "2", "output": "Revenue was $4 million."}]
    (report,) = assay.support(outputs, examples=asked).values()
    assert len(report.checked) == 2


TALK = (
    "Ben: No, she is on holiday until the 14th. Ana: I'll book room 4 for noon. "
    "Ben: I'm afraid not, the data arrive on Monday."
)
HALF = (
    "It will close two of its five bakeries. It reported a loss of 3.2 million pounds, after a profit of 1.1 million."
)


@pytest.mark.parametrize(
    ("claim", "source", "reason"),
    [
        ("Carla is on holiday until the 14th.", TALK, ""),
        ("The data arrive on Monday.", TALK, ""),
        ("Ben will book room 4 for noon.", TALK, "name differs (Ben: the evidence has Ana)"),
        ("It will close all five bakeries.", HALF, "stronger than the source (all: the evidence has two of its five)"),
        ("It reported a profit of 3.2 million pounds.", HALF, "number or unit differs"),
        ("It reported a loss of 3.2 million pounds.", HALF, ""),
        ("It reported a profit of 1.1 million pounds.", HALF, ""),
        ("The firm refused to close its five bakeries.", HALF, "negated (the claim negates close (refused))"),
    ],
)
def test_speakers_shares_and_what_numbers_count(claim: str, source: str, reason: str) -> None:
    (one,) = checked(claim, source)
    named = [
        f"{REASONS[sign]} ({one.claim.signs.details[sign]})" for sign in REASONS if one.claim.signs.values.get(sign)
    ]
    assert (named[0] if named else "")[: len(reason)] == reason
    assert bool(named) == bool(reason)


def test_a_denial_of_one_word_can_be_checked() -> None:
    assert is_checkable(read_sentence("There were no deaths."))
    assert not is_checkable(read_sentence("Deaths."))
