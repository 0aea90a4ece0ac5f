"""Columns of text for a terminal: side by side, folded where there is too little room, never cut."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

GAP, INDENT = "   ", "  "
NARROWEST = 8
"""Columns are not folded to less, and words are not broken while another column can give way."""
BOLD, NORMAL = "\x1b[1m", "\x1b[0m"


def text_table(
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[bool],
    fold: Sequence[bool],
    bold: Sequence[Sequence[bool]] | None = None,
    width: int | None = None,
) -> list[str]:
    """Lines of a table whose first row is its headings. Cells are safe already: one line each, nothing unprintable."""
    widths = [max(map(cells_wide, column)) for column in zip(*rows, strict=True)]
    if width is not None:
        columns = zip(*rows, strict=True)
        words = [max(cells_wide(word) for cell in column for word in (cell.split() or [""])) for column in columns]
        room = width - len(INDENT) - len(GAP) * (len(widths) - 1)
        for floors in (words, [0] * len(words)):
            _shrink(widths, [max(NARROWEST, floor) for floor in floors], fold, room)
    lines = []
    for place, row in enumerate(rows):
        folded = [_fold(text, size) for text, size in zip(row, widths, strict=True)]
        for parts in zip_longest(*folded, fillvalue=""):
            line = [
                _placed(part, size, side, bold is not None and bold[place][i])
                for i, (part, size, side) in enumerate(zip(parts, widths, right, strict=True))
            ]
            lines.append((INDENT + GAP.join(line)).rstrip())
    return lines


def cells_wide(text: str) -> int:
    """Columns of a terminal that a text takes: two for a wide letter, none for a mark on the one before."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _shrink(widths: list[int], floors: Sequence[int], fold: Sequence[bool], room: int) -> None:
    """Take from the widest column that may be folded, until all fit or none can give more."""
    while sum(widths) > room:
        giving = [i for i, may in enumerate(fold) if may and widths[i] > floors[i]]
        if not giving:
            return
        widths[max(giving, key=lambda i: widths[i])] -= 1


def _fold(text: str, width: int) -> list[str]:
    """Lines of at most this width, broken between words; a word that is too long is broken where it must be."""
    if cells_wide(text) <= width:
        return [text]
    lines = [""]
    for word in text.split():
        if lines[-1] and cells_wide(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
            continue
        if lines[-1]:
            lines.append("")
        for letter in word:
            if cells_wide(lines[-1] + letter) > width:
                lines.append("")
            lines[-1] += letter
    return lines


def _placed(text: str, width: int, right: bool, bold: bool) -> str:
    blanks = " " * (width - cells_wide(text))
    inked = f"{BOLD}{text}{NORMAL}" if bold and text else text
    return blanks + inked if right else inked + blanks
