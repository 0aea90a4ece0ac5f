"""Base class of systems. A system has one or more of three abilities: generate, logprob and classify."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, NoReturn

from assay.errors import AssayError
from assay.inputs import Form
from assay.records.files import digest_of
from assay.records.types import Example
from assay.specs import WithOptions, choices, options, setting
from assay.systems.shots import Shots

Row = dict[str, Any]
"""The stored form of one answer: id, output and details."""
ABILITIES = ("generate", "logprob", "classify")
SPENT = ("tokens_in", "tokens_out", "cached", "cut")
"""Details stored with every answer; the usage of a run is their sum."""


class Answer(NamedTuple):
    """The text that a system generated for one example."""

    id: str
    text: str
    details: Mapping[str, Any] = MappingProxyType({})
    """Values stored next to the text: tokens, log-probability, n-best list."""


class Logprob(NamedTuple):
    """The log-probabilities of one continuation, token by token."""

    tokens: tuple[float, ...]
    end: float | None = None
    """Log-probability of the end token after the continuation."""
    start: tuple[float, ...] = ()
    """Log-probabilities of the tokens that start every text of the model; only without a prefix."""
    notes: tuple[str, ...] = ()

    def sum(self, end: bool = False, start: bool = False) -> float:
        """Return the sum, by default over the tokens of the continuation alone."""
        return float(sum(self._all(end, start)))

    def mean(self, end: bool = True, start: bool = True) -> float:
        """Return the mean per token; its exponential is the geometric mean of the probabilities."""
        values = self._all(end, start)
        return float(sum(values) / len(values))

    def _all(self, end: bool, start: bool) -> tuple[float, ...]:
        values = (*self.start, *self.tokens) if start else self.tokens
        values = (*values, self.end) if end and self.end is not None else values
        if not values:
            raise AssayError("an empty continuation has no log-probability; give a text")
        return values


@dataclass(eq=False)
class System(WithOptions):
    """Base class of systems. A subclass declares its options as fields, and names and overrides its abilities."""

    noun: ClassVar = "system"
    about: ClassVar[str]
    abilities: ClassVar[tuple[str, ...]]
    argument: ClassVar[str | None] = None
    """Option set by the first part without a key: `hf:FOLDER`. With a final `...` it takes the rest: `cmd:./my.sh`."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    extra: ClassVar[str | None] = None
    """Optional dependency group (extra) that the system requires."""
    trained: ClassVar[bool] = False
    """Whether the system requires training examples."""
    takes_form: ClassVar[bool] = True
    """Whether the system reads inputs as a form writes them (`--as`)."""
    takes_shots: ClassVar[bool] = False
    """Whether the system can be given demonstrations in its prompt (`--shots`)."""
    citation: ClassVar[str] = ""

    seed: int = 0
    """Random seed (default: `--seed`)."""
    batch: int = setting(8)
    """Number of examples per batch."""
    form: Form | None = field(default=None, init=False)
    """How the input of an example is written as text (default: by the kind of input)."""
    shots: Shots | None = field(default=None, init=False)
    """Demonstrations in the prompt."""
    spec: str = field(default="", init=False)
    """The spec as the user wrote it."""
    learned_from: str = field(default="", init=False)
    """Digest of the training and validation examples that the answers depend on."""

    def prepare(self, train: Sequence[Example], valid: Sequence[Example] = ()) -> None:
        """Train on `train` and select on `valid`; required only for systems with `trained`."""
        if type(self).learn is not System.learn:
            self.learned_from = digest_of(list(train))
        if valid and type(self).choose_by is not System.choose_by:
            self.learned_from = digest_of(list(train), list(valid))
            self.choose_by(valid)
        self.learn(train)

    def learn(self, train: Sequence[Example]) -> None:
        """Learn from training examples (default: do nothing)."""

    def choose_by(self, valid: Sequence[Example]) -> None:
        """Set the validation examples for model selection; called before `learn`."""

    def why_not(self) -> str | None:
        """Return why the system cannot run on this machine, or None."""
        return None

    def options(self) -> dict[str, Any]:
        """Return the options with their values."""
        return options(self)

    def fingerprint(self) -> list[Any]:
        """Return everything that an answer depends on besides the example; stored answers are reused by it."""
        form = None if self.form is None else [self.form.name, repr(self.form)]
        more: list[Any] = [self.learned_from] if self.learned_from else []
        more += [self.shots.fingerprint()] if self.shots else []
        return [self.name, sorted(choices(self).items()), form, *more]

    def recall(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Start a run with these stored rows; their cost counts in `usage`."""

    def usage(self) -> dict[str, Any]:
        """Return the usage of the run so far (tokens, cost, warnings); empty if there is none."""
        return {}

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        """Yield a text for each example, in any order."""
        self._cannot("generate")

    def logprob(
        self, examples: Sequence[Example], continuations: Sequence[Sequence[str]], prefixes: Sequence[str]
    ) -> Iterator[list[Logprob]]:
        """Yield, for each example in order, the log-probabilities of its continuations after its prefix."""
        self._cannot("logprob")

    def classify(self, examples: Sequence[Example], candidates: Sequence[Sequence[str]]) -> Iterator[list[float]]:
        """Yield, for each example in order, a score for every candidate; higher is better."""
        self._cannot("classify")

    def _cannot(self, ability: str) -> NoReturn:
        raise AssayError(f"system {self.name} cannot {ability}; it can {', '.join(self.abilities)}")


def spent(details: Mapping[str, Any]) -> dict[str, Any]:
    """Return the details of an answer that record its cost."""
    return {key: details[key] for key in SPENT if key in details}
