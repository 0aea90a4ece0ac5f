"""Realisation of structured input in the output: slots, events, concepts, spans, dialogue goals."""
