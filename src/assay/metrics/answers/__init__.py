"""Metrics of answers that are right or wrong: text, number, choice, JSON, format, refusal."""
