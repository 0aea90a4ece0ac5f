"""UD profile: features of a parse computed by hand, and missing parses."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.errors import AssayError
from assay.metrics import resolve
from assay.text.ud_profile import NAMES
from tests.support import items, statistics

ROWS = """The the DET 2 det _
house house NOUN 7 nsubj _
of of ADP 4 case _
friends friend NOUN 2 nmod _
of of ADP 6 case _
Ann Ann PROPN 4 nmod _
stood stand VERB 0 root Mood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin
where where ADV 10 advmod _
we we PRON 10 nsubj _
lived live VERB 7 advcl Tense=Past|VerbForm=Fin
. . PUNCT 7 punct _"""


@pytest.fixture
def parses(tmp_path: Path) -> Path:
    lines = ["# newdoc id = 0"]
    for i, row in enumerate(ROWS.splitlines(), 1):
        form, lemma, upos, head, relation, feats = row.split()
        lines.append("\t".join([str(i), form, lemma, upos, "_", feats, head, relation, "_", "_"]))
    lines += ["", "1\tNo\tno\tINTJ\t_\t_\t0\troot\t_\t_", ""]
    path = tmp_path / "outputs.conllu"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_features_of_a_parse(parses: Path) -> None:
    metric = resolve(f"ud_profile:outputs={parses}")[0].metric
    (actual,) = (
        {k.removeprefix("ud_profile."): v[0] for k, v in metric.per_example(statistics(metric, items(["x"]))).items()},
    )
    expected = {
        "n_sentences": 2, "n_tokens": 12, "tokens_per_sent": 6,
        "char_per_tok": (3 + 5 + 2 + 7 + 2 + 3 + 5 + 5 + 2 + 5 + 2) / 11,
        "lexical_density": 6 / 11, "upos_dist_NOUN": 100 * 2 / 12, "dep_dist_nmod": 100 * 2 / 12,
        "avg_max_depth": (4 + 0) / 2,  # of > Ann > friends > house > stood
        "avg_token_per_clause": 12 / 2, "avg_links_len": (1 + 5 + 1 + 2 + 1 + 2 + 2 + 1 + 3) / 9, "max_links_len": 5,
        "avg_max_links_len": 2.5, "n_prepositional_chains": 1, "avg_prepositional_chain_len": 2, "prep_dist_2": 100,
        "prep_dist_1": 0, "verbal_head_per_sent": 1, "verbal_root_perc": 50, "avg_verb_edges": 2,
        "verb_edges_dist_2": 100,
        "subj_pre": 100, "subj_post": 0, "principal_proposition_dist": 50, "subordinate_proposition_dist": 50,
        "avg_subordinate_chain_len": 1, "subordinate_dist_1": 100, "verbs_tense_dist_Past": 100,
        "verbs_mood_dist_Ind": 100, "verbs_num_pers_dist_Sing+3": 50, "verbs_num_pers_dist_+": 50,
    }  # fmt: skip
    assert {name: actual[name] for name in expected} == pytest.approx(expected)
    assert len(NAMES) == len(set(NAMES)) > 120
    result = assay.score({"0": "x"}, metrics=f"ud_profile:outputs={parses}")
    assert result.scores["ud_profile.obj_pre"].why == "no output has this feature"
    assert result.scores["ud_profile.n_tokens"].value == 12


def test_missing_or_damaged_parses_are_reported(parses: Path, tmp_path: Path) -> None:
    assert "needs parses: set ud_profile:outputs=FILE.conllu" in str(resolve("ud_profile")[0].metric.why_not())
    metric = resolve(f"ud_profile:outputs={parses}")[0].metric
    with pytest.raises(AssayError, match=r"no parse of 1; add `# newdoc id = 1`"):
        statistics(metric, items(["x", "y"]))
    (tmp_path / "bad.conllu").write_text("# newdoc id = 0\n1\tx\n", encoding="utf-8")
    assert "bad.conllu:2: has 2 fields" in str(
        resolve(f"ud_profile:outputs={tmp_path / 'bad.conllu'}")[0].metric.why_not()
    )
    other = tmp_path / "other.conllu"
    other.write_text(parses.read_text(encoding="utf-8").replace("Ann", "Bob"), encoding="utf-8")
    assert resolve(f"ud_profile:outputs={other}")[0].metric.signature("1") != metric.signature("1")
