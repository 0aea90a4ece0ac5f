"""Whether an output expresses its structured input: slots, events, concepts, spans, dialogue goals."""
