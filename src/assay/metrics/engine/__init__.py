"""What metrics are built on: statistics, folds, layout of texts, spilling to disk, signatures."""
