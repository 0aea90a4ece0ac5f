"""Entries of zip archives, including those compressed with Zstandard, as logs of inspect_ai are."""

from __future__ import annotations

import io
import struct
import sys
import zipfile
import zlib

from assay.errors import AssayError
from assay.extras import not_installed
from assay.records.size_limit import read_limited

ZSTANDARD = 93
"""Code of the compression method in a zip archive."""
HEADER = 30
"""Bytes before the name of an entry; the last four are the lengths of the name and the extra field."""


def read_entry(archive: zipfile.ZipFile, data: bytes, name: str, where: str, room: int) -> bytes:
    """Return the content of an entry, at most `room` bytes. `data` is the whole archive."""
    info = archive.getinfo(name)
    if info.compress_type != ZSTANDARD or sys.version_info >= (3, 14):  # Python 3.14 supports Zstandard
        with archive.open(info) as entry:
            return read_limited(entry, where, room)
    try:
        import zstandard
    except ImportError:
        remedy = "or write the log as JSON (--log-format json of inspect_ai)"
        raise AssayError(f"{where}: {not_installed(['zstandard'], 'logs')}, {remedy}") from None
    lengths = struct.unpack("<HH", data[info.header_offset + HEADER - 4 : info.header_offset + HEADER])
    start = info.header_offset + HEADER + sum(lengths)
    packed = io.BytesIO(data[start : start + info.compress_size])
    with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as stream:
        content = read_limited(stream, where, room)
    if zlib.crc32(content) != info.CRC:
        raise AssayError(f"{where}: is damaged (the checksum differs). Copy the archive again.")
    return content
