"""JUnit XML for continuous integration: a suite of test cases that passed or failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree

from assay.show.escape import plain


class Case(NamedTuple):
    """A test case; `failure` is empty if it passed."""

    name: str
    failure: str = ""
    output: str = ""


def junit(suite: str, cases: Sequence[Case]) -> str:
    """Return the XML document; texts are escaped."""
    failures = sum(bool(case.failure) for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failures), "errors": "0"}
    root = ElementTree.Element("testsuites", counts)
    parent = ElementTree.SubElement(root, "testsuite", {"name": plain(suite), **counts})
    for case in cases:
        node = ElementTree.SubElement(parent, "testcase", {"classname": plain(suite), "name": plain(case.name)})
        if case.failure:
            ElementTree.SubElement(node, "failure", {"message": plain(case.failure)})
        if case.output:
            ElementTree.SubElement(node, "system-out").text = plain(case.output)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'
