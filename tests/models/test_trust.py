"""Models of strangers: no code of theirs runs unless a person says so, and no pickle is opened at all."""

from __future__ import annotations

import ast
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.inputs.filters import tokenizer_length
from assay.models.load import load
from assay.models.tensors import read_tensors, write_tensors
from assay.models.trust import check_weights, code_options, trusting
from assay.records import Example, write_jsonl
from assay.systems.neural.build_model import build_model
from assay.systems.neural.recipe import Recipe
from tests.conftest import Call

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

SOURCE = Path(__file__).parents[2] / "src" / "assay"
PAYLOAD = """
from pathlib import Path
from transformers import GPT2Config, GPT2LMHeadModel
Path({trace!r}).touch()
class Config(GPT2Config):
    model_type = "stranger"
class Model(GPT2LMHeadModel):
    config_class = Config
"""


@pytest.fixture
def stranger(causal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose model is code of its own, which leaves a trace where it runs."""
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "modules"))
    folder = tmp_path / "stranger"
    shutil.copytree(causal, folder)
    (folder / "own.py").write_text(PAYLOAD.format(trace=str(tmp_path / "trace")), encoding="utf-8")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config |= {"model_type": "stranger", "auto_map": {"AutoConfig": "own.Config", "AutoModelForCausalLM": "own.Model"}}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    return folder


def test_code_of_a_model_is_not_run(stranger: Path, tmp_path: Path) -> None:
    for attempt in (
        lambda: load(str(stranger)),
        lambda: load(str(stranger), classifier=True),
        lambda: build_model(Recipe(model=str(stranger)), ["text"], kind="causal"),
    ):
        with pytest.raises(
            AssayError, match=r"stranger: contains Python code, which was not run.+ give --trust-remote-code"
        ):
            attempt()
    assert tokenizer_length(str(stranger))("text") > 0  # its tokenizer is an ordinary one
    assert not (tmp_path / "trace").exists()


def test_code_of_a_model_runs_where_it_is_trusted(
    here: Callable[..., Call], stranger: Path, tmp_path: Path, events: list[Example]
) -> None:
    """For that call alone, and with a warning."""
    write_jsonl(tmp_path / "examples.jsonl", events[:1])
    call = (
        "system",
        "generate",
        tmp_path / "examples.jsonl",
        "--system",
        f"hf:{stranger}:max_new=2",
        "-o",
        tmp_path / "o.jsonl",
    )
    refused = here(*call)
    assert refused.code == 1
    assert "--trust-remote-code" in refused.err
    assert not (tmp_path / "trace").exists()
    done = here(*call, "--trust-remote-code")
    assert done.code == 0, done.err
    assert "code included with the model runs with all your rights" in done.err
    assert (tmp_path / "trace").exists()
    assert code_options() == {"trust_remote_code": False}


def test_trust_ends() -> None:
    with trusting():
        assert code_options()["trust_remote_code"] is True
    with pytest.raises(ZeroDivisionError), trusting():
        raise ZeroDivisionError
    assert code_options()["trust_remote_code"] is False


class Payload:
    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Callable[..., None], tuple[Path]]:
        return Path.touch, (self.trace,)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "weights.ckpt"])
def test_a_pickle_is_not_opened(causal: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "m"
    shutil.copytree(causal, folder)
    (folder / "model.safetensors").unlink()
    torch.save(Payload(tmp_path / "trace"), folder / name)
    with pytest.raises(AssayError, match=rf"its weights are a pickle \({name}\).+ convert it to safetensors"):
        load(str(folder))
    with pytest.raises(AssayError, match="its weights are a pickle"):
        build_model(Recipe(model=str(folder)), ["text"], kind="causal")
    assert not (tmp_path / "trace").exists()


def test_safetensors_beside_a_pickle_are_taken(causal: Path, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    shutil.copytree(causal, folder)
    torch.save(Payload(tmp_path / "trace"), folder / "pytorch_model.bin")
    assert load(str(folder)).kind == "causal"
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize(
    "index", ["{}", "[]", '{"weight_map": {"a": "x.bin"}}', '{"weight_map": {"a": "../x.safetensors"}}']
)
def test_a_list_of_weights_cannot_lead_elsewhere(tmp_path: Path, index: str) -> None:
    (tmp_path / "model.safetensors.index.json").write_text(index, encoding="utf-8")
    with pytest.raises(AssayError, match=r"damaged|no safetensors file in the folder"):
        check_weights(tmp_path)


def test_everything_that_is_loaded_says_what_it_trusts() -> None:
    """Whoever leaves it out lets transformers ask a person at the terminal, or open a pickle."""
    calls = []
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "from_pretrained"
            ):
                calls.append((path.name, ast.unparse(node.func.value), [ast.unparse(k) for k in node.keywords]))
    assert len(calls) > 8
    for file, what, keywords in calls:
        expected = "**code_options()" if what.endswith(("Tokenizer", "Config")) else "**weight_options()"
        assert expected in keywords, f"{file}: {what}.from_pretrained"
    text = "".join(path.read_text("utf-8") for path in SOURCE.rglob("*.py"))
    assert text.count("torch.load(") == 1  # of models/pickled.py, whose reader runs nothing of the file
    assert 'torch.load(path, map_location="cpu", pickle_module=reader,' in text
    assert "torch.save(" not in text


def test_tensors_are_written_as_the_library_reads_them(tmp_path: Path) -> None:
    """Any shape and type, parts of larger ones, and shared memory; the library writes the same to read."""
    from safetensors.torch import load_file, save_file

    torch.manual_seed(0)
    whole = torch.randn(6, 4)
    tensors = {
        "whole": whole, "again": whole, "turned": whole.t(), "part": whole[1:3, ::2], "number": torch.tensor(3.5),
        "empty": torch.zeros(0, 3), "half": whole.half(), "brain": whole.bfloat16(), "double": whole.double(),
        "long": torch.arange(5), "small": torch.arange(5, dtype=torch.int8), "flags": whole > 0,
        "with/ö": torch.ones(2, dtype=torch.uint8),
    }  # fmt: skip
    write_tensors(tmp_path / "a.safetensors", tensors, {"state": '{"step": 3}'})
    read, texts = read_tensors(tmp_path / "a.safetensors")
    assert texts == {"state": '{"step": 3}'}
    save_file({name: tensor.clone().contiguous() for name, tensor in tensors.items()}, tmp_path / "b.safetensors")
    for found in (read, load_file(tmp_path / "a.safetensors"), load_file(tmp_path / "b.safetensors")):
        assert set(found) == set(tensors)
        for name, tensor in tensors.items():
            assert found[name].dtype == tensor.dtype
            assert torch.equal(found[name], tensor), name
