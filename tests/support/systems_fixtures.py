"""What the tests of systems share: tiny models made here, a server that misbehaves on request, synthetic examples."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from assay.datasets.synthetic_events import synthetic_events
from assay.errors import AssayError
from assay.records import Example
from assay.systems.base import Answer, System


@dataclass(eq=False)
class Failing(System):
    """Answers so many times, then breaks."""

    name: ClassVar = "failing"
    about: ClassVar = "breaks"
    abilities: ClassVar = ("generate",)
    batch: int = 2
    good: int = field(default=4, init=False)
    asked: list[str] = field(default_factory=list, init=False)

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        for example in examples:
            if not self.good:
                raise AssayError("broken")
            self.good -= 1
            self.asked.append(example.id)
            yield Answer(example.id, f"answer {example.id}")


@pytest.fixture(scope="session")
def one_thread() -> None:
    """Tests run side by side: more threads each would only wait for one another."""
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    """A cache for each test, and one thread: values of a model are computed, not remembered."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="session")
def events() -> list[Example]:
    return synthetic_events(10, seed=3)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory, events: list[Example], one_thread: None) -> Path:
    """A tiny sequence-to-sequence model, trained for a moment."""
    from assay.systems.neural.fine_tune import train_examples
    from assay.systems.neural.recipe import Recipe

    folder = tmp_path_factory.mktemp("models") / "tiny"
    recipe = Recipe(epochs=3, batch=4, vocabulary=400, source_limit=400, target_limit=60, lr=5e-3)
    train_examples("seq2seq", recipe, events, events[:3], folder)
    return folder


@pytest.fixture(scope="session")
def causal(tmp_path_factory: pytest.TempPathFactory, events: list[Example], one_thread: None) -> Path:
    """A causal model from chance, saved as any other."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    from assay.systems.neural.build_model import make_tokenizer

    folder = tmp_path_factory.mktemp("models") / "causal"
    texts = [text for event in events for text in (event.source or "", *event.references)]
    tokenizer = make_tokenizer(texts, 400, [])
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=len(tokenizer), n_embd=32, n_layer=2, n_head=2, n_positions=512,
                        bos_token_id=0, eos_token_id=2, pad_token_id=1, initializer_range=0.3)  # fmt: skip
    GPT2LMHeadModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def bart(tmp_path_factory: pytest.TempPathFactory, events: list[Example], one_thread: None) -> Path:
    """A BART-shaped model from chance: it begins every text with a token of its own."""
    import torch
    from tokenizers import processors
    from transformers import BartConfig, BartForConditionalGeneration

    from assay.systems.neural.build_model import make_tokenizer

    folder = tmp_path_factory.mktemp("models") / "bart"
    tokenizer = make_tokenizer([event.source or "" for event in events], 400, [])
    edges = [("<s>", 0), ("</s>", 2)]
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=edges
    )
    torch.manual_seed(0)
    config = BartConfig(vocab_size=len(tokenizer), d_model=32, encoder_layers=1, decoder_layers=1,
                        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32,
                        max_position_embeddings=256, bos_token_id=0, pad_token_id=1, eos_token_id=2,
                        decoder_start_token_id=2, forced_eos_token_id=None, init_std=0.3)  # fmt: skip
    BartForConditionalGeneration(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def losses(folder: Path) -> list[dict[str, float]]:
    """What a training has logged, a row a step and a row an epoch."""
    return [json.loads(line) for line in (folder / "losses.jsonl").read_text().splitlines()]


Behave = Callable[[int, dict[str, Any]], tuple[int, Any]]


class Server:
    """A chat server on loopback. `behave` is given the number of the call and its body, and says code and answer."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.also: dict[str, str] = {}
        self.now = self.most = 0
        self.lock = threading.Lock()
        self.behave: Behave = lambda number, body: (200, self.answer("fine"))
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with outer.lock:
                    number = len(outer.calls)
                    outer.calls.append(body)
                    outer.headers.append(dict(self.headers))
                    outer.paths.append(self.path)
                    outer.now += 1
                    outer.most = max(outer.most, outer.now)
                try:
                    self._say(*outer.behave(number, body))
                except OSError:
                    pass  # the caller has hung up
                finally:
                    with outer.lock:
                        outer.now -= 1

            def _say(self, code: int, answer: Any) -> None:
                if answer == "cut":
                    self.send_response(200)
                    self.send_header("Content-Length", "1000")
                    self.end_headers()
                    self.wfile.write(b'{"choices": [')
                    self.close_connection = True
                    return
                if answer == "slow":
                    time.sleep(0.6)
                data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(code)
                if code == 429:
                    self.send_header("Retry-After", "0.01")
                for name, value in outer.also.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *given: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    @staticmethod
    def answer(text: str | None) -> dict[str, Any]:
        return {
            "choices": [{"message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3},
        }

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.stop()
