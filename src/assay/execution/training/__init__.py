"""Train models on examples, with metrics to select the best epoch."""
