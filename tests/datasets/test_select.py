"""Choosing datasets under rules."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.datasets import select
from assay.datasets.select import Candidate
from assay.datasets.select_bound import whole
from assay.errors import AssayError, UsageError

LARGE_AND_SMALL = [
    Candidate("a", 10, {"size": "large"}),
    Candidate("b", 10, {"size": "large"}),
    Candidate("c", 5, {"size": "small"}),
]


def test_the_example_of_the_paper() -> None:
    """Two large with utility 10, one small with 5, equal representation: 15, not 20."""
    choice = select.choose(LARGE_AND_SMALL, 2, [select.equal("size")])
    assert choice.utility == 15
    assert {candidate.name for candidate in choice.chosen} == {"a", "c"}
    assert choice.considered == 3
    assert select.choose(LARGE_AND_SMALL, 2).utility == 20


def test_votes_become_utilities() -> None:
    votes: list[int | str] = [*["positive"] * 17, *["negative"] * 2, *["neutral"] * 7]
    assert select.utilities({"e2e": votes})["e2e"] == pytest.approx(15 / 26)
    with pytest.raises(AssayError, match="x: votes are"):
        select.utilities({"x": ["perhaps"]})


def test_survey_answers_are_summarised() -> None:
    assert select.survey_summary({"tasks": [8, 10, 18], "none": []}) == {"tasks": {"mean": 12, "median": 10, "n": 3}}


@given(
    st.lists(st.tuples(st.integers(-5, 5), st.sampled_from("xyz")), min_size=2, max_size=9),
    st.integers(1, 6),
    st.sampled_from(["at-least:1:kind=x at-most:1:kind=y", "equal:kind", "at-least:2:kind=y", "none:kind=x", ""]),
)
def test_no_allowed_set_is_better(given: list[tuple[int, str]], size: int, written: str) -> None:
    candidates = [Candidate(str(i), utility, {"kind": kind}) for i, (utility, kind) in enumerate(given)]
    rules = [select.rule(text) for text in written.split()]
    if size > len(candidates):
        return
    allowed = [chosen for chosen in combinations(candidates, size) if all(rule.holds(chosen) for rule in rules)]
    if not allowed:
        with pytest.raises(AssayError, match="no set of"):
            select.choose(candidates, size, rules)
        return
    choice = select.choose(candidates, size, rules)
    ratings = [sorted((c.utility for c in chosen), reverse=True) for chosen in allowed]
    best = max(ratings, key=lambda each: (sum(each), each))
    assert [c.utility for c in choice.chosen] == best
    assert all(rule.holds(choice.chosen) for rule in rules)


def test_rules_are_parsed_from_the_command_line() -> None:
    assert select.rule("equal:size").name == "equal size"
    assert select.rule("at-least:2:task=dialog").name == "at least 2 with task dialog"
    assert select.rule("none:licence=closed").holds([Candidate("a", 1, {"licence": "MIT"})])
    assert select.rule("at-least:1:languages=de").holds([Candidate("a", 1, {"languages": ["en", "de"]})])
    for wrong in ("equal", "at-least:x:a=b", "at-least:1:a", "most:1:a=b", "none:a"):
        with pytest.raises(UsageError, match="write equal:KEY"):
            select.rule(wrong)


def test_eleven_of_thirty_five_with_rules_take_few_steps() -> None:
    """As many candidates and tasks as GEM had: 417 million sets, of which a few thousand partial ones are looked at."""
    draw = Random(5)
    tasks, languages = ["summarization", "data-to-text", "dialog", "simplification"], ["en", "de", "ru", "cs"]
    candidates = [
        Candidate(
            f"d{i}",
            draw.randrange(-26, 27) / 26,
            {
                "task": tasks[i % 4],
                "language": draw.choices(languages, [6, 1, 1, 1])[0],
                "size": draw.choice(["s", "l"]),
            },
        )
        for i in range(35)
    ]
    rules = [
        *(select.at_least(2, "task", task) for task in tasks),
        *(select.at_least(1, "language", language) for language in languages),
        select.at_most(7, "language", "en"),
    ]
    choice = select.choose(candidates, 11, rules)
    assert choice.considered == 417_225_900
    assert choice.steps < 100_000
    assert all(rule.holds(choice.chosen) for rule in rules)
    one_worse = sorted((c.utility for c in candidates), reverse=True)[:11]
    assert choice.utility <= sum(one_worse)


def test_equal_ratings_need_no_search() -> None:
    assert select.choose([Candidate(f"{i:02}", 0) for i in range(60)], 30).steps < 100


def test_a_search_that_takes_too_long_ends_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "MOST_STEPS", 10)
    with pytest.raises(AssayError, match="after 10 steps"):
        select.choose([Candidate(str(i), i) for i in range(20)], 10, [select.Rule("never", lambda chosen: False)])


def test_candidate_files_are_read_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(
        json.dumps(
            {"a": {"votes": ["positive", "negative"], "task": "x"}, "b": {"utility": 2}, "survey": {"n": [2, 4]}}
        )
    )
    candidates, survey = select.read_candidates(path)
    assert candidates == [Candidate("a", 0.0, {"task": "x"}), Candidate("b", 2.0, {})]
    assert survey == {"n": {"mean": 3, "median": 3, "n": 2}}
    for wrong in ("[]", "{", '{"a": {}}'):
        path.write_text(wrong)
        with pytest.raises(AssayError, match=r"c\.json"):
            select.read_candidates(path)


def test_contradictory_rules_are_reported_without_search() -> None:
    """Each can be satisfied alone; together they require fourteen of eleven."""
    words = ("en", "de", "ru", "cs", "zh")
    many = [select.Candidate(f"d{i}", (7 * i % 13) / 13, {"language": words[i % 5]}) for i in range(35)]
    rules = [select.at_least(n, "language", word) for n, word in ((5, "de"), (5, "en"), (4, "ru"))]
    with pytest.raises(AssayError, match="no set of 11 satisfies all rules"):
        select.choose(many, 11, rules)
    kept = select.choose(
        many, 11, [*rules[:2], select.at_least(1, "language", "ru"), select.at_least(4, "language", "de")]
    )
    assert [sum(one.properties["language"] == word for one in kept.chosen) for word in ("de", "en", "ru")] == [5, 5, 1]
    several = [select.Candidate(f"d{i}", 0.0, {"language": ["de", "en", "ru"]}) for i in range(12)]
    assert len(select.choose(several, 11, rules).chosen) == 11, "one that has them all counts for each"


VALUES = {"kind": "xyz", "tongue": "uvw", "size": "sl"}
COUNTED = st.tuples(
    st.sampled_from(["at-least", "at-most"]),
    st.integers(0, 4),
    st.sampled_from([(key, value) for key, values in VALUES.items() for value in values]),
)


@st.composite
def surveys(draw: st.DrawFn) -> tuple[list[Candidate], int, list[select.Rule]]:
    """Candidates with ties, fractions and several values of one property, and rules about all of them at once."""
    n = draw(st.integers(2, 9))
    worth = draw(st.sampled_from([st.integers(-2, 2), st.integers(-9, 9).map(lambda k: k / 26), st.just(0.1)]))
    several = draw(st.booleans())
    made = []
    for i in range(n):
        fields: dict[str, Any] = {key: draw(st.sampled_from(values)) for key, values in VALUES.items()}
        if several:
            fields["tongue"] = draw(st.lists(st.sampled_from("uvw"), max_size=3))
        made.append(Candidate(str(i), draw(worth), fields))
    written = [f"{kind}:{count}:{key}={value}" for kind, count, (key, value) in draw(st.lists(COUNTED, max_size=6))]
    written += draw(st.lists(st.just("equal:size"), max_size=1))
    return made, draw(st.integers(1, n)), [select.rule(text) for text in written]


@given(surveys())
def test_no_allowed_set_is_better_under_rules_about_several_properties(
    survey: tuple[list[Candidate], int, list[select.Rule]],
) -> None:
    candidates, size, rules = survey
    ranked = sorted(candidates, key=lambda c: (-c.utility, c.name))
    allowed = [chosen for chosen in combinations(ranked, size) if all(rule.holds(chosen) for rule in rules)]
    if not allowed:
        with pytest.raises(AssayError, match="no set of"):
            select.choose(candidates, size, rules)
        return
    exact = {each.name: worth for each, worth in zip(ranked, whole([c.utility for c in ranked]), strict=True)}
    first = max(allowed, key=lambda chosen: sum(exact[each.name] for each in chosen))  # of several the first
    assert select.choose(candidates, size, rules).chosen == first


@given(surveys(), st.integers(0, 511), st.integers(0, 9), st.lists(st.integers(-3000, 3000), min_size=6, max_size=6))
def test_a_bound_is_never_too_low(
    survey: tuple[list[Candidate], int, list[select.Rule]], marks: int, place: int, prices: list[int]
) -> None:
    """Wherever the search stands and whatever the prices are."""
    candidates, size, rules = survey
    ranked = sorted(candidates, key=lambda c: (-c.utility, c.name))
    place = min(place, len(ranked))
    marks &= (1 << place) - 1
    chosen, rest = [c for i, c in enumerate(ranked[:place]) if marks >> i & 1], ranked[place:]
    free = size - len(chosen)
    if not 0 <= free <= len(rest):
        return
    bound = select._bound(ranked, size, rules)
    most, _ = bound.of(marks, place, tuple(prices[: len(bound.limits)]), bound.lowest - 1)
    worth = {each.name: worth for each, worth in zip(ranked, bound.worth, strict=True)}
    ends = ([*chosen, *more] for more in combinations(rest, free))
    reached = [sum(worth[each.name] for each in end) for end in ends if all(rule.holds(end) for rule in rules)]
    assert not reached or (most is not None and most >= max(reached))


@pytest.mark.parametrize("seed", range(16))
def test_35_choose_11_as_integer_programming_has_it(seed: int) -> None:
    """Rules about four properties at once, on ratings with many ties, few, or nothing but ties."""
    np = pytest.importorskip("numpy")
    optimize = pytest.importorskip("scipy.optimize")
    rng = Random(seed)

    def worth() -> float:
        return [round(rng.uniform(-1, 1), 2), rng.choice([-0.5, 0, 0.5]), 0.0, round(rng.gauss(0.3, 0.1), 3)][seed % 4]

    values = {"task": "abcd", "lang": ["en", "de", "zh", "ru", "cs"], "lic": ["open", "closed"], "size": "sml"}
    many = [Candidate(f"d{i}", worth(), {key: rng.choice(of) for key, of in values.items()}) for i in range(35)]
    rules, rows, least, most = [], [np.ones(35)], [11.0], [11.0]
    for _ in range(rng.randint(1, 7)):
        key = rng.choice(list(values))
        value, n, asks = rng.choice(values[key]), rng.randint(0, 5), rng.random() < 0.5
        rules.append((select.at_least if asks else select.at_most)(n, key, value))
        rows.append(np.array([each.properties[key] == value for each in many], float))
        least.append(n if asks else -np.inf)
        most.append(np.inf if asks else n)
    solved = optimize.milp(
        [-each.utility for each in many],
        constraints=optimize.LinearConstraint(np.array(rows), least, most),
        integrality=np.ones(35),
        bounds=optimize.Bounds(0, 1),
    )
    if solved.status:
        with pytest.raises(AssayError, match="no set of 11"):
            select.choose(many, 11, rules)
        return
    choice = select.choose(many, 11, rules)
    assert choice.utility == pytest.approx(-solved.fun, abs=1e-6)
    assert choice.steps < 20_000
