"""Signs that a claim departs from its evidence, which a reader can check: numbers, names, roles, negation, hedges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from assay.metrics.support.alignment import aligned, alike, reordered, replaced_name, replaced_number
from assay.metrics.support.claims import Sentence, Token, spelled
from assay.metrics.support.converses import is_converse
from assay.metrics.support.evidence import Document, Evidence
from assay.metrics.support.lexicon import opposites
from assay.metrics.support.numbers import exchanged_number
from assay.metrics.support.roles import swapped_roles
from assay.text.mentions import DAYS
from assay.text.quantities import Quantity

NEGATIONS = frozenset(
    "not no never without nothing none neither nor cannot hardly unable fail failed fails refuse refused "
    "refuses deny denied denies lack lacks lacked reject rejected nobody nowhere".split()
)
SOFT = frozenset(
    "against oppose opposes opposed opposing unwilling impossible barred banned bans ban stopped stops stop prevent "
    "prevents prevented exclude excludes excluded avoid avoids avoided ended dropped cancelled canceled shut missed "
    "overturned dismissed scrapped turned instead forbidden prohibited criticise criticised criticize criticized "
    "dislike disliked dislikes condemned".split()
)
"""Words that may say the same as a negation on the other side."""
ENDS = frozenset("and but while although because".split())
"""Words that end what a negation or hedge applies to."""
HEDGES = frozenset(
    "may might could would possibly perhaps reportedly allegedly likely maybe fear fears feared worry worries "
    "suspect suspected suspects suggest suggests suggested claim claims claimed alleged rumour rumoured rumored "
    "hope hopes hoped consider considers considering plan plans planned expect expects expected seem seems seemed "
    "appear appears appeared believe believed believes potential possible potentially probably unclear whether "
    "aims warned warns predicted estimates speculated unconfirmed proposed".split()
)
REACH = 4
"""Words after a negation or hedge that it applies to, content words only."""
HEDGED = 3
LATER = frozenset(("until", "till"))
SOONER = frozenset("before by until till already".split())
ATTRIBUTED = frozenset("according think thinks thought due scheduled slated".split())
"""Words of a claim that do not state it as a fact."""
STRONG = frozenset(
    "all every always only entirely completely hundreds thousands must everyone everything fully".split()
)
WEAK = frozenset(
    "some most many several often sometimes almost nearly partly few usually generally mostly around about can".split()
)
ALONE = re.compile(r"\s*[,;:.!?]")
"""What follows a negation or hedge that applies to no word after it."""
PART = re.compile(r"\s+(?:out )?of (?:the |its |their |his |her |our )?", re.IGNORECASE)
"""What is between the numbers of `two of its five`."""
CLOSE = 0.35
"""Weight of words that the best evidence lacks, below which a negation or hedge on one side is about the same thing."""


class Signs(NamedTuple):
    """How strongly each sign is present, from 0, and what a reader would compare."""

    values: dict[str, float]
    details: dict[str, str]
    same: frozenset[str] = frozenset()
    """Words whose opposite the evidence has and that are negated on one side: they say the same."""


def find_signs(claim: Sentence, evidence: Sequence[Evidence], document: Document) -> Signs:
    """Return the signs of a claim."""
    values, details = dict[str, float](), dict[str, str]()
    claim = document.named(claim)
    near = [one.sentence for one in evidence]
    _numbers(claim, near, document, values, details)
    _names(claim, near, document, values, details)
    same: frozenset[str] = frozenset()
    if near:
        best = near[0]
        places = aligned(claim, best)
        if detail := swapped_roles(claim, [alike(claim, one) for one in near[:2]]) or reordered(claim, best, places):
            values["roles"], details["roles"] = 1.0, detail
        elif detail := replaced_name(claim, best, places, document.renamed(claim, frozenset(document.where))):
            values["name_replaced"], details["name_replaced"] = 1.0, detail
        loose = "" if document.missing(claim, frozenset(best.content)) < CLOSE else "_loose"
        opposite, same = _opposite(claim, near)
        best = alike(claim, best)
        if not same and (detail := _negated(claim, best)):
            values[f"negation{loose}"], details[f"negation{loose}"] = 1.0, detail
        if opposite:
            values["opposite"], details["opposite"] = 1.0, opposite
        if detail := _hedged(claim, best):
            values[f"hedge{loose}"], details[f"hedge{loose}"] = 1.0, detail
        if detail := _stronger(claim, best):
            values["stronger"], details["stronger"] = 1.0, detail
    return Signs(values, details, same)


def _numbers(
    claim: Sentence, near: Sequence[Sentence], document: Document, values: dict[str, float], details: dict[str, str]
) -> None:
    places = aligned(claim, near[0]) if near else None
    for number in claim.numbers:
        rival = replaced_number(claim, near[0], number, places) if places else None
        if rival and not any(number.agrees(other) for other in near[0].numbers):
            values["number"] = values.get("number", 0.0) + 1
            details.setdefault("number", f"{number.text.strip()}: the evidence has {rival.text.strip()}")
            continue
        if near and (rival := exchanged_number(claim, near[0], number)):
            values["number"] = values.get("number", 0.0) + 1
            details.setdefault("number", f"{number.text.strip()}: the evidence has {rival.text.strip()}")
            continue
        if any(number.agrees(other) for one in near for other in one.numbers):
            continue
        others = [other for one in near for other in one.numbers]
        if any(number.agrees(other) for other in document.numbers):
            values["number_elsewhere"] = values.get("number_elsewhere", 0.0) + 1
            continue
        values["number"] = values.get("number", 0.0) + 1
        same_value = next((other for other in others if abs(other.value - number.value) < 1e-9), None)
        alike_numbers = [other for other in others if other.unit == number.unit]
        rival = same_value or min(alike_numbers, key=lambda other: _unlike(number, other), default=None)
        what = f"the evidence has {rival.text.strip()}" if rival else "no such number in the evidence"
        details.setdefault("number", f"{number.text.strip()}: {what}")


def _unlike(number: Quantity, other: Quantity) -> tuple[bool, float]:
    """Return how little a reader would take one number for the other: a year is compared with a year."""
    years = [one.plain.is_integer() and 1000 <= one.plain < 2200 and not one.unit for one in (number, other)]
    return years[0] != years[1], abs(len(f"{number.plain:g}") - len(f"{other.plain:g}"))


def _names(
    claim: Sentence, near: Sequence[Sentence], document: Document, values: dict[str, float], details: dict[str, str]
) -> None:
    close = frozenset(token.form for one in near for token in one.tokens)
    renamed = document.renamed(claim, close) if claim.names - close else close
    for name in sorted(claim.names - renamed):
        if name not in document.names:
            values["name"] = values.get("name", 0.0) + 1
            details.setdefault("name", f"{spelled(claim, name)}: not in the source")
        elif name not in close:
            values["name_elsewhere"] = values.get("name_elsewhere", 0.0) + 1
            details.setdefault("name_elsewhere", f"{spelled(claim, name)}: not in the evidence")
    dates = frozenset(date for one in near for date in one.dates)
    for date in sorted(claim.dates - dates):
        values["date"] = values.get("date", 0.0) + (1.0 if date not in document.dates else 0.5)
        rivals = [one for one in dates if (one in DAYS) == (date in DAYS)]
        rival = f"the evidence has {min(rivals).capitalize()}" if rivals else "not in the evidence"
        details.setdefault("date", f"{date.capitalize()}: {rival}")


def _scope(
    sentence: Sentence, marks: frozenset[str], reach: int, verbs: frozenset[str] = frozenset()
) -> dict[str, str]:
    """Return the content words after each mark, with the mark; what is in `verbs` is no mark here."""
    result: dict[str, str] = {}
    for i, token in enumerate(sentence.tokens):
        low = _word(token)
        if token.form not in verbs and (low in marks or (marks is NEGATIONS and low.endswith("n't"))):
            if ALONE.match(sentence.text, token.start + len(token.text)):
                continue  # "No, she is away", "I'm afraid not: it is late"
            after: list[str] = []
            for each in sentence.tokens[i + 1 : i + 1 + 2 * reach]:
                if _word(each) in ENDS or len(after) == reach:
                    break
                after += [each.form] if each.content else []
            for word in after:
                result.setdefault(word, token.text)
    return result


def _word(token: Token) -> str:
    """Return a word in lower case; the month of May is not the verb."""
    return token.text if token.text == "May" else token.text.lower().replace("’", "'")


def _negated(claim: Sentence, best: Sentence) -> str | None:
    """Return the word that is negated on one side only; both sides must have it."""
    shared = frozenset(claim.content) & frozenset(best.content)  # "reject" in both is what both speak of
    mine, theirs = (_scope(one, NEGATIONS, REACH, shared) for one in (claim, best))
    if bool(mine) == bool(theirs) or (theirs and _happened_later(claim, best)):
        return None
    words = [word for word in mine or theirs if word in shared]
    plain = best if mine else claim
    if not words or _softened(plain, words[0], shared):
        return None
    side = "the claim" if mine else "the evidence"
    return f"{side} negates {spelled(claim, words[0])} ({(mine or theirs)[words[0]]})"


def _happened_later(claim: Sentence, best: Sentence) -> bool:
    """Return whether the evidence says that something did not happen until a time, and the claim not that it had."""
    words = [_word(token) for token in best.tokens]
    mark = next((i for i, word in enumerate(words) if word in ("not", "never") or word.endswith("n't")), len(words))
    return any(word in LATER for word in words[mark:]) and not any(_word(token) in SOONER for token in claim.tokens)


def _softened(sentence: Sentence, word: str, shared: frozenset[str]) -> bool:
    """Return whether the clause of a word has one that may say the same as a negation on the other side."""
    clauses: list[list[Token]] = [[]]
    for token in sentence.tokens:
        if _word(token) in ENDS:
            clauses.append([])
        clauses[-1].append(token)
    return any(
        _word(token) in SOFT and token.form not in shared
        for clause in clauses
        if any(token.form == word for token in clause)
        for token in clause
    )


def _opposite(claim: Sentence, near: Sequence[Sentence]) -> tuple[str | None, frozenset[str]]:
    """Return the word whose opposite the evidence has, and the words of which a negation on one side makes both say the
    same ("did not accept" and "rejected")."""
    mine = {token.form for token in claim.tokens}
    negated_here = _scope(claim, NEGATIONS, 1)
    negated_there: set[str] = set()
    theirs: dict[str, str] = {}
    same: set[str] = set()
    for one in near[:2]:  # what the best evidence says goes before what the next one says
        theirs |= {token.form: token.text for token in one.tokens}
        negated_there |= _scope(one, NEGATIONS, 1).keys()
        others = frozenset(theirs.keys() - mine)
        for token in claim.tokens:
            if token.form in theirs or not (rivals := opposites(token.form, others)):
                continue
            if any(is_converse(claim, token.form, one, rival) for rival in rivals):
                same.add(token.form)
                continue
            if (token.form in negated_here) == bool(rivals & negated_there):
                return f"{token.text}: the evidence has {theirs[min(rivals)]}", frozenset()
            same.add(token.form)
    return None, frozenset(same)


def _hedged(claim: Sentence, best: Sentence) -> str | None:
    """Return the hedge of the evidence over a word that the claim states as a fact."""
    if any(_word(token) in HEDGES or _word(token) in ATTRIBUTED for token in claim.tokens):
        return None
    scope = _scope(best, HEDGES, HEDGED) | _conditions(claim, best)
    words = [word for word in dict.fromkeys(claim.content) if word in scope]
    return f"the evidence has {scope[words[0]]}" if words else None


def _conditions(claim: Sentence, best: Sentence) -> dict[str, str]:
    """Return the words of a condition of which the claim has nothing but the condition."""
    words = frozenset(claim.content)
    for i, token in enumerate(best.tokens):
        if _word(token) == "if":
            after = [each for each in best.tokens[i + 1 :] if each.content]
            end = best.text.find(",", token.start)
            inside = [each for each in after if each.start < end] if end > 0 or i == 0 else after
            scope = dict.fromkeys([each.form for each in inside or after[:HEDGED]], token.text)
            rest = {each.form for each in best.tokens if each.content} - scope.keys()
            return scope if words.isdisjoint(rest) else {}
    return {}


def _stronger(claim: Sentence, best: Sentence) -> str | None:
    """Return the word that makes a claim stronger than its evidence: `all` for `some`, `all five` for `two of five`."""
    mine, theirs = ([token.text.lower() for token in one.tokens] for one in (claim, best))
    strong = [word for word in mine if word in STRONG and word not in theirs]
    weak = [word for word in theirs if word in WEAK and word not in mine]
    if "all" in strong and (part := next(_parts(claim, best), None)):
        return f"all: the evidence has {part}"
    return f"{strong[0]}: the evidence has {weak[0]}" if strong and weak else None


def _parts(claim: Sentence, best: Sentence) -> Iterator[str]:
    """Yield `two of its five` of the evidence where the claim has the second number, too."""
    for one, other in pairwise(best.numbers):
        if PART.fullmatch(best.text[one.end : other.start]) and any(other.agrees(number) for number in claim.numbers):
            yield best.text[one.start : other.end].strip()
