"""Tables of meta-evaluation: correlations, agreement and ranks, power, audits, published cells."""
