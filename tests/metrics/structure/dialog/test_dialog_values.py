"""MultiWOZ: responses, values and names of venues are written in one way, whoever wrote them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.metrics.structure.dialog.databases import Databases, read_databases
from assay.metrics.structure.dialog.files import read_predictions
from assay.metrics.structure.dialog.responses import normalise
from assay.metrics.structure.dialog.values import normalise_state, time_of
from assay.metrics.structure.dialog.venues import VenueNames

STYLES = {
    "mwz22": (
        "[address] has a [entrancefee] entrance fee. the address is [name], [address], post code [postcode].",
        "ADDRESS has a PRICE entrance fee. the address is NAME, ADDRESS, post code POST.",
    ),
    "hdsa": (
        "[attraction_name] has a free entrance fee. the address is [attraction_address], [attraction_postcode].",
        "NAME has a free entrance fee. the address is ADDRESS, POST.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
def test_styles_become_one_vocabulary(style: str) -> None:
    given, wanted = STYLES[style]
    assert normalise(given) == wanted


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (
            "there are [value_choice] [value_price] [value_food] restaurant -s .",
            "there are COUNT PRICE FOOD restaurant.",
        ),
        ("[pricerange]-ly priced", "PRICE priced"),
        ("to [taxi_destination]", "to PLACE"),
        ("[ref] for [value_place]", "REFERENCE for PLACE"),
        ("train [train_id] , [restaurant_id]", "train TRAINID, ID"),
        ("[nonsense] here", "here"),
    ],
)
def test_slots(given: str, wanted: str) -> None:
    assert normalise(given) == wanted


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("noon", "12:00"), ("lunch", "12:00"), ("afternoon", "13:00"), ("morning", "08:00"), ("4pm", "16:00"),
        ("1630", "16:30"), ("9", "09:00"), ("", "00:00"), ("9:15", "09:15"), ("after 9:15", "09:15"),
        ("12 pm", "12:00"), ("ten o'clock p.m.", "22:00"), ("12 am", "00:00"), ("by 17:45", "17:45"),
        ("seven o'clock tomorrow evening", "19:00"),
        ("10:30 am", "10:30"), ("nonsense", "00:00"), ("24:00", "00:00"),
    ],
)  # fmt: skip
def test_times(given: str, wanted: str) -> None:
    assert time_of(given) == wanted


def test_states_are_written_in_one_way() -> None:
    given = {
        "Hotel": {
            "arriveBy": "",
            "type": "guest house",
            "Parking": "free",
            "area": "dontcare",
            "name": ["nando's", "x"],
        }
    }
    assert normalise_state(given) == {"hotel": {"type": "guesthouse", "parking": "yes", "name": "nandos"}}


@pytest.mark.parametrize("said", ["don't care", "do n't care", "do not care", "does n't care", "DontCare", "any"])
def test_what_does_not_matter_is_no_constraint(said: str) -> None:
    assert normalise_state({"hotel": {"area": said, "stars": "4"}}) == {"hotel": {"stars": "4"}}


NAMES = [
    "brynn's college", "wexley college", "dale college", "gallery at twelve low street",
    "harbour museum of boats and bells", "old quay museum", "tower museum",
    "sandoval tandoori restaurant", "sitka tandoori", "caffe tre",
]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("brynn college", "brynn's college"), ("the brynns' college", "brynn's college"),
        ("gallery at 12 low street", "gallery at twelve low street"), ("cafe tre", "caffe tre"),
        ("museum of and bells", "harbour museum of boats and bells"),
        ("the sandoval tandoor", "sandoval tandoori restaurant"),
        ("museum", None), ("the college", None), ("wexley museum", None), ("bells bells museum", None), ("", None),
        ("bells and would like", None), ("!?", None),
    ],
)  # fmt: skip
def test_names_that_no_database_has(said: str, meant: str | None) -> None:
    assert VenueNames(NAMES).meant(said) == meant


def test_a_name_means_the_venue_it_is_an_alias_of() -> None:
    rows = [{"id": str(i), "name": name, "area": "north" if i else "south"} for i, name in enumerate(NAMES)]
    town = Databases({"attraction": rows})
    assert town.query("attraction", {"name": "brynn college"}) == {"0"}
    assert town.query("attraction", {"name": "brynn college", "area": "north"}) == set()
    assert town.query("attraction", {"name": "wexley college"}) == {"1"}, "a name that is there stays"
    assert town.query("attraction", {"name": "harbour inn"}) == set()


@pytest.mark.slow
def test_venues_that_nine_systems_name(shared_data: Callable[[str], Path]) -> None:
    """Of 14,503 mentions 248 match nothing, most of them venues of another domain; 367 before names had aliases."""
    found = read_databases(shared_data("multiwoz/database"))
    missed = mentions = 0
    for path in sorted(shared_data("multiwoz/predictions").glob("*.json")):
        for turn in (turn for turns in read_predictions(path).dialogues.values() for turn in turns):
            for domain in ("restaurant", "hotel", "attraction"):
                if name := (turn.state or {}).get(domain, {}).get("name"):
                    mentions += 1
                    missed += not found.query(domain, {"name": name})
    assert (mentions, missed) == (14_503, 248)
    strangers = [
        (domain, row["name"])
        for domain in ("restaurant", "hotel", "attraction")
        for other in ("restaurant", "hotel", "attraction")
        if other != domain
        for row in found.rows[other]
    ]
    for domain, name in strangers:
        found.query(domain, {"name": name})
    taken = {key: meant for key, meant in found.names.items() if key in strangers and key[1] != meant}
    assert len(taken) <= 2, taken
