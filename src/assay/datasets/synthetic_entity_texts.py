"""Texts about synthetic entities: names, a short biography of each, and a passage of news that mentions all.

A biography tells what an entity does and what is special about it, mostly in other words than the phrases that
aggregate the group ("whose landscapes hang in two museums": painters). Each text also has details that suggest
nothing, and some name the profession of other people, so that counting words is not enough.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

NOUNS: dict[str, dict[str, tuple[str, ...]]] = {
    "person": {
        "politicians": ("has sat in parliament for twelve years", "was elected to the city council", "ran for mayor"),
        "actors": ("is best known for leading roles on the stage", "starred in a dozen films"),
        "singers": ("gave concerts in forty countries", "recorded an album of ballads", "sang at the opera"),
        "coaches": ("trained the national football team", "led a rowing crew to two titles from the bench"),
        "judges": ("sits on the court of appeal", "presided over the trial of a cartel"),
        "painters": ("makes landscapes that hang in two museums", "works in oil and watercolour"),
        "writers": ("published four novels", "won a prize for a collection of short stories"),
        "bankers": ("runs the lending department of a finance house", "arranged loans for shipyards"),
        "generals": ("commanded an infantry division", "planned the defence of the border"),
        "pilots": ("flew cargo planes across the mountains", "has logged nine thousand hours in the cockpit"),
        "doctors": ("treats heart patients at a hospital", "runs a clinic for children"),
        "teachers": ("gives lessons in history at a grammar school", "prepared a generation of pupils for their exams"),
    },
    "location": {
        "cities": ("has a tram network and half a million inhabitants", "is known for its skyscrapers and boulevards"),
        "towns": ("has a market square and twelve thousand inhabitants", "has one high street and a weekly market"),
        "ports": ("has docks for the largest container ships", "lives from its quays and cranes"),
        "islands": ("is surrounded by the sea and reached by ferry", "lies two hours by boat off the mainland"),
        "villages": ("has a church, an inn and three hundred inhabitants", "is a cluster of farmhouses"),
        "harbours": ("shelters fishing boats from the westerly wind", "has moorings for sailing boats"),
        "valleys": ("lies between two ridges along a river", "is a strip of meadows below steep slopes"),
        "regions": ("covers eight districts with a common assembly", "stretches over a third of the country"),
        "states": ("has a governor and a constitution of its own", "sends two senators to the federal parliament"),
        "suburbs": ("is where commuters live, half an hour from the centre", "has rows of houses with gardens"),
        "resorts": ("fills its hotels and spas every summer", "draws holidaymakers to its beach"),
        "capitals": ("is the seat of the national government", "houses the ministries and the parliament"),
    },
    "org": {
        "companies": ("sells goods in nine countries", "employs two thousand people and pays dividends"),
        "banks": ("takes deposits and lends to households", "has branches with cash machines in every town"),
        "unions": ("negotiates wages for its members", "called three strikes last year"),
        "airlines": ("operates a fleet of forty jets", "flies passengers to sixty destinations"),
        "museums": ("shows a collection of antiquities", "opens its galleries to visitors six days a week"),
        "studios": ("produces films and television series", "has four sound stages"),
        "publishers": ("prints novels and school books", "brings out two hundred titles a year"),
        "breweries": ("makes lager and stout", "has been filling casks with beer since its foundation"),
        "clubs": ("plays in the first football division", "fields teams in five sports"),
        "charities": ("collects donations for the homeless", "sends volunteers to areas hit by floods"),
        "refineries": ("turns crude oil into petrol", "processes the oil of two fields"),
        "insurers": ("covers houses against fire and flood", "writes policies for ships and cargo"),
    },
}  # fmt: skip
"""Noun of a group by type, and what a text says of its members."""
KINDS: dict[str, dict[str, str]] = {
    "person": {
        "northern": "grew up near the Arctic coast", "southern": "comes from the warm end of the country",
        "veteran": "has been at it for forty years", "rival": "never misses a chance to outdo the others",
        "young": "is only twenty-four", "famous": "is known to everyone in the street",
        "retired": "stepped down three years ago", "local": "was born around the corner",
        "wealthy": "owns two castles", "exiled": "had to flee from home", "foreign": "came from abroad",
        "respected": "is held in high esteem", "outspoken": "says what others only think",
        "popular": "is loved by the crowd",
    },
    "location": {
        "northern": "sees little sun in winter", "southern": "has olive trees and mild winters",
        "coastal": "looks out on the sea", "rival": "competes with its neighbours for every visitor",
        "ancient": "was founded two thousand years ago", "famous": "appears on postcards everywhere",
        "remote": "is far from any railway line", "busy": "is crowded from morning to night",
        "wealthy": "has the highest incomes of the country", "mountain": "lies high in the Alps",
        "foreign": "is on the other side of the border", "industrial": "lives from steel and chemicals",
        "popular": "is a favourite of tourists", "inland": "is a day's drive from the nearest beach",
    },
    "org": {
        "northern": "has its seat near the Arctic coast", "southern": "has its seat at the warm end of the country",
        "established": "was founded a century ago", "rival": "fights for the same customers as its neighbours",
        "young": "was founded two years ago", "famous": "has a name that everyone knows",
        "struggling": "has lost money for five years", "local": "works in a single district",
        "wealthy": "has large reserves", "foreign": "has its seat abroad", "modern": "replaced all its equipment",
        "private": "belongs to a single family", "leading": "is the largest of its field",
        "popular": "is well liked by the public",
    },
}  # fmt: skip
"""Kind of a group by type, and what a text says of members of that kind."""
FIRST = (
    "Ada Bruno Clara Dario Elsa Felix Greta Hugo Ines Jonas Karin Leo Mira Nils Olga Pavel Rosa Sven Tilda Viktor"
).split()
LAST = (
    "Abbot Barlow Castell Dunmore Eklund Farrow Garland Hollis Iversen Jarvis Keller Lindqvist Marlow Norwood Okafor "
    "Penrose Quist Rosten Saville Thorne Ulrich Varga Westby Yates Zeller Ashdown Brandt Corelli Devlin Ferrand"
).split()
PLACES = (
    "Alder Birch Cold Dun East Fair Glen Hazel Iron Kings Long Marsh New Oak Pen Raven Salt Thorn Under West".split(),
    "bridge bury combe dale field ford ham haven holm hurst ley mere mouth port stead stow ton wick wood worth".split(),
)
FIRMS = ("Group", "Brothers", "Alliance", "and Sons", "Union", "House", "Works", "Trust")
DETAILS = {
    "person": ("lives in {place}", "has three sisters", "speaks five languages", "collects stamps"),
    "location": ("gave its name to a kind of cheese", "was hit by a storm in {year}",
                 "built a new hall in {year}"),
    "org": ("moved to {place} in {year}", "was audited in {year}", "has a new logo", "changed its name in {year}"),
}  # fmt: skip
OTHERS = {
    "person": "was once mistaken for one of the {noun} in a documentary",
    "location": "was compared to larger {noun} in a travel guide",
    "org": "shares a building with two {noun}",
}
EVENTS = {
    "person": ("appeared together at a dinner in {place}", "signed the same open letter", "were invited to a hearing",
               "met on Monday for the first time in years"),
    "location": ("were chosen for a survey of traffic", "sent delegations to a meeting in {place}",
                 "were struck by the same power cut", "will share the money of a new fund"),
    "org": ("presented their results on the same morning", "will move into one building in {place}",
            "were named in a report of the auditors", "announced a common pension fund"),
}  # fmt: skip
AFTER = (
    "An agreement had not been expected.", "Details were not made public.",
    "A second meeting is planned for the autumn.", "Reporters were asked to wait outside.",
    "The matter had been under discussion since the spring.",
)  # fmt: skip
HINTED, MARKED, NAMED, DISTRACTING, SILENT = 0.7, 0.45, 0.15, 0.35, 0.1
"""Probabilities that a biography tells the noun, a kind, the noun in its own word (singular), the noun of
others, and nothing."""


class Texts(NamedTuple):
    """Texts of one instance."""

    names: list[str]
    background: list[str]
    title: str
    context: str


def write_texts(kind: str, noun: str, marks: Sequence[str], size: int, draw: random.Random) -> Texts:
    """Return names and texts of `size` entities of a type whose phrases have this noun and these kinds."""
    names: list[str] = []
    while len(names) < size:
        name = _name(kind, draw)
        names += [name] if name not in names else []
    background = ["" if draw.random() < SILENT else _biography(name, kind, noun, marks, draw) for name in names]
    all_names = f"{', '.join(names[:-1])} and {names[-1]}"
    event = draw.choice(EVENTS[kind]).format(place=_place(draw))
    context = f"{all_names} {event}. {draw.choice(AFTER)}"
    return Texts(names, background, f"{names[0]} and {names[-1]} in the News", context)


def _biography(name: str, kind: str, noun: str, marks: Sequence[str], draw: random.Random) -> str:
    facts = []
    if draw.random() < NAMED:
        article = "an" if noun[0] in "aeiou" else "a"
        facts.append(f"is {article} {singular(noun)}")
    elif draw.random() < HINTED:
        facts.append(draw.choice(NOUNS[kind][noun]))
    facts += [KINDS[kind][mark] for mark in marks if draw.random() < MARKED]
    place, year = _place(draw), draw.randint(1900, 1999)
    facts += [text.format(place=place, year=year) for text in draw.sample(DETAILS[kind], 1 + (not facts))]
    if draw.random() < DISTRACTING:
        facts.append(OTHERS[kind].format(noun=draw.choice([other for other in NOUNS[kind] if other != noun])))
    draw.shuffle(facts)
    pronoun = {"person": "The same person", "location": "The place", "org": "The organization"}[kind]
    sentences = [f"{name} {' and '.join(facts[:2])}."]
    sentences += [f"{pronoun} {' and '.join(facts[at : at + 2])}." for at in range(2, len(facts), 2)]
    return " ".join(sentences)


def singular(noun: str) -> str:
    """Return the singular of a noun of this module."""
    if noun.endswith("ies"):
        return noun.removesuffix("ies") + "y"
    return noun.removesuffix("es") if noun.endswith("ches") else noun.removesuffix("s")


def _name(kind: str, draw: random.Random) -> str:
    if kind == "person":
        return f"{draw.choice(FIRST)} {draw.choice(LAST)}"
    if kind == "location":
        return _place(draw)
    return f"{draw.choice(LAST)} {draw.choice(FIRMS)}"


def _place(draw: random.Random) -> str:
    before, after = PLACES
    return draw.choice(before) + draw.choice(after)
