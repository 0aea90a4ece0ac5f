"""`assay judge`: model judges."""
