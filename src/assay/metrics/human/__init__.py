"""Human ratings as metrics: predicted from ratings, or combined from judgements."""
