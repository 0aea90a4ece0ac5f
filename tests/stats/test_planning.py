"""What to buy next: shares of doubt, purchases within the budget, and the power that a plan promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.stats.mixed import fit
from assay.stats.planning import Noise, Plan, Wanted, doubled, error_parts, outlook, purchases
from assay.stats.power import detectable_effect, power_of
from assay.stats.validation import UndefinedStatistic

NOISE, NOW = Noise(items=0.3, sources=0.1, rest=0.8), Plan(items=40, sources=6, each=3)
prices = st.fixed_dictionaries(
    {}, optional={"item": st.floats(0.5, 5), "source": st.floats(1, 50), "judgement": st.floats(0.1, 2)}
).filter(lambda given: {"item", "source"} & given.keys())


def test_doubt_by_hand() -> None:
    assert error_parts(NOISE, NOW) == pytest.approx((0.3 / 40, 0.1 / 6, 0.8 / 120))
    # six have given 20 looks each; two new ones share 40 more, so that all eight have the same
    even = error_parts(NOISE, Plan(40, 8, 4), NOW)
    assert even == pytest.approx((0.3 / 40, 0.1 / 8, 0.8 / 160))
    # nobody new has looked at anything yet
    uneven = error_parts(NOISE, Plan(40, 10, 3), NOW)
    assert uneven[1] == pytest.approx(0.1 / 6)


def test_items_alone_are_the_paired_test() -> None:
    found = outlook("now", Noise(0.25, 0.0, 0.0), Plan(50, 1, 1), Wanted(0.2))
    assert found.df == pytest.approx(49)
    assert found.visible == pytest.approx(detectable_effect(0.5, 50), rel=1e-9)
    assert found.power == pytest.approx(power_of(0.2, 0.5, 50), rel=1e-9)
    names = [each.name for each in doubled(Noise(0.25, 0, 0), Plan(50, 1, 1), Wanted(None), complete=True)]
    assert names == ["now", "twice the items"]
    with pytest.raises(UndefinedStatistic, match="do not vary"):
        outlook("now", Noise(0, 0, 0), NOW, Wanted(None))


def test_more_of_one_source_helps_with_its_share() -> None:
    now, items, sources, looks = doubled(NOISE, NOW, Wanted(0.3), complete=False)
    assert (items.plan, sources.plan, looks.plan) == (Plan(80, 6, 3), Plan(40, 12, 6), Plan(40, 6, 6))
    assert max(items.visible, sources.visible, looks.visible) < now.visible
    many_raters = doubled(Noise(0.3, 0.001, 0.01), NOW, Wanted(0.3), complete=True)
    assert many_raters[1].visible < many_raters[2].visible
    assert len(many_raters) == 3


@settings(max_examples=10)
@given(st.floats(10, 500), prices, st.booleans())
def test_purchases_keep_to_the_budget(budget: float, given: dict[str, float], complete: bool) -> None:
    now = Plan(40, 6, 6) if complete else NOW
    found = {each.name: each for each in purchases(NOISE, now, Wanted(0.3), budget, given, complete)}
    for each in found.values():
        plan = each.plan
        more = plan.items * plan.each - now.items * now.each
        cost = given.get("item", 0) * (plan.items - now.items) + given.get("source", 0) * (plan.sources - now.sources)
        cost += given.get("judgement", 0) * more
        assert cost == pytest.approx(each.cost)
        assert cost <= budget * (1 + 1e-9)
        assert plan.each <= plan.sources
        assert plan.items == now.items or "item" in given
        assert plan.sources == now.sources or "source" in given
        assert found.get("best", each).visible <= each.visible * 1.02


def test_odd_prices() -> None:
    with pytest.raises(UndefinedStatistic, match="no price is above 0"):
        purchases(NOISE, NOW, Wanted(None), 10, {}, False)
    with pytest.raises(UndefinedStatistic, match="seed=3"):
        purchases(NOISE, NOW, Wanted(None), 10, {"seed": 3}, False)


def test_power_is_what_simulated_studies_have() -> None:
    """Twenty items by eight annotators, tested with both as random."""
    rng = np.random.default_rng(9)
    noise, plan = Noise(0.2, 0.08, 0.6), Plan(20, 8, 8)
    promised = outlook("now", noise, plan, Wanted(0.45)).power
    item, rater = (index.ravel() for index in np.indices((20, 8)))
    draws, found = 120, 0
    for _ in range(draws):
        gap = 0.45 + rng.normal(0, 0.2**0.5, 20)[item] + rng.normal(0, 0.08**0.5, 8)[rater]
        gap = gap + rng.normal(0, 0.6**0.5, 160)
        found += fit(gap, np.ones(160), {"item": item, "rater": rater}).contrast([1]).p < 0.05
    assert found / draws == pytest.approx(promised, abs=0.1)
