"""`assay system`: run, rank with and train systems."""
