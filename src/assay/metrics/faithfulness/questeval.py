"""QuestEval: questions about source and output, through the package questeval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np

from assay.metrics.engine.base import Part
from assay.metrics.engine.external import PackageMetric
from assay.metrics.engine.statistics import Floats
from assay.text.blank import is_blank


@dataclass(frozen=True)
class QuestEval(PackageMetric):
    """Agreement of the answers to questions about source and output, averaged over items.

    The package questeval generates questions from the source and answers them with the output, and the other way round.
    An empty output scores 0.
    """

    task: Literal["text2text", "summarization", "text_simplification", "data2text", "translation"] = "summarization"
    """Task whose models generate and answer the questions."""
    against: Literal["source", "references"] = "source"
    """Text that the output is compared with."""

    name: ClassVar = "questeval"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "agreement of answers to questions about source and output"
    citation: ClassVar = "Scialom et al. (2021), QuestEval: Summarization Asks for Fact-based Evaluation"
    needs: ClassVar = ("sources",)
    module: ClassVar = "questeval"
    distribution: ClassVar = "questeval"
    remedy: ClassVar = (
        "pip install questeval in a separate environment (it needs transformers 4.8), score there, and import the "
        "scores with --scores"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.against == "references":
            object.__setattr__(self, "needs", ("references",))

    def parts(self) -> tuple[Part, ...]:
        return (Part("questeval", digits=3),)

    def predict(self, samples: Sequence[Mapping[str, Any]]) -> Floats:
        nonempty = [i for i, sample in enumerate(samples) if not is_blank(sample["output"])]
        scores = np.zeros(len(samples))
        if nonempty:
            texts = [samples[i]["output"] for i in nonempty]
            if self.against == "source":
                texts_compared: dict[str, Any] = {"sources": [samples[i]["source"] for i in nonempty]}
            else:  # the package needs the same number for each item: the first
                texts_compared = {"list_references": [samples[i]["references"][:1] for i in nonempty]}
            result = _loaded(self.task).corpus_questeval(hypothesis=texts, **texts_compared, batch_size=self.batch)
            scores[nonempty] = result["ex_level_scores"]
        return scores


@lru_cache(maxsize=1)
def _loaded(task: str) -> Any:
    from questeval.questeval_metric import QuestEval as Theirs

    return Theirs(task=task, no_cuda=True)
