"""Diverse beam search: groups of beams, each penalised for tokens that earlier groups chose at the same step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.systems.neural.decode import Decoding, Drawn


def diverse_beams(model: Any, inputs: dict[str, Any], decoding: Decoding, pad: int, end: int) -> list[list[Drawn]]:
    """Decode each row separately. Prefixes are recomputed at each step, which is simple and suits short texts."""
    texts = []
    for i in range(inputs["input_ids"].shape[0]):
        mask = inputs["attention_mask"][i].bool()
        texts.append(_one(model, inputs["input_ids"][i][mask], decoding, end))
    return texts


def _one(model: Any, ids: Any, decoding: Decoding, end: int) -> list[Drawn]:
    import torch

    from assay.systems.neural.decode import Drawn

    width = decoding.beams // decoding.groups
    begin, forward = _stepper(model, ids)
    groups: list[list[tuple[list[int], float]]] = [[([], 0.0)] for _ in range(decoding.groups)]
    finished: list[list[tuple[list[int], float]]] = [[] for _ in range(decoding.groups)]
    with torch.no_grad():
        for step in range(decoding.max_new):
            taken: dict[int, int] = {}
            for g, beams in enumerate(groups):
                if not beams:
                    continue
                logs = torch.log_softmax(forward([begin + tokens for tokens, _ in beams]).double(), dim=-1)
                if step < decoding.min_new:
                    logs[:, end] = float("-inf")
                for row, (tokens, _) in zip(logs, beams, strict=True):
                    for banned in _repeats(tokens, decoding.no_repeat):
                        row[banned] = float("-inf")
                punished = logs.clone()
                for token, count in taken.items():
                    punished[:, token] -= decoding.diversity * count
                total = punished + torch.tensor([[score] for _, score in beams], dtype=torch.float64)
                best = torch.topk(total.flatten(), min(2 * width, total.numel()))
                grown: list[tuple[list[int], float]] = []
                for place in best.indices.tolist():
                    beam, token = divmod(place, logs.shape[1])
                    score = beams[beam][1] + float(logs[beam, token])
                    if token == end:
                        taken[end] = taken.get(end, 0) + 1
                        finished[g].append((beams[beam][0], score / (step + 1) ** decoding.length_penalty))
                    elif len(grown) < width:
                        grown.append(([*beams[beam][0], token], score))
                for tokens, _ in grown:
                    taken[tokens[-1]] = taken.get(tokens[-1], 0) + 1
                groups[g] = [] if len(finished[g]) >= width else grown
    for g, beams in enumerate(groups):
        finished[g] += [(t, s / max(1, len(t)) ** decoding.length_penalty) for t, s in beams]
        finished[g] = sorted(finished[g], key=lambda one: -one[1])[:width]
    ranked = sorted((one for group in finished for one in group), key=lambda one: -one[1])
    different = {tuple(tokens): score for tokens, score in reversed(ranked)}  # two groups may produce the same text
    best = sorted(different.items(), key=lambda one: -one[1])
    return [Drawn(list(tokens), score=score) for tokens, score in best[: decoding.nbest]]


def _repeats(tokens: list[int], n: int) -> set[int]:
    """Return the tokens that would repeat an n-gram."""
    if not n or len(tokens) < n - 1:
        return set()
    last = tuple(tokens[len(tokens) - n + 1 :])
    return {tokens[i + n - 1] for i in range(len(tokens) - n + 1) if tuple(tokens[i : i + n - 1]) == last}


def _stepper(model: Any, ids: Any) -> tuple[list[int], Any]:
    """Return the initial tokens and a function from beams to the scores of the next token."""
    import torch

    if not model.config.is_encoder_decoder:
        return ids.tolist(), lambda beams: model(input_ids=torch.tensor(beams, device=ids.device)).logits[:, -1]
    hidden = model.get_encoder()(input_ids=ids[None])
    own, general = model.generation_config.decoder_start_token_id, model.config.decoder_start_token_id
    first = own if own is not None else general
    states = hidden.last_hidden_state

    def forward(beams: list[list[int]]) -> Any:
        hidden["last_hidden_state"] = states.expand(len(beams), -1, -1)
        prefixes = torch.tensor(beams, device=ids.device)
        mask = torch.ones(len(beams), ids.shape[0], dtype=torch.long, device=ids.device)
        return model(encoder_outputs=hidden, attention_mask=mask, decoder_input_ids=prefixes).logits[:, -1]

    return [first], forward
