"""Task-oriented dialogue on MultiWOZ: what is offered, whether it fits the goal, whether requests are answered."""
