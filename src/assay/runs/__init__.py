"""Doing it: loading, measuring in shards, run folders, configs, resuming, whole benchmarks."""
