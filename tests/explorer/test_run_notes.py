"""Notes of many systems: once each."""

from __future__ import annotations

from assay.explorer.run_notes import joined_notes


def test_notes_of_several_systems_that_differ_in_names_and_figures_are_one() -> None:
    notes = [
        (
            system,
            [f"runs/{system}.txt has no ids", f"Dependent: n = {n} on {metric}.", "All items: 3 references"],
        )
        for system, n, metric in (("bart", 36, "chrf"), ("t5", 41, "bleu"), ("lead", 40, "chrf"))
    ]
    assert joined_notes(notes, ["chrf", "bleu"]) == [
        "runs/bart.txt has no ids (and similarly for 2 more systems)",
        "Dependent: n = 36 on chrf (and similarly for 2 more systems).",
        "All items: 3 references",
    ]


def test_different_notes_and_those_of_one_system_stay() -> None:
    notes = [("bart", ["3 outputs are empty", "4 outputs are copies"]), ("t5", ["3 outputs are empty"])]
    assert joined_notes(notes, []) == ["3 outputs are empty", "4 outputs are copies"]
    assert joined_notes([("bart", ["id 3: bad", "id 4: bad"])], []) == ["id 3: bad", "id 4: bad"]
