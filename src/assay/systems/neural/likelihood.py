"""Token log-probabilities of continuations; their shared prefix is computed once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.systems.base import Logprob


def continuation_logprobs(
    model: Any, source: list[int] | None, shared: list[int], tails: Sequence[list[int]], end: int, *, reuse: bool = True
) -> list[Logprob]:
    """Return, for each tail, the log-probabilities of its tokens after `shared` and of the end token after it.

    Args:
        source: input of the encoder of a sequence-to-sequence model; None for a causal model.
        reuse: compute the shared tokens once for all tails; False gives the same values more slowly.
    """
    import torch

    device = model.device
    with torch.no_grad():
        encoder: dict[str, Any] = {}
        if source is not None:
            inputs = torch.tensor([source], device=device)
            hidden = model.get_encoder()(input_ids=inputs, attention_mask=torch.ones_like(inputs))
            encoder = {"encoder_outputs": hidden, "attention_mask": torch.ones_like(inputs)}
        if not reuse:
            return [
                _read(_forward(model, encoder, [shared + tail], None)[0].logits[0, len(shared) - 1 :], tail, end)
                for tail in tails
            ]
        first, cache = _forward(model, encoder, [shared], True)
        lead = first.logits[:, -1:, :]
        size, longest = len(tails), max(map(len, tails))
        if not longest:  # only empty texts
            return [_read(lead[0], tail, end) for tail in tails]
        cache.batch_repeat_interleave(size)
        if encoder:
            hidden["last_hidden_state"] = hidden.last_hidden_state.repeat_interleave(size, dim=0)
            encoder["attention_mask"] = encoder["attention_mask"].repeat_interleave(size, dim=0)
        padded = [tail + [end] * (longest - len(tail)) for tail in tails]  # later tokens do not affect earlier ones
        rest, _ = _forward(model, encoder, padded, cache)
        logits = torch.cat([lead.expand(size, -1, -1), rest.logits], dim=1)
        return [_read(logits[i], tail, end) for i, tail in enumerate(tails)]


def _forward(model: Any, encoder: dict[str, Any], ids: list[list[int]], cache: Any) -> tuple[Any, Any]:
    """Run one forward pass; `cache` is None (no cache), True (new cache) or a cache to continue."""
    import torch

    inputs = torch.tensor(ids, device=model.device)
    names = {"decoder_input_ids": inputs, **encoder} if encoder else {"input_ids": inputs}
    past = {} if cache in (None, True) else {"past_key_values": cache}
    output = model(**names, **past, use_cache=cache is not None)
    return output, output.past_key_values if cache is not None else None


def _read(logits: Any, tail: list[int], end: int) -> Logprob:
    """`logits[i]` predicts tail[i]; the one after the last token predicts the end."""
    import torch

    logs = torch.log_softmax(logits[: len(tail) + 1].double(), dim=-1)
    values = logs[torch.arange(len(tail)), torch.tensor(tail, dtype=torch.long)].tolist()
    return Logprob(tuple(values), float(logs[len(tail), end]))
