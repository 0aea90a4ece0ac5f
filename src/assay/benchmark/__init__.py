"""Benchmarks: manifests and their versions, cards, submissions, and the service that accepts submissions."""
