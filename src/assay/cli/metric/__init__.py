"""`assay metric`: metrics, and how far they agree with human judgements."""
