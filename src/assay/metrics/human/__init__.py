"""Human ratings as metrics: predicted by a regression, or combined from judgements."""
