"""Check of a card: missing sections, licence, contact and language codes; share of sections that are written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.benchmark.cards.card import Card, Section, template_of
from assay.benchmark.cards.template import PLACEHOLDER, Entry, Template, template
from assay.text.spans import remove_spans

LEFT = re.compile(r"\[?more information needed\]?", re.IGNORECASE)
GUIDE = re.compile(r"^\*[^*].*\*$")
"""A paragraph in italics: a question of the published template, not an answer."""
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
"""Two-letter language codes (ISO 639-1); longer codes are not checked."""


@dataclass(frozen=True)
class CardFinding:
    """A problem of a card: its section, what is wrong, and how to fix it."""

    section: str
    problem: str
    remedy: str
    is_error: bool = True
    """Errors are missing content; warnings are notes for readers."""
    key: str = ""
    """Key of the template's entry, if the finding is about one."""


@dataclass(frozen=True)
class CardCheck:
    """The result of checking a card."""

    template: str
    complete: float
    """Share of required entries that are written, from 0 to 1."""
    levels: dict[str, tuple[int, int]]
    """Number of written entries and of required entries by level."""
    findings: list[CardFinding] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        """Return the check as JSON."""
        return {
            "template": self.template,
            "complete": self.complete,
            "found": {level: {"said": written, "of": of} for level, (written, of) in self.levels.items()},
            "findings": [
                {"section": each.section, "problem": each.problem, "remedy": each.remedy, "grave": each.is_error}
                for each in self.findings
            ],
        }


def without_comments(text: str) -> str:
    """Return a text without its HTML comments."""
    return remove_spans(text, "<!--", "-->")


def written_text(text: str) -> str:
    """Return the text of a section without comments, placeholders and questions of the template."""
    kept = [part.strip() for part in EMPTY_LINK.sub("", LEFT.sub("", without_comments(text))).split("\n\n")]
    return "\n\n".join(part for part in kept if part and not GUIDE.match(" ".join(part.split())))


def check_card(card: Card, form: Template | None = None, digest: str = "") -> CardCheck:
    """Check a card for missing and inconsistent content.

    Args:
        card: The card.
        form: Its template (default: recognised from its headings).
        digest: Digest of the current data; a card that was filled from other data is out of date.
    """
    form = form or template_of(card)
    placed = list(card.placed(form))
    by_key = {entry.key: section for section, entry in reversed(placed) if entry}
    findings = list(_about_headings(placed, form))
    done = set()
    for entry in form.entries:
        state = _state(entry, by_key, form)
        if state in ("written", "not applicable"):
            done.add(entry.key)
        elif not entry.optional:
            findings.append(_incomplete(entry, state))
        section = by_key.get(entry.key)
        if (
            section
            and state == "written"
            and LEFT.search(without_comments(section.text))
            and not _is_header(entry, form)
        ):
            findings.append(CardFinding(entry.title, "the text contains a placeholder", f"remove {PLACEHOLDER}"))
    findings += _front(card, form)
    findings += _links(by_key, form)
    findings += _contents(by_key, form)
    if digest and (filled := card.facts.get("data_digest")) and filled != digest:
        stale = "the data changed after the card was filled"
        findings.append(CardFinding("front matter", stale, "run `assay benchmark card fill` again"))
    required = form.counted
    names = {1: "sections", 2: "sub-sections", 3: "sub-sub-sections"}
    keys_of = {name: [each.key for each in required if each.level == level] for level, name in names.items()}
    levels = {name: (sum(key in done for key in keys), len(keys)) for name, keys in keys_of.items()}
    return CardCheck(form.name, sum(each.key in done for each in required) / len(required), levels, findings)


def _state(entry: Entry, by_key: dict[str, Section], form: Template) -> str:
    """Return written, empty, placeholder, missing, or not applicable (stated here or one level up)."""
    section = by_key.get(entry.key)
    if section is None:
        above = by_key.get(entry.parent)
        return "not applicable" if above and NOT_APPLICABLE.match(written_text(above.text)) else "missing"
    text = written_text(section.text)
    if text:
        return "not applicable" if NOT_APPLICABLE.match(text) else "written"
    inside = [each for each in form.below(entry.key) if not each.optional or each.key in by_key]
    if inside:  # a section is written if one of its sub-sections is
        states = {_state(each, by_key, form) for each in inside}
        return "written" if states & {"written", "not applicable"} else "empty"
    return "placeholder" if LEFT.search(section.text) else "empty"


def _incomplete(entry: Entry, state: str) -> CardFinding:
    problems = {
        "empty": "section is empty",
        "placeholder": "placeholder is not replaced",
        "missing": "section is missing",
    }
    return CardFinding(entry.title, problems.get(state, state), f"write: {entry.guide}", key=entry.key)


def _is_header(entry: Entry, form: Template) -> bool:
    return entry is form.entries[0]


def _about_headings(placed: Sequence[tuple[Section, Entry | None]], form: Template) -> Iterator[CardFinding]:
    """Yield findings for headings that are unknown, duplicated, or out of order."""
    inside: set[int] = set()
    known = [entry for _, entry in placed if entry]
    for section, entry in placed:
        inside = {level for level in inside if level < section.level}
        if entry is None and form.name != "gem2022" and not inside:
            remedy = "move its text, or keep it as an additional section"
            yield CardFinding(section.title, "not in the template", remedy, is_error=False)
            inside.add(section.level)
    for key, count in Counter(entry.key for entry in known).items():
        if count > 1:
            yield CardFinding(form.entry(key).title, f"{count} sections with this heading", "merge them")
    order = {entry.key: place for place, entry in enumerate(form.entries)}
    highest = -1
    for entry in dict.fromkeys(known):
        if order[entry.key] < highest:
            remedy = "put the sections in the order of the template"
            yield CardFinding(entry.title, "out of order", remedy, is_error=False)
        highest = max(highest, order[entry.key])


def _front(card: Card, form: Template) -> Iterator[CardFinding]:
    facts = card.facts
    for key in form.front:
        value = facts.get(key)
        if value is None or value == "" or LEFT.search(str(value)):
            yield CardFinding("front matter", f"no {key}", f"add `{key}: ...` between the --- lines at the top")


def _links(by_key: dict[str, Section], form: Template) -> Iterator[CardFinding]:
    header = by_key.get(form.entries[0].key)
    lines = LINK.finditer(header.text if header else "")
    values = {line["label"].strip().casefold(): line["value"] for line in lines}
    for label in form.links:
        names = {label.casefold(), label.casefold().rstrip("s")}
        value = next((value for name, value in values.items() if name in names), None)
        if form.name != "gem2022" and (value is None or not LEFT.sub("", value).strip()):
            is_error = "contact" in label.casefold()
            remedy = f"add `- **{label}:** ...`, or None"
            yield CardFinding(form.entries[0].title, f"no {label}", remedy, is_error=is_error)


def _contents(by_key: dict[str, Section], form: Template) -> Iterator[CardFinding]:
    def text_of(key: str) -> str:
        return written_text(by_key[key].text) if key in by_key else ""

    if text := text_of("languages"):
        codes = [one or two for one, two in CODE.findall(text)]
        first = [(code, code.split("-")[0].lower()) for code in codes]
        bad = [code for code, language in first if len(language) == 2 and language not in KNOWN_CODES]
        remedy = "write the BCP-47 code of each language in backticks, such as `en` or `pt-BR`"
        if bad:
            yield CardFinding("Languages", f"unknown language code: {', '.join(bad)}", remedy)
        elif not codes:
            yield CardFinding("Languages", "no BCP-47 code", remedy)
    licence = text_of("licensing") or text_of("licensing-information")
    terms = "Licensing Information"
    if licence and not LICENCE.search(licence):
        remedy = "name the licence, or state why there is none"
        yield CardFinding(terms, "no known licence is named", remedy, is_error=False)
    if licence and NON_COMMERCIAL.search(licence):
        yield CardFinding(terms, "non-commercial use only", "check that your use is permitted", is_error=False)
    citation = text_of("citation") or text_of("citation-information")
    if citation and not CITED.search(citation):
        yield CardFinding("Citation Information", "no citation", "add BibTeX, a DOI or a link")
    if form.name == "model":
        yield from _impact(text_of("use"), text_of("measuring"))
        results = text_of("evaluation").lower()
        if "test" in results and not re.search(r"valid|\bdev", results):
            remedy = "add results on validation data"
            yield CardFinding("Evaluation details", "results on test data only", remedy, is_error=False)


def _impact(use: str, measuring: str) -> Iterator[CardFinding]:
    entry = template("model").entry("measuring")
    if use and not measuring:
        yield CardFinding(entry.title, "a use without a measure of its harm", entry.guide, key=entry.key)
    elif measuring and not MEASURE.search(measuring):
        yield CardFinding(entry.title, "proposes no measurement", entry.guide, key=entry.key)
