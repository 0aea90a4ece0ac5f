"""What a simplification does to its source, and how easy the result is to read."""
