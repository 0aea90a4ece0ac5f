"""`assay benchmark`: benchmark versions, cards and submissions."""
