"""Protocols: how a task is posed to a system. Choices between spans (FOMC), candidates to rank (TESA), made-up data."""
