"""Data folders of other tools: Hugging Face datasets (Arrow, Parquet) and runs of MLflow."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, first_line
from assay.records.parquet import frame_size, read_parquet
from assay.records.size_limit import format_size, read_input, size_limit, too_large

if TYPE_CHECKING:
    import polars

MLFLOW = "eval_results_table.json"


def is_unfinished(path: Path) -> bool:
    """Return whether a folder is that of a run that was interrupted: it has tables, but no manifest."""
    return (path / "content").is_file() and (path / "items.parquet").is_file() and not (path / "run.json").exists()


def refuse_unfinished(path: Path) -> None:
    """Raise AssayError for a run that was interrupted, or a results folder of such runs: its tables are no texts."""
    if any(map(is_unfinished, [path, *path.glob("*/"), *path.glob("*/*/")])):
        raise AssayError(f"{path}: this run was interrupted. Finish it with the command that started it; it continues.")


def data_files(path: Path, dataset: str | None = None) -> list[Path]:
    """Return the data files of a folder; `dataset` names a split if there are several."""
    refuse_unfinished(path)
    if any(path.rglob("dataset_dict.json")) or any((path / name).is_dir() for name in ("train", "test", "validation")):
        splits = sorted(each.name for each in path.iterdir() if each.is_dir() and _own_files(each))
        if splits:
            if dataset not in splits:
                raise AssayError(f"{path}: has the splits {', '.join(splits)}. Choose one with --dataset.")
            return _own_files(path / dataset)
    tables = sorted(path.rglob(MLFLOW))
    if len(tables) > 1:
        listed = ", ".join(str(table.relative_to(path)) for table in tables[:5])
        raise AssayError(f"{path}: has {len(tables)} evaluation tables ({listed}). Give the folder of one run.")
    files = tables or _own_files(path) or _own_files(path / "data")
    parts = {name.split("-")[0] for name in (file.stem for file in files) if "-of-" in name}
    if len(parts) > 1:
        if dataset not in parts:
            raise AssayError(f"{path}: has the splits {', '.join(sorted(parts))}. Choose one with --dataset.")
        files = [file for file in files if file.stem.split("-")[0] == dataset]
    if not files:
        raise AssayError(
            f"{path}: is a folder without run.json, {MLFLOW}, .arrow or .parquet files. Give a file inside it, or a "
            "folder written with --save."
        )
    return files


def _own_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return []
    files = [file for file in path.iterdir() if file.suffix in (".arrow", ".parquet") and file.is_file()]
    return sorted(file for file in files if not file.name.startswith("cache-"))


def read_frames(files: list[Path]) -> list[dict[str, Any]]:
    """Read the rows of Arrow and Parquet files, file by file."""
    size = sum(file.stat().st_size for file in files)
    if size > size_limit():
        raise too_large(files[0].parent, f"its files have {format_size(size)}")
    return [row for file in files for row in _frame(file).iter_rows(named=True)]


def _frame(file: Path) -> polars.DataFrame:
    data = read_input(file)
    return read_parquet(data, file) if file.suffix == ".parquet" else read_arrow(data, file)


def read_arrow(data: bytes, path: object) -> polars.DataFrame:
    """Read an Arrow file or stream within the size limit, which also holds for its values as Python objects."""
    import polars

    try:
        read = polars.read_ipc if data.startswith(b"ARROW1") else polars.read_ipc_stream
        frame = read(io.BytesIO(data))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # panics of the reader are not an Exception
        raise AssayError(f"{path}: not valid Arrow ({first_line(error)}). Save the dataset again.") from None
    size = frame_size(frame)
    if size > size_limit():
        raise too_large(path, f"has {format_size(size)} of text")
    return frame
