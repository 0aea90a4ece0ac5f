"""Tests of the explorer, with fixtures of their own."""
