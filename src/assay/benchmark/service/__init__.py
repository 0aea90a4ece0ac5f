"""The benchmark's part of a server: submitting, the queue, scoring, results. Loaded by `assay server start` alone."""
