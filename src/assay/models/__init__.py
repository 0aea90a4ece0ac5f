"""Model weights: loading from a package, a folder or the Hugging Face hub, devices, and the cache on disk."""
