"""Overlap with references: words, n-grams, characters, edits."""
