"""Warnings about outputs for which a score would mislead: damage, misalignment, classic mistakes."""
