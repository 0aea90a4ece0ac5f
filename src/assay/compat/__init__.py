"""Drop-in use: the calls of other packages, with the same arguments and the same numbers.

`from assay.compat.rouge_score import rouge_scorer`, `from assay.compat import sacrebleu`, `evaluate` or `torchmetrics`,
and the rest of a script stays as it is. docs/compat.md says what is there and what is not.
"""
