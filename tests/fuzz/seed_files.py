"""Whole files of every kind that is read, all synthetic: what the fuzzer damages."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
import zlib
from typing import Any

import polars
import zstandard

from tests.fuzz.target import TEXTS, home, lines


def parquet(**columns: Any) -> bytes:
    stream = io.BytesIO()
    polars.DataFrame(columns).write_parquet(stream)
    return stream.getvalue()


def record_files() -> list[bytes]:
    rows = [
        {"id": f"i{i}", "output": text, "references": [text, "x"], "source": text, "language": "en", "tags": {"a": "b"},
         "input": {"kind": "slots", "slots": [["name", "Wexley"]]}}
        for i, text in enumerate(TEXTS)
    ]  # fmt: skip
    gem = {"submission_name": "s", "tasks": {"d": {"values": TEXTS, "keys": ["1", "2", "3"], "language": "en"}}}
    table = 'id,output,references\n1,"a, b","[\'x\', \'y\']"\n2,c,"[""z""]"\n'
    return [
        lines(*rows), json.dumps(rows).encode(), json.dumps(TEXTS).encode(), json.dumps(gem).encode(), table.encode(),
        table.replace(",", "\t").encode(), "\n".join(TEXTS).encode(), gzip.compress(lines(*rows)),
        json.dumps({"i0": "a", "i1": ["b", "c"]}).encode(), lines(*({"id": r["id"], "output": "x"} for r in rows)),
        parquet(id=["a", "b"], output=["x", None], references=[["y"], ["z", "é"]], n=[1, 2]),
        b"\xef\xbb\xbf" + lines(*rows),
    ]  # fmt: skip


def judgement_files() -> list[bytes]:
    rows = [
        {"id": f"i{i}", "system": system, "annotator": who, "criterion": "c", "value": i % 3, "seconds": 1.5}
        for i in range(4) for system in "ab" for who in "xy"
    ]  # fmt: skip
    head = ",".join(rows[0])
    return [lines(*rows), "\n".join([head, *(",".join(map(str, row.values())) for row in rows)]).encode()]


def config_files() -> list[bytes]:
    from assay.execution.config import embedded

    sample = embedded("sample")
    assert sample is not None
    dataset, system = 'name = "d"\nexamples = "e"\n', 'name = "s"\nsystem = "lead:k=3"\nseeds = [1, 2]\n'
    return [sample.read_bytes(), f'name = "n"\n[[datasets]]\n{dataset}[[systems]]\n{system}'.encode()]


def prompt_files() -> list[bytes]:
    from assay.systems.prompts import built_in, prompt

    return [prompt(name).to_toml().encode() for name in built_in()]


def candidate_files() -> list[bytes]:
    chosen = {name: {"utility": i + 0.5, "task": "a", "languages": ["en"]} for i, name in enumerate("abc")}
    voted = {name: {"votes": [1, 2, 3]} for name in "abc"} | {"survey": {"q": [1, 2]}}
    return [json.dumps(chosen).encode(), json.dumps(voted).encode()]


def foreign_files() -> list[bytes]:
    gem = {"submission_name": "s", "param_count": 7, "d_test": {"bleu": 3.5, "N": 9, "rouge1": {"fmeasure": 0.5}}}
    scores = [{"name": "BLEU", "score": 3.0, "signature": "x", "confidence_mean": 3.1, "confidence_var": 0.2}]
    several = [{"system": "a", "BLEU": {"score": 3.0, "mean": 3.0, "ci": 0.1}, "chrF2": "4.0"}]
    harness = {
        "results": {"t": {"acc,none": 0.5, "acc_stderr,none": 0.1, "alias": "t"}}, "configs": {"t": {}},
        "versions": {"t": 1}, "n-shot": {"t": 0}, "higher_is_better": {"t": {"acc": True}}, "model_name": "m",
        "n-samples": {"t": {"effective": 7}},
    }  # fmt: skip
    inspect = {
        "eval": {"task": "t", "model": "m", "packages": {"inspect_ai": "1"}}, "status": "success",
        "results": {"scores": [{"name": "s", "metrics": {"accuracy": {"value": 0.5}, "stderr": {"value": 0.1}}}]},
    }  # fmt: skip
    result = {
        "evaluation_name": "e", "metric_config": {"lower_is_better": True}, "source_data": {"dataset_name": "d"},
        "score_details": {"score": 1, "uncertainty": {"confidence_interval": {"lower": 0, "upper": 2}}},
    }  # fmt: skip
    record = {"model_info": {"name": "m", "id": "o/m"}, "evaluation_results": [result], "eval_library": {"name": "l"}}
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("header.json", json.dumps(inspect))
    documents: tuple[Any, ...] = (gem, scores, several, harness, inspect, record)
    return [*(json.dumps(one).encode() for one in documents), archive.getvalue()]


def assistant_messages() -> list[bytes]:
    arguments = {"outputs": ["o.jsonl"], "examples": "frank:e.jsonl", "metrics": ["rouge:stemmer=true"], "ci": 10}
    return [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).encode()
        for method, parameters in (
            ("initialize", {"protocolVersion": "2025-06-18"}),
            ("tools/list", {}),
            *(("tools/call", {"name": name, "arguments": arguments}) for name in ("score", "table", "support")),
        )
    ]


def tool_files() -> list[bytes]:
    """Items of other tools: samples of the harness, logs of inspect_ai, details of lighteval, a table of MLflow."""
    choices = [["-0.61", "False"], ["-0.65", "True"]]
    harness = [
        {"doc_id": i, "target": "['a b', 'c']", "arguments": {"gen_args_0": {"arg_0": "q", "arg_1": {"until": ["x"]}}},
         "resps": [[text]], "filtered_resps": [text], "filter": "none", "exact_match": 0.5, "doc_hash": "h"}
        for i, text in enumerate(TEXTS)
    ]  # fmt: skip
    samples = [
        {"id": i, "epoch": 1 + i % 2, "input": [{"role": "user", "content": [{"type": "text", "text": "q"}]}],
         "target": [text, "y"], "output": {"completion": text, "choices": [{"message": {"content": text}}]},
         "scores": {"m": {"value": "C"}, "r": {"value": {"a": 0.5}}}, "error": {"message": "no"} if i == 2 else None}
        for i, text in enumerate(TEXTS)
    ]  # fmt: skip
    log = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": samples}
    packed = []
    for method in (zipfile.ZIP_DEFLATED, 93):
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED if method != 93 else zipfile.ZIP_STORED) as made:
            for name, value in (("header.json", {"eval": log["eval"]}), ("samples/0_epoch_1.json", samples[0])):
                content = json.dumps(value).encode()
                made.writestr(name, content if method != 93 else zstandard.compress(content))
                made.getinfo(name).compress_type = method
                made.getinfo(name).CRC = zlib.crc32(content)
        packed.append(archive.getvalue())
    doc = {"query": "q", "choices": ["a", "b"], "gold_index": [0, 1], "id": "1"}
    answer = {"text": ["a"], "text_post_processed": ["b"], "input": "q"}
    table = {"columns": ["inputs", "predictions", "ground_truth", "s/v1/score"], "data": [["q", "a", "b", 4]]}
    return [
        lines(*harness), lines(harness[0] | {"filtered_resps": choices}), json.dumps(log).encode(), *packed,
        parquet(doc=[doc], model_response=[answer], metric=[{"em": 1.0}]),
        parquet(full_prompt=["q"], predictions=["['a']"], gold=[["a"]], metrics=[{"em": 1.0}]),
        json.dumps(table).encode(), b"inputs,predictions,ground_truth\nq,a,b\n",
        json.dumps({"a.txt": [{"mt": "x", "comet": 0.5}]}).encode(), b"comet\n0.5\n0.25\n",
    ]  # fmt: skip


def chat_answers() -> list[bytes]:
    choice = {"message": {"role": "assistant", "content": "Rating: 4"}, "finish_reason": "length"}
    whole = {"id": "x", "choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}, "created": 1.5}
    return [json.dumps(whole).encode()]


def command_answers() -> list[bytes]:
    return [
        lines({"id": "a", "output": "x"}, {"id": "b", "output": "y"}), lines({"id": "a", "scores": [0.5, 1]}),
        lines({"id": "a", "logprobs": [[-1.5, -2], [-1]]}),
    ]  # fmt: skip


def cache_files() -> list[bytes]:
    from assay.models.cache_segments import Entry, Key, write_segment

    key = Key.of("a")
    return [write_segment(home() / "segments", [Entry(key.number, key.check(b"value"), b"value")]).read_bytes()]


def addresses() -> list[bytes]:
    asked = b"/api/examples?dataset=d&metric=rouge1&system=lead"
    return [
        asked + b"&offset=1&limit=2&text=har&where=k=v&order=up", asked + b"&against=b&low=0&high=1&id=i1",
        b"/api/overview", b"/api/cards", b"/pages.js", b"/api/compare?dataset=d&a=lead&b=b", b"/api/export.csv",
        b"/api/correlation?dataset=d&criterion=c", b"/../etc/passwd",
    ]  # fmt: skip
