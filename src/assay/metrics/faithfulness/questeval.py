"""QuestEval: whether questions about source and output have the same answers."""

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
    """What the package questeval says: questions are made of the source and asked of the output, and the other way
    round; the value is how alike the answers are. The mean over items. An empty output counts 0."""

    task: Literal["text2text", "summarization", "text_simplification", "data2text", "translation"] = "summarization"
    """Which of its models make questions and answers."""
    against: Literal["source", "references"] = "source"
    """What the output is compared with."""

    name: ClassVar = "questeval"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "whether questions about source and output have the same answers"
    citation: ClassVar = "Scialom et al. (2021), QuestEval: Summarization Asks for Fact-based Evaluation"
    needs: ClassVar = ("sources",)
    module: ClassVar = "questeval"
    distribution: ClassVar = "questeval"
    remedy: ClassVar = (
        "pip install questeval in an environment of its own (it asks for transformers 4.8), score there, and give the "
        "numbers with --scores; it loads its own weights"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.against == "references":
            object.__setattr__(self, "needs", ("references",))

    def parts(self) -> tuple[Part, ...]:
        return (Part("questeval", digits=3),)

    def predict(self, samples: Sequence[Mapping[str, Any]]) -> Floats:
        spoken = [i for i, sample in enumerate(samples) if not is_blank(sample["output"])]
        found = np.zeros(len(samples))
        if spoken:
            texts = [samples[i]["output"] for i in spoken]
            if self.against == "source":
                given: dict[str, Any] = {"sources": [samples[i]["source"] for i in spoken]}
            else:  # it wants as many of each item: the first
                given = {"list_references": [samples[i]["references"][:1] for i in spoken]}
            said = _loaded(self.task).corpus_questeval(hypothesis=texts, **given, batch_size=self.batch)
            found[spoken] = said["ex_level_scores"]
        return found


@lru_cache(maxsize=1)
def _loaded(task: str) -> Any:
    from questeval.questeval_metric import QuestEval as Theirs

    return Theirs(task=task, no_cuda=True)
