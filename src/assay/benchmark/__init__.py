"""Benchmarks that live: cards of what takes part in them, submissions, versions, and the service people submit to."""
