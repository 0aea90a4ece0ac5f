"""Metrics of turns in a conversation: repetition of earlier turns, entrainment, instructions that checks decide."""
