"""Faithfulness: whether the source supports the output."""
