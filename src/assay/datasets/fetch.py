"""Download datasets from the Hugging Face hub: Parquet or JSON files, no loading scripts; checksums are recorded."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

from assay.datasets.base import Dataset, canonical_split
from assay.errors import AssayError
from assay.records.digests import FileDigest
from assay.records.documents import parse_json, read_json
from assay.records.files import replacing, to_json
from assay.records.size_limit import read_limited

HUB = "https://huggingface.co"
MANIFEST = "fetched.json"
CHUNK = 1 << 20

Opener = Callable[[str], BinaryIO]


@dataclass(frozen=True)
class Fetched:
    """One downloaded file."""

    path: str
    url: str
    bytes: int
    sha256: str


def fetch(
    dataset: Dataset, folder: Path, opener: Opener | None = None, configuration: str | None = None
) -> list[Fetched]:
    """Download all splits to `folder/SPLIT/`, with a manifest of checksums; unchanged files are kept."""
    card = dataset.card
    if card.hub is None:
        raise AssayError(f"{dataset.name}: not on the hub. {by_hand(dataset, folder)}")
    open_url = opener or _open
    repository = card.hub[0]
    try:
        files = list(_parquet_files(repository, configuration or card.hub[1], open_url))
        files = files or list(_json_files(repository, open_url))
    except (URLError, TimeoutError, OSError) as error:
        why = f"HTTP {error.code}" if isinstance(error, HTTPError) else "no connection"
        raise AssayError(f"{dataset.name}: cannot reach {HUB} ({why}). {by_hand(dataset, folder)}") from None
    if card.hub_splits:
        files = [(card.hub_splits[split], name, url) for split, name, url in files if split in card.hub_splits]
    if not files:
        raise AssayError(f"{repository}: the hub has no Parquet or JSON files of it. {by_hand(dataset, folder)}")
    known = _manifest(folder)
    stored = []
    for split, name, url in files:
        path = folder / split / name
        old = known.get(str(path.relative_to(folder)))
        if old and old.url == url and path.is_file() and FileDigest.of(path).sha256 == old.sha256:
            stored.append(old)
            continue
        stored.append(_store(url, path, folder, open_url))
    with replacing(folder / MANIFEST) as stream:
        stream.write(to_json({"dataset": dataset.name, "hub": repository, "files": [vars(file) for file in stored]}))
    return stored


def by_hand(dataset: Dataset, folder: Path) -> str:
    """Return what to download and where to store it."""
    card = dataset.card
    return f"Download {card.files} from {card.source} into {folder}, then: assay data read {dataset.name} {folder}"


def _parquet_files(repository: str, configuration: str | None, opener: Opener) -> Iterator[tuple[str, str, str]]:
    """Return split, file name and address of each file converted by the hub."""
    listed = _response(f"{HUB}/api/datasets/{quote(repository)}/parquet", repository, opener)
    configurations = listed if isinstance(listed, dict) else {}
    if configuration is None and len(configurations) > 1 and "default" not in configurations:
        raise AssayError(f"{repository}: several configurations; choose one with --config: {', '.join(configurations)}")
    name = configuration or ("default" if "default" in configurations else next(iter(configurations), None))
    if configurations and name not in configurations:
        raise AssayError(f"{repository}: no configuration '{name}'; there is {', '.join(configurations)}")
    for split, urls in (configurations.get(name) or {}).items():
        for i, url in enumerate(urls if isinstance(urls, list) else []):
            if not isinstance(url, str) or not url.startswith("https://"):
                raise AssayError(f"{repository}: the hub names an address that is not https: {str(url)[:60]}")
            yield _safe(str(canonical_split(split))), f"{i:04d}.parquet", url


def _json_files(repository: str, opener: Opener) -> Iterator[tuple[str, str, str]]:
    """Return JSON Lines files of the repository if there are no converted ones; the split is a word of the name."""
    listed = _response(f"{HUB}/api/datasets/{quote(repository)}", repository, opener)
    siblings = listed.get("siblings") if isinstance(listed, dict) else None
    for sibling in siblings if isinstance(siblings, list) else []:
        name = sibling.get("rfilename") if isinstance(sibling, dict) else None
        if isinstance(name, str) and name.endswith(".jsonl"):
            split = canonical_split(Path(name).stem) or "unknown"
            yield (
                _safe(split),
                f"{_safe(Path(name).stem)}.jsonl",
                f"{HUB}/datasets/{repository}/resolve/main/{quote(name)}",
            )


def _response(url: str, repository: str, opener: Opener) -> Any:
    with opener(url) as answer:
        return parse_json(read_limited(answer, url), f"{repository}: the hub's answer")


def _safe(name: str) -> str:
    """Return a safe folder or file name; names come from the hub."""
    return "".join(char for char in name if char.isalnum() or char in "_-") or "unknown"


def _store(url: str, path: Path, folder: Path, opener: Opener) -> Fetched:
    digest, size = hashlib.sha256(), 0
    try:
        with opener(url) as source, replacing(path, "wb") as target:
            while chunk := source.read(CHUNK):
                digest.update(chunk)
                size += len(chunk)
                target.write(chunk)
    except (URLError, TimeoutError) as error:
        raise AssayError(f"{url}: download interrupted ({error}); run the same command again") from None
    return Fetched(str(path.relative_to(folder)), url, size, digest.hexdigest())


def _manifest(folder: Path) -> dict[str, Fetched]:
    path = folder / MANIFEST
    if not path.is_file():
        return {}
    try:
        return {file["path"]: Fetched(**file) for file in read_json(path)["files"]}
    except (AssayError, KeyError, TypeError):
        raise AssayError(f"{path}: damaged; delete it and fetch again") from None


def _open(url: str) -> BinaryIO:
    """Open an address with a timeout of 30 seconds; the offline mode of the hub's tools is respected."""
    if os.environ.get("HF_HUB_OFFLINE", "") not in ("", "0"):
        raise URLError("offline mode")
    answer: BinaryIO = urlopen(Request(url, headers={"User-Agent": "assay"}), timeout=30)
    return answer
