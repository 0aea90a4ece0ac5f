"""References and inputs are read by whom the benchmark names, over every route and in every export."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import polars
import pytest
from sqlalchemy import select, text

from assay.benchmark.manifest import BenchmarkManifest, Task, published
from assay.benchmark.visibility import Visibility, visibility
from assay.explorer.overview import overview_of
from assay.serving.migrate import migrate_database
from assay.serving.tables import submissions
from assay.store.library import open_results
from tests.benchmark.service.test_roles import SAFE, ask, place
from tests.support.made_benchmarks import MANIFEST
from tests.support.made_service import ROLES, MadeService, made_service

REFERENCE, INPUT = "The sea at port 9 is", '"port","is","9"'
"""Of an item that is in one task only. No output contains the words of a reference."""
V = "/b/tides/1"


def words_of(content: bytes) -> str:
    """All texts of an answer: archives and tables are read."""
    if content[:2] != b"PK":
        return content.decode("utf-8", "replace").replace(", ", ",").replace('\\"', '"').replace("&#34;", '"')
    texts = []
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            inside = archive.read(name)
            if name.endswith(".parquet"):
                texts.append(str(polars.read_parquet(io.BytesIO(inside)).to_dicts()))
            texts.append(words_of(inside))
    return "".join(texts)


def server_with(folder: Path, line: str) -> MadeService:
    stated = MANIFEST.replace('held_back = ["rouge1"]\n', f'held_back = ["rouge1"]\n{line}', 1)
    made = made_service(folder, manifest=stated)
    made.program("owner").patch("/api/benchmarks/tides", json={"public": True})
    return made


@pytest.fixture(scope="module")
def hidden(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MadeService]:
    made = server_with(tmp_path_factory.mktemp("hidden"), "")
    yield made
    made.server.database.close()


def test_no_route_shows_what_is_hidden(hidden: MadeService) -> None:
    """The default of a test split with held-back metrics, for every route, explorer pages included."""
    texts = ("api/examples?dataset=tides_test&limit=200", "api/examples?dataset=tides_test&text=The+sea+at+port+9+is")
    pages = (
        "",
        "api/overview",
        *texts,
        "api/cards",
        "api/export.csv",
        "api/export.parquet",
        "api/table?dataset=tides_test",
    )
    explored = [f"{V}/explore/{path}" for path in pages]
    for role in ROLES:
        for case in SAFE:
            said = words_of(ask(hidden, case, role, place(hidden, case.path)).content)
            assert REFERENCE not in said, (role, case.path)
            assert INPUT not in said, (role, case.path)
        for path in explored:
            answer = hidden.client(role).get(path)
            assert answer.status_code == 200, path
            assert REFERENCE not in words_of(answer.content), (role, path)
            assert INPUT not in words_of(answer.content), (role, path)


def test_the_bundle_without_references_can_be_opened(hidden: MadeService, tmp_path: Path) -> None:
    (tmp_path / "b.zip").write_bytes(hidden.client().get(f"{V}/bundle.zip").content)
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        archive.extractall(tmp_path / "b")
    assert overview_of(open_results([tmp_path / "b"])).problems == []
    assert '"id":"p9"' in (tmp_path / "b" / "tides_test" / "examples.jsonl").read_text().replace(" ", "")
    overview = hidden.client().get(f"{V}/explore/api/overview")
    assert overview.status_code == 200
    assert "anonymous-1" in overview.text
    stated = (tmp_path / "b" / "benchmark.toml").read_text()
    assert 'show_references = "hidden"' in stated


@pytest.mark.parametrize("metrics", ['["bleu", "nist", "cider"]', '["nist"]'])
def test_statistics_with_words_of_references_are_not_published(tmp_path: Path, metrics: str) -> None:
    """NIST and CIDEr keep the tokens of references, of which the bundle contained all."""
    made = made_service(tmp_path, manifest=MANIFEST.replace('["bleu", "chrf"]', metrics, 1))
    made.program("owner").patch("/api/benchmarks/tides", json={"public": True})
    with made.server.database.read() as connection:
        id = connection.execute(select(submissions.c.id)).scalar()
    for role, path in (("nobody", f"{V}/bundle.zip"), ("author", f"/submissions/{id}/results.zip")):
        content = made.client(role).get(path).content
        tokens = words_of(content).replace("'", "")
        assert "The,sea,at,port" not in tokens.title()
        assert "nist" in tokens
        folder = tmp_path / role
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            archive.extractall(folder)
        overview = overview_of(open_results([folder]))
        assert overview.problems == []
        (run,) = [run for run in overview.runs if run.dataset == "tides_test" and not run.subset]
        assert run.value("nist") is not None
    assert made.client().get(f"{V}/explore/api/overview").status_code == 200
    assert made.client().get(V).status_code == 200
    made.server.database.close()


def test_copies_of_an_earlier_version_are_written_again(tmp_path: Path) -> None:
    """Copies contained references, whatever the benchmark states; a migration drops them."""
    made = server_with(tmp_path, "")
    old = made.server.blobs.put(REFERENCE.encode())
    with made.server.database.write() as connection:
        made.server.blobs.name(connection, old)
        connection.execute(submissions.update().values(copy=old))
        connection.execute(text("UPDATE alembic_version SET version_num = '0007'"))
    migrate_database(made.server.database)
    with made.server.database.read() as connection:
        id = connection.execute(select(submissions.c.id)).scalar()
    author = made.client("author")
    assert f"/submissions/{id}/results.zip" in author.get(f"/submissions/{id}").text
    for _ in range(2):  # one job, however often it is requested
        early = author.get(f"/submissions/{id}/results.zip")
        assert early.status_code == 503
        assert "being packed" in early.text
    assert made.client("reader").get(f"/submissions/{id}/results.zip").status_code == 404
    assert made.work() == 1
    copy = author.get(f"/submissions/{id}/results.zip")
    assert copy.status_code == 200
    assert "run.json" in " ".join(zipfile.ZipFile(io.BytesIO(copy.content)).namelist())
    assert REFERENCE not in words_of(copy.content)
    assert made.client().get(f"{V}/bundle.zip").status_code == 404  # dropped, and requested again
    assert made.work() == 1
    assert REFERENCE not in words_of(made.client().get(f"{V}/bundle.zip").content)
    assert made.client().get(f"{V}/bundle.zip").status_code == 200
    made.server.database.close()


@pytest.mark.parametrize("what", ["references", "inputs"])
def test_users_who_are_signed_in_may_read_more(tmp_path: Path, what: str) -> None:
    made = server_with(tmp_path, f'show_{what} = "signed-in"\n')
    word, other = (REFERENCE, INPUT) if what == "references" else (INPUT, REFERENCE)
    for path in (f"{V}/bundle.zip",):
        assert word not in words_of(made.client().get(path).content)
        said = words_of(made.client("reader").get(path).content)
        assert word in said
        assert other not in said
    made.server.database.close()


def test_public_references_are_in_the_bundle(tmp_path: Path) -> None:
    made = server_with(tmp_path, 'show_references = "public"\nshow_inputs = "public"\n')
    said = words_of(made.client().get(f"{V}/bundle.zip").content)
    assert REFERENCE in said
    assert INPUT in said
    made.server.database.close()


def test_defaults() -> None:
    def level(**task: object) -> Visibility:
        own = Task(name="a_test", examples="a.jsonl", **task)  # type: ignore[arg-type]
        return visibility(BenchmarkManifest(name="a", version="1", tasks=[own]), own)

    assert level() == ("public", "public")
    assert level(held_back=["rouge1"]) == ("hidden", "hidden")
    assert level(held_back=["rouge1"], show_references="signed-in") == ("signed-in", "hidden")
    tasks = [
        Task(name="a_test", examples="a.jsonl", held_back=["rouge1"]),
        Task(name="a_validation", examples="b.jsonl", held_back=["rouge1"]),
        Task(name="a_test_scramble", challenge="scramble", parent="a_test", show_references="public"),
    ]
    manifest = BenchmarkManifest(name="a", version="1", tasks=tasks)
    assert [visibility(manifest, task).references for task in tasks] == ["hidden", "public", "hidden"]
    assert [task.show_references for task in published(manifest).tasks] == ["hidden", "public", "hidden"]
