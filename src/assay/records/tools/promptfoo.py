"""Results of promptfoo: the JSON or JSONL of `promptfoo eval --output`, one row per test case, provider and prompt."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from assay.records.tools.common import Fields, Found, Source, contexts, numbers, unused

ANSWERS = frozenset(("equals", "similar", "factuality", "levenshtein", "rouge-n", "bleu", "meteor"))
"""Types of assertion whose value is a correct answer; other types check a property of the output."""
USED = frozenset("promptIdx testIdx testCase provider prompt promptId vars response error score namedScores id".split())


def rows_of(document: Mapping[str, Any]) -> list[Any] | None:
    """Return the results of a document, which are one or two levels deep in different versions."""
    inner = document.get("results")
    matches = inner.get("results") if isinstance(inner, Mapping) else inner
    return (
        matches
        if isinstance(matches, list) and matches and isinstance(matches[0], Mapping) and is_row(matches[0])
        else None
    )


def is_row(row: Mapping[str, Any]) -> bool:
    return "provider" in row and "vars" in row and ("prompt" in row or "promptIdx" in row)


def read(source: Source) -> Found:
    prompts = _prompt_numbers(source.rows)
    items: list[tuple[Fields | None, int]] = []
    seen: dict[str, str] = {}
    checks = 0
    for i, row in enumerate(source.rows):
        case = row["testCase"] if isinstance(row.get("testCase"), Mapping) else {}
        output = _output(row)
        if output is None and source.texts:
            source.failed(i, f"has no output ({str(row.get('error') or 'no error is given')[:80]})")
            items.append((None, i))
            continue
        asserted = [each for each in _assertions(case) if isinstance(each, Mapping)]
        correct = [each.get("value") for each in asserted if each.get("type") in ANSWERS]
        checks += len(asserted) - len(correct)
        fields: Fields = {"id": _id(row, i), "output": output or "", "system": _system(row, prompts)}
        first = seen.setdefault(_test_key(row, fields["system"]), fields["id"])
        if first != fields["id"]:  # a repetition (--repeat) has a number of its own
            fields["parent"] = first
        if answers := [each for each in correct if isinstance(each, str)]:
            fields["references"] = answers
        elif correct:
            fields["expected"] = correct[0]
        fields |= _prompt(row)
        named = row.get("namedScores")
        items.append(
            (fields | numbers({"score": row.get("score"), **(named if isinstance(named, Mapping) else {})}), i)
        )
    other = (f"{checks} assertions that state no correct answer are not used",) if checks else ()
    return Found(items, (*other, *unused(source.rows, USED)))


def _output(row: Fields) -> str | None:
    response = row.get("response")
    value = response.get("output") if isinstance(response, Mapping) else response
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _assertions(case: Mapping[str, Any]) -> list[Any]:
    """Return the assertions of a test case; a set of assertions counts with its own."""
    matches = []
    for each in case.get("assert") or []:
        inner = each.get("assert") if isinstance(each, Mapping) else None
        matches += inner if isinstance(inner, list) else [each]
    return matches


def _id(row: Fields, number: int) -> str:
    return str(row["testIdx"] + 1) if isinstance(row.get("testIdx"), int) else str(row.get("id") or number + 1)


def _test_key(row: Fields, system: str) -> str:
    """Return what a test case asks of a system: its repetitions have the same variables and assertions."""
    case = row.get("testCase")
    asserted = case.get("assert") if isinstance(case, Mapping) else None
    return json.dumps((system, row.get("vars"), asserted), sort_keys=True)


def _prompt_numbers(rows: Sequence[Fields]) -> dict[str, int]:
    """Return the prompts by number, in the order of their columns; one prompt of two providers has two columns."""
    columns: dict[int, str] = {}
    for row in rows:
        if isinstance(row.get("promptIdx"), int):
            columns.setdefault(row["promptIdx"], _prompt_key(row))
    different = dict.fromkeys(columns[place] for place in sorted(columns))
    return {key: number for number, key in enumerate(different, 1)}


def _prompt_key(row: Fields) -> str:
    return str(row.get("promptId") or row.get("promptIdx"))


def _system(row: Fields, prompts: Mapping[str, int]) -> str:
    """Return the provider, with the number of the prompt if there are several prompts."""
    provider = row["provider"]
    if isinstance(provider, Mapping):
        provider = provider.get("label") or provider.get("id")
    number = prompts.get(_prompt_key(row)) if len(prompts) > 1 else None
    return f"{provider}" if number is None else f"{provider} prompt {number}"


def _prompt(row: Fields) -> Fields:
    prompt, variables = row.get("prompt"), row.get("vars")
    raw = prompt.get("raw") if isinstance(prompt, Mapping) else prompt
    fields: Fields = {"source": raw} if isinstance(raw, str) and raw else {}
    context = variables.get("context", variables.get("contexts")) if isinstance(variables, Mapping) else None
    return fields | ({"contexts": contexts(context)} if context else {})
