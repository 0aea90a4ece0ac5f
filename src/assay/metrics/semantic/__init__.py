"""Semantic similarity, fluency and style, measured with models."""
