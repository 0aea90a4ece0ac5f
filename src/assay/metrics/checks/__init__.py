"""Warnings about outputs whose scores would mislead: damaged files, misaligned lines, common evaluation mistakes."""
