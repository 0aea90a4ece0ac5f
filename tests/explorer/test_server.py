"""The server: names instead of paths, this machine only, a policy on every answer, the numbers of the files."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars
import pytest

from assay.explorer.queries import Queries
from assay.explorer.server import app_of
from assay.explorer.standalone import built
from assay.records.digests import seal

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

pytestmark = pytest.mark.skipif(not built(), reason="needs the built pages (make pages)")


def client_of(path: Path, host: str = "127.0.0.1") -> TestClient:
    from fastapi.testclient import TestClient

    return TestClient(app_of(Queries([path])), base_url=f"http://{host}")


@pytest.fixture(scope="module")
def client(sample: Path) -> TestClient:
    return client_of(sample)


SECRET = "root:secret"
ESCAPES = [
    "/../secret.txt",
    "/../../etc/passwd",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/..%5csecret.txt",
    "/%252e%252e%252fsecret.txt",
    "//etc/passwd",
    "/etc/passwd",
    "/static/../../secret.txt",
    "/assets/..%2f..%2fsecret.txt",
    "/pages.js/../../secret.txt",
    "/api/export...%2fsecret.txt",
    "/api/examples?dataset=../secret.txt",
    "/api/examples?dataset=%2Fetc%2Fpasswd",
    "/api/examples?dataset=..%2F..",
    "/api/compare?dataset=..&a=..&b=/etc/passwd",
    "/api/correlation?dataset=news%2F..%2F..%2Fsecret.txt",
]


@pytest.mark.parametrize("address", ESCAPES)
def test_paths_outside_the_folder_are_refused(sample: Path, client: TestClient, address: str) -> None:
    (sample.parent / "secret.txt").write_text(SECRET, encoding="utf-8")
    answer = client.get(address)
    assert answer.status_code == 404
    assert SECRET not in answer.text
    assert "root:x" not in answer.text


def test_every_response_has_a_security_policy(client: TestClient) -> None:
    for address in ("/", "/pages.js", "/api/overview", "/nothing", "/api/examples?dataset=nothing"):
        policy = client.get(address).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy


def test_other_host_names_are_refused(sample: Path) -> None:
    """A page of another site whose name was pointed at this machine gets nothing."""
    assert client_of(sample, "evil.example").get("/api/overview").status_code == 421
    assert client_of(sample, "localhost").get("/api/overview").status_code == 200


def test_invalid_requests_are_refused_in_one_line(client: TestClient) -> None:
    for address, word in [
        ("/api/examples?dataset=news&limit=x", "integer"),
        ("/api/examples?dataset=news&low=x", "number"),
        ("/api/examples?dataset=news&colour=red", "colour"),
        ("/api/examples?dataset=news&where=planet=mars", "planet"),
        ("/api/examples?dataset=news&metric=nothing&system=lead", "nothing"),
        ("/api/compare?dataset=news&a=lead&b=unknown", "unknown"),
        ("/api/compare?dataset=news&a=lead&b=lead", "with itself"),
        ("/api/subsets?dataset=news&a=lead&b=lead", "with itself"),
        ("/api/correlation?dataset=places", "no human judgements"),
        ("/api/correlation?dataset=news&criterion=beauty", "beauty"),
    ]:
        answer = client.get(address)
        assert answer.status_code == 404
        assert word in answer.json()["error"]


def test_link_out_of_the_folder_is_not_followed(sample: Path, tmp_path: Path) -> None:
    copied = tmp_path / "results"
    shutil.copytree(sample, copied)
    outside = tmp_path / "outside.jsonl"
    outside.write_text(json.dumps({"id": "news-01", "output": SECRET}) + "\n", encoding="utf-8")
    (copied / "news" / "lead" / "outputs.jsonl").unlink()
    (copied / "news" / "lead" / "outputs.jsonl").symlink_to(outside)
    answer = client_of(copied).get("/api/examples?dataset=news")
    assert SECRET not in answer.text
    assert "points outside" in answer.text


@pytest.mark.parametrize("name", ["../outside", "/etc"])
def test_manifest_cannot_name_folders_outside(sample: Path, tmp_path: Path, name: str) -> None:
    copied = tmp_path / "results"
    shutil.copytree(sample, copied)
    shutil.copytree(sample / "news", tmp_path / "outside")
    manifest = json.loads((copied / "results.json").read_text(encoding="utf-8"))
    manifest["datasets"][0]["name"] = name
    for entry in manifest["entries"]:
        entry["dataset"] = name if entry["dataset"] == "news" else entry["dataset"]
    (copied / "results.json").write_text(json.dumps(seal(manifest)), encoding="utf-8")
    overview = client_of(copied).get("/api/overview").json()
    assert overview["datasets"] == ["places", "simple", "dialog"]
    assert any("points outside" in problem for problem in overview["problems"])


def test_manifest_cannot_name_statistics_outside(sample: Path, tmp_path: Path) -> None:
    copied = tmp_path / "results"
    shutil.copytree(sample, copied)
    file = copied / "news" / "lead" / "run.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    stored = copied / "news" / "lead" / manifest["metrics"][0]["statistics"]
    shutil.move(stored, tmp_path / "outside.parquet")
    manifest["metrics"][0]["statistics"] = "../../../outside.parquet"
    file.write_text(json.dumps(seal(manifest)), encoding="utf-8")
    overview = client_of(copied).get("/api/overview").json()
    assert any("points outside" in problem for problem in overview["problems"])
    assert "news" in overview["datasets"]


def test_exports_contain_every_run(sample: Path, client: TestClient) -> None:
    runs = len(client.get("/api/overview").json()["runs"]["system"])
    table = polars.read_csv(io.BytesIO(client.get("/api/export.csv").content))
    stored = polars.read_parquet(io.BytesIO(client.get("/api/export.parquet").content))
    assert len(table) == len(stored) == runs
    manifest = json.loads((sample / "news" / "lead" / "run.json").read_text(encoding="utf-8"))
    row = stored.filter(
        (polars.col("system") == "lead") & (polars.col("dataset") == "news") & (polars.col("subset") == "")
    )
    assert row["rouge1"][0] == manifest["scores"]["rouge1"]["value"]
    assert row["rouge1.low"][0] == manifest["scores"]["rouge1"]["low"]
    assert r"\toprule" in client.get("/api/export.tex").text
    assert client.get("/api/export.exe").status_code == 404


def test_csv_escapes_formulas(tmp_path: Path) -> None:
    scores = {"submission_name": "=HYPERLINK(1)", "x_test": {"N": 1, "bleu": 1.0, "=1+1": 2.0}}
    (tmp_path / "a.json").write_text(json.dumps(scores), encoding="utf-8")
    text = client_of(tmp_path).get("/api/export.csv").text
    assert "'=HYPERLINK(1)" in text
    assert "'=1+1" in text.splitlines()[0]


Call = Callable[..., Any]
