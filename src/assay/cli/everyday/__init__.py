"""Everyday commands."""
