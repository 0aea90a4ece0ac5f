"""From statistics to scores, comparisons and tables."""
