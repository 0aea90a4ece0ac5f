"""Layout of terminal tables: columns that are wrapped if the terminal is too narrow, and never cut."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

GAP, INDENT = "   ", "  "
NARROWEST = 8
"""Smallest width of a wrapped column. Words are not broken while another column can become narrower."""
BOLD, NORMAL = "\x1b[1m", "\x1b[0m"


def text_table(
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[bool],
    fold: Sequence[bool],
    bold: Sequence[Sequence[bool]] | None = None,
    width: int | None = None,
) -> list[str]:
    """Return the lines of a table.

    Args:
        rows: Cells, the headings first. Each is one line of printable text.
        right: Whether each column is right-aligned.
        fold: Whether each column can be wrapped.
        bold: Cells in bold type (default: none).
        width: Width of the terminal (default: unlimited).
    """
    widths = [max(map(cells_wide, column)) for column in zip(*rows, strict=True)]
    if width is not None:
        columns = zip(*rows, strict=True)
        words = [max(cells_wide(word) for cell in column for word in (cell.split() or [""])) for column in columns]
        room = width - len(INDENT) - len(GAP) * (len(widths) - 1)
        for floors in (words, [0] * len(words)):
            _shrink(widths, [max(NARROWEST, floor) for floor in floors], fold, room)
    lines = []
    for number, row in enumerate(rows):
        folded = [_fold(text, size) for text, size in zip(row, widths, strict=True)]
        for parts in zip_longest(*folded, fillvalue=""):
            line = [
                _padded(part, size, side, bold is not None and bold[number][i])
                for i, (part, size, side) in enumerate(zip(parts, widths, right, strict=True))
            ]
            lines.append((INDENT + GAP.join(line)).rstrip())
    return lines


def cells_wide(text: str) -> int:
    """Return the width of a text in a terminal: two columns for a wide character, none for a combining mark."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _shrink(widths: list[int], floors: Sequence[int], fold: Sequence[bool], room: int) -> None:
    """Narrow the widest column that can be wrapped until all columns fit or none can become narrower."""
    while sum(widths) > room:
        candidates = [i for i, may in enumerate(fold) if may and widths[i] > floors[i]]
        if not candidates:
            return
        widths[max(candidates, key=lambda i: widths[i])] -= 1


def _fold(text: str, width: int) -> list[str]:
    """Wrap a text at spaces to lines of at most this width; longer words are broken."""
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


def _padded(text: str, width: int, right: bool, bold: bool) -> str:
    padding = " " * (width - cells_wide(text))
    styled = f"{BOLD}{text}{NORMAL}" if bold and text else text
    return padding + styled if right else styled + padding
