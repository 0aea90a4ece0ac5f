"""Support of each sentence of an output by its contexts or source: evidence, verdict, probability and reason."""
