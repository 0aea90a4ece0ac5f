"""Whether the source supports what an output says."""
