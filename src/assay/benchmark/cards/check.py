"""What a card lacks: sections, words in them, a licence, a contact, language codes; and how complete it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.benchmark.cards.card import Card, Section, template_of
from assay.benchmark.cards.template import PLACEHOLDER, Entry, Template, template

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
LEFT = re.compile(r"\[?more information needed\]?", re.IGNORECASE)
GUIDE = re.compile(r"^\*[^*].*\*$")
"""A paragraph all in italics: what the published templates ask, not what somebody answered."""
NOT_APPLICABLE = re.compile(
    r"^\W*(n\.?/?a\.?|not applicable|none|nothing|no (additional |further |extra )?(annotations?|leaderboards?))\b",
    re.IGNORECASE,
)
LINK = re.compile(r"^[-*] +\*\*(?P<label>[^*:]+):?\*\*:? *(?P<value>.*)$", re.MULTILINE)
EMPTY_LINK = re.compile(r"^[-*] +\*\*[^*]+\*\*:? *$", re.MULTILINE)
TAG = r"([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)"
CODE = re.compile(rf"`{TAG}`|\b(?:BCP-?47|code)\W{{1,3}}{TAG}\b")
LICENCE = re.compile(
    r"creative commons|\bcc[ -]?(by|0|att)|general public|\bmit\b|apache|\bl?gpl|\bbsd\b|\bodc|open data commons"
    r"|public domain|mozilla|\bcdla\b",
    re.IGNORECASE,
)
NON_COMMERCIAL = re.compile(r"non-?commercial|\bnc\b", re.IGNORECASE)
CITED = re.compile(r"@\w+\s*\{|doi|https?://", re.IGNORECASE)
MEASURE = re.compile(
    r"\b(measur|compar|test|evaluat|comput|correlat|count|rate\b|score|metric|annotat|audit|probe|examin|analy[sz])",
    re.IGNORECASE,
)
KNOWN_CODES = frozenset(
    """aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo
    es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg
    ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn
    no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta
    te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu""".split()
)
"""Languages by their codes of two letters (ISO 639-1); longer codes are taken as they are."""


@dataclass(frozen=True)
class Finding:
    section: str
    problem: str
    remedy: str
    grave: bool = True
    """Whether the card lacks something, or a reader should merely know."""
    key: str = ""
    """The entry of the template it is about, where it is about one."""


@dataclass(frozen=True)
class Checked:
    template: str
    complete: float
    found: dict[str, tuple[int, int]]
    """By level: how many entries of the template say something, and how many there are."""
    findings: list[Finding] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        return {
            "template": self.template,
            "complete": self.complete,
            "found": {level: {"said": said, "of": of} for level, (said, of) in self.found.items()},
            "findings": [
                {"section": each.section, "problem": each.problem, "remedy": each.remedy, "grave": each.grave}
                for each in self.findings
            ],
        }


def said(text: str) -> str:
    """What somebody wrote: without comments, placeholders and the questions of a template."""
    kept = [part.strip() for part in EMPTY_LINK.sub("", LEFT.sub("", COMMENT.sub("", text))).split("\n\n")]
    return "\n\n".join(part for part in kept if part and not GUIDE.match(" ".join(part.split())))


def check_card(card: Card, form: Template | None = None, digest: str = "") -> Checked:
    """`digest`: of the data as it is now; a card that was filled from other data is stale."""
    form = form or template_of(card)
    placed = list(card.placed(form))
    by_key = {entry.key: section for section, entry in reversed(placed) if entry}
    findings = list(_strangers(placed, form))
    done = set()
    for entry in form.entries:
        state = _state(entry, by_key, form)
        if state in ("said", "not applicable"):
            done.add(entry.key)
        elif not entry.optional:
            findings.append(_lacking(entry, state))
        section = by_key.get(entry.key)
        if section and state == "said" and LEFT.search(COMMENT.sub("", section.text)) and not _is_header(entry, form):
            findings.append(Finding(entry.title, "a placeholder is left beside the text", f"take {PLACEHOLDER} out"))
    findings += _front(card, form)
    findings += _links(by_key, form)
    findings += _contents(by_key, form)
    if digest and (filled := card.facts.get("data_digest")) and filled != digest:
        stale = "the data changed after the card was filled"
        findings.append(Finding("front matter", stale, "run `assay benchmark card fill` again"))
    counted = form.counted
    levels = {1: "sections", 2: "sub-sections", 3: "sub-sub-sections"}
    asked = {name: [each.key for each in counted if each.level == level] for level, name in levels.items()}
    found = {name: (sum(key in done for key in keys), len(keys)) for name, keys in asked.items()}
    return Checked(form.name, sum(each.key in done for each in counted) / len(counted), found, findings)


def _state(entry: Entry, by_key: dict[str, Section], form: Template) -> str:
    """said, empty, placeholder, missing, or not applicable: said to be so here or one level up."""
    section = by_key.get(entry.key)
    if section is None:
        above = by_key.get(entry.parent)
        return "not applicable" if above and NOT_APPLICABLE.match(said(above.text)) else "missing"
    words = said(section.text)
    if words:
        return "not applicable" if NOT_APPLICABLE.match(words) else "said"
    inside = [each for each in form.below(entry.key) if not each.optional or each.key in by_key]
    if inside:  # a heading over others says what they say
        states = {_state(each, by_key, form) for each in inside}
        return "said" if states & {"said", "not applicable"} else "empty"
    return "placeholder" if LEFT.search(section.text) else "empty"


def _lacking(entry: Entry, state: str) -> Finding:
    problems = {"empty": "nothing stands below the heading", "placeholder": "still the placeholder"}
    return Finding(entry.title, problems.get(state, state), f"write: {entry.guide}", key=entry.key)


def _is_header(entry: Entry, form: Template) -> bool:
    return entry is form.entries[0]


def _strangers(placed: Sequence[tuple[Section, Entry | None]], form: Template) -> Iterator[Finding]:
    """Headings the template does not have, ones that stand twice, and ones out of their order."""
    inside: set[int] = set()
    known = [entry for _, entry in placed if entry]
    for section, entry in placed:
        inside = {level for level in inside if level < section.level}
        if entry is None and form.name != "gem2022" and not inside:
            yield Finding(
                section.title, "not in the template", "move its text, or leave it as an addition", grave=False
            )
            inside.add(section.level)
    for key, count in Counter(entry.key for entry in known).items():
        if count > 1:
            yield Finding(form.entry(key).title, f"stands {count} times", "put the texts under one heading")
    order = {entry.key: place for place, entry in enumerate(form.entries)}
    highest = -1
    for entry in dict.fromkeys(known):
        if order[entry.key] < highest:
            yield Finding(entry.title, "out of order", "put the sections in the order of the template", grave=False)
        highest = max(highest, order[entry.key])


def _front(card: Card, form: Template) -> Iterator[Finding]:
    facts = card.facts
    for key in form.front:
        value = facts.get(key)
        if value is None or value == "" or LEFT.search(str(value)):
            yield Finding("front matter", f"no {key}", f"write `{key}: ...` between the --- lines at the top")


def _links(by_key: dict[str, Section], form: Template) -> Iterator[Finding]:
    header = by_key.get(form.entries[0].key)
    lines = LINK.finditer(header.text if header else "")
    given = {found["label"].strip().casefold(): found["value"] for found in lines}
    for label in form.links:
        names = {label.casefold(), label.casefold().rstrip("s")}
        value = next((value for name, value in given.items() if name in names), None)
        if form.name != "gem2022" and (value is None or not LEFT.sub("", value).strip()):
            contact = "contact" in label.casefold()
            yield Finding(form.entries[0].title, f"no {label}", f"write `- **{label}:** ...`, or None", grave=contact)


def _contents(by_key: dict[str, Section], form: Template) -> Iterator[Finding]:
    def words(key: str) -> str:
        return said(by_key[key].text) if key in by_key else ""

    if text := words("languages"):
        codes = [one or two for one, two in CODE.findall(text)]
        first = [(code, code.split("-")[0].lower()) for code in codes]
        bad = [code for code, language in first if len(language) == 2 and language not in KNOWN_CODES]
        remedy = "write the BCP-47 code of each language in backticks, such as `en` or `pt-BR`"
        if bad:
            yield Finding("Languages", f"no language code: {', '.join(bad)}", remedy)
        elif not codes:
            yield Finding("Languages", "no BCP-47 code", remedy)
    licence = words("licensing") or words("licensing-information")
    terms = "Licensing Information"
    if licence and not LICENCE.search(licence):
        yield Finding(terms, "no licence that is known by name", "name it, or say why there is none", grave=False)
    if licence and NON_COMMERCIAL.search(licence):
        yield Finding(terms, "not for commercial use", "users must know before they begin", grave=False)
    citation = words("citation") or words("citation-information")
    if citation and not CITED.search(citation):
        yield Finding("Citation Information", "nothing to cite", "give BibTeX, a DOI or a link")
    if form.name == "model":
        yield from _impact(words("use"), words("measuring"))
        results = words("evaluation").lower()
        if "test" in results and not re.search(r"valid|\bdev", results):
            yield Finding(
                "Evaluation details", "results on test data only", "give those on validation data", grave=False
            )


def _impact(use: str, measuring: str) -> Iterator[Finding]:
    entry = template("model").entry("measuring")
    if use and not measuring:
        yield Finding(entry.title, "a use, but no way to measure its harm", entry.guide, key=entry.key)
    elif measuring and not MEASURE.search(measuring):
        yield Finding(entry.title, "proposes no measurement", entry.guide, key=entry.key)
