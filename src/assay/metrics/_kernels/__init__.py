"""Hot loops that count for metrics; written like those of `assay.text._kernels`, and using them."""
