"""Data, model and metric cards: read, check, fill, convert and edit them."""
