"""Carry out evaluations: loading, shards, executors, configs, resuming."""
