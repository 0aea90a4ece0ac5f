"""Drop-in replacements: the calls of other packages with the same arguments and the same values.

Change the import to `from assay.compat.rouge_score import rouge_scorer` or `from assay.compat import sacrebleu`,
`evaluate` or `torchmetrics`; the rest of a script is unchanged. docs/compat.md lists what is supported.
"""
