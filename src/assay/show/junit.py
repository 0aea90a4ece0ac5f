"""JUnit's XML, which services for continuous integration read: a suite of cases, each passed or failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree

from assay.show.escape import plain


class Case(NamedTuple):
    """One thing that was checked, and why it failed; nothing where it passed."""

    name: str
    failure: str = ""
    said: str = ""


def junit(suite: str, cases: Sequence[Case]) -> str:
    """The document; texts are data in it, whatever stands in them."""
    failures = sum(bool(case.failure) for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failures), "errors": "0"}
    root = ElementTree.Element("testsuites", counts)
    held = ElementTree.SubElement(root, "testsuite", {"name": plain(suite), **counts})
    for case in cases:
        node = ElementTree.SubElement(held, "testcase", {"classname": plain(suite), "name": plain(case.name)})
        if case.failure:
            ElementTree.SubElement(node, "failure", {"message": plain(case.failure)})
        if case.said:
            ElementTree.SubElement(node, "system-out").text = plain(case.said)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'
