"""Diversity, repetition, length, novelty and originality of outputs."""
