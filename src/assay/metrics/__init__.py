"""The registry of metrics, and the public names for writing one.

A metric is one file. It is registered in `METRICS` below, or by another package through the entry point group
`assay.metrics`. To write a metric, derive from `MeanMetric` or `SumMetric`, return one `Part` per score from `parts()`,
read `Items` and return `Dense` rows. `setting` marks options that do not change a score; `Context` is passed to metrics
that run a model (those over an encoder derive from `encoder_metric.EncoderMetric`). See `metrics/README.md`.
"""

from __future__ import annotations

from assay.errors import AssayError
from assay.metrics.engine.base import GROUP, MeanMetric, Metric, Part, SumMetric
from assay.metrics.engine.statistics import Dense, Rows
from assay.models.context import Context
from assay.records.items import Items
from assay.registry import Registry
from assay.specs import Spec, build, did_you_mean, parse, parse_list, setting

METRICS: Registry[type[Metric]] = Registry(
    "metric",
    {
        "rouge": "assay.metrics.lexical.rouge:Rouge",
        "rouge_more": "assay.metrics.lexical.rouge_more:RougeMore",
        "bleu": "assay.metrics.lexical.bleu:Bleu",
        "sentence_bleu": "assay.metrics.lexical.bleu:SentenceBleu",
        "chrf": "assay.metrics.lexical.chrf:Chrf",
        "chrf+": "assay.metrics.lexical.chrf:ChrfPlus",
        "chrf++": "assay.metrics.lexical.chrf:ChrfPlusPlus",
        "ter": "assay.metrics.lexical.ter:Ter",
        "nist": "assay.metrics.lexical.nist:Nist",
        "meteor": "assay.metrics.lexical.meteor:Meteor",
        "cider": "assay.metrics.lexical.cider:Cider",
        "wer": "assay.metrics.lexical.wer:Wer",
        "levenshtein": "assay.metrics.lexical.levenshtein:Levenshtein",
        "local_recall": "assay.metrics.lexical.local_recall:LocalRecall",
        "ngrams": "assay.metrics.diversity.ngrams:Ngrams",
        "msttr": "assay.metrics.diversity.msttr:Msttr",
        "ttr": "assay.metrics.diversity.ttr:Ttr",
        "yules_i": "assay.metrics.diversity.yules_i:YulesI",
        "self_bleu": "assay.metrics.diversity.self_bleu:SelfBleu",
        "repetition": "assay.metrics.diversity.repetition:Repetition",
        "lengths": "assay.metrics.diversity.lengths:Lengths",
        "ranking": "assay.metrics.ranking.ranking:Ranking",
        "nbest": "assay.metrics.ranking.nbest:Nbest",
        "eq_accuracy": "assay.metrics.ranking.equivalence:EqAccuracy",
        "markers": "assay.metrics.structure.markers:Markers",
        "filler_recall": "assay.metrics.structure.fillers:FillerRecall",
        "ceaf_ree": "assay.metrics.structure.ceaf_ree:CeafRee",
        "slot_error": "assay.metrics.structure.slot_error:SlotError",
        "concept_coverage": "assay.metrics.structure.concept_coverage:ConceptCoverage",
        "reconstruction": "assay.metrics.structure.reconstruction:Reconstruction",
        "originality": "assay.metrics.diversity.originality:Originality",
        "per_hits": "assay.metrics.semantic.per_hits:PerHits",
        "rose": "assay.metrics.human.rose:Rose",
        "imported": "assay.metrics.engine.imported:Imported",
        "sari": "assay.metrics.simplification.sari:Sari",
        "fkgl": "assay.metrics.simplification.readability:Fkgl",
        "flesch": "assay.metrics.simplification.readability:Flesch",
        "rewriting": "assay.metrics.simplification.rewriting:Rewriting",
        "lexical_complexity": "assay.metrics.simplification.lexical_complexity:LexicalComplexity",
        "novelty": "assay.metrics.diversity.novelty:Novelty",
        "bertscore": "assay.metrics.semantic.bertscore:BertScore",
        "faithful": "assay.metrics.faithfulness.faithful:Faithful",
        "consistency": "assay.metrics.faithfulness.consistency:Consistency",
        "arcs": "assay.metrics.faithfulness.arcs:Arcs",
        "triples": "assay.metrics.faithfulness.triples:Triples",
        "factcc": "assay.metrics.faithfulness.factcc:FactCC",
        "qags": "assay.metrics.faithfulness.qags:Qags",
        "feqa": "assay.metrics.faithfulness.feqa:Feqa",
        "bartscore": "assay.metrics.faithfulness.bartscore:BartScore",
        "word_vectors": "assay.metrics.semantic.word_vectors:WordVectors",
        "embedding": "assay.metrics.semantic.embedding:Embedding",
        "cross_encoder": "assay.metrics.semantic.cross_encoder:CrossEncoder",
        "nli": "assay.metrics.semantic.nli:Entailed",
        "embedding_diversity": "assay.metrics.diversity.embedding_diversity:EmbeddingDiversity",
        "self_similarity": "assay.metrics.diversity.self_similarity:SelfSimilarity",
        "mauve": "assay.metrics.diversity.mauve:Mauve",
        "token_f1": "assay.metrics.lexical.token_f1:TokenF1",
        "context_bleu": "assay.metrics.lexical.context_bleu:ContextBleu",
        "bleurt": "assay.metrics.semantic.bleurt:Bleurt",
        "comet": "assay.metrics.semantic.comet:Comet",
        "moverscore": "assay.metrics.semantic.moverscore:MoverScore",
        "prism": "assay.metrics.semantic.prism:Prism",
        "nubia": "assay.metrics.semantic.nubia:Nubia",
        "questeval": "assay.metrics.faithfulness.questeval:QuestEval",
        "alignscore": "assay.metrics.faithfulness.alignscore:AlignScore",
        "summac": "assay.metrics.faithfulness.summac:SummaC",
        "hhem": "assay.metrics.faithfulness.hhem:Hhem",
        "lettucedetect": "assay.metrics.faithfulness.lettucedetect:LettuceDetect",
        "minicheck": "assay.metrics.faithfulness.minicheck:MiniCheck",
        "acceptability": "assay.metrics.semantic.acceptability:Acceptability",
        "entity_errors": "assay.metrics.simplification.entity_errors:EntityErrors",
        "ud_profile": "assay.metrics.simplification.ud_profile:UdProfile",
        "perception": "assay.metrics.human.perception:Perception",
        "judge": "assay.metrics.human.judge:Judge",
        "perplexity": "assay.metrics.semantic.perplexity:Perplexity",
        "support": "assay.metrics.support.support:Support",
        "citations": "assay.metrics.support.citations:Citations",
        "retrieval": "assay.metrics.support.retrieval:Retrieval",
        "abstention": "assay.metrics.answers.abstention:Abstention",
        "exact_match": "assay.metrics.answers.exact_match:ExactMatch",
        "json_fields": "assay.metrics.answers.json_fields:JsonFields",
        "pass_at_k": "assay.metrics.answers.pass_at_k:PassAtK",
        "refusal": "assay.metrics.answers.refusal:Refusal",
        "format_valid": "assay.metrics.answers.format_valid:FormatValid",
        "conversation": "assay.metrics.conversation.conversation:Conversation",
        "instructions": "assay.metrics.conversation.instructions:Instructions",
    },
    group=GROUP,
)


WORDS = ("ngrams", "msttr", "lengths")

SUITES: dict[str, tuple[str, ...]] = {
    "default": ("slot_error?", "rouge", "bleu", "chrf", *WORDS),
    "gem-light": (
        "bleu:gem",
        "chrf",
        "rouge:gem",
        *WORDS,
        "ttr",
        "yules_i",
        "nist:gem",
        "cider",
        "local_recall",
        "sari:gem",
    ),
    "summarization": ("rouge:stemmer=true", "chrf", *WORDS, "repetition", "novelty"),
    "data-to-text": ("slot_error?", "bleu", "chrf++", "rouge", "nist", "ter", *WORDS, "local_recall"),
    "dialog": ("slot_error?", "bleu", "chrf++", "rouge", *(f"{name}:multiwoz" for name in WORDS)),
    "annotation": ("rouge:stemmer=true:multi=joint", "markers", "novelty:fomc", *WORDS),
    "ranking": ("ranking",),
    "answers": ("exact_match:match=auto", "token_f1:convai2", "refusal", "lengths"),
    "rag": (
        "support",
        "citations",
        "retrieval",
        "exact_match:match=auto",
        "token_f1:convai2",
        "abstention?",
        "refusal",
        "lengths",
    ),
    "fields": ("json_fields", "format_valid:form=fenced-json", "refusal"),
    "simplification": ("sari", "bleu", "chrf", "rouge", "fkgl", "rewriting", *WORDS),
}
"""Metrics by task. A metric whose data or resources are missing is listed as skipped. One with a question mark is
optional: it is omitted, without being listed, where it does not apply to the items."""


ALTERNATIVES = {
    "cometkiwi": "comet:model=Unbabel/wmt22-cometkiwi-da:reads=source",
    "xcomet": "comet:model=Unbabel/XCOMET-XL",
    "bleurt20": "bleurt:model=PATH",
    "bertscorer": "bertscore",
    "dae": "factcc:model=PATH with a DAE checkpoint, or any sentence-pair classifier",
    "geval": "assay judge run OUTPUTS --system NAME --criterion fluency",
    "gptscore": "bartscore:model=PATH with a causal language model",
    "spice": "SPICE itself, with its scores imported by --scores FILE (assay does not parse scene graphs)",
    "unieval": "UniEval itself, with its scores imported by --scores FILE",
    "parent": "slot_error, or PARENT itself, with its scores imported by --scores FILE",
    "squadf1": "token_f1:convai2",
    "squad": "exact_match,token_f1:convai2",
    "accuracy": "exact_match",
    "em": "exact_match",
    "ppl": "perplexity",
}
"""Metrics known under another name, or not computed by assay: lower-case name without punctuation to what to use."""


class MetricRequest:
    """A requested metric, and which of its parts were requested."""

    def __init__(self, spec: Spec, metric: Metric, part_names: frozenset[str] | None) -> None:
        self.spec = spec
        self.metric = metric
        self.part_names = part_names
        """None for all parts."""
        self.optional = False
        """Whether the metric is omitted instead of listed as skipped where it does not apply."""

    def add(self, part_names: frozenset[str] | None) -> None:
        """Add parts to the request; None adds all."""
        both = None if self.part_names is None or part_names is None else self.part_names | part_names
        self.part_names = both

    def parts(self) -> list[Part]:
        """Return the requested parts, in the order of the metric."""
        return [part for part in self.metric.parts() if self.part_names is None or part.name in self.part_names]


def resolve(specs: str | list[str] | list[Spec]) -> list[MetricRequest]:
    """Build metrics from their names.

    Args:
        specs: A comma-separated string or a list. Each entry names a metric (`rouge`), one of its scores (`rouge1`) or
            a family of scores (`distinct`), with options after colons (`rouge:stemmer=true`).

    Returns:
        One request per metric with its options; parts of the same metric are merged.

    Raises:
        AssayError: For an unknown name, option or value.
    """
    if isinstance(specs, str):
        parsed = parse_list(specs)
    else:
        parsed = [parse(spec) if isinstance(spec, str) else spec for spec in specs]
    requests: list[MetricRequest] = []
    for spec in parsed:
        name, part_names = _owner(spec.name)
        cls = METRICS.get(name)
        metric = build(cls, spec._replace(name=name), cls.presets)
        if part_names and not part_names & (own := {part.name for part in metric.parts()}):
            raise AssayError(f"{spec.name}: {name} with these options has no such score, but {', '.join(sorted(own))}")
        same = next((r for r in requests if r.metric == metric), None)
        if same is None:
            requests.append(MetricRequest(spec._replace(name=name), metric, part_names))
        else:
            same.add(part_names)
    return requests


def resolve_suite(name: str) -> list[MetricRequest]:
    """Build the metrics of a suite.

    Raises:
        AssayError: For an unknown suite.
    """
    if name not in SUITES:
        raise AssayError(f"no suite called {name}{did_you_mean(name, SUITES)}; choose one of {', '.join(SUITES)}")
    requests = resolve([spec.removesuffix("?") for spec in SUITES[name]])
    for request, spec in zip(requests, SUITES[name], strict=True):
        request.optional = spec.endswith("?")
    return requests


def _owner(name: str) -> tuple[str, frozenset[str] | None]:
    """Return the metric that computes a score, and the parts that the name covers (None: all)."""
    if name in METRICS:
        return name, None
    prefix = name.partition(".")[0]
    if prefix != name and prefix in METRICS and METRICS.get(prefix).parts_by_options:
        return prefix, frozenset((name,))
    if alternative := ALTERNATIVES.get("".join(letter for letter in name.lower() if letter.isalnum())):
        raise AssayError(f"no metric called {name}; use {alternative}; see `assay metric list`")
    names: list[str] = []
    broken: dict[str, str] = {}
    for owner, parts in METRICS.each(lambda cls: [part.name for part in cls().parts()], broken):
        family = (f"{name}.",) if name in parts else (f"{name}.", f"{name}-")
        matches = [part for part in parts if part == name or part.startswith(family)]
        if matches:
            return owner, frozenset(matches)
        names += parts
    close = did_you_mean(name, [*METRICS, *names])
    unloaded = "".join(f"; {why}" for why in broken.values())  # the score may belong to one of these plug-ins
    raise AssayError(f"no metric called {name}{close}; see `assay metric list`{unloaded}")


__all__ = [
    "METRICS",
    "SUITES",
    "Context",
    "Dense",
    "Items",
    "MeanMetric",
    "Metric",
    "MetricRequest",
    "Part",
    "Rows",
    "SumMetric",
    "resolve",
    "resolve_suite",
    "setting",
]
