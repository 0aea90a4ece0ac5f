"""Simplification metrics: edits of the source, readability, errors in entities, linguistic profiles."""
