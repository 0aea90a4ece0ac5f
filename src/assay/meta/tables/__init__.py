"""What meta-evaluation says, as tables: correlations, agreement and ranks, power, published cells."""
