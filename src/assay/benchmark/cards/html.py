"""Reader of cards published as HTML pages: converts them to Markdown, without hints and buttons."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from assay.benchmark.cards.card import Card, Section
from assay.errors import AssayError

if TYPE_CHECKING:
    from lxml.html import HtmlElement

HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
BLOCKS = {"p", "div", "section", "article", "ul", "ol", "table", "blockquote", "pre", "dl", "figure"}
LEFT_OUT = {"script", "style", "svg", "button", "template"}
HINTS = {"tooltip", "toolbar", "expand-button", "datacard-summary", "quick"}
"""CSS classes of explanations and summaries, which are left out."""
AROUND = {"strong": "**", "b": "**", "em": "*", "i": "*", "code": "`"}


def card_of_page(page: Any, where: str) -> Card:
    """Return the card in the JSON of a page on GEM's site; other keys of the page become front matter."""
    import json

    data = page
    for key in ("pageProps", "taskData"):
        data = data.get(key, data) if isinstance(data, dict) else data
    if not isinstance(data, dict) or not isinstance(data.get("contentHtml"), str):
        raise AssayError(f'{where}: no text under "contentHtml", so not a page with a card.')
    facts = {key: value for key, value in data.items() if key != "contentHtml" and isinstance(value, str | int | float)}
    front = "\n".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in facts.items())
    return Card(front, "", sections_of_html(data["contentHtml"], where), where)


def sections_of_html(html: str, where: str) -> tuple[Section, ...]:
    """Return the sections of an HTML page; raise AssayError if it has no headings."""
    from lxml import etree
    from lxml.html import fromstring

    try:
        tree = fromstring(f"<div>{html}</div>")
    except (etree.ParserError, ValueError) as error:
        raise AssayError(f"{where}: not valid HTML ({error})") from None
    reader = _Reader()
    reader.walk(tree)
    reader.close()
    if not reader.sections:
        raise AssayError(f"{where}: no headings in the HTML, so not a card.")
    top = min(section.level for section in reader.sections)
    return tuple(Section(each.level - top + 1, each.title, each.text) for each in reader.sections)


class _Reader:
    """Collects sections while walking an HTML tree."""

    def __init__(self) -> None:
        self.sections: list[Section] = []
        self.blocks: list[str] = []
        self.line: list[str] = []

    def walk(self, node: HtmlElement, indent: str = "") -> None:
        tag = node.tag if isinstance(node.tag, str) else ""
        if not tag or tag in LEFT_OUT or HINTS & set((node.get("class") or "").split()):
            self.say(node.tail)
            return
        if tag in HEADINGS:
            self.open_section(int(tag[1]), _title(node))
        elif tag == "pre":
            self.block(f"```\n{_whole(node).strip()}\n```")
        elif tag == "br":
            self.line.append("\n")
        elif tag == "li":
            ordered = node.getparent().tag == "ol"
            self.finish(indent)
            self.line.append("1. " if ordered else "- ")
            self.inside(node, indent + "  ")
            self.finish(indent)
        elif tag == "a" and node.get("href"):
            label = " ".join(_whole(node).split())
            self.line.append(f"[{label}]({node.get('href')})" if label != node.get("href") else f"<{label}>")
        elif tag in AROUND:
            if words := " ".join(_whole(node).split()):
                self.line.append(f"{AROUND[tag]}{words}{AROUND[tag]}")
        elif tag in BLOCKS:
            self.finish(indent)
            self.inside(node, indent)
            self.finish(indent)
        elif tag in ("td", "th"):
            self.line.append("| ")
            self.inside(node, indent)
        elif tag == "tr":
            self.inside(node, indent)
            self.line.append(" |\n")
        else:
            self.inside(node, indent)
        self.say(node.tail)

    def inside(self, node: HtmlElement, indent: str) -> None:
        self.say(node.text)
        for child in node:
            self.walk(child, indent)

    def say(self, text: str | None) -> None:
        if text:
            self.line.append(re.sub(r"\s+", " ", text))

    def finish(self, indent: str = "") -> None:
        text = re.sub(r" *\n *", "\n", re.sub(r" +", " ", "".join(self.line))).strip()
        self.line = []
        if text and text not in ("-", "1."):
            self.block("\n".join(indent + line for line in text.split("\n")))

    def block(self, text: str) -> None:
        self.blocks.append(text)

    def open_section(self, level: int, title: str) -> None:
        self.close()
        self.sections.append(Section(level, title))

    def close(self) -> None:
        self.finish()
        text = ""
        for block in self.blocks:
            item = block.lstrip().startswith(("- ", "1. "))
            text += ("\n" if item and text.rsplit("\n", 1)[-1].lstrip().startswith(("- ", "1. ")) else "\n\n") + block
        self.blocks = []
        if self.sections and text.strip():
            last = self.sections[-1]
            self.sections[-1] = Section(last.level, last.title, (last.text + text).strip("\n"))


def _whole(node: HtmlElement) -> str:
    return "".join(node.itertext())


def _title(node: HtmlElement) -> str:
    words = [node.text or ""]
    for child in node:
        words += ["" if HINTS & set((child.get("class") or "").split()) else _whole(child), child.tail or ""]
    return " ".join("".join(words).split()) or "(no title)"
