"""Synthetic sentences in the style of minutes and news, as distractors."""

from __future__ import annotations

import random

SUBJECTS = (
    "the staff",
    "several members",
    "a report from the northern districts",
    "the survey of workshops",
    "the chair of the meeting",
    "officials who follow foreign trade",
    "the committee on payments",
    "a number of participants",
    "the head of the statistics office",
    "business people at the last round of visits",
    "two of the regional branches",
    "the memorandum before the meeting",
)
VERBS = (
    "pointed out that",
    "noted once more that",
    "expressed some concern that",
    "reported that",
    "reminded the others that",
    "took it as given that",
    "saw little reason to doubt that",
    "could not rule out that",
    "agreed after a long discussion that",
)
THINGS = (
    "orders for machines",
    "the building of houses",
    "wages in the larger towns",
    "deposits at savings banks",
    "the price of grain",
    "imports of timber",
    "shipments by rail",
    "stocks in warehouses",
    "loans to small firms",
    "sales of shops",
    "the demand for coal",
    "hiring in the ports",
    "the balance of trade",
    "the yield of long bonds",
)
MOVES = (
    "had grown a little faster than the year before",
    "had hardly changed since the spring",
    "had fallen for three months in a row",
    "were still below what had been planned",
    "had recovered in most but not in all regions",
    "would have to be looked at again",
    "gave no clear picture so far",
    "had been revised by more than usual",
    "moved in line with what was expected",
)
ENDS = (
    "and that the figures of the coming quarter would show more",
    "although the weather may have played a part in it",
    "while nothing of the kind was seen abroad",
    "which some of those present took to be temporary",
    "even after the usual corrections",
    "as had been said at the two meetings before",
    "and that it was too early to draw conclusions from that alone",
)
SURROUNDING = (
    "The announcement, which had been awaited since the morning, was read out to reporters in a crowded room",
    "Dealers said afterwards that most of them had expected nothing else, and the market closed with little change",
    "It was the third meeting of the year, and it lasted longer than those before it because of the new figures",
    "Whether it will be enough is a question on which the newspapers of the capital could not agree next morning",
    "The text leaves open what is to follow, and those who were in the room did not want to be named",
    "Firms in the export trade, for which much depends on it, had asked for a clear word in a letter last month",
)
FACTS = {
    "act": ("After a long debate the committee {text}.", "At its meeting the committee {text}."),
    "label": ("In the words of the minutes: {text}.", "The record of the vote says only: {text}."),
    "motive": ("The step was taken {text}.", "Members agreed that this was done {text}."),
    "evidence": ("Members pointed to {text}.", "The staff had reported on {text}."),
    "scope": ("The debate then turned to what may happen {text}.", "The members also asked what may follow {text}."),
    "attribution": ("Among those who spoke for the decision: {text}.", "The text was presented on behalf of {text}."),
}  # fmt: skip
OTHER_FACTS = ("Mention was made of {text}.",)
CONNECTED = {
    "scope": ", a step that may be repeated", "evidence": ", citing", "motive": ",", "attribution": ", according to",
}  # fmt: skip
"""Words before a span of a category in a marked sentence."""
DIRECTIONS = {
    "up": "raise raised raises raising increase increased hike hiked lift lifted tighten dearer up more higher",
    "down": "lower lowered lowers lowering cut cuts cutting reduce reduced ease eased cheaper down less decreased",
    "same": "keep kept keeps hold held holds steady let unchanged maintain maintained leave left pause paused",
}
"""Words of an act or its comment by what they say of the price of money."""
NEGATED = frozenset({"not", "no", "never"})


def direction(text: str) -> str | None:
    """Return whether a text speaks of prices of money that go up, down or stay the same; None if it says neither."""
    words = set(text.lower().replace("(", " ").replace(")", " ").split())
    matches = [name for name, listed in DIRECTIONS.items() if words & set(listed.split())]
    return matches[0] if len(matches) == 1 else None


def agree(act: str, comment: str) -> bool:
    """Return whether a comment does not contradict an act: the same direction, or the negation of another."""
    done, stated = direction(act), direction(comment)
    if done is None or stated is None:
        return True
    return (done != stated) if NEGATED & set(comment.lower().split()) else done == stated


def fact(category: str, text: str, draw: random.Random) -> str:
    """Return a sentence of an announcement that states a span of a category."""
    made = draw.choice(FACTS.get(category, OTHER_FACTS)).format(text=text)
    return made[0].upper() + made[1:]


def sentence(draw: random.Random) -> str:
    """Return a sentence of the minutes of a meeting, about 23 words."""
    subject = draw.choice(SUBJECTS)
    words = f"{subject} {draw.choice(VERBS)} {draw.choice(THINGS)} {draw.choice(MOVES)}"
    words += f" {draw.choice(ENDS)}" if draw.random() < 0.5 else ""
    return f"{words[0].upper()}{words[1:]}."


def prose(words: int, draw: random.Random) -> list[str]:
    """Return sentences with about this number of words in total, at least one."""
    made = [sentence(draw)]
    count = len(made[0].split())
    while count < words:
        made.append(sentence(draw))
        count += len(made[-1].split())
    return made
