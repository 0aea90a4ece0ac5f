"""Means of judged systems that are part of the package."""
