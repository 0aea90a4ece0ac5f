"""Invented sentences in the manner of minutes and news: long enough to hide in them what matters."""

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
BESIDE = (
    "The announcement, which had been awaited since the morning, was read out to reporters in a crowded room",
    "Dealers said afterwards that most of them had expected nothing else, and the market closed with little change",
    "It was the third meeting of the year, and it lasted longer than those before it because of the new figures",
    "Whether it will be enough is a question on which the newspapers of the capital could not agree next morning",
    "The text leaves open what is to follow, and those who were in the room did not want to be named",
    "Firms in the export trade, for which much depends on it, had asked for a clear word in a letter last month",
)


def sentence(draw: random.Random) -> str:
    """What somebody noted at a meeting, about 23 words."""
    subject = draw.choice(SUBJECTS)
    words = f"{subject} {draw.choice(VERBS)} {draw.choice(THINGS)} {draw.choice(MOVES)}"
    words += f" {draw.choice(ENDS)}" if draw.random() < 0.5 else ""
    return f"{words[0].upper()}{words[1:]}."


def prose(words: int, draw: random.Random) -> list[str]:
    """Sentences of about so many words together, at least one."""
    made = [sentence(draw)]
    count = len(made[0].split())
    while count < words:
        made.append(sentence(draw))
        count += len(made[-1].split())
    return made
