"""MQM, QAGS and SummEdits: weights, spans and scores by hand on synthetic files, and counts of the published ones."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.datasets import dataset
from assay.datasets.mqm import weight

ROWS = [
    ("A", "1", "ann", "It rains.", "Es <v>regnete</v>.", "Accuracy/Mistranslation", "Major"),
    ("A", "1", "ann", "It rains.", "Es regnet<v>!</v>", "Fluency/Punctuation", "Minor"),
    ("A", "1", "bob", "It rains.", "Es regnete.", "Fluency/Grammar", "Minor"),
    ("A", "2", "bob", "It <v>never</v> stops.", "Es endet.", "Accuracy/Omission", "Neutral"),
    ("B", "2", "bob", "It never stops.", "Hund <v></v>", "Non-translation!", "Major"),
    ("ref.A", "2", "bob", "It never stops.", "Es endet nie.", "No-error", "No-error"),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\tcomment\n"
    lines = (f"{system}\tnews\t{seg}\t{seg}\t" + "\t".join(rest) + "\t\n" for system, seg, *rest in ROWS)
    path = tmp_path / "mqm_toy.tsv"
    path.write_text(head + "".join(lines))
    return path


def test_weights_are_the_published_ones() -> None:
    assert weight("Accuracy/Addition", "Major") == 5
    assert weight("Non-translation!", "major") == 25
    assert weight("Fluency/Punctuation", "minor") == 0.1
    assert weight("Fluency/Spelling", "Minor") == 1
    assert weight("Other", "Neutral") == weight("Other", "Strange") == 0


def test_scores_and_spans(file: Path) -> None:
    rows = list(dataset("mqm").judgements(file))
    scores = {(row.id, row.system, row.annotator): row.value for row in rows if row.criterion == "mqm"}
    assert scores == {
        ("news/1", "A", "ann"): pytest.approx(-5.1), ("news/1", "A", "bob"): -1, ("news/2", "A", "bob"): 0,
        ("news/2", "B", "bob"): -25, ("news/2", "ref.A", "bob"): 0,
    }  # fmt: skip
    texts = {(output.id, output.system): output.output for output in dataset("mqm").outputs(file)}
    spans = [(row.value, row.unit, row.system) for row in rows if row.criterion == "errors"]
    assert spans[0] == ("Accuracy/Mistranslation/Major", "span:3-10", "A")
    assert texts["news/1", "A"][3:10] == "regnete"
    assert [unit for value, unit, _ in spans if str(value).startswith("Accuracy/Omission")] == ["summary"]
    examples = {example.id: example for example in dataset("mqm").read(file)}
    assert examples["news/2"].references == ("Es endet nie.",)
    assert examples["news/2"].source == "It never stops."


def test_published_ratings(shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("mqm")
    rows = list(dataset("mqm").judgements(folder / "ted" / "mqm_ted_ende.tsv"))
    assert Counter(row.criterion for row in rows) == {"errors": 8435 - 4404, "mqm": 7406}
    by_hand: dict[tuple[str, str], float] = defaultdict(float)
    for line in (folder / "ted" / "mqm_ted_ende.tsv").read_text().splitlines()[1:]:
        system, doc, _, seg, _, _, _, category, severity, *_ = line.split("\t")
        small = 0.1 if category == "Fluency/Punctuation" else 1.0
        by_hand[f"{doc}/{seg}", system] -= {"Major": 5.0, "Minor": small, "No-error": 0.0}[severity]
    scores = {(row.id, row.system): row.value for row in rows if row.criterion == "mqm"}
    assert scores == pytest.approx(by_hand)
    # What the released averages of this file (mqm_ted_ende.avg_seg_scores.tsv) have for one system, 529 segments:
    released = {-15: 1, -11: 2, -10: 13, -6: 6, -5: 51, -4: 1, -3.1: 1, -3: 1, -2: 15, -1.1: 1, -1: 59, -0.2: 1,
                -0.1: 2, 0: 375}  # fmt: skip
    assert (
        Counter(round(float(value), 6) + 0.0 for (_, system), value in scores.items() if system == "Facebook-AI")
        == released
    )
    chosen = {23: -15, 116: -0.2, 325: -11, 382: -0.1, 545: -3.1, 546: -1.1}
    by_number = {int(id.rpartition("/")[2]): value for (id, system), value in scores.items() if system == "Facebook-AI"}
    assert {number: by_number[number] for number in chosen} == pytest.approx(chosen)
    averages = list(dataset("mqm").judgements(folder / "newstest2020" / "mqm_newstest2020_ende.avg_seg_scores.tsv"))
    assert len(averages) == 14180
    assert averages[0].value == -2.333333


def test_published_edits(shared_data: Callable[[str], Path]) -> None:
    rows = list(dataset("summedits").judgements(shared_data("summedits")))
    assert Counter(row.value for row in rows) == {0.0: 1340, 1.0: 670}
    assert {row.system for row in rows if row.value == 0} == {"edited"}


def test_sentences_by_worker_and_majorities(tmp_path: Path) -> None:
    """QAGS: a summary is as consistent as the share of its sentences that most workers called so."""
    sentences = [("It rains.", "yes yes no"), ("It never stops.", "no yes no"), ("Dogs bark.", "yes yes yes")]
    row = {"article": "It rained for an hour.", "summary_sentences": [
        {"sentence": text, "responses": [{"worker_id": 3 * i, "response": answer}
                                         for i, answer in enumerate(answers.split())]}
        for text, answers in sentences
    ]}  # fmt: skip
    (tmp_path / "mturk_cnndm.jsonl").write_text(json.dumps(row) + "\n")
    (example,) = dataset("qags").read(tmp_path)
    assert (example.id, example.split, example.source) == ("qags-cnndm-0", "cnndm", "It rained for an hour.")
    (output,) = dataset("qags").outputs(tmp_path)
    assert output.output == "It rains. It never stops. Dogs bark."
    rows = list(dataset("qags").judgements(tmp_path))
    assert [each.value for each in rows if each.unit == "summary"] == [pytest.approx(2 / 3)]
    assert [each.value for each in rows if each.unit == "sentence:1"] == [0, 1, 0]
    assert {each.annotator for each in rows if each.unit == "sentence:2"} == {"worker-0", "worker-3", "worker-6"}
    assert {each.system for each in rows} == {output.system}
