"""The leaderboard: ordered, with intervals, directions and significance marks, from the explorer's table."""

from __future__ import annotations

import re

from assay.benchmark.service.board_picture import leaders_of, picture_of
from assay.benchmark.service.leaderboard import leaderboards
from tests.support.made_service import MadeService
from tests.support.made_submissions import good


def test_systems_are_ordered_and_marked(service: MadeService) -> None:
    sent = good(submission_name="weak")
    for task in sent["tasks"].values():
        task["values"] = ["nothing at all" for _ in task["values"]]
    answer = service.program("author").post("/api/benchmarks/tides/versions/1/submissions", json=sent)
    assert answer.status_code == 201, answer.text
    service.submit("author", submission_name="strong")
    service.work()
    page = service.client("reader").get("/b/tides/1").text
    board = page[page.index("<h3") : page.index("<h2", page.index("<h3"))]
    names = re.findall(r'<th scope="row">(.*?)</th>', board[: board.index("</table>")])
    assert names[-1] == "weak"
    assert "bleu ↑" in board
    assert "chrf ↑" in board
    assert re.search(r"<strong>[\d.]+ \[[\d.]+, [\d.]+\]</strong>", board), board
    assert "Bold: best" in board
    assert "95 % confidence intervals" in board
    assert "3 submissions have been scored on this test set" in page
    assert "p is below .017" in page


def test_lower_is_better_comes_first_and_says_so() -> None:
    def row(name: str, value: float) -> dict[str, object]:
        score = {"value": value, "low": value - 1, "high": value + 1, "signature": "ter|x", "label": "ter"}
        return {
            "system": name,
            "received": "2026-01-01",
            "scores": {"t": {"n": 9, "shown": ["ter"], "scores": {"ter": score}}},
        }

    (board,) = leaderboards(["t", "none"], [row("a", 50.0), row("b", 40.0), row("zero", 0.0)], None)
    assert board.headings == ["system", "ter ↓"]
    assert [cells[0].text for cells, _ in board.rows] == ["zero", "b", "a"]
    assert board.rows[1][0][1].text == "40.0 [39.0, 41.0]"
    assert board.intervals


def test_the_picture_the_leaders_and_the_place_of_a_submission(service: MadeService) -> None:
    answer = service.submit("author", submission_name="strong")
    service.work()
    client = service.client("author")
    page = client.get("/b/tides/1").text
    assert "<svg" in page  # the picture of the leaderboard
    assert all(f'href="#{part}"' in page for part in ("results", "tasks", "rules", "mine"))
    assert "My submissions (2)" in page
    assert 'href="#mine"' not in service.client("reader").get("/b/tides/1").text
    home = client.get("/").text
    assert re.search(r"Leading.*?<span class=\"chip\">", home, re.S), home
    placed = client.get(f"/submissions/{answer.json()['id']}").text
    assert re.search(r'<tr class="own" aria-current="true"><th scope="row">strong</th>', placed)


def test_the_drawing_follows_the_direction_and_escapes_names() -> None:
    def row(name: str, value: float) -> dict[str, object]:
        score = {"value": value, "low": value - 1, "high": value + 1, "signature": "ter|x", "label": "ter"}
        return {"system": name, "received": "", "scores": {"t": {"n": 9, "shown": ["ter"], "scores": {"ter": score}}}}

    (board,) = leaderboards(["t"], [row("<b>a", 50.0), row("b", 40.0)], None)
    drawing = picture_of(board)
    assert "lower is better, axis flipped" in drawing
    assert "&lt;b&gt;a" in drawing
    assert "<b>" not in drawing
    assert leaders_of(board) == (["b"], "ter ↓", False)  # no test: the page says so
    (equal,) = leaderboards(["t"], [row("a", 40.0), row("b", 40.0)], None)
    assert leaders_of(equal).names == ["a", "b"]  # the order of equal scores is no difference
