"""Formatting of numbers, tables and figures for terminals, papers and pages."""
