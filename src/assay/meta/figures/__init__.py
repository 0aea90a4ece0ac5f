"""Figures a paper would use. matplotlib is loaded only when one is drawn: pip install 'assay-eval[plots]'."""
