"""Migration steps, one file each, applied in the order of their numbers."""
