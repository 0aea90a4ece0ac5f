"""Variety, repetition, length, novelty and originality of outputs."""
