"""Inputs altered, chosen or set against each other to see what a system or a metric does with them."""
