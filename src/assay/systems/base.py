"""What a system is: something with one or more of three abilities, generate, logprob and classify."""

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

Row = dict[str, Any]
"""What is kept of one answer: its id, its output, and what belongs to it."""
ABILITIES = ("generate", "logprob", "classify")
SPENT = ("tokens_in", "tokens_out", "cached", "cut")
"""Details of an answer that are kept with it whatever becomes of its text: what it cost is added up from them."""


class Answer(NamedTuple):
    """What a system generated for one example."""

    id: str
    text: str
    details: Mapping[str, Any] = MappingProxyType({})
    """What else is worth keeping beside the text: tokens, log-probability, n-best list."""


class Logprob(NamedTuple):
    """The log-probabilities of one continuation, token by token."""

    tokens: tuple[float, ...]
    end: float | None = None
    """That of the end token after the continuation."""
    start: tuple[float, ...] = ()
    """Those of the tokens that every text of the model begins with; only where nothing stands before."""
    notes: tuple[str, ...] = ()

    def sum(self, end: bool = False, start: bool = False) -> float:
        return float(sum(self._all(end, start)))

    def mean(self, end: bool = True, start: bool = True) -> float:
        """Per token; its exponential is the geometric mean of the probabilities."""
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
    """The fields of a subclass are its options. A subclass overrides the abilities it has and names them."""

    noun: ClassVar = "system"
    about: ClassVar[str]
    abilities: ClassVar[tuple[str, ...]]
    argument: ClassVar[str | None] = None
    """The option that a bare first part fills: `hf:FOLDER`. Ends with `...` if it takes all the rest: `cmd:./my.sh`."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    extra: ClassVar[str | None] = None
    """The optional dependency family it needs."""
    trained: ClassVar[bool] = False
    """Whether it must see training examples first."""
    citation: ClassVar[str] = ""

    seed: int = 0
    """For all chance; `--seed` if not said."""
    batch: int = setting(8)
    """Examples that are asked about at once."""
    form: Form | None = field(default=None, init=False)
    """How an example's input is written as text; None lets the kind of input decide."""
    spec: str = field(default="", init=False)
    """As it was asked for."""
    learned_from: str = field(default="", init=False)
    """Digest of the training examples that the answers depend on."""

    def prepare(self, train: Sequence[Example], valid: Sequence[Example] = ()) -> None:
        """Look at training examples, and at others to choose by; only systems with `trained` need it."""
        if type(self).learn is not System.learn:
            self.learned_from = digest_of(list(train))
        if valid and type(self).choose_by is not System.choose_by:
            self.learned_from = digest_of(list(train), list(valid))
            self.choose_by(valid)
        self.learn(train)

    def learn(self, train: Sequence[Example]) -> None:
        """What a subclass makes of training examples; most make nothing of them."""

    def choose_by(self, valid: Sequence[Example]) -> None:
        """Validation examples, said before `learn`; for systems that choose among what they have learned."""

    def why_not(self) -> str | None:
        """Why it cannot run on this machine, or None."""
        return None

    def options(self) -> dict[str, Any]:
        return options(self)

    def fingerprint(self) -> list[Any]:
        """Everything an answer depends on besides the example; what is stored under it is used again."""
        form = None if self.form is None else [self.form.name, repr(self.form)]
        return [self.name, sorted(choices(self).items()), form, *([self.learned_from] if self.learned_from else [])]

    def recall(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Begin a piece of work of which these rows are there already; what they cost belongs to `usage`."""

    def usage(self) -> dict[str, Any]:
        """What the work has cost so far (tokens, money, warnings); empty if there is nothing to say."""
        return {}

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        """A text for each example, in any order."""
        self._cannot("generate")

    def logprob(
        self, examples: Sequence[Example], continuations: Sequence[Sequence[str]], prefixes: Sequence[str]
    ) -> Iterator[list[Logprob]]:
        """For each example the log-probabilities of its continuations after its prefix, in order."""
        self._cannot("logprob")

    def classify(self, examples: Sequence[Example], candidates: Sequence[Sequence[str]]) -> Iterator[list[float]]:
        """For each example a score of every candidate, in order; higher is better."""
        self._cannot("classify")

    def _cannot(self, ability: str) -> NoReturn:
        raise AssayError(f"system {self.name} cannot {ability}; it can {', '.join(self.abilities)}")


def spent(details: Mapping[str, Any]) -> dict[str, Any]:
    """What of an answer's details tells its cost."""
    return {key: details[key] for key in SPENT if key in details}
