"""Planted edits of sentences: ten kinds that make them false, and true paraphrases that do not."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random

from assay.metrics.support.claims import Sentence, read_sentence
from assay.metrics.support.lexicon import form
from assay.metrics.support.signs import HEDGES

FALSE = ("number", "unit", "name", "date", "negation", "roles", "opposite", "hedge", "attribution", "exaggeration")
TRUE = ("paraphrase", "passive", "merge", "shortened", "moved")
MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
SAME = dict(
    pair.split(":")
    for pair in (
        "big:large large:big said:stated stated:said began:started started:began also:additionally children:kids "
        "help:assist buy:purchase bought:purchased show:demonstrate shows:demonstrates showed:demonstrated "
        "many:numerous people:individuals important:significant however:nevertheless because:since quickly:rapidly "
        "about:approximately near:close get:obtain use:utilise uses:utilises used:utilised make:create makes:creates "
        "made:created found:discovered find:discover work:labour huge:enormous small:little house:home "
        "company:firm method:approach approach:method results:findings propose:introduce car:vehicle "
        "killed:slain told:informed area:region ask:request asked:requested need:require needs:requires "
        "needed:required keep:retain problem:issue idea:concept start:begin end:finish ended:finished"
    ).split()
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
"""Pairs of opposite words, nearly all in the lexicon of `support` too; benchmarks/support_words.py plants others."""
PAIRS = [tuple(map(form, pair.split())) for pair in OPPOSITES.replace("\n", "").split("|") if pair.strip()]
OPPOSITE_OF: dict[str, set[str]] = {}
for _one, _other in PAIRS:
    OPPOSITE_OF.setdefault(_one, set()).add(_other)
    OPPOSITE_OF.setdefault(_other, set()).add(_one)
VERB = re.compile(
    r"^((?:[A-Z]\w+ ?){1,3}) (\w{3,}ed) ((?:the |a |an )?(?:[A-Z]?\w+ ?){1,3})(\.| in | on | at | for | after )"
)
AUXILIARY = re.compile(r"\b(is|are|was|were|has|have|had|will|can|could|would|should)\b (?!not\b)")


def plant(text: str, kind: str, rng: Random, others: Sequence[Sentence]) -> str | None:
    """Return the sentence with one edit of this kind, or None where it has nothing to edit."""
    changed = EDITS[kind](text, rng, others)
    return changed if changed and changed != text else None


def _number(text: str, rng: Random, others: Sequence[Sentence]) -> str | None:
    found = [one for one in read_sentence(text).numbers if one.text[:1].isdigit() or one.text[:1] in "$€£"]
    if not found:
        return None
    one = rng.choice(found)
    match = re.search(r"\d+", text[one.start : one.end])
    assert match
    value = int(match[0][:9])
    new = str(max(2, value + rng.choice([-1, 1]) * max(1, round(value * rng.choice([0.1, 0.5, 1])))))
    return (
        text[: one.start + match.start()]
        + (new if new != match[0] else str(value + 3))
        + text[one.start + match.end() :]
    )


UNITS = [("million", "billion"), ("billion", "million"), ("percent", "points"), ("%", " dollars"), ("km", "miles"),
         ("years", "months"), ("months", "years"), ("hours", "minutes"), ("minutes", "hours"), ("days", "weeks"),
         ("weeks", "days"), ("dollars", "euros"), ("$", "€"), ("£", "$")]  # fmt: skip


def _unit(text: str, rng: Random, others: Sequence[Sentence]) -> str | None:
    if not read_sentence(text).numbers:
        return None
    fits = [(a, b) for a, b in UNITS if re.search(rf"\d\S*\s?{re.escape(a)}|{re.escape(a)}\d", text)]
    return text.replace(*rng.choice(fits), 1) if fits else None


def _name(text: str, rng: Random, others: Sequence[Sentence]) -> str | None:
    mine = [token.text for token in read_sentence(text).tokens if token.form in read_sentence(text).names]
    known = {token.text for one in others for token in one.tokens if token.form in one.names} - set(mine)
    return re.sub(rf"\b{re.escape(rng.choice(mine))}\b", rng.choice(sorted(known)), text) if mine and known else None


def _date(text: str, rng: Random, others: Sequence[Sentence]) -> str | None:
    for listed in (MONTHS, DAYS):
        for one in listed:
            if re.search(rf"\b{one}\b", text) and one not in ("May", "March"):
                return text.replace(one, rng.choice([each for each in listed if each != one]), 1)
    year = re.search(r"\b(?:19|20)\d\d\b", text)
    return text.replace(year[0], str(int(year[0]) + rng.choice([-7, -2, 3, 5])), 1) if year else None


def _negation(text: str, rng: Random, others: Sequence[Sentence]) -> str | None:
    if " not " in text or "n't" in text:
        return re.sub(r"\bcannot\b", "can", text.replace(" not ", " ", 1)) if " not " in text else None
    match = AUXILIARY.search(text)
    return text[: match.end()] + "not " + text[match.end() :] if match else None


def _roles(text: str, rng: Random, others: Sequence[Sentence]) -> str | None:
    sentence = read_sentence(text)
    runs = re.findall(r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)*", text)
    runs = [run for run in dict.fromkeys(runs) if read_sentence("x " + run).names and run.lower() not in HEDGES]
    if len(runs) < 2 or len(sentence.tokens) < 4:
        return None
    a, b = runs[0], runs[1]
    between = text[text.find(a) + len(a) : text.find(b)]
    if a in b or b in a or not re.search(r"\b[a-z]{3,}", between) or re.fullmatch(r"\s*(?:and|or|of|in|,)\s*", between):
        return None
    return text.replace(a, "\0", 1).replace(b, a, 1).replace("\0", b, 1)


def _opposite(text: str, rng: Random, others: Sequence[Sentence]) -> str | None:
    for token in read_sentence(text).tokens:
        if token.form in OPPOSITE_OF and token.text.islower() and token.form == token.text:
            return text[: token.start] + min(OPPOSITE_OF[token.form]) + text[token.start + len(token.text) :]
    return None


def _hedge(text: str, rng: Random, others: Sequence[Sentence]) -> str | None:
    """Return a hedged sentence as a fact."""
    return re.sub(
        r"\b(?:may|might|could) (?:be )?|\b(?:reportedly|allegedly|possibly|perhaps|probably) ", "", text, count=1
    )


def _attribution(text: str, rng: Random, others: Sequence[Sentence]) -> str | None:
    """Return what somebody said as said by somebody else."""
    if not re.search(r"\b(?:said|says|told|according to|claimed|argued)\b", text):
        return None
    return _name(text, rng, others)


def _exaggeration(text: str, rng: Random, others: Sequence[Sentence]) -> str | None:
    for a, b in (("some", "all"), ("most", "all"), ("many", "all"), ("several", "hundreds of"), ("often", "always"),
                 ("sometimes", "always"), ("almost", "more than"), ("a few", "hundreds of"), ("partly", "entirely"),
                 ("nearly", "more than"), ("one of the", "the only one of the")):  # fmt: skip
        if re.search(rf"\b{a}\b", text):
            return re.sub(rf"\b{a}\b", b, text, count=1)
    return None


def _paraphrase(text: str, rng: Random, others: Sequence[Sentence]) -> str | None:
    return re.sub(r"\b[a-z]+\b", lambda match: SAME.get(match[0], match[0]), text)


def _passive(text: str, rng: Random, others: Sequence[Sentence]) -> str | None:
    match = VERB.match(text)
    if not match:
        return None
    who, verb, what, after = (part.strip() for part in match.groups())
    rest = text[match.end() :]
    return f"{what[0].upper()}{what[1:]} was {verb} by {who}{after if after == '.' else ' ' + after + ' '}{rest}"


def _merge(text: str, rng: Random, others: Sequence[Sentence]) -> str | None:
    following = next((b.text for a, b in pairwise(others) if a.text == text), None)
    if not following or len(text) + len(following) > 260:
        return None
    first = following[0] if read_sentence(following).names else following[0].lower()
    return f"{text.rstrip('.')}, and {first}{following[1:]}"


def _shortened(text: str, rng: Random, others: Sequence[Sentence]) -> str | None:
    short = re.sub(r" \([^()]{1,60}\)|, (?:which|who|where) [^,.]{3,60},|\b(?:very|really|quite|also|just) ", " ", text)
    return re.sub(r"\s+", " ", short)


def _moved(text: str, rng: Random, others: Sequence[Sentence]) -> str | None:
    match = re.fullmatch(r"((?:In|On|At|After|During|For) [^,]{3,40}), ([^,]{10,200})\.", text)
    return f"{match[2][0].upper()}{match[2][1:]} {match[1][0].lower()}{match[1][1:]}." if match else None


EDITS: dict[str, Callable[[str, Random, Sequence[Sentence]], str | None]] = {
    "number": _number, "unit": _unit, "name": _name, "date": _date, "negation": _negation, "roles": _roles,
    "opposite": _opposite, "hedge": _hedge, "attribution": _attribution, "exaggeration": _exaggeration,
    "paraphrase": _paraphrase, "passive": _passive, "merge": _merge, "shortened": _shortened, "moved": _moved,
}  # fmt: skip
