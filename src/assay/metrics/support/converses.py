"""Verbs that say the same with exchanged subjects: `A sold B to C` and `C bought B from A`."""

from __future__ import annotations

from assay.metrics.support.claims import Sentence
from assay.metrics.support.lexicon import form

PAIRS = """
buy sell|acquire sell|purchase sell|lend borrow|win lose|give receive|send receive|teach learn|precede follow|export
import|hire join|supply buy|employ work|beat lose|defeat lose|pay receive|award win|inherit leave
"""
CONVERSES = frozenset(frozenset(form(word) for word in pair.split()) for pair in PAIRS.replace("\n", " ").split("|"))


def is_converse(claim: Sentence, mine: str, evidence: Sentence, theirs: str) -> bool:
    """Return whether two opposite verbs tell of one event from both sides: what precedes the verb of the claim follows
    that of the evidence, and their subjects have no content word in common."""
    if frozenset((mine, theirs)) not in CONVERSES:
        return False
    subject, _ = _sides(claim, mine)
    other_subject, other_rest = _sides(evidence, theirs)
    return bool(subject & other_rest) and not subject & other_subject


def _sides(sentence: Sentence, verb: str) -> tuple[set[str], set[str]]:
    """Return the content words before and after a word."""
    place = next((i for i, token in enumerate(sentence.tokens) if token.form == verb), len(sentence.tokens))
    before, after = sentence.tokens[:place], sentence.tokens[place + 1 :]
    return {token.form for token in before if token.content}, {token.form for token in after if token.content}
