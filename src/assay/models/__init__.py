"""Weights and what comes of them: loading from package, folder or hub, devices, the cache on disk."""
