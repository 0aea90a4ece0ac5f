"""FRANK's typology of factual errors: what each category means, with an example of our own."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ErrorCategory:
    """One kind of factual error."""

    label: str
    name: str
    group: str
    definition: str
    wrong: str
    """A sentence with the error, about the invented text below."""
    why: str


TEXT = (
    "The port of Wexley closed on Monday after a storm damaged its crane. Mayor Ana Ruiz said repairs would take"
    " six weeks. Fishermen asked the council for help; it has not answered them yet."
)
"""What the examples are about; nothing in it is real."""
SEMANTIC, DISCOURSE, CONTENT = "Semantic_Frame_Errors", "Discourse_Errors", "Content_Verifiability_Errors"
TYPOLOGY = (
    ErrorCategory("RelE", "relation error", SEMANTIC, "The predicate is inconsistent with the text.",
                  "The port of Wexley opened on Monday after a storm.", "it closed"),
    ErrorCategory("EntE", "entity error", SEMANTIC,
                  "The subject, object or another argument is inconsistent with the text.",
                  "The port of Norby closed on Monday after a storm.", "the port is Wexley's"),
    ErrorCategory("CircE", "circumstance error", SEMANTIC,
                  "Place, time or another circumstance of the event is inconsistent with the text.",
                  "The port of Wexley closed on Friday after a storm.", "it was a Monday"),
    ErrorCategory("OutE", "out of article", CONTENT,
                  "It says what the text does not: true or not, it cannot be checked there.",
                  "The crane of Wexley was built by prisoners.", "the text has nothing on who built it"),
    ErrorCategory("GramE", "grammatical error", CONTENT, "Its grammar is so wrong that it has no meaning left.",
                  "The port Wexley storm the damaged was six.", "nothing is said that could be checked"),
    ErrorCategory("CorefE", "coreference error", DISCOURSE,
                  "A pronoun or another reference has a wrong or no antecedent.",
                  "Fishermen asked the mayor. They have not answered yet.", "it is the council that has not answered"),
    ErrorCategory("LinkE", "discourse link error", DISCOURSE,
                  "Statements are joined in a way the text does not bear out: in time, or as cause and effect.",
                  "A storm damaged the crane because the port closed.", "the damage came first and was the cause"),
)  # fmt: skip
OTHER = "OtherE"
NO_ERROR = "NoE"
CATEGORIES = tuple(each.label for each in TYPOLOGY)
GROUPS = {
    group: tuple(each.label for each in TYPOLOGY if each.group == group) for group in (SEMANTIC, DISCOURSE, CONTENT)
}
LABELS = (*CATEGORIES, OTHER, NO_ERROR)
"""What an annotator may name."""
OTHER_NAMES = {"PredE": "RelE", "NE": NO_ERROR, "OthE": OTHER, "Other": OTHER}
"""The paper's names for what the released files call otherwise."""
