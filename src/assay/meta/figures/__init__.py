"""Figures of meta-evaluation. They require matplotlib: pip install 'assay-eval[plots]'."""
