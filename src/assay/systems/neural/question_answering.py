"""Question generation and extractive question answering with external models, for QA-based metrics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from assay.errors import AssayError, first_line
from assay.extras import missing_extra
from assay.models.checkpoints import fingerprint, locate
from assay.models.devices import limited_threads, quiet_transformers, torch_device
from assay.models.hub import may_download
from assay.models.load import check_finite, load, max_positions
from assay.models.trust import check_refusal, code_options, weight_options

LONGEST_ANSWER = 24
LONGEST_QUESTION = 40
"""Maximum length in tokens."""


def questions(path: str, prompts: Sequence[str]) -> list[str]:
    """Generate a question for each prompt with a sequence-to-sequence model, by greedy search."""
    import torch

    loaded = load(path)
    if loaded.kind != "seq2seq":
        raise AssayError(f"{path}: question generation requires an encoder-decoder model; this one has no encoder")
    written = []
    with torch.inference_mode(), limited_threads(loaded.model):
        for prompt in map(_plain, prompts):
            most = min(max_positions(loaded.model), 512)
            inputs = loaded.tokenizer(prompt, return_tensors="pt", truncation=True, max_length=most).to(
                loaded.model.device
            )
            inputs.pop("token_type_ids", None)
            made = loaded.model.generate(**inputs, max_new_tokens=LONGEST_QUESTION, do_sample=False, num_beams=1)
            written.append(loaded.tokenizer.decode(made[0], skip_special_tokens=True).strip())
    return written


def _plain(text: str) -> str:
    """Replace unencodable characters one by one, so that offsets stay the same."""
    return text.encode("utf-8", "replace").decode()


@lru_cache(maxsize=1)
def _reader(path: str, content: str) -> tuple[Any, Any]:
    """Load a model; the cache key includes the content, because a folder may change."""
    from transformers import AutoModelForQuestionAnswering, AutoTokenizer

    may_download(path)
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
        except Exception as error:  # a damaged file may raise any error
            raise AssayError(
                f"{path}: the checkpoint is damaged ({first_line(error)}); copy the whole folder again"
            ) from None
    if missing := sorted(about["missing_keys"]):
        raise AssayError(
            f"{path}: not a question-answering model (no weights for {missing[0]}); give a model trained for it"
        )
    return model.eval().to(torch_device()), tokenizer


def answers(path: str, pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Return the most likely span for each question and text; empty if `no answer` (the first token) is more likely.
    A long text is read in windows that overlap by half, and the most confident answer counts."""
    import torch

    if reason := missing_extra("neural"):
        raise AssayError(f"model {path}: {reason}")
    folder = locate(path)
    model, tokenizer = _reader(folder, fingerprint(folder))
    spans = []
    most = min(max_positions(model), tokenizer.model_max_length)
    with torch.inference_mode(), limited_threads(model):
        for question, text in (map(_plain, pair) for pair in pairs):
            taken = len(tokenizer(question, add_special_tokens=False)["input_ids"])
            cut = tokenizer(
                question, text, truncation="only_second", max_length=most, return_overflowing_tokens=True,
                stride=max(0, (most - taken - 4) // 2), return_offsets_mapping=True, padding=True, return_tensors="pt",
            ) if most - taken > 8 else None  # fmt: skip
            spans.append(_best(model, cut, text) if cut is not None else "")
    return spans


def _best(model: Any, cut: Any, text: str) -> str:
    """Return the most confident span of all windows."""
    import torch

    offsets = cut.pop("offset_mapping")
    cut.pop("overflow_sample_mapping", None)
    output = model(**cut.to(model.device))
    check_finite(output.start_logits.float().cpu().numpy())
    best, answer = -float("inf"), ""
    for row in range(len(offsets)):
        inside = torch.tensor([part == 1 for part in cut.sequence_ids(row)], device=output.start_logits.device)
        start, end = (logits[row].double() for logits in (output.start_logits, output.end_logits))
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
