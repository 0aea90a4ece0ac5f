"""`assay server`: the benchmark and study server."""
