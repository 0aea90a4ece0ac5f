"""Evaluation of task-oriented dialogue on MultiWOZ: BLEU, Inform, Success, richness, dialogue states."""
