"""`assay store`: saved runs, results folders and the cache."""
