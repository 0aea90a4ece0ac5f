"""Meta-evaluation: correlation with human judgements, ablation, agreement, audits, power, and reproductions."""
