"""Policy gradient next to the likelihood of references: texts drawn from the model are rewarded by a metric.

The loss is cross-entropy plus `weight` times the mean of -(reward - baseline) x log-probability of a drawn text, where
the baseline is the mean reward of the other texts of the batch (REINFORCE).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from assay.errors import AssayError
from assay.models.devices import limited_threads
from assay.records.types import Example
from assay.systems.neural.decode import Decoding, decode
from assay.systems.neural.encode import text_of
from assay.systems.neural.generation_objective import Item, Seq2Seq

Reward = Callable[[list[str], list[Example]], list[float]]
"""Rewards of texts for examples, from about 0 to 1."""
SEEDS = 2**31 - 1


class Rewarded:
    """A training objective of texts, with rewards."""

    def __init__(self, objective: Seq2Seq, train: Sequence[Example], reward: Reward, weight: float) -> None:
        self.objective, self.reward, self.weight = objective, reward, weight
        self.examples = [example for example in train for _ in example.references]
        if len(self.examples) != len(objective.items):
            raise AssayError("recipe: reward applies to models that learn each reference once: seq2seq and causal")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.objective, name)

    def batch(self, indices: Sequence[int]) -> dict[str, Any]:
        return self.objective.batch(indices) | {"indices": list(indices)}

    def loss(self, model: Any, batch: dict[str, Any], smoothing: float) -> tuple[Any, int]:
        """Return the summed loss and the number of target tokens. The policy part is multiplied by that number, because
        the sum is divided by it."""
        likelihood, count = self.objective.loss(model, batch, smoothing)
        if not model.training or len(batch["indices"]) < 2:
            return likelihood, count
        return likelihood + self.weight * count * self._policy(model, batch["indices"]), count

    def _policy(self, model: Any, indices: Sequence[int]) -> Any:
        """Draw a text for each item; return the mean of -(reward - baseline) x its log-probability per token."""
        import torch

        objective = self.objective
        sources = [objective.items[i].source for i in indices]
        drawn = self._drawn(model, sources)
        texts = [text_of(objective.tokenizer, tokens) for tokens in drawn]
        rewards = torch.tensor(self.reward(texts, [self.examples[i] for i in indices]), device=model.device)
        advantages = (rewards - rewards.mean()) * len(rewards) / (len(rewards) - 1)
        end, limit = int(objective.tokenizer.eos_token_id), objective.recipe.max_new
        targets = [tokens if len(tokens) >= limit else [*tokens, end] for tokens in drawn]
        inputs = objective._batch([Item(source, made) for source, made in zip(sources, targets, strict=True)])
        logits, labels = objective._predicted(
            model, {name: inputs[name].to(model.device) for name in ("input_ids", "attention_mask", "labels")}
        )
        losses = torch.nn.functional.cross_entropy(logits.transpose(1, 2).float(), labels, reduction="none")
        lengths = torch.tensor([len(made) for made in targets], device=model.device)
        return (advantages * losses.sum(dim=1) / lengths).mean()

    def _drawn(self, model: Any, sources: Sequence[list[int]]) -> list[list[int]]:
        """Return the tokens of one drawn text for each input, without the end token."""
        import torch

        tokenizer, left = self.objective.tokenizer, self.objective.kind == "causal"
        longest, pad = max(map(len, sources)), tokenizer.pad_token_id
        gaps = [longest - len(source) for source in sources]
        rows = [[pad] * gap + own if left else own + [pad] * gap for gap, own in zip(gaps, sources, strict=True)]
        masks = [[0] * gap + [1] * (longest - gap) if left else [1] * (longest - gap) + [0] * gap for gap in gaps]
        inputs = {
            "input_ids": torch.tensor(rows, device=model.device),
            "attention_mask": torch.tensor(masks, device=model.device),
        }
        seeds = torch.randint(SEEDS, (len(sources),)).tolist()  # from the seed of the step
        decoding = Decoding(sample=True, max_new=self.objective.recipe.max_new)
        model.eval()
        try:
            with torch.no_grad(), limited_threads(model):
                made = decode(model, inputs, decoding, seeds, pad, tokenizer.eos_token_id)
        finally:
            model.train()
        return [one[0].tokens for one in made]
