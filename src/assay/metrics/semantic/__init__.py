"""Similarity of meaning, fluency and style by models."""
