"""Shared parts of all metrics: base classes, statistics and folds, text layout, spilling to disk, signatures."""
