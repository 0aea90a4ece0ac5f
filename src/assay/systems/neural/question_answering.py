"""Questions about a text and answers found in one, by models of others' making: what QA-based metrics ask."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from assay.errors import AssayError, first_line
from assay.extras import missing_extra
from assay.models.checkpoints import fingerprint, locate
from assay.models.devices import limited_threads, quiet_transformers, torch_device
from assay.models.load import check_finite, load, max_positions
from assay.models.trust import check_refusal, code_options, weight_options

LONGEST_ANSWER = 24
LONGEST_QUESTION = 40
"""Tokens."""


def questions(path: str, prompts: Sequence[str]) -> list[str]:
    """What a sequence-to-sequence model writes after each prompt, the likeliest token at every step."""
    import torch

    loaded = load(path)
    if loaded.kind != "seq2seq":
        raise AssayError(
            f"{path}: questions are asked by a model with an encoder and a decoder; this one has no encoder"
        )
    written = []
    with torch.inference_mode(), limited_threads(loaded.model):
        for prompt in map(_plain, prompts):
            most = min(max_positions(loaded.model), 512)
            given = loaded.tokenizer(prompt, return_tensors="pt", truncation=True, max_length=most).to(
                loaded.model.device
            )
            given.pop("token_type_ids", None)
            made = loaded.model.generate(**given, max_new_tokens=LONGEST_QUESTION, do_sample=False, num_beams=1)
            written.append(loaded.tokenizer.decode(made[0], skip_special_tokens=True).strip())
    return written


def _plain(text: str) -> str:
    """What a tokenizer can read; character for character, so that places in it stay what they are."""
    return text.encode("utf-8", "replace").decode()


@lru_cache(maxsize=1)
def _reader(path: str, content: str) -> tuple[Any, Any]:
    """By content too: a folder may be trained anew while we run."""
    from transformers import AutoModelForQuestionAnswering, AutoTokenizer

    with quiet_transformers():
        try:
            tokenizer = AutoTokenizer.from_pretrained(path, **code_options())
            model, about = AutoModelForQuestionAnswering.from_pretrained(
                path, output_loading_info=True, **weight_options()
            )
        except (OSError, ValueError, KeyError) as error:
            check_refusal(path, error)
            raise AssayError(
                f"weights for {path} not found (give a hub name or a folder): {first_line(error)}"
            ) from None
        except Exception as error:  # damage shows itself in every way there is
            raise AssayError(
                f"{path}: the checkpoint is damaged ({first_line(error)}); copy the whole folder again"
            ) from None
    if missing := sorted(about["missing_keys"]):
        raise AssayError(
            f"{path}: no model that answers questions, it has no weights for {missing[0]}; give one that was trained to"
        )
    return model.eval().to(torch_device()), tokenizer


def answers(path: str, asked: Sequence[tuple[str, str]]) -> list[str]:
    """For each question and text the likeliest stretch of the text; nothing where `no answer` (the first token) is
    likelier. A text longer than the model reads is read in windows that overlap by half, of which the surest counts."""
    import torch

    if reason := missing_extra("neural"):
        raise AssayError(f"model {path}: {reason}")
    folder = locate(path)
    model, tokenizer = _reader(folder, fingerprint(folder))
    found = []
    most = min(max_positions(model), tokenizer.model_max_length)
    with torch.inference_mode(), limited_threads(model):
        for question, text in (map(_plain, pair) for pair in asked):
            taken = len(tokenizer(question, add_special_tokens=False)["input_ids"])
            cut = tokenizer(
                question, text, truncation="only_second", max_length=most, return_overflowing_tokens=True,
                stride=max(0, (most - taken - 4) // 2), return_offsets_mapping=True, padding=True, return_tensors="pt",
            ) if most - taken > 8 else None  # fmt: skip
            found.append(_best(model, cut, text) if cut is not None else "")
    return found


def _best(model: Any, cut: Any, text: str) -> str:
    """The surest stretch of all windows."""
    import torch

    offsets = cut.pop("offset_mapping")
    cut.pop("overflow_sample_mapping", None)
    said = model(**cut.to(model.device))
    check_finite(said.start_logits.float().cpu().numpy())
    best, answer = -float("inf"), ""
    for row in range(len(offsets)):
        inside = torch.tensor([part == 1 for part in cut.sequence_ids(row)], device=said.start_logits.device)
        start, end = (logits[row].double() for logits in (said.start_logits, said.end_logits))
        nothing = float(start[0] + end[0])
        sums = start[:, None] + end[None, :]
        allowed = inside[:, None] & inside[None, :]
        allowed &= torch.ones_like(sums, dtype=torch.bool).triu() & torch.ones_like(sums, dtype=torch.bool).tril(
            LONGEST_ANSWER - 1
        )
        sums[~allowed] = -float("inf")
        place = int(sums.argmax())
        sure = float(sums.flatten()[place]) - nothing
        if sure > max(best, 0.0):
            low, high = divmod(place, sums.shape[1])
            best, answer = sure, text[int(offsets[row][low][0]) : int(offsets[row][high][1])]
    return answer
