"""The published files themselves: counts of the papers and data cards, exact to the record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.datasets import Report, dataset
from assay.datasets.fomc import equivalence_classes
from assay.datasets.frank_typology import CATEGORIES, GROUPS
from assay.datasets.statistics import Measure
from assay.records import Example, kinds
from assay.records.inputs import read_input, texts_of

Find = Callable[[str], Path]


def load(name: str, path: Path, split: str | None = None) -> list[Example]:
    return list(dataset(name).read(path, split))


MUCSUM = {
    "train": (
        1114, "636/298/114/43/17/6", "1028/46/40", "632 855 590 582 484 783 296", (643, 1299, 677, 616, 674, 1306, 358)
    ),
    "dev": (191, "97/51/31/8/3/1", "176/13/2", "107 148 126 109 82 139 52", (107, 236, 185, 122, 116, 236, 63)),
    "test": (209, "131/56/14/3/1/4", "187/15/7", "112 169 141 117 101 155 53", (116, 261, 175, 131, 160, 253, 69)),
}  # fmt: skip


@pytest.mark.parametrize("split", MUCSUM)
def test_mucsum(shared_data: Find, split: str) -> None:
    examples = load("mucsum", shared_data("eks/data/mucsum"), split)
    count, types, stages, filled, fillers = MUCSUM[split]
    assert len(examples) == count
    templates = [dict[str, Any](read_input(example, kinds.Event).template) for example in examples]
    by_type = Counter(template["type"] for template in templates)
    order = ("attack", "bombing", "kidnapping", "arson", "robbery", "forced work stoppage")
    assert "/".join(str(by_type[name]) for name in order) == types
    by_stage = Counter(template["completion"] for template in templates)
    assert "/".join(str(by_stage[name]) for name in ("accomplished", "threatened", "attempted")) == stages
    roles = ("date", "location", "perpind", "perporg", "target", "victim", "weapon")
    assert " ".join(str(sum(bool(template[role]) for template in templates)) for role in roles) == filled
    assert tuple(sum(len(template[role]) for template in templates) for role in roles) == fillers
    assert all(example.source == " ".join(texts_of(example, "document") or ()) for example in examples)


TABLE_1 = {
    "train": (328.47, 12.71, 44.10, 41.13, 1.667, 1.574),
    "dev": (354.16, 14.03, 51.11, 45.57, 1.759, 1.581),
    "test": (315.32, 12.72, 49.25, 44.83, 1.722, 1.593),
}


@pytest.mark.parametrize("split", TABLE_1)
def test_table_1_of_the_paper_under_both_denominators(shared_data: Find, split: str) -> None:
    measured = Measure()
    for example in load("mucsum", shared_data("eks/data/mucsum"), split):
        measured.add(example)
    values = {(one.name, one.over): one.value for one in measured.statistics}
    words, sentences, first_words, all_words, first_sentences, all_sentences = TABLE_1[split]
    first, every = "first event of each document", "all references"
    assert values["words in the document", "documents"] == pytest.approx(words, abs=0.05)
    assert values["sentences in the document", "documents"] == pytest.approx(sentences, abs=0.006)
    assert values["words in a reference", first] == pytest.approx(first_words, abs=0.006)
    assert values["words in a reference", every] == pytest.approx(all_words, abs=0.006)
    assert values["sentences in a reference", first] == pytest.approx(first_sentences, abs=0.0006)
    assert values["sentences in a reference", every] == pytest.approx(all_sentences, abs=0.0006)


def test_muc4_has_the_events_of_mucsum(shared_data: Find) -> None:
    mucsum, muc4 = shared_data("eks/data/mucsum"), shared_data("muc4")
    for split, documents, events in (("train", 1300, 1114), ("dev", 200, 191), ("test", 200, 209)):
        examples = load("muc4", muc4, split)
        assert len(examples) == documents
        by_document = {example.id: len(read_input(example, kinds.Events).templates) for example in examples}
        assert sum(by_document.values()) == events
        own = Counter(example.tags["document"] for example in load("mucsum", mucsum, split))
        assert {id: count for id, count in by_document.items() if count} == own


def test_e2e_cleaned(shared_data: Find) -> None:
    folder = shared_data("e2e")
    for split, rows, representations in (("dev", 4299, 1484), ("test", 4693, 1847)):
        report = Report("e2e_nlg")
        grouped = list(dataset("e2e_nlg").read(folder, split, report))
        assert report.records == sum(len(example.references) for example in grouped) == rows
        assert len(grouped) == representations
        pairs = list(dataset("e2e_nlg:rows=pair").read(folder, split))
        assert len(pairs) == rows
        assert {example.tags["version"] for example in pairs} == {"cleaned"}
    sizes = Counter(int(example.tags["size"]) for example in pairs)
    assert dict(sorted(sizes.items())) == {2: 5, 3: 120, 4: 389, 5: 737, 6: 1187, 7: 1406, 8: 774, 9: 73, 10: 2}


def test_e2e_original(shared_data: Find) -> None:
    folder = shared_data("e2e")
    for split, rows, representations in (("dev", 4672, 547), ("test", 4693, 630)):
        assert len(list(dataset("e2e_nlg:version=original:rows=pair").read(folder, split))) == rows
        assert len(list(dataset("e2e_nlg:version=original").read(folder, split))) == representations


def test_czech_restaurant(shared_data: Find) -> None:
    folder = shared_data("cs_restaurants")
    for split, count in (("train", 3569), ("dev", 781), ("test", 842)):
        examples = load("cs_restaurants", folder, split)
        assert len(examples) == count
    assert Counter(example.tags["act"] for example in examples) == {
        "inform": 609, "?request": 149, "inform_no_match": 34, "?confirm": 22, "inform_only_match": 16, "?select": 12,
    }  # fmt: skip
    sizes = Counter(example.tags["size"] for example in examples)
    assert [sizes[str(n)] for n in range(1, 6)] == [182, 268, 297, 86, 9]


def test_web_nlg(shared_data: Find) -> None:
    english = load("web_nlg_en", shared_data("webnlg"), "test")
    assert len(english) == 1779
    sizes = Counter(example.tags["size"] for example in english)
    assert [sizes[str(n)] for n in range(1, 8)] == [369, 349, 350, 305, 213, 114, 79]
    assert english[0].id == "Id1"
    seen = Counter(example.tags["seen"] for example in english)
    assert seen == {"seen": 490, "unseen": 393, "unseen-category": 896}
    assert all(example.references for example in english)
    russian = load("web_nlg_ru", shared_data("webnlg/ru"), "test")
    assert len(russian) == 1102
    sizes = Counter(example.tags["size"] for example in russian)
    assert [sizes[str(n)] for n in range(1, 8)] == [254, 200, 214, 214, 159, 32, 29]
    validation = load("web_nlg_ru", shared_data("webnlg/ru"), "dev")
    assert len(validation) == 790 == len({example.id for example in validation})


def test_dart(shared_data: Find) -> None:
    examples = load("dart", shared_data("dart"), "dev")
    assert len(examples) == 2768
    assert sum(len(example.references) for example in examples) == 6980


def test_common_gen(shared_data: Find) -> None:
    examples = load("common_gen", shared_data("commongen"), "dev")
    assert len(examples) == 993
    assert all(3 <= len(read_input(example, kinds.Concepts).concepts) <= 5 for example in examples)
    assert sum(len(example.references) for example in examples) == 4018


def test_frank_columns_are_what_they_are_said_to_be(shared_data: Find) -> None:
    examples = load("frank", shared_data("frank"))
    assert len(examples) == 2246
    assert Counter(example.split for example in examples) == {"validation": 671, "test": 1575}
    sentences: Counter[str] = Counter()
    lines = Counter[str]()
    for example in examples:
        structure = read_input(example, kinds.Judged)
        human, errors = structure.human or {}, structure.errors or {}
        assert abs(human["Factuality"] - (1 - sum(errors.values()))) < 1e-9
        for name in CATEGORIES:
            assert abs(human[name] - (1 - errors[name] - errors["unassigned"])) < 1e-9
            assert abs(human[f"Flip_{name}"] - (human["Factuality"] + errors[name])) < 1e-9
        for group, names in GROUPS.items():
            share = sum(errors[name] for name in names)
            assert abs(human[group] - (1 - share - errors["unassigned"])) < 1e-9
            assert abs(human[f"Flip_{group}"] - (human["Factuality"] + share)) < 1e-9
        count = len(structure.sentences or ())
        lines[example.tags["dataset"]] += count
        for name, share in errors.items():
            assert abs(share * count - (round(share * count))) < 1e-6
            sentences[name] += round(share * count)
    assert lines == {"cnndm": 3915, "bbc": 1027}
    assert sentences == {
        "RelE": 120, "EntE": 418, "CircE": 131, "CorefE": 133, "LinkE": 36, "OutE": 446, "GramE": 151,
        "unassigned": 345,
    }  # fmt: skip
    assert len(load("frank", shared_data("frank"), "valid")) == 671


def test_frank_outputs_and_judgements(shared_data: Find) -> None:
    folder = shared_data("frank")
    assert sum(1 for _ in dataset("frank").outputs(folder)) == 2246
    factual = [j for j in dataset("frank").judgements(folder) if j.criterion == "Factuality"]
    assert sum(judgement.value == 1 for judgement in factual) == 810


def test_summeval(shared_data: Find) -> None:
    examples = load("summeval", shared_data("summeval"))
    assert len(examples) == 1600
    assert {len(example.references) for example in examples} == {11}
    assert len({example.tags["article"] for example in examples}) == 100


def test_equivalence_classes(shared_data: Find) -> None:
    evaluations = equivalence_classes(shared_data("fomc/equivalence_classes.json"))
    classes = [members for example in evaluations for members in read_input(example, kinds.EquivalenceClasses).classes]
    members = [member for group in classes for member in group]
    assert (len(evaluations), len(classes), len(members), len(set(members))) == (15, 142, 914, 646)


def test_schema_guided_dialog(shared_data: Find) -> None:
    examples = load("schema_guided_dialog", shared_data("sgd"))
    assert len(examples) == len({example.id for example in examples}) == 3621
    assert all(len(read_input(example, kinds.Acts).context) <= 5 for example in examples)
    assert all(example.source == read_input(example, kinds.Acts).context[-1].text for example in examples)


def test_simplification_sets(shared_data: Find) -> None:
    sets = (("asset", "asset", 10), ("turk", "turkcorpus", 8), ("turk:form=tokenized", "turkcorpus", 8))
    for name, folder, references in sets:
        examples = load(name, shared_data(folder))
        assert Counter(example.split for example in examples) == {"validation": 2000, "test": 359}
        assert {len(example.references) for example in examples} == {references}


def test_totto_multiwoz_and_drs(shared_data: Find) -> None:
    assert [len(load("totto", shared_data("totto"), split)) for split in ("train", "dev")] == [3, 5]
    assert len(load("multiwoz", shared_data("multiwoz"))) == 7372
    assert len(load("multiwoz", shared_data("multiwoz/predictions/damd.json"))) == 7354
    systems = Counter(output.system for output in dataset("multiwoz").outputs(shared_data("multiwoz")))
    assert len(systems) == 9
    assert systems["mintl"] == 7354
    drs = load("drs", shared_data("drs"))
    assert Counter(example.split for example in drs) == dict(dataset("drs").card.sizes)
    number = [example for example in drs if example.split == "challenge_number"]
    assert all(example.parent and example.id == f"number:{example.parent}" for example in number)


def test_detokenization_nears_the_published_detokenized_text(shared_data: Find) -> None:
    """The rules against TurkCorpus as EASSE detokenized it: equal but for a few apostrophes, ignoring case."""
    folder = shared_data("turkcorpus")
    rebuilt = load("turk", folder / "test.8turkers.tok.norm")
    published = load("turk", folder / "test.truecase.detok.orig")
    same = sum((a.source or "") == (b.source or "").lower() for a, b in zip(rebuilt, published, strict=True))
    assert same >= 354
