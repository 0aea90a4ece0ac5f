"""Neural systems: Hugging Face models from a hub name or a folder. torch is imported inside functions only."""
