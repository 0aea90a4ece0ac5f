"""The Python interface: calls that correspond to the commands. docs/python.md shows all of them.

`assay.NAME` imports the module of a call when it is first used; the table is in `assay/__init__.py`.
"""
