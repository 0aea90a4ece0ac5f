"""Work on threads: results in order, few pieces taken ahead, errors where they belong."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from assay.stats.threads import map_in_order


@pytest.mark.parametrize("number", [1, 2, 5])
def test_results_come_in_order_and_pieces_as_they_are_wanted(number: int) -> None:
    taken: list[int] = []

    def pieces() -> Iterator[int]:
        for piece in range(12):
            taken.append(piece)
            yield piece

    def work(piece: int) -> int:
        time.sleep(0.01 * (piece % 3 == 0))
        return piece * piece

    found = []
    for result in map_in_order(work, pieces(), number):
        found.append(result)
        assert len(taken) <= len(found) + number
    assert found == [piece * piece for piece in range(12)]


def test_an_error_ends_it() -> None:
    done: list[int] = []

    def work(piece: int) -> int:
        if piece == 2:
            raise ValueError("piece 2")
        done.append(piece)
        return piece

    with pytest.raises(ValueError, match="piece 2"):
        list(map_in_order(work, iter(range(1000)), 2))
    assert len(done) < 10


def test_whoever_stops_asking_leaves_no_work_behind() -> None:
    done: list[int] = []
    found = map_in_order(lambda piece: done.append(piece), iter(range(1000)), 2)
    next(found)
    found.close()  # type: ignore[attr-defined]
    seen = len(done)
    time.sleep(0.05)
    assert len(done) == seen < 10


def test_products_have_one_thread_meanwhile_and_theirs_again_afterwards() -> None:
    def held() -> set[int]:
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    with threadpool_limits(2, "blas"):
        had = held()
        assert had
        meanwhile = list(map_in_order(lambda _: next(map_in_order(lambda _: held(), [0], 2)), range(4), 2))
        assert meanwhile == [{1}] * 4
        assert held() == had
