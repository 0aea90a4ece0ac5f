"""The transportation problem (earth mover's distance), solved exactly."""

from __future__ import annotations

import numpy as np

from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

COMPILED = cython.compiled


def moved(costs, supply, demand):
    """Return the minimum total cost of moving the integers `supply` to `demand`, which have the same sum; `costs` are
    non-negative costs per unit."""
    n: cython.Py_ssize_t = len(supply)
    m: cython.Py_ssize_t = len(demand)
    views = (
        view(np.ascontiguousarray(costs, dtype=np.float64)),
        view(np.array(supply, dtype=np.int64)),
        view(np.array(demand, dtype=np.int64)),
        view(np.zeros((n, m), dtype=np.int64)),
        view(np.zeros(n, dtype=np.float64)),
        view(np.zeros(m, dtype=np.float64)),
        view(np.zeros(n, dtype=np.float64)),
        view(np.zeros(m, dtype=np.float64)),
        view(np.zeros(n, dtype=np.int64)),
        view(np.zeros(m, dtype=np.int64)),
        view(np.zeros(n, dtype=np.int8)),
        view(np.zeros(m, dtype=np.int8)),
    )
    costs_: cython.double[:, ::1] = views[0]
    supply_: cython.longlong[::1] = views[1]
    demand_: cython.longlong[::1] = views[2]
    flow: cython.longlong[:, ::1] = views[3]
    price_from: cython.double[::1] = views[4]
    price_to: cython.double[::1] = views[5]
    far_from: cython.double[::1] = views[6]
    far_to: cython.double[::1] = views[7]
    via: cython.longlong[::1] = views[8]
    reached_by: cython.longlong[::1] = views[9]
    seen_from: cython.schar[::1] = views[10]
    seen_to: cython.schar[::1] = views[11]
    total: cython.double = 0.0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        for i in range(n):
            while supply_[i] > 0:
                _send(costs_, supply_, demand_, flow, price_from, price_to, far_from, far_to, via, reached_by,
                      seen_from, seen_to, i)  # fmt: skip
        for i in range(n):
            for j in range(m):
                total += costs_[i, j] * flow[i, j]
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _send(
    costs: cython.double[:, ::1],
    supply: cython.longlong[::1],
    demand: cython.longlong[::1],
    flow: cython.longlong[:, ::1],
    price_from: cython.double[::1],
    price_to: cython.double[::1],
    far_from: cython.double[::1],
    far_to: cython.double[::1],
    via: cython.longlong[::1],
    reached_by: cython.longlong[::1],
    seen_from: cython.schar[::1],
    seen_to: cython.schar[::1],
    start: cython.Py_ssize_t,
) -> cython.void:
    """Send as much as possible along the cheapest augmenting path from `start` to unmet demand: Dijkstra's algorithm
    over reduced costs, which are non-negative."""
    n: cython.Py_ssize_t = supply.shape[0]
    m: cython.Py_ssize_t = demand.shape[0]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    best: cython.Py_ssize_t
    found: cython.double
    amount: cython.longlong
    for i in range(n):
        seen_from[i] = 0
    for j in range(m):
        seen_to[j] = 0
        far_to[j] = 1e300
    seen_from[start] = 1
    far_from[start] = 0.0
    _relax(costs, price_from, price_to, far_from, far_to, reached_by, seen_to, start)
    while True:
        best = -1
        for j in range(m):
            if seen_to[j] == 0 and (best < 0 or far_to[j] < far_to[best]):
                best = j
        seen_to[best] = 1
        if demand[best] > 0:
            break
        for i in range(n):
            if seen_from[i] == 0 and flow[i, best] > 0:
                seen_from[i] = 1
                far_from[i] = far_to[best]
                via[i] = best
                _relax(costs, price_from, price_to, far_from, far_to, reached_by, seen_to, i)
    found = far_to[best]
    for i in range(n):
        if seen_from[i] != 0:
            price_from[i] += far_from[i] - found
    for j in range(m):
        if seen_to[j] != 0:
            price_to[j] += far_to[j] - found
    amount = supply[start] if supply[start] < demand[best] else demand[best]
    j = best
    i = reached_by[j]
    while i != start:
        j = via[i]
        if flow[i, j] < amount:
            amount = flow[i, j]
        i = reached_by[j]
    supply[start] -= amount
    demand[best] -= amount
    j = best
    i = reached_by[j]
    flow[i, j] += amount
    while i != start:
        j = via[i]
        flow[i, j] -= amount
        i = reached_by[j]
        flow[i, j] += amount


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _relax(
    costs: cython.double[:, ::1],
    price_from: cython.double[::1],
    price_to: cython.double[::1],
    far_from: cython.double[::1],
    far_to: cython.double[::1],
    reached_by: cython.longlong[::1],
    seen_to: cython.schar[::1],
    i: cython.Py_ssize_t,
) -> cython.void:
    j: cython.Py_ssize_t
    far: cython.double
    for j in range(far_to.shape[0]):
        if seen_to[j] == 0:
            far = costs[i, j] + price_from[i] - price_to[j]
            far = far_from[i] + (far if far > 0 else 0.0)
            if far < far_to[j]:
                far_to[j] = far
                reached_by[j] = i
