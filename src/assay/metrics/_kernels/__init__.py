"""Compiled loops of metrics; written like `assay.text._kernels`, and based on them."""
