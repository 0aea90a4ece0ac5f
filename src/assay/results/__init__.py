"""Run folders, scores, comparisons: everything between statistics and what a person sees."""
