"""`assay study`: human evaluation from design to analysis."""
