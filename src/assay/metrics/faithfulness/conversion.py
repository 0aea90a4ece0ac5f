"""Published checkpoints of factuality metrics as folders that assay reads: weights are renamed, not changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.extras import missing_extra
from assay.metrics.faithfulness.alignscore import as_classifier
from assay.metrics.faithfulness.hhem import CONSISTENT, INCONSISTENT
from assay.metrics.faithfulness.hhem import LAYERS as HHEM_LAYERS
from assay.metrics.faithfulness.summac import LAYERS as SUMMAC_LAYERS
from assay.models.devices import quiet_transformers
from assay.models.pickled import read_tensors
from assay.models.trust import code_options


@dataclass(frozen=True)
class Published:
    """A published checkpoint: what it is, whether its architecture must be named, and how it is written."""

    about: str
    """The published file."""
    base: str
    """Model whose configuration and tokenizer the checkpoint has; empty if it needs none."""
    write: Callable[[Mapping[str, Any], str, Path], None]


def _alignscore(tensors: Mapping[str, Any], base: str, to: Path) -> None:
    from transformers import AutoConfig, RobertaForSequenceClassification

    names = {0: "aligned", 1: "contradict", 2: "neutral"}
    config = AutoConfig.from_pretrained(
        base, num_labels=3, id2label=names, label2id={name: i for i, name in names.items()}, **code_options()
    )
    _fill(RobertaForSequenceClassification(config), as_classifier(tensors), "alignscore", base, to)


def _hhem(tensors: Mapping[str, Any], base: str, to: Path) -> None:
    from transformers import AutoConfig, T5ForTokenClassification

    names = {0: INCONSISTENT, 1: CONSISTENT}
    config = AutoConfig.from_pretrained(
        base, num_labels=2, id2label=names, label2id={name: i for i, name in names.items()}, **code_options()
    )
    state = {name.removeprefix(HHEM_LAYERS): tensor for name, tensor in tensors.items()}
    if "classifier.weight" not in state:
        raise AssayError("not a checkpoint of HHEM 2.1: 't5.classifier.weight' is missing")
    _fill(T5ForTokenClassification(config), state, "hhem", base, to)


def _summac(tensors: Mapping[str, Any], base: str, to: Path) -> None:
    from safetensors.torch import save_file

    if missing := [name for name in SUMMAC_LAYERS if name not in tensors]:
        raise AssayError(f"not the convolution of SummaC: '{missing[0]}' is missing")
    to.parent.mkdir(parents=True, exist_ok=True)
    save_file({name: tensors[name].float().contiguous() for name in SUMMAC_LAYERS}, str(to))


PUBLISHED: dict[str, Published] = {
    "alignscore": Published("AlignScore-base.ckpt or -large.ckpt", "roberta-base or roberta-large", _alignscore),
    "hhem": Published("model.safetensors of vectara/hallucination_evaluation_model", "google/flan-t5-base", _hhem),
    "summac": Published("summac_conv_vitc_sent_perc_e.bin", "", _summac),
}  # fmt: skip
"""What can be converted, by metric."""


def convert(metric: str, file: Path, base: str, to: Path) -> None:
    """Write a published checkpoint in the form that its metric reads.

    Args:
        metric: A key of `PUBLISHED`.
        file: The published file. A pickle is read without running what it contains.
        base: Folder or Hugging Face name of the model with the same configuration and tokenizer.
        to: Folder to write; for `summac` a file.

    Raises:
        AssayError: The file is not that checkpoint, or its base has another architecture.
    """
    if reason := missing_extra("neural"):
        raise AssayError(reason)
    published = PUBLISHED[metric]
    if published.base and not base:
        raise AssayError(f"{metric}: name the model with its configuration and tokenizer: --base {published.base}")
    if base and not published.base:
        raise AssayError(f"{metric}: has no other model; leave out --base")
    if to.exists():
        raise AssayError(f"{to}: exists. Give another name with -o, or delete it.")
    published.write(_tensors(file), base, to)


def _tensors(file: Path) -> dict[str, Any]:
    if file.suffix != ".safetensors":
        return read_tensors(file)
    from safetensors.torch import load_file

    if not file.is_file():
        raise AssayError(f"{file}: file not found. Give the published file.")
    try:
        return dict(load_file(str(file)))
    except Exception:  # any error of the reader means that the file is damaged
        raise AssayError(f"{file}: damaged. Copy it again.") from None


def _fill(model: Any, state: Mapping[str, Any], metric: str, base: str, to: Path) -> None:
    """Save a model with the weights; a weight that is missing or has another shape is an error."""
    from transformers import AutoTokenizer

    own = model.state_dict()
    if odd := [name for name, tensor in state.items() if name in own and own[name].shape != tensor.shape]:
        raise AssayError(f"{metric}: {odd[0]} has another shape than in {base}. Give the base that was fine-tuned.")
    lost = set(model.load_state_dict(state, strict=False).missing_keys)
    tied = {name for name in lost if any(own[name].data_ptr() == own[other].data_ptr() for other in own.keys() - lost)}
    if missing := sorted(lost - tied):
        raise AssayError(f"{metric}: the checkpoint lacks {missing[0]}, which {base} has. Give its own base.")
    with quiet_transformers():
        model.save_pretrained(to)
        AutoTokenizer.from_pretrained(base, **code_options()).save_pretrained(to)
