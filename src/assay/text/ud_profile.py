"""Linguistic profile of a parsed text: counts and shares of words and trees, with the names of Profiling-UD."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean

from assay.text.conllu import Sentence, Token

UPOS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
RELATIONS = (
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed "
    "flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative xcomp"
).split()
CONTENT = frozenset("NOUN PROPN VERB ADJ ADV".split())
SUBORDINATE = frozenset("acl advcl ccomp csubj xcomp".split())
FORMS = {
    "tense": ("Tense", "Fut Imp Past Pres".split()),
    "mood": ("Mood", "Cnd Imp Ind Sub".split()),
    "form": ("VerbForm", "Fin Ger Inf Part".split()),
}
PERSONS = (*(f"{number}+{person}" for number in ("Sing", "Plur") for person in "123"), "+")
DEEPEST = 5
"""Longest chain with its own share, and largest number of dependents minus one."""

NAMES: tuple[str, ...] = (
    "n_sentences", "n_tokens", "tokens_per_sent", "char_per_tok", "lexical_density",
    *(f"upos_dist_{tag}" for tag in UPOS), *(f"dep_dist_{name}" for name in RELATIONS),
    "avg_max_depth", "avg_token_per_clause", "avg_links_len", "max_links_len", "avg_max_links_len",
    "n_prepositional_chains", "avg_prepositional_chain_len", *(f"prep_dist_{k}" for k in range(1, DEEPEST + 1)),
    "verbal_head_per_sent", "verbal_root_perc", "avg_verb_edges", *(f"verb_edges_dist_{k}" for k in range(DEEPEST + 2)),
    "subj_pre", "subj_post", "obj_pre", "obj_post", "principal_proposition_dist", "subordinate_proposition_dist",
    "avg_subordinate_chain_len", *(f"subordinate_dist_{k}" for k in range(1, DEEPEST + 1)),
    *(f"{what}_{kind}_dist_{one}" for what in ("verbs", "aux") for kind, (_, all_) in FORMS.items() for one in all_),
    *(f"{what}_num_pers_dist_{person}" for what in ("verbs", "aux") for person in PERSONS),
)  # fmt: skip


def profile(sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return all features of a text; shares are percentages. A text without verbs has no shares of tenses."""
    tokens = [token for sentence in sentences for token in sentence.tokens]
    if not tokens:
        return {}
    words = [token for token in tokens if token.upos != "PUNCT"]
    profile = {"n_sentences": float(len(sentences)), "n_tokens": float(len(tokens))}
    profile["tokens_per_sent"] = len(tokens) / len(sentences)
    if words:
        profile["char_per_tok"] = fmean(len(token.form) for token in words)
        profile["lexical_density"] = sum(token.upos in CONTENT for token in words) / len(words)
    profile |= _shares("upos_dist_", (token.upos for token in tokens), UPOS)
    profile |= _shares("dep_dist_", (token.relation for token in tokens), RELATIONS)
    return profile | _trees(sentences, len(tokens)) | _order(sentences) | _verb_forms(tokens)


def _shares(head: str, seen: Iterable[str], values: Iterable[str]) -> dict[str, float]:
    """Return the percentage of each value; empty if there are no values."""
    counts = Counter(seen)
    total = counts.total()
    return {f"{head}{value}": 100 * counts[value] / total for value in values} if total else {}


def _trees(sentences: Sequence[Sentence], tokens: int) -> dict[str, float]:
    """Return features of depths, distances, chains and clauses."""
    depths, longest, links, prepositions, subordinates, edges, roots = [], [], [], [], [], [], []
    clauses = under = verbs = 0
    for sentence in sentences:
        head_of = {token.id: token for token in sentence.tokens}
        depths.append(max(_depth(token, head_of) for token in sentence.tokens))
        far = [abs(token.id - token.head) for token in sentence.tokens if token.head and token.upos != "PUNCT"]
        links += far
        longest.append(max(far, default=0))
        heads = [token for token in sentence.tokens if _is_clause(token, sentence)]
        clauses += len(heads)
        under += sum(token.relation in SUBORDINATE for token in heads)
        verbal = [token for token in sentence.tokens if token.upos == "VERB"]
        verbs += len(verbal)
        edges += [sum(c.relation not in ("punct", "aux") for c in sentence.children(verb.id)) for verb in verbal]
        roots += [token.upos == "VERB" for token in sentence.tokens if token.head == 0]
        prepositions += _chains([token for token in sentence.tokens if _is_prepositional(token, sentence)])
        subordinates += _chains([token for token in sentence.tokens if token.relation in SUBORDINATE])
    profile = {
        "avg_max_depth": fmean(depths),
        "avg_max_links_len": fmean(longest),
        "max_links_len": float(max(longest)),
    }
    profile |= {"n_prepositional_chains": float(len(prepositions)), "verbal_head_per_sent": verbs / len(sentences)}
    profile["verbal_root_perc"] = 100 * sum(roots) / max(1, len(roots))
    for name, lengths in (("avg_links_len", links), ("avg_prepositional_chain_len", prepositions),
                         ("avg_subordinate_chain_len", subordinates), ("avg_verb_edges", edges)):  # fmt: skip
        if lengths:
            profile[name] = fmean(lengths)
    if clauses:
        profile["avg_token_per_clause"] = tokens / clauses
        profile["principal_proposition_dist"] = 100 * (clauses - under) / clauses
        profile["subordinate_proposition_dist"] = 100 * under / clauses
    for head, chains, most in (("prep_dist_", prepositions, DEEPEST), ("subordinate_dist_", subordinates, DEEPEST),
                               ("verb_edges_dist_", edges, DEEPEST + 1)):  # fmt: skip
        values = range(0 if head.startswith("verb") else 1, most + 1)
        profile |= _shares(head, (str(min(length, most)) for length in chains), map(str, values))
    return profile


def _depth(token: Token, head_of: dict[int, Token]) -> int:
    """Return the number of links to the root; a cycle ends the count."""
    steps, seen = 0, set()
    while token.head and token.id not in seen:
        seen.add(token.id)
        token, steps = head_of[token.head], steps + 1
    return steps


def _is_clause(token: Token, sentence: Sentence) -> bool:
    return token.upos == "VERB" or any(child.relation == "cop" for child in sentence.children(token.id))


def _is_prepositional(token: Token, sentence: Sentence) -> bool:
    cased = any(child.relation == "case" and child.upos == "ADP" for child in sentence.children(token.id))
    return token.relation in ("nmod", "obl") and cased


def _chains(links: list[Token]) -> list[int]:
    """Return the lengths of chains of such words, each a dependent of the previous one."""
    under: dict[int, list[Token]] = {}
    for token in links:
        under.setdefault(token.head, []).append(token)
    members = {token.id for token in links}

    def length(token: Token, seen: frozenset[int] = frozenset()) -> int:
        below = [child for child in under.get(token.id, ()) if child.id not in seen]
        return 1 + max((length(child, seen | {token.id}) for child in below), default=0)

    return [length(token) for token in links if token.head not in members]


def _order(sentences: Sequence[Sentence]) -> dict[str, float]:
    profile: dict[str, float] = {}
    for name, relations in (("subj", ("nsubj", "csubj")), ("obj", ("obj",))):
        before = [t.id < t.head for sentence in sentences for t in sentence.tokens if t.relation in relations]
        if before:
            profile[f"{name}_pre"] = 100 * sum(before) / len(before)
            profile[f"{name}_post"] = 100 - profile[f"{name}_pre"]
    return profile


def _verb_forms(tokens: Sequence[Token]) -> dict[str, float]:
    profile: dict[str, float] = {}
    for what, upos in (("verbs", "VERB"), ("aux", "AUX")):
        verbs = [token.features for token in tokens if token.upos == upos]
        for kind, (feature, values) in FORMS.items():
            profile |= _shares(f"{what}_{kind}_dist_", (v[feature] for v in verbs if feature in v), values)
        persons = (f"{v['Number']}+{v['Person']}" if {"Number", "Person"} <= v.keys() else "+" for v in verbs)
        profile |= _shares(f"{what}_num_pers_dist_", persons, PERSONS)
    return profile
