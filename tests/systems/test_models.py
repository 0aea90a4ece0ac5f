"""Texts and likelihoods of models, to the token: tiny ones made here, held against transformers' own."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.errors import AssayError
from assay.inputs import form
from assay.records import Example
from assay.systems import system
from assay.systems.neural.decode import Decoding, Steps
from assay.systems.neural.encode import Pieces, encode, fit, target
from assay.systems.neural.hugging_face import Model
from assay.systems.neural.likelihood import continuation_logprobs
from assay.systems.sampling import set_curves, set_statistics
from tests.conftest import Call, write_jsonl

pytest.importorskip("torch")
pytest.importorskip("transformers")

Run = Callable[..., Call]


def model(path: Path, options: str = "", form_name: str | None = None) -> Model:
    made = system(f"hf:{path}{options}", form=form_name)
    assert isinstance(made, Model)
    return made


KINDS = ("tiny", "bart", "causal")


@pytest.mark.parametrize("kind", KINDS)
def test_greedy_logprob_is_what_the_generator_reports(
    kind: str, request: pytest.FixtureRequest, events: list[Example]
) -> None:
    made = model(request.getfixturevalue(kind), ":max_new=12:limit=200", "source")
    net, tokenizer, shape = made.loaded
    for example in events[:4]:
        if shape == "seq2seq":
            source, head = made.source_ids(example), [int(net.config.decoder_start_token_id)]
            (drawn,) = made._draw([source], [example.id])[0]
        else:
            source, head = None, made._causal_ids(made.context(example))
            (drawn,) = made._draw([head], [example.id])[0]
        (scored,) = continuation_logprobs(net, source, head, [drawn.tokens or [5]], tokenizer.eos_token_id)
        if drawn.tokens:
            assert drawn.logprob == pytest.approx(scored.sum(end=len(drawn.tokens) < 12), abs=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_reuse_changes_no_number(kind: str, request: pytest.FixtureRequest, events: list[Example]) -> None:
    texts = [["the mayor", "three goats and the old bridge", "x"]]
    found = []
    for reuse in ("true", "false"):
        made = model(request.getfixturevalue(kind), f":reuse={reuse}:limit=200", "source")
        found.append(next(made.logprob(events[:1], texts, ["on 3 may"])))
    for a, b in zip(*found, strict=True):
        assert a.tokens == pytest.approx(b.tokens, abs=1e-4)
        assert a.end == pytest.approx(b.end, abs=1e-4)
        assert all(value < 0 for value in a.tokens)


@pytest.mark.parametrize("kind", ["tiny", "bart"])
def test_logprob_is_the_loss_of_the_model(kind: str, request: pytest.FixtureRequest, events: list[Example]) -> None:
    """Teacher forcing through transformers' own loss gives the same mean."""
    import torch

    made = model(request.getfixturevalue(kind), "", "source")
    net, tokenizer, _ = made.loaded
    (scored,) = next(made.logprob(events[:1], [["the mayor was hit"]], [""]))
    labels = torch.tensor([tokenizer(text_target="the mayor was hit").input_ids])
    with torch.no_grad():
        loss = float(net(input_ids=torch.tensor([made.source_ids(events[0])]), labels=labels).loss)
    assert scored.mean() == pytest.approx(-loss, abs=1e-4)
    assert len(scored.start) == (1 if kind == "bart" else 0)


def test_prefix_and_continuation_add_up(tiny: Path, events: list[Example]) -> None:
    """No space is lost or counted twice: p(a b) = p(a) p(b | a)."""
    made = model(tiny, "", "source")
    (whole,) = next(made.logprob(events[:1], [["the mayor got a fright"]], [""]))
    (first,) = next(made.logprob(events[:1], [["the mayor"]], [""]))
    (rest,) = next(made.logprob(events[:1], [["got a fright"]], ["the mayor"]))
    assert first.sum() + rest.sum() == pytest.approx(whole.sum(), abs=1e-4)
    assert len(first.tokens) + len(rest.tokens) == len(whole.tokens)


def test_where_a_continuation_begins(tiny: Path) -> None:
    _, tokenizer, _ = model(tiny).loaded
    found = target(tokenizer, "the mayor", "was hit")
    assert tokenizer.decode(found.after).strip() == "was hit"
    assert found.aligned
    assert target(tokenizer, "", "was hit").before == []
    glued = target(tokenizer, "the may\n", "or")  # a prefix that ends in white space gets no other
    assert tokenizer.decode(glued.before + glued.after).strip() == "the may\nor"
    with pytest.raises(AssayError, match="has no tokens"):
        target(tokenizer, "x", "")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beams", [1, 3])
def test_decoding_is_that_of_transformers(
    kind: str, beams: int, request: pytest.FixtureRequest, events: list[Example]
) -> None:
    import torch

    made = model(request.getfixturevalue(kind), f":max_new=10:beams={beams}:limit=150", "source")
    net, tokenizer, shape = made.loaded
    example = events[0]
    ids = made.source_ids(example) if shape == "seq2seq" else made._causal_ids(made.context(example))
    given = torch.tensor([ids])
    expected = net.generate(
        input_ids=given, attention_mask=torch.ones_like(given), max_new_tokens=10, num_beams=beams, do_sample=False,
        pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id, early_stopping=beams > 1,
    )[0].tolist()  # fmt: skip
    expected = expected[1 if shape == "seq2seq" else len(ids) :]
    expected = expected[: expected.index(2)] if 2 in expected else expected
    assert made._draw([ids], ["x"])[0][0].tokens == expected


def test_a_batch_changes_no_text(causal: Path, events: list[Example]) -> None:
    for options in (":max_new=8:limit=200", ":max_new=8:limit=200:sample=true:top_p=0.8:seed=3"):
        made = model(causal, options, "source")
        together = {answer.id: answer.text for answer in made.generate(events[:5])}
        alone = {answer.id: answer.text for example in events[:5] for answer in made.generate([example])}
        assert together == alone


def test_sampling_draws_from_the_filtered_distribution() -> None:
    """Nucleus 0.65 of (.4 .3 .2 .1) leaves two tokens; they come out in proportion 4 to 3."""
    import torch

    logits = torch.log(torch.tensor([[0.4, 0.3, 0.2, 0.1]]))
    n = 3000
    steps = Steps(Decoding(sample=True, top_p=0.65), list(range(n)), start=0, end=-1)
    drawn = steps(torch.zeros((n, 0), dtype=torch.long), logits.repeat(n, 1)).argmax(dim=-1)
    assert {size for sizes in steps.sizes for size in sizes} == {2}
    counts = torch.bincount(drawn, minlength=4).tolist()
    assert counts[2:] == [0, 0]
    assert counts[0] / n == pytest.approx(4 / 7, abs=4 * math.sqrt(0.25 / n))


@pytest.mark.parametrize(
    ("options", "size"),
    [({"top_k": 3}, 3), ({"top_p": 0.95}, 4), ({"top_p": 0.35}, 1), ({"typical": 0.35}, 2), ({"temperature": 2.0}, 4)],
)
def test_sampling_set_sizes(options: dict[str, Any], size: int) -> None:
    import torch

    steps = Steps(Decoding(sample=True, **options), [1], start=0, end=-1)
    steps(torch.zeros((1, 0), dtype=torch.long), torch.log(torch.tensor([[0.4, 0.3, 0.2, 0.1]])))
    assert steps.sizes == [[size]]


@pytest.mark.parametrize(
    ("strength", "expected"),
    [
        (0.1, (0.4617, 0.3140, 0.2243)),
        (0.2, (0.4235, 0.3265, 0.2500)),
        (0.35, (0.3676, 0.3419, 0.2905)),
        (0.5, (0.3144, 0.3529, 0.3327)),
    ],
)
def test_anti_lm_by_hand(strength: float, expected: tuple[float, ...]) -> None:
    import torch

    unconditional = torch.log(torch.tensor([[0.7, 0.2, 0.1]]))
    steps = Steps(Decoding(anti_lm=strength), [0], start=0, end=-1, unconditional=lambda made: unconditional)
    scores = torch.log(torch.tensor([[0.5, 0.3, 0.2]]))
    found = torch.softmax(steps(torch.zeros((1, 19), dtype=torch.long), scores), dim=-1)[0]
    assert found.tolist() == pytest.approx(expected, abs=5e-5)
    later = steps(torch.zeros((1, 20), dtype=torch.long), scores)  # token 21 is no longer changed
    assert later.tolist() == scores.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_anti_lm_of_nothing_changes_nothing(kind: str, request: pytest.FixtureRequest, events: list[Example]) -> None:
    path = request.getfixturevalue(kind)
    plain, zero, strong = (
        [answer.text for answer in model(path, f":max_new=8:limit=200{more}", "source").generate(events[:3])]
        for more in ("", ":anti_lm=0.0", ":anti_lm=0.9")
    )
    assert plain == zero
    assert len(strong) == 3


def test_p_of_zero_is_greedy(tiny: Path, events: list[Example]) -> None:
    greedy, p0 = (
        [answer.text for answer in model(tiny, f":max_new=10{more}").generate(events[:3])]
        for more in ("", ":sample=true:top_p=0")
    )
    assert greedy == p0


def test_diverse_beams(tiny: Path, events: list[Example]) -> None:
    """One group is a beam search; with a strong penalty the groups begin differently."""
    plain = next(model(tiny, ":max_new=8:beams=1").generate(events[:1])).text
    groups = model(tiny, ":max_new=8:beams=3:groups=3:nbest=3:diversity=50:min_new=3")
    drawn = groups._draw([groups.source_ids(events[0])], ["x"])[0]
    firsts = {one.tokens[0] for one in drawn}
    assert len(firsts) == len(drawn) == 3
    none = next(model(tiny, ":max_new=8:beams=2:groups=2:diversity=0").generate(events[:1])).text
    assert none == plain


def test_no_repeat_and_lengths(tiny: Path, events: list[Example]) -> None:
    made = model(tiny, ":max_new=20:min_new=20:no_repeat=1")
    _, tokenizer, _ = made.loaded
    (answer,) = made.generate(events[:1])
    assert answer.details["tokens"] == 20
    ids = tokenizer(answer.text, add_special_tokens=False).input_ids
    assert len(ids) >= 15


@pytest.mark.parametrize(
    "options",
    [
        {"sample": True, "beams": 2},
        {"beams": 4, "groups": 3},
        {"nbest": 2},
        {"top_p": 1.5},
        {"temperature": 0.0},
        {"anti_lm": 0.1, "beams": 2},
    ],
)
def test_choices_that_exclude_each_other(options: dict[str, Any]) -> None:
    with pytest.raises(AssayError):
        Decoding(**options)


def test_set_statistics() -> None:
    found = set_statistics([1, 1, 3, 100])
    assert (found["steps"], found["mean"], found["max"], found["single"]) == (4, 26.25, 100, 0.5)
    assert found["at_most"] == {"1": 0.5, "10": 0.75, "100": 1, "1000": 1, "10000": 1}
    drawn = set_curves({"top_p=0.5": [1, 3, 3], "top_p=1": [400]}).axes[0]
    assert np.asarray(drawn.lines[0].get_xydata()).tolist() == [[1, 0], [1, 1 / 3], [3, 1]]
    assert drawn.get_xscale() == "log"


def test_a_sweep_counts_all_steps_also_after_a_stop(
    here: Run, causal: Path, events: list[Example], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = tmp_path / "e.jsonl"
    write_jsonl(examples, [{"id": str(i), "source": f"the mayor {i}"} for i in range(4)])
    spec = f"hf:{causal}:sample=true:max_new=6:batch=1"
    asked = ["system", "generate", examples, "--system", spec, "--sweep", "top_p=0,0.5,1", "-o", tmp_path / "o.jsonl"]
    generate = Model.generate
    calls = []

    def stopped(self: Model, given: list[Example]) -> Any:
        calls.append(given)
        if len(calls) == 7:
            raise KeyboardInterrupt
        return generate(self, given)

    monkeypatch.setattr(Model, "generate", stopped)
    assert here(*asked).code == 130
    call = here(*asked, "--plot", tmp_path / "p.svg", "--json")
    assert call.code == 0, call.err
    greedy, half, whole = call.json["runs"]
    assert "sampling_set" not in greedy  # p = 0 leaves no choice
    assert half["reused"] == 2
    rows = [json.loads(line) for line in (tmp_path / "o-top_p-0.5.jsonl").read_text().splitlines()]
    assert half["sampling_set"]["steps"] == sum(len(row["set_sizes"]) for row in rows)
    assert half["sampling_set"]["mean"] < whole["sampling_set"]["mean"]
    drawn_names = re.findall(r">(top_p=[\d.]+)</text>", (tmp_path / "p.svg").read_text())
    assert drawn_names == ["top_p=0.5", "top_p=1"]
    refused = here(
        "system", "generate", examples, "--system", "copy", "-o", tmp_path / "c.jsonl", "--plot", tmp_path / "c.svg"
    )
    assert refused.code == 1
    assert "sample=true" in refused.err


def test_only_the_document_is_cut(tiny: Path, events: list[Example]) -> None:
    made = model(tiny)
    _, tokenizer, _ = made.loaded
    parts = Pieces("word " * 500, "keep this template whole")
    ids, cut = encode(tokenizer, parts, 60)
    assert len(ids) == 60
    assert cut > 300
    assert tokenizer.decode(ids).count("keep this template whole") == 1
    with pytest.raises(AssayError, match="may not be cut has more than 5 tokens"):
        encode(tokenizer, parts, 5)
    prompt = form("event-prompt")
    text, words = fit(events[0], prompt.render, lambda text: len(text.split()), 40)
    assert len(text.split()) <= 40
    assert words > 0
    assert text.endswith("Summary:")
    assert "Event Details" in text
    whole, none = fit(events[0], prompt.render, lambda text: len(text.split()), 4000)
    assert (whole, none) == (prompt.render(events[0]), 0)


@pytest.mark.parametrize(
    "form", [None, "event-template:fields=template_only", "event-template:fields=document_with_type", "event-prompt"]
)
def test_an_empty_template_is_refused(tiny: Path, here: Run, tmp_path: Path, form: str | None) -> None:
    given = {"kind": "event", "document": ["a"], "template": {"victim": []}}
    file = write_jsonl(tmp_path / "e.jsonl", [{"id": "e1", "source": "a", "input": given}])
    asked = ["system", "generate", file, "--system", f"hf:{tiny}", *(["--as", form] if form else [])]
    call = here(*asked, "-o", tmp_path / "o.jsonl")
    assert call.code == 1
    assert "id e1: the event template is empty" in call.err
    assert "fill it or remove the item" in call.err
    assert here("system", "generate", file, "--system", f"hf:{tiny}:max_new=3", "--as",
                "event-template:fields=document_only",
                "-o", tmp_path / "d.jsonl").code == 0  # fmt: skip


def test_long_prefixes_lose_their_front_and_say_so(bart: Path, events: list[Example]) -> None:
    made = model(bart, ":limit=100", "source")
    (scored,) = next(made.logprob(events[:1], [["the mayor"]], ["word " * 400]))
    assert scored.notes == ("prefix cut",)
    assert "1 prefixes were too long" in made.usage()["warnings"][-1]
