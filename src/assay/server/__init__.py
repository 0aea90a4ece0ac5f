"""The assay server, assembled from its rooms: accounts and roles, benchmarks, studies, cards."""
