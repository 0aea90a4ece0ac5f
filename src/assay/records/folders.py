"""Folders that hold items: datasets as Hugging Face saves them (Arrow, Parquet), and runs of MLflow."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, first_line
from assay.records.parquet import read_parquet
from assay.records.size_limit import format_size, read_input, size_limit, too_large

if TYPE_CHECKING:
    import polars

MLFLOW = "eval_results_table.json"


def data_files(path: Path, dataset: str | None = None) -> list[Path]:
    """The files of a folder that hold its items; `dataset` names a split where there are several."""
    if any(path.rglob("dataset_dict.json")) or any((path / name).is_dir() for name in ("train", "test", "validation")):
        splits = sorted(each.name for each in path.iterdir() if each.is_dir() and _own_files(each))
        if splits:
            if dataset not in splits:
                raise AssayError(f"{path}: holds the splits {', '.join(splits)}; choose one with --dataset")
            return _own_files(path / dataset)
    tables = sorted(path.rglob(MLFLOW))
    if len(tables) > 1:
        listed = ", ".join(str(table.relative_to(path)) for table in tables[:5])
        raise AssayError(f"{path}: holds {len(tables)} evaluation tables ({listed}); give the folder of one run")
    files = tables or _own_files(path) or _own_files(path / "data")
    parts = {name.split("-")[0] for name in (file.stem for file in files) if "-of-" in name}
    if len(parts) > 1:
        if dataset not in parts:
            raise AssayError(f"{path}: holds the splits {', '.join(sorted(parts))}; choose one with --dataset")
        files = [file for file in files if file.stem.split("-")[0] == dataset]
    if not files:
        raise AssayError(
            f"{path}: is a folder without run.json, {MLFLOW}, .arrow or .parquet files; give a file inside it, or a "
            "folder made with --save"
        )
    return files


def _own_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return []
    found = [file for file in path.iterdir() if file.suffix in (".arrow", ".parquet") and file.is_file()]
    return sorted(file for file in found if not file.name.startswith("cache-"))


def read_frames(files: list[Path]) -> list[dict[str, Any]]:
    """The rows of Arrow and Parquet files, one file after the other."""
    size = sum(file.stat().st_size for file in files)
    if size > size_limit():
        raise too_large(files[0].parent, f"its files have {format_size(size)}")
    return [row for file in files for row in _frame(file).iter_rows(named=True)]


def _frame(file: Path) -> polars.DataFrame:
    data = read_input(file)
    if file.suffix == ".parquet":
        return read_parquet(data, file)
    import polars

    try:
        read = polars.read_ipc if data.startswith(b"ARROW1") else polars.read_ipc_stream
        return read(io.BytesIO(data))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # also the panics of the reader
        raise AssayError(f"{file}: cannot be read as Arrow ({first_line(error)}); save the dataset again") from None
