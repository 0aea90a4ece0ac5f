"""Lexical metrics: overlap of words, n-grams and characters with references, and edit distances."""
