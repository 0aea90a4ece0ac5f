"""Signs that a claim departs from its evidence, which a reader can check: numbers, names, roles, negation, hedges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.metrics.support.alignment import aligned, alike, reordered, replaced_name, replaced_number
from assay.metrics.support.claims import Sentence, form, spelled
from assay.metrics.support.evidence import Document, Evidence
from assay.metrics.support.roles import swapped_roles

NEGATIONS = frozenset(
    "not no never without nothing none neither nor cannot hardly unable fail failed fails refuse refused "
    "refuses deny denied denies lack lacks lacked reject rejected".split()
)
HEDGES = frozenset(
    "may might could would possibly perhaps reportedly allegedly likely maybe fear fears feared worry worries "
    "suspect suspected suspects suggest suggests suggested claim claims claimed alleged rumour rumoured rumored "
    "hope hopes hoped consider considers considering plan plans planned expect expects expected seem seems seemed "
    "appear appears appeared believe believed believes potential possible potentially probably unclear if whether "
    "aims warned warns predicted estimates speculated unconfirmed proposed".split()
)
OPPOSITES = """
increase decrease|rise fall|rose fell|up down|high low|higher lower|more less|more fewer|before after|win lose|won lost|
buy sell|bought sold|accept reject|open close|opened closed|early late|earlier later|first last|always never|all none|
allow ban|support oppose|success failure|succeed fail|gain loss|profit loss|strong weak|hot cold|large small|big small|
good bad|better worse|best worst|positive negative|young old|easy difficult|easy hard|fast slow|long short|north south|
east west|left right|include exclude|agree disagree|like dislike|love hate|start end|begin end|began ended|arrive leave|
arrived left|public private|male female|man woman|men women|boy girl|husband wife|father mother|son daughter|
brother sister|guilty innocent|legal illegal|safe dangerous|rich poor|full empty|new old|true false|possible impossible|
likely unlikely|many few|most least|above below|inside outside|internal external|expand shrink|improve worsen|
strengthen weaken|encourage discourage|approve disapprove|approved rejected|praise criticise|praised criticised|
praise criticize|praised criticized|cheap expensive|common rare|simple complex|minimum maximum|inferior superior|
lead follow|entire partial|every no|add remove|added removed|raise cut|raised cut|hire fire|hired fired|
outperform underperform|complete incomplete|effective ineffective|satisfied dissatisfied|happy unhappy|active passive
"""
PAIRS = [tuple(map(form, pair.split())) for pair in OPPOSITES.replace("\n", "").split("|") if pair.strip()]
OPPOSITE_OF: dict[str, set[str]] = {}
for _one, _other in PAIRS:
    OPPOSITE_OF.setdefault(_one, set()).add(_other)
    OPPOSITE_OF.setdefault(_other, set()).add(_one)
REACH = 4
"""Words after a negation or hedge that it applies to, content words only."""
HEDGED = 3
STRONG = frozenset(
    "all every always only entirely completely hundreds thousands must everyone everything fully".split()
)
WEAK = frozenset(
    "some most many several often sometimes almost nearly partly few usually generally mostly around about can".split()
)
CLOSE = 0.35
"""Weight of words that the best evidence lacks, below which a negation or hedge on one side is about the same thing."""


class Signs(NamedTuple):
    """How strongly each sign is present, from 0, and what a reader would compare."""

    values: dict[str, float]
    details: dict[str, str]


def find_signs(claim: Sentence, evidence: Sequence[Evidence], document: Document) -> Signs:
    """Return the signs of a claim."""
    values: dict[str, float] = {}
    details: dict[str, str] = {}
    near = [one.sentence for one in evidence]
    _numbers(claim, near, document, values, details)
    _names(claim, near, document, values, details)
    if near:
        best = near[0]
        places = aligned(claim, best)
        if detail := swapped_roles(claim, [alike(claim, one) for one in near[:2]]) or reordered(claim, best, places):
            values["roles"], details["roles"] = 1.0, detail
        elif detail := replaced_name(claim, best, places):
            values["name_replaced"], details["name_replaced"] = 1.0, detail
        loose = "" if document.missing(claim, frozenset(best.content)) < CLOSE else "_loose"
        opposite, cancelled = _opposite(claim, near)
        best = alike(claim, best)
        if not cancelled and (detail := _negated(claim, best)):
            values[f"negation{loose}"], details[f"negation{loose}"] = 1.0, detail
        if opposite:
            values["opposite"], details["opposite"] = 1.0, opposite
        if detail := _hedged(claim, best):
            values[f"hedge{loose}"], details[f"hedge{loose}"] = 1.0, detail
        if detail := _stronger(claim, best):
            values["stronger"], details["stronger"] = 1.0, detail
    return Signs(values, details)


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
        if any(number.agrees(other) for one in near for other in one.numbers):
            continue
        others = [other for one in near for other in one.numbers]
        if any(number.agrees(other) for other in document.numbers):
            values["number_elsewhere"] = values.get("number_elsewhere", 0.0) + 1
            continue
        values["number"] = values.get("number", 0.0) + 1
        same_value = next((other for other in others if abs(other.value - number.value) < 1e-9), None)
        rival = same_value or next((other for other in others if other.unit == number.unit), None)
        what = f"the evidence has {rival.text.strip()}" if rival else "no such number in the evidence"
        details.setdefault("number", f"{number.text.strip()}: {what}")


def _names(
    claim: Sentence, near: Sequence[Sentence], document: Document, values: dict[str, float], details: dict[str, str]
) -> None:
    close = frozenset(token.form for one in near for token in one.tokens)
    for name in sorted(claim.names):
        if name not in document.names:
            values["name"] = values.get("name", 0.0) + 1
            details.setdefault("name", f"{spelled(claim, name)}: not in the source")
        elif name not in close:
            values["name_elsewhere"] = values.get("name_elsewhere", 0.0) + 1
            details.setdefault("name_elsewhere", f"{spelled(claim, name)}: not in the evidence")
    dates = frozenset(date for one in near for date in one.dates)
    for date in sorted(claim.dates - dates):
        values["date"] = values.get("date", 0.0) + (1.0 if date not in document.dates else 0.5)
        rival = f"the evidence has {min(dates).capitalize()}" if dates else "not in the evidence"
        details.setdefault("date", f"{date.capitalize()}: {rival}")


def _scope(
    sentence: Sentence, marks: frozenset[str], reach: int, verbs: frozenset[str] = frozenset()
) -> dict[str, str]:
    """Return the content words after each mark, with the mark; what is in `verbs` is no mark here."""
    result: dict[str, str] = {}
    for i, token in enumerate(sentence.tokens):
        low = token.text.lower().replace("’", "'")
        if token.form not in verbs and (low in marks or (marks is NEGATIONS and low.endswith("n't"))):
            after = [each.form for each in sentence.tokens[i + 1 : i + 1 + 2 * reach] if each.content][:reach]
            for word in after:
                result.setdefault(word, token.text)
    return result


def _negated(claim: Sentence, best: Sentence) -> str | None:
    """Return the word that is negated on one side only; both sides must have it."""
    shared = frozenset(claim.content) & frozenset(best.content)  # "reject" in both is what both speak of
    mine, theirs = (_scope(one, NEGATIONS, REACH, shared) for one in (claim, best))
    if bool(mine) == bool(theirs):
        return None
    words = sorted(shared & (mine.keys() ^ theirs.keys()))
    if not words:
        return None
    side = "the claim" if mine else "the evidence"
    return f"{side} negates {words[0]} ({(mine or theirs)[words[0]]})"


def _opposite(claim: Sentence, near: Sequence[Sentence]) -> tuple[str | None, bool]:
    """Return the word whose opposite the evidence has, and whether a negation on one side makes both say the same
    ("did not accept" and "rejected")."""
    theirs = frozenset(word for one in near[:2] for word in (token.form for token in one.tokens))
    mine = {token.form for token in claim.tokens}
    negated_here = _scope(claim, NEGATIONS, 1)
    negated_there = {word for one in near[:2] for word in _scope(one, NEGATIONS, 1)}
    cancelled = False
    for token in claim.tokens:
        rivals = OPPOSITE_OF.get(token.form, set()) & theirs - mine
        if token.form in theirs or not rivals:
            continue
        if (token.form in negated_here) == bool(rivals & negated_there):
            return f"{token.text}: the evidence has {min(rivals)}", False
        cancelled = True
    return None, cancelled


def _hedged(claim: Sentence, best: Sentence) -> str | None:
    """Return the hedge of the evidence over a word that the claim states as a fact."""
    if any(token.text.lower() in HEDGES for token in claim.tokens):
        return None
    scope = _scope(best, HEDGES, HEDGED)
    words = [word for word in dict.fromkeys(claim.content) if word in scope]
    return f"the evidence has {scope[words[0]]}" if words else None


def _stronger(claim: Sentence, best: Sentence) -> str | None:
    """Return the word that makes a claim stronger than its evidence."""
    mine, theirs = ([token.text.lower() for token in one.tokens] for one in (claim, best))
    strong = [word for word in mine if word in STRONG and word not in theirs]
    weak = [word for word in theirs if word in WEAK and word not in mine]
    return f"{strong[0]}: the evidence has {weak[0]}" if strong and weak else None
