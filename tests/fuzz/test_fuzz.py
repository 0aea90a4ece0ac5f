"""Every reader on damaged files: an answer or one clear refusal, never another end. `make fuzz` does it for hours."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fuzz.mutations import BYTES, IN_JSON, KINDS, PIECES, VALUES, Mutation, apply
from tests.fuzz.target import SEEDS
from tests.fuzz.targets import TARGETS

MUTATIONS = st.lists(
    st.builds(
        Mutation, st.integers(0, KINDS - 1), st.floats(0, 1, exclude_max=True), st.integers(1, 40),
        st.integers(0, len(PIECES) * len(VALUES)),
    ),
    min_size=1, max_size=3,
)  # fmt: skip
FEW = {"stored": 2, "addres": 10, "foreig": 15}
"""Files that targets get which open whole results, by the beginning of their names; others get more."""


@pytest.mark.parametrize("name", TARGETS)
def test_whole_files_and_old_findings(name: str) -> None:
    target = TARGETS[name]
    if not target.seeds:
        pytest.skip("no such file is kept")
    tried = 0
    for data in (*target.seeds, *target.kept()):
        target.try_bytes(data)  # raises what nobody foresaw
        tried += 1
    assert tried


def test_every_finding_belongs_to_a_target() -> None:
    assert {folder.name for folder in SEEDS.iterdir() if folder.is_dir()} <= set(TARGETS)


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_files(name: str) -> None:
    target = TARGETS[name]
    if not target.seeds:
        pytest.skip("no such file is kept")

    @settings(
        max_examples=FEW.get(name[:6], 20), derandomize=True, database=None, phases=[Phase.generate, Phase.shrink],
        suppress_health_check=[HealthCheck.too_slow],
    )  # fmt: skip
    @given(st.integers(0, 50), MUTATIONS)
    def read(which: int, mutations: list[Mutation]) -> None:
        tried.append(which)
        target.try_bytes(apply(target.seeds[which % len(target.seeds)], mutations))  # raises what nobody foresaw

    tried: list[int] = []
    read()
    assert tried


def test_the_same_numbers_make_the_same_file() -> None:
    content = b'{"a": [1, 2], "b": "x"}\n{"a": [3], "b": null}\n'
    made = [apply(content, [Mutation(kind, 0.4, 3, 17)]) for kind in range(KINDS)]
    assert made == [apply(content, [Mutation(kind, 0.4, 3, 17)]) for kind in range(KINDS)]
    assert len({*made}) > len(BYTES)
    assert all(content[:3] in one or kind < IN_JSON for kind, one in enumerate(made))
