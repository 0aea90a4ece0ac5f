"""The linear assignment problem: pair rows with columns one to one so that the summed score is largest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def best_assignment(scores: NDArray[np.floating[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the one-to-one pairing of rows and columns with the largest sum of scores.

    Shortest augmenting paths with dual variables (Jonker and Volgenant 1987, for rectangular matrices as in Crouse
    2016). Exact; the time grows with rows x rows x columns.

    Args:
        scores: A matrix of finite scores. Where it is not square, the longer side stays partly unpaired.

    Returns:
        The paired rows in ascending order, and the column of each.

    Example:
        >>> rows, columns = best_assignment(np.array([[0.9, 0.8], [0.7, 0.1]]))
        >>> columns.tolist()
        [1, 0]
    """
    if scores.shape[0] > scores.shape[1]:
        columns, rows = best_assignment(scores.T)
        order = np.argsort(rows)
        return rows[order], columns[order]
    costs = (-np.asarray(scores, dtype=np.float64)).tolist()
    height, width = scores.shape
    column_of, row_of = [-1] * height, [-1] * width
    row_price, column_price = [0.0] * height, [0.0] * width
    for start in range(height):
        distance, path = [math.inf] * width, [-1] * width
        visited_rows: list[int] = []
        visited_columns: list[int] = []
        left = list(range(width - 1, -1, -1))
        row, reached, end = start, 0.0, -1
        while end < 0:
            visited_rows.append(row)
            nearest, lowest = -1, math.inf
            for place, column in enumerate(left):
                length = reached + costs[row][column] - row_price[row] - column_price[column]
                if length < distance[column]:
                    distance[column], path[column] = length, row
                # Of equally near columns an unpaired one ends the search.
                if distance[column] < lowest or (distance[column] == lowest and row_of[column] < 0):
                    nearest, lowest = place, distance[column]
            reached, column = lowest, left[nearest]
            visited_columns.append(column)
            left[nearest] = left[-1]
            left.pop()
            if row_of[column] < 0:
                end = column
            else:
                row = row_of[column]
        for row in visited_rows:
            row_price[row] += reached - (0.0 if row == start else distance[column_of[row]])
        for column in visited_columns:
            column_price[column] -= reached - distance[column]
        column = end
        while True:  # swap the pairs along the path
            row = path[column]
            row_of[column] = row
            column_of[row], column = column, column_of[row]
            if row == start:
                break
    return np.arange(height), np.array(column_of, dtype=np.int64)
