"""Small invented files of exactly the published schemas: what each reader must accept, and what tests then damage."""

# ruff: noqa: E501 -- whole files are in one line each

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

EVENT = {
    "type": "arson", "completion": "attempted", "date": [], "location": ["old mill"], "perpind": ["two boys"],
    "perporg": [], "target": ["a barn", "a cart"], "victim": [], "weapon": ["matches"],
}  # fmt: skip


def _jsonl(*rows: Any) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _mucsum(number: int) -> dict[str, Any]:
    sentences = ["two boys tried to burn a barn.", "nobody was hurt."]
    return {"instance_id": f"doc.{number}", "document": sentences, "template": EVENT, "summary": ["boys tried arson."]}


def _muc4(id: str) -> dict[str, Any]:
    roles: dict[str, Any] = {"PerpOrg": [], "Target": [], "Victim": [], "Weapon": []}
    template = {"incident_type": "arson", "PerpInd": [[["two boys", 0], ["boys", 4]]], **roles}
    return {"docid": id, "doctext": "two boys burned a barn", "templates": [template]}


def _frank(system: str) -> dict[str, Any]:
    names = ("Semantic_Frame_Errors", "Discourse_Errors", "Content_Verifiability_Errors", "RelE", "EntE", "CircE",
             "OutE", "GramE", "CorefE", "LinkE", "Other")  # fmt: skip
    columns = dict.fromkeys(names, 1.0) | {f"Flip_{name}": 1.0 for name in names}
    return {"hash": "0a", "model_name": system, "dataset": "bbc", "Factuality": 1.0, **columns, "split": "valid"}


TEXT = {
    "hash": "0a",
    "article": "The mill burned.",
    "reference": "Mill burns.",
    "summary": "a mill",
    "sentences": ["a mill"],
}

XML = """<?xml version='1.0' encoding='utf-8'?>
<benchmark><entries>
<entry category="Food" eid="Id1" shape_type="sibling" size="2">
<modifiedtripleset><mtriple>Soup_of_day | mainIngredient | Leek</mtriple><mtriple>Soup_of_day | country | Narnia</mtriple></modifiedtripleset>
<lex lang="en" lid="Id1">Leek soup – from Narnia.</lex><lex lang="ru" lid="Id1">Суп из Нарнии.</lex></entry>
<entry category="Food" eid="Id2" size="1">
<modifiedtripleset><mtriple>Soup_of_day | country | Narnia</mtriple></modifiedtripleset>
<lex lang="en" lid="Id1">It is from Narnia.</lex><lex lang="ru" lid="Id1">Он из Нарнии.</lex></entry>
</entries></benchmark>
"""


def _dialogue(id: str) -> dict[str, Any]:
    action = {"act": "OFFER", "slot": "price", "values": ["$5"], "canonical_values": ["5"]}
    return {
        "dialogue_id": id,
        "services": ["Boats_1"],
        "turns": [
            {"speaker": "USER", "utterance": "A boat, please – cheap.", "frames": []},
            {
                "speaker": "SYSTEM",
                "utterance": "One costs $5.",
                "frames": [
                    {"service": "Boats_1", "actions": [action], "slots": [], "service_call": {"method": "FindBoat"}}
                ],
            },
        ],
    }


def _table(id: int) -> dict[str, Any]:
    def cell(value: str, header: bool = False) -> dict[str, Any]:
        return {"value": value, "is_header": header, "column_span": 1, "row_span": 1}

    sentence = "Ada won in 1901."
    return {
        "table": [[cell("Year", True), cell("Winner", True)], [cell("1901"), cell("Ada – née Byron")]],
        "table_webpage_url": "http://example.org", "table_page_title": "Cup", "table_section_title": "Wins",
        "table_section_text": "", "highlighted_cells": [[1, 0], [1, 1]], "example_id": id, "overlap_subset": True,
        "sentence_annotations": [{"original_sentence": sentence, "final_sentence": sentence}],
    }  # fmt: skip


TESA_ROW = (
    """location,"['Aby', 'Oby']","['Aby is a town.', 'No information found.']",Two towns,Aby and Oby grew – fast.,"""
    """"['towns', 'rivers']","[1, 0]"\n"""
)
TESA_HEADER = "entities_type,entities,wiki_articles,nyt_title,nyt_context,candidates,labels\n"

CLAUSES = """%%% bin/boxer --input out/p{n}/d0001/en.parse.tags --semantics drg
%%% Ada sang – twice .
b1 REF x1             % Ada [0...3]
b1 Name x1 "ada"      % Ada [0...3]
b1 PRESUPPOSITION b2  % Ada [0...3]
b1 female "n.02" x1   % Ada [0...3]
b2 REF e1             % sang [4...8]
b2 sing "v.01" e1     % sang [4...8]
"""


class Made(NamedTuple):
    """Files of one dataset; the first is the one that tests damage."""

    files: dict[str, str]
    examples: int
    required: str | None
    """A field whose absence every record must notice, or None where the format has no field names."""
    split: str | None = None


def _annotated(id: str) -> dict[str, Any]:
    fields = {"f_43": {"value": "Did cut"}}
    entity = {"classId": "e_38", "part": "s1", "offsets": [{"start": 8, "text": "cut rates"}], "fields": fields}
    return {"id": id, "text": "The Fed cut rates – now", "entities": [entity]}


def _parallel(name: str, reference: str, count: int) -> dict[str, str]:
    files = {name: "A long sentence – one.\nAnother long sentence.\n"}
    return files | {f"{reference}.{i}": f"Short – {i}.\nShorter {i}.\n" for i in range(count)}


MLSUM = _jsonl(*({"text": f"Ein Text – {i}.", "summary": "Kurz.", "topic": "t", "url": f"u{i}", "title": "T", "date": "d"}
                 for i in range(2)))  # fmt: skip
SUMMEVAL = {
    "id": "dm-1", "source": "The mill burned – down.", "references": ["Mill burns."], "output": "a mill",
    "human": {"coherence": 1.5, "consistency": 5.0, "fluency": 4.0, "relevance": 2.0},
}  # fmt: skip

MADE = {
    "mucsum": Made({"test.json": _json({"doc": [_mucsum(1), _mucsum(2)], "dóc2": [_mucsum(3)]})}, 3, "summary"),
    "eks": Made({"data/mucsum/test.json": _json({"doc": [_mucsum(1)], "dóc2": [_mucsum(2)]})}, 2, "summary"),
    "muc4": Made({"test.json": _jsonl(_muc4("a"), _muc4("é"))}, 2, "doctext"),
    "fomc": Made({"annotations.jsonl": _jsonl(_annotated("a"), _annotated("b"))}, 2, "text"),
    "tesa": Made({"ranking_task_test.csv": TESA_HEADER + TESA_ROW + TESA_ROW}, 2, None),
    "frank": Made(
        {
            "human_annotations.json": _json([_frank("bart"), _frank("bárt")]),
            "texts.jsonl": _jsonl({**TEXT, "model_name": "bart"}, {**TEXT, "model_name": "bárt"}),
        },
        2,
        "Factuality",
    ),
    "xsum_labels": Made(
        {"xsum_hallucination_annotations.csv":
         "bbcid,system,summary,hallucination_type,hallucinated_span,hallucinated_span_start,hallucinated_span_end,worker_id\n"
         "1,A,The mill – burned.,extrinsic,The mill,1,9,w\n1,B,A mill.,NULL,NULL,NULL,NULL,w\n"},
        2, None,
    ),
    "nli": Made({"snli/dev.csv": "premise,hypothesis,label\nA – b.,C.,neutral\nA cat sat.,It sat.,entailment\n"}, 2, None),
    "sts": Made({"stsb_tr_test.tsv": "genre\tscore\tsentence1\tsentence2\nnews\t4.750\tA – b.\tB.\nnews\t0\tC.\tD.\n"}, 2, None),
    "narrative": Made(
        {"complete_human_annotations.csv":
         ',coherent,fluent,interesting,relevant,prompt,response\n'
         '7_0.0,"[1.0, 2.0]","[1.0]","[3.0]","[4.0]",A mill –.,It burned.\n'
         '8_0.0,"[1.0, 2.0]","[1.0]","[3.0]","[4.0]",A lake.,It froze.\n'},
        2, None,
    ),
    "writing_prompts": Made(
        {"test.wp_source": "[ WP ] A mill – burns .\n[ WP ] A lake freezes .\n",
         "test.wp_target": "It burned . <newline> <newline> Then rain .\nIt froze .\n"},
        2, None,
    ),
    "alttest": Made(
        {"framing/human_annotations.json": _json({"w1": {"a–b__hi1": "yes"}, "w2": {"a–b__hi1": "no", "c__hi1": "no"}}),
         "framing/llm_annotations.json": _json({"m": {"a–b__hi1": "yes", "c__hi1": "no"}})},
        2, None,
    ),
    "mqm": Made(
        {"mqm_toy_ende.tsv":
         "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
         "ref\tt\t1\t1\tr1\tA mill.\tEine Mühle.\tNo-error\tNo-error\n"
         "A\tt\t1\t1\tr1\tA mill.\tEin <v>Mühl–e</v>.\tFluency/Grammar\tMinor\n"
         "A\tt\t2\t2\tr1\tIt <v>burns</v>.\tEs.\tAccuracy/Omission\tMajor\n"},
        2, None,
    ),
    "qags": Made(
        {"mturk_xsum.jsonl": _jsonl(*(
            {"article": "A mill – burned.", "summary_sentences": [
                {"sentence": text, "responses": [{"worker_id": i, "response": answer} for i, answer in enumerate(answers)]}
            ]} for text, answers in (("It burned.", ("yes", "yes", "no")), ("It sank.", ("no", "no", "yes")))))},
        2, "summary_sentences",
    ),
    "summedits": Made(
        {"summedits_podcast.json": _json([
            {"id": f"p{i}", "doc": "A mill – burned.", "summary": text, "label": label, "original_summary": "It burned.",
             "edit_types": edits, "split": "test"}
            for i, (text, label, edits) in enumerate([("It burned.", 1, []), ("It sank.", 0, ["entity_modification"])])])},
        2, "label",
    ),
    "summeval": Made({"summeval.jsonl": _jsonl({**SUMMEVAL, "system": "M1"}, {**SUMMEVAL, "system": "M2"})}, 2, "output"),
    "e2e_nlg": Made({"test-fixed.csv": 'mr,ref\n"name[A], food[B]",A – B.\n"name[A], food[B]",B at A.\n'}, 1, None),
    "web_nlg_en": Made({"rdf-to-text-generation-test-data-with-refs-en.xml": XML}, 2, None),
    "web_nlg_ru": Made({"rdf-to-text-generation-test-data-with-refs-ru.xml": XML}, 2, None),
    "cs_restaurants": Made(
        {"test.json": _json([{"da": "inform(food=X,name='U Ž')", "delex_da": "", "text": "U Ž má X.", "delex_text": ""},
                             {"da": "?request(area)", "delex_da": "", "text": "Kde?", "delex_text": ""}])},
        2, "text",
    ),
    "dart": Made(
        {"dart-v1.1.1-full-dev.json": _json([{"tripleset": [["A", "B", "C – D"]], "annotations": [{"source": "x", "text": "t."}]}] * 2)},
        2, "tripleset",
    ),
    "common_gen": Made({"commongen.dev.jsonl": _jsonl({"concept_set": "cat#sit", "scene": ["A cat – sits."]}, {"concept_set": "dog#run", "scene": ["Dogs run."]})}, 2, "concept_set"),
    "schema_guided_dialog": Made({"test/dialogues_001.json": _json([_dialogue("1_0"), _dialogue("1_1")])}, 2, "turns"),
    "totto": Made({"totto_dev_data.jsonl": _jsonl(_table(5), _table(-6))}, 2, "table"),
    "wiki_auto": Made({"train.tsv": 'Long "sentence – one .\tShort .\nAnother .\tOther .\n'}, 2, None),
    "asset": Made(_parallel("asset.test.orig", "asset.test.simp", 10), 2, None),
    "turk": Made(_parallel("test.8turkers.tok.norm", "test.8turkers.tok.turk", 8), 2, None),
    "xsum": Made({"test.jsonl": _jsonl({"id": "1", "document": "Long – text.", "summary": "Short."}, {"id": "2", "document": "More.", "summary": "S."})}, 2, "document"),
    "mlsum_de": Made({"de_test.jsonl": MLSUM}, 2, "summary"),
    "mlsum_es": Made({"es_test.jsonl": MLSUM}, 2, "text"),
    "wiki_lingua": Made({"test.src.es": "Paso uno – sí.\nPaso dos.\n", "test.tgt.en": "Step one.\nStep two.\n",
                         "test.src.en": "First step.\nSecond step.\n"}, 2, None),
    "multiwoz": Made({"reference.json": _json({"MUL1": ["hello – there", "bye"], "SNG2": ["ok"]})}, 3, None),
    "drs": Made({"test.txt": CLAUSES.format(n="01") + "\n" + CLAUSES.format(n="02"), "test.txt.raw": "Ada sang.\nShe sang.\n"}, 2, None),
}  # fmt: skip


def write(name: str, folder: Path) -> Path:
    """The files of a dataset in a folder; the path of the first."""
    for file, text in MADE[name].files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / next(iter(MADE[name].files))
