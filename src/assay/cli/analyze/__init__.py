"""`assay analyze`: analyses of outputs, judgements and tests."""
