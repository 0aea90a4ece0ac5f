"""Next to a difference, the explorer says how often annotators agree with one of its size, where it has evidence."""

from __future__ import annotations

from pathlib import Path

import assay
from assay.explorer.queries import comparison_page
from assay.explorer.worth import task_of, worth_of
from assay.meta.meaning import evidence_like, meaning

WORDS = "the old mill by the river burned down and nobody was hurt there".split()


def test_a_known_dataset_has_its_meaning(tmp_path: Path) -> None:
    references = [" ".join(WORDS[i % 5 :] + WORDS[: i % 5]) for i in range(40)]
    for name, cut in (("whole", 0), ("most", 5)):
        texts = [" ".join(text.split()[: 13 - (i < cut) * 5]) for i, text in enumerate(references)]
        assay.score(texts, references, metrics="chrf", system=name, save=tmp_path / name)
    compared = assay.compare(assay.load_run(tmp_path / "most"), assay.load_run(tmp_path / "whole"))
    difference = compared["chrf"].difference
    assert difference is not None
    known = meaning("chrf", -difference, evidence_like("data-to-text", "chrf"))
    (worth,) = worth_of("web_nlg_en", compared)
    assert worth.startswith(known.sentence())
    assert f"{known.pairs} pairs of {known.systems} judged systems" in worth
    assert comparison_page("web_nlg_en", "most", "whole", compared).worth == [worth]
    assert comparison_page("mine", "most", "whole", compared).worth == []


def test_datasets_are_known_by_name() -> None:
    assert task_of("web_nlg_en") == task_of("web_nlg_en-test") == task_of("Web-NLG-en") == "data-to-text"
    assert task_of("web_nlg_english") is None
    assert task_of("mine") is None
    assert task_of("xsum_labels") != task_of("xsum")
