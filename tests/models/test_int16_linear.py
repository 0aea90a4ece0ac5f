"""Linear maps in sixteen bits: near float32 at any size, never too great a sum, the same without the processor."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from assay.models import int16_linear  # noqa: E402
from assay.models.cpu_linear import convert_linear_layers  # noqa: E402
from assay.models.int16_linear import HIGHEST, RUN, Int16Linear, native, round_runs  # noqa: E402


def linear(depth: int, width: int, bias: bool = True) -> Any:
    torch.manual_seed(depth + width)
    return torch.nn.Linear(depth, width, bias=bias)


def off(found: Any, expected: Any) -> float:
    """The greatest difference in standard deviations of what was expected."""
    return float((found - expected).abs().max() / expected.std())


@pytest.mark.parametrize("rows", [1, 2, 11, 12, 13, 95, 96, 97, 400])
@pytest.mark.parametrize(("depth", "width", "bias"), [(32, 32, True), (64, 96, False), (384, 64, True)])
def test_it_comes_near_at_any_size(rows: int, depth: int, width: int, bias: bool) -> None:
    plain = linear(depth, width, bias)
    x = torch.randn(rows, depth)
    with torch.inference_mode():
        assert off(Int16Linear(plain)(x), plain(x)) < 5e-4


def test_torch_multiplies_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    if native() is None:
        pytest.skip("needs a processor with AVX-512 VNNI, and a C compiler when assay was built")
    plain, x = linear(384, 64), torch.randn(3, 50, 384)
    x[0, 0, 5] = 300.0  # rounds the others of its run, and nothing else
    with torch.inference_mode():
        quick = Int16Linear(plain)(x)
        monkeypatch.setattr(int16_linear, "native", lambda: None)
        other = Int16Linear(plain)(x)
        assert quick.shape == (3, 50, 64)
        assert off(quick, other) < 5e-5 < off(quick, plain(x))  # a number halfway between two may be either


def test_the_greatest_products_fit() -> None:
    """Runs that point the same way have the greatest product of all; it must not run over."""
    plain = linear(RUN, 32, bias=False)
    with torch.inference_mode():
        for row in (torch.randn(RUN), torch.ones(RUN), torch.full((RUN,), 3e-6), torch.randn(RUN) ** 9):
            plain.weight[:] = row
            found, expected = Int16Linear(plain)(row[None]), plain(row[None])
            assert torch.allclose(found, expected, rtol=2e-4)
    whole, _ = round_runs(torch.randn(200, 320) ** 5)
    assert whole.abs().max() <= HIGHEST
    assert whole.view(200, 10, RUN).norm(dim=-1).max() ** 2 < 2**31


def test_nothing_gives_the_bias_and_no_number_is_none() -> None:
    plain = linear(64, 32)
    x = torch.zeros(3, 64)
    x[1, 40] = float("nan")
    with torch.inference_mode():
        found = Int16Linear(plain)(x)
        assert Int16Linear(plain)(x[:0]).shape == (0, 32)
    assert torch.equal(found[[0, 2]], plain.bias.detach().expand(2, -1))
    assert found[1].isnan().all()


@pytest.fixture(params=["compiled", "torch"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways of multiplying, the compiled one where there is one."""
    if request.param == "torch":
        monkeypatch.setattr(int16_linear, "native", lambda: None)
    elif native() is None:
        pytest.skip("needs a processor with AVX-512 VNNI, and a C compiler when assay was built")


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("size", [1e-36, 1e-33, 1e-28, 1e-24, 1e-20, 1e18, 1e20, 1e30])
@pytest.mark.parametrize("tiny", ["rows", "weights"])
def test_very_great_and_small_numbers(size: float, tiny: str) -> None:
    """The squares of these are no floats, nor the scales of the smallest, which count as nothing."""
    plain, x = linear(2 * RUN, 32, bias=False), torch.ones(5, 2 * RUN)
    with torch.inference_mode():
        plain.weight[:] = 1.0
        changed = x if tiny == "rows" else plain.weight
        changed[:, :RUN] = size
        found = Int16Linear(plain)(x) - (0 if size > 1 else RUN)
        alone = Int16Linear(plain)(torch.where(torch.arange(2 * RUN) < RUN, x, 0.0))
    assert torch.allclose(found, torch.full_like(found, RUN * size), rtol=1e-4, atol=1e-2)
    assert torch.allclose(alone, torch.full_like(alone, RUN * size if size > 1e-30 else 0.0), rtol=1e-4, atol=0)


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("wrong", ["nan", "inf", "-inf"])
def test_what_is_no_number_never_gives_one(wrong: str) -> None:
    x = torch.zeros(3, 64)
    x[1, 40], x[1, 41] = float(wrong), 2.0
    with torch.inference_mode():
        found = Int16Linear(linear(64, 32))(x)
    assert found[1].isnan().all()
    assert found[[0, 2]].isfinite().all()


def test_two_threads_give_what_one_gives() -> None:
    short, x = Int16Linear(linear(64, 32)), torch.randn(1001, 64)
    before = torch.get_num_threads()
    try:
        with torch.inference_mode():
            torch.set_num_threads(1)
            one = short(x)
            torch.set_num_threads(2)
            assert torch.equal(short(x), one)
    finally:
        torch.set_num_threads(before)


def test_other_sizes_stay_as_they_are() -> None:
    model = torch.nn.ModuleDict({"odd": linear(33, 32), "even": linear(32, 64)})
    model.device, model.dtype = torch.device("cpu"), torch.float32
    made = convert_linear_layers(model, "int16")
    assert [type(made[name]) for name in ("odd", "even")] == [torch.nn.Linear, Int16Linear]
    assert type(model["even"]) is torch.nn.Linear  # whoever else uses the model keeps it


def test_arrays_that_do_not_fit_are_refused() -> None:
    if native() is None:
        pytest.skip("needs a processor with AVX-512 VNNI, and a C compiler when assay was built")
    given: list[Any] = [bytes(32 * 4), bytes(32 * 32 * 2), bytes(32 * 4), bytes(32 * 4), bytearray(32 * 4)]
    native().product(*given, 32)
    for place in range(5):
        wrong = [type(one)(len(one) - 4) if i == place else one for i, one in enumerate(given)]
        with pytest.raises(ValueError, match="do not fit"):
            native().product(*wrong, 32)
    for depth in (0, -32, 31, 64):
        with pytest.raises(ValueError, match="do not fit"):
            native().product(*given, depth)
