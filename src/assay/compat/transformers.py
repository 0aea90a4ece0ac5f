"""`compute_metrics` for a trainer of Hugging Face's `transformers` that generates texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay.execution.request import choose
from assay.execution.scoring import score_items
from assay.records.items import Items
from assay.records.types import Example

IGNORED = -100
"""Label value of positions without a token."""


def compute_metrics(
    tokenizer: Any,
    metrics: str | Sequence[str] = "rouge:stemmer=true",
    *,
    postprocess: Callable[[str], str] = str.strip,
) -> Callable[[Any], dict[str, float]]:
    """Return a callable for `Seq2SeqTrainer(compute_metrics=...)` that decodes predictions and labels and scores them.

    Values are on the scale of tables (ROUGE from 0 to 100), with `gen_len`, the mean number of generated tokens.

    Args:
        tokenizer: The tokenizer of the model.
        metrics: Names with options.
        postprocess: Applied to every decoded text.

    >>> class Letters:
    ...     pad_token_id = 0
    ...     def batch_decode(self, ids, skip_special_tokens=True):
    ...         return ["".join(chr(96 + i) if i < 27 else " " for i in row if i) for row in ids]
    >>> scored = compute_metrics(Letters(), "rouge1")(([[1, 27, 2, 0]], [[1, 27, 3, -100]]))
    >>> scored["rouge1"], scored["gen_len"]
    (50.0, 3.0)
    """
    requests = choose(metrics)

    def computed(predicted: Any) -> dict[str, float]:
        predictions, labels = predicted[0], predicted[1]
        if isinstance(predictions, tuple):  # together with logits or hidden states
            predictions = predictions[0]
        pad = tokenizer.pad_token_id
        ids, gold = (np.where(np.asarray(each) == IGNORED, pad, np.asarray(each)) for each in (predictions, labels))
        texts, references = (
            [postprocess(text) for text in tokenizer.batch_decode(each, skip_special_tokens=True)]
            for each in (ids, gold)
        )
        examples = [Example(id=str(number), references=(text,)) for number, text in enumerate(references)]
        result = score_items(Items(tuple(texts), tuple(examples)), requests)
        shown = {name: result.parts[name][1] for name in result.shown}
        scores = {
            name: round(result.values[name] * part.scale, 4)
            for name, part in shown.items()
            if not np.isnan(result.values[name])
        }
        return scores | {"gen_len": float(np.mean(np.sum(ids != pad, axis=1)))}

    return computed
