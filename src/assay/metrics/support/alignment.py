"""Words of a claim and of its evidence: runs in the same order, and words that replace others."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import pairwise

from assay.metrics.support.claims import CAPITAL_WORDS, Sentence, Token
from assay.metrics.support.lexicon import opposites
from assay.text.quantities import Quantity

Runs = list[tuple[int, int, int]]
"""First word in the claim, first word in the evidence, number of words."""
COPY = 0.7
"""Share of the words of a claim that its evidence has in the same order, from which differences in one place count."""
READ = 120
"""Words of a sentence that are aligned."""
PLACES = frozenset("in on at from for after during since near until before".split())
MOSTLY = 0.5
"""Share of the words of a claim that are one run of the evidence, from which only the place of the run counts."""
LEAST = 4
"""Words of such a run: the two words of a name are no copy."""
OPENING = frozenset(
    "according following after meanwhile however additionally furthermore moreover overall finally instead despite "
    "although speaking asked based unlike within nonetheless nevertheless consequently therefore thus earlier later "
    "yesterday today tomorrow recently currently previously eventually ultimately initially originally approximately "
    "roughly nearly almost around reportedly apparently officials police researchers scientists experts critics "
    "authorities residents witnesses people workers members chief former local several many some most others "
    "someone somebody nobody everyone everybody anyone something nothing everything".split()
)
"""Words that are capitalised as the first of a sentence, and no names."""
FIRST_PERSON = frozenset("i me my mine we us our".split())
AROUND = 4
"""Words before the part of a sentence that is like a claim, where a negation or hedge of it may be."""


def alike(claim: Sentence, evidence: Sentence) -> Sentence:
    """Return the part of a sentence of evidence that a claim is about.

    Texts without full stops (lists, headlines, captions) are long sentences, of which a claim is about one part: the
    part that it copies, else the part that shares most content words with it.
    """
    size = len(claim.tokens)
    mine, theirs = ([token.form for token in one.tokens[:READ]] for one in (claim, evidence))
    run = SequenceMatcher(None, mine, theirs, autojunk=False).find_longest_match()
    if run.size >= max(MOSTLY * len(mine), LEAST):
        after = size - run.a - run.size
        return _part(evidence, run.b - run.a - AROUND, run.b + run.size + (after and after + 2))
    width = 2 * size
    if len(evidence.tokens) <= width + AROUND:
        return evidence
    wanted = frozenset(claim.content)
    places = [i for i, token in enumerate(evidence.tokens) if token.form in wanted]
    best: tuple[int, int] = (0, 0)
    start = end = 0
    for k, first in enumerate(places):
        inside = [i for i in places[k:] if i < first + width]
        count = len({evidence.tokens[i].form for i in inside})
        if (count, first - inside[-1]) > best:
            best, start, end = (count, first - inside[-1]), first, inside[-1] + 1
    return _part(evidence, start - AROUND, end) if best[0] else evidence


def _part(sentence: Sentence, start: int, end: int) -> Sentence:
    return sentence._replace(tokens=sentence.tokens[max(0, start) : end])


def replaced_number(claim: Sentence, best: Sentence, number: Quantity, places: Runs) -> Quantity | None:
    """Return the number that the evidence has where a claim, which otherwise copies it, has another one."""
    for (a, b, size), (after_a, after_b, _) in pairwise([(0, 0, 0), *places]):
        if not any(number.start <= token.start < number.end for token in claim.tokens[a + size : after_a]):
            continue
        old = best.tokens[b + size : after_b]
        return next(
            (
                other
                for other in best.numbers
                if any(other.start <= token.start < other.end for token in old)
                and not any(other.agrees(own) for own in claim.numbers)
            ),
            None,
        )
    return None


def aligned(claim: Sentence, best: Sentence) -> Runs | None:
    """Return the runs of words that claim and evidence have in the same order; None unless the claim mostly copies."""
    mine, theirs = ([token.form for token in one.tokens[:READ]] for one in (claim, best))
    blocks = SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks()
    same = sum(block.size for block in blocks)
    return [(block.a, block.b, block.size) for block in blocks] if mine and same >= COPY * len(mine) else None


def replaced_name(
    claim: Sentence, best: Sentence, places: Runs | None, renamed: frozenset[str] = frozenset()
) -> str | None:
    """Return a name of a claim that otherwise copies the evidence, which has another name in its place."""
    if not places:
        return None
    mine, theirs = ({token.form for token in one.tokens} for one in (claim, best))
    for (a, b, size), (after_a, after_b, _) in pairwise([(0, 0, 0), *places]):
        new = [
            token
            for token in claim.tokens[a + size : after_a]
            if token.text[0].isupper()
            and token.form not in theirs
            and not _opens(claim, token)
            and token.form not in renamed
        ]
        old = [
            token
            for token in best.tokens[b + size : after_b]
            if token.text[0].isupper() and token.form not in mine and token.content
            and not _opens(best, token) and not _speaks_of_others(best, token)
        ]  # fmt: skip
        if new and old and new[0].content and not opposites(new[0].form, frozenset((old[0].form,))):
            return f"{new[0].text}: the evidence has {old[0].text}"
    return None


def _opens(sentence: Sentence, token: Token) -> bool:
    """Return whether a word is capitalised only because it is the first of its sentence, or always."""
    low = token.text.lower()
    return low in CAPITAL_WORDS or (low in OPENING and token == sentence.tokens[0])


def _speaks_of_others(sentence: Sentence, token: Token) -> bool:
    """Return whether a name is the speaker (`Ben: She is away.`) of a sentence without the first person."""
    after = token.start + len(token.text)
    return sentence.text[after : after + 1] == ":" and not any(
        one.text.lower().replace("’", "'").split("'")[0] in FIRST_PERSON for one in sentence.tokens
    )


def reordered(claim: Sentence, best: Sentence, places: Runs | None) -> str | None:
    """Return two names that a claim has in the other order than the evidence, which it otherwise copies."""
    if not places or any(token.text.lower() == "by" for token in claim.tokens):
        return None
    where = {token.form: i for i, token in reversed(list(enumerate(best.tokens)))}
    names = [token for token in claim.tokens if token.text[0].isupper() and token.form in where and token.content]
    for one, other in pairwise(names):
        if any(_before(claim, token) & PLACES & _before(best, token) for token in (one, other)):
            continue  # an adverbial phrase that was moved with its preposition
        if where[one.form] > where[other.form] + 1 and other.start > one.start + len(one.text) + 1:
            return f"{one.text} and {other.text} have exchanged places"
    return None


def _before(sentence: Sentence, token: Token) -> set[str]:
    """Return the words before the occurrences of a name."""
    return {a.text.lower() for a, b in pairwise(sentence.tokens) if b.form == token.form}
