"""`assay data`: datasets, examples and the text that models read."""
