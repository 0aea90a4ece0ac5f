"""Language models on servers for metrics: likelihoods of texts, and of texts after others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.models.weights import Weights
from assay.records.files import digest_of
from assay.systems.completions import Completions, Values
from assay.systems.neural.conditional import GIVEN

if TYPE_CHECKING:
    from assay.models.context import Context

PREFIX = "completions:"
Floats = NDArray[np.float64]


def is_served(model: str) -> bool:
    """Return whether a model is named as one on a server: `completions:NAME` or `completions:NAME@vllm`."""
    return model.startswith(PREFIX)


@dataclass(frozen=True)
class ServedModel(Weights):
    """A language model on the server at OPENAI_BASE_URL. Its weights are those that the server has under this name."""

    model: str = PREFIX
    """`completions:NAME`, or `completions:NAME@DIALECT` for vllm, llamacpp, tgi."""
    prompt: str = f"{GIVEN}\\n\\nSummary:"
    """Text between a conditioning text and the scored one."""

    @property
    def system(self) -> Completions:
        name, _, dialect = self.model.removeprefix(PREFIX).rpartition("@")
        return Completions(model=name, dialect=dialect) if name else Completions(model=dialect)

    def why_not(self) -> str | None:
        try:
            return self.system.why_not()
        except AssayError as error:
            return str(error)

    @property
    def label(self) -> str:
        """Name and dialect; a server does not tell a digest of its weights."""
        name = "".join(c if c.isalnum() or c in ".-" else "-" for c in self.model.removeprefix(PREFIX))
        return f"served-{name.strip('.-') or 'model'}"

    limit = step = tokenizer = libraries = "server"

    @property
    def languages(self) -> frozenset[str] | None:
        return None

    @property
    def namespace(self) -> str:
        served = self.system
        return f"{self.label}-{digest_of(served._base(), served.dialect, self.prompt)[:12]}"

    def likelihoods(self, texts: Sequence[str], context: Context) -> Floats:
        """Return one row per text: the sum of the log-probabilities of its tokens, and the number of tokens.

        A server without a start token gives no probability of the first token, which is then left out.
        """
        rows = np.zeros((len(texts), 2))
        shown = [place for place, text in enumerate(texts) if text]
        for place, logs in zip(shown, self._scored([("", texts[place]) for place in shown]), strict=True):
            rows[place] = logs.sum(), len(logs)
        return rows

    def logs(self, pairs: Sequence[tuple[str | None, str]], context: Context) -> list[Floats]:
        """Return, for each pair of conditioning text (or None) and text, the log-probabilities of the tokens."""
        before, after = self.prompt_parts()
        pairs_after = [
            ("" if condition is None else f"{before}{condition}{after}", text.strip()) for condition, text in pairs
        ]
        if empty := sum(not text for _, text in pairs_after):
            raise AssayError(f"{self.model}: {empty} empty texts; a server gives no probability of an immediate end")
        return self._scored(pairs_after)

    def prompt_parts(self) -> list[str]:
        """Return the parts of the prompt before and after the conditioning text."""
        parts = self.prompt.replace("\\n", "\n").split(GIVEN)
        if len(parts) != 2:
            raise AssayError(f"prompt={self.prompt}: write {GIVEN} exactly once, in place of the conditioning text")
        return parts

    def _scored(self, pairs: Sequence[tuple[str, str]]) -> list[Floats]:
        return [_known(values, text) for values, (_, text) in zip(self.system.score(pairs), pairs, strict=True)]


def _known(values: Values, text: str) -> Floats:
    known = np.array([value for value in values if value is not None], dtype=np.float64)
    if not known.size:
        raise AssayError(f"{text[:40]!r}: no token has a probability; the text has one token, and nothing before it")
    return known
