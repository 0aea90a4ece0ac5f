"""Rows to numbers to comparisons: everything between statistics and what a person sees."""
