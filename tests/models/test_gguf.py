"""A language model in one GGUF file of the user: likelihoods as from the folder with the same weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.models.checkpoints import locate
from assay.records import Example
from assay.systems import system

pytest.importorskip("transformers")
gguf = pytest.importorskip("gguf")
torch = pytest.importorskip("torch")

WIDTH, HEADS, INNER = 32, 2, 64


def byte_symbols() -> list[str]:
    """The printable symbols of GPT-2 for the 256 bytes."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    return list(bytes_to_unicode().values())


def write_gguf(path: Path, seed: int = 0) -> dict[str, Any]:
    """Write a random Llama of one layer, and return its tensors by their GGUF names."""
    random = torch.Generator().manual_seed(seed)
    words = ["<|end|>", *byte_symbols(), "he"]

    def draw(*shape: int) -> Any:
        return (torch.randn(*shape, generator=random) * 0.3).numpy()

    tensors = {"token_embd.weight": draw(len(words), WIDTH), "output_norm.weight": draw(WIDTH) + 1,
               "output.weight": draw(len(words), WIDTH), "blk.0.attn_norm.weight": draw(WIDTH) + 1,
               "blk.0.ffn_norm.weight": draw(WIDTH) + 1, "blk.0.ffn_gate.weight": draw(INNER, WIDTH),
               "blk.0.ffn_up.weight": draw(INNER, WIDTH), "blk.0.ffn_down.weight": draw(WIDTH, INNER)}  # fmt: skip
    tensors |= {f"blk.0.attn_{name}.weight": draw(WIDTH, WIDTH) for name in ("q", "k", "v", "output")}
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(512)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(words))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(words)
    writer.add_token_types([3, *[1] * 257])
    writer.add_token_merges(["h e"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    for name, value in tensors.items():
        writer.add_tensor(name, value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return tensors


def test_a_gguf_file_gives_likelihoods(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    write_gguf(tmp_path / "mine.gguf")
    asked = [Example(id="a", source="The old")]
    made = system(f"hf:{tmp_path / 'mine.gguf'}:chat=false", form="source")
    ((one, other),) = made.logprob(asked, [["port", "ship"]], [""])
    assert len(one.tokens) == len(" port")
    assert all(value < 0 for value in one.tokens)
    folder = system(f"hf:{locate(str(tmp_path / 'mine.gguf'))}:chat=false", form="source")
    assert next(folder.logprob(asked, [["port", "ship"]], [""])) == [one, other]
    write_gguf(tmp_path / "mine.gguf", seed=1)  # another model under the same name
    changed = system(f"hf:{tmp_path / 'mine.gguf'}:chat=false", form="source")
    assert next(changed.logprob(asked, [["port", "ship"]], [""])) != [one, other]
    assert changed.fingerprint() != folder.fingerprint()


def test_a_damaged_file_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    (tmp_path / "bad.gguf").write_bytes(b"GGUF nothing")
    with pytest.raises(AssayError, match=r"bad\.gguf: cannot be read as a model"):
        locate(str(tmp_path / "bad.gguf"))
