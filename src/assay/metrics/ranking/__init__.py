"""Rankings of candidates, n-best lists and forced choices between two candidates."""
