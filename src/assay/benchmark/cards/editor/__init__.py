"""The card editor of a server: a form with a guide next to every field."""
