"""Entries of zip archives, also those packed with Zstandard, as inspect_ai packs its logs."""

from __future__ import annotations

import io
import struct
import sys
import zipfile
import zlib

from assay.errors import AssayError
from assay.records.size_limit import read_limited

ZSTANDARD = 93
"""The method's number in an archive."""
HEADER = 30
"""Bytes before the name of an entry; the lengths of name and extra field are the last four of them."""


def read_entry(archive: zipfile.ZipFile, data: bytes, name: str, where: str, room: int) -> bytes:
    """What an entry of the archive, which is all of `data`, holds: no more than there is room for."""
    info = archive.getinfo(name)
    if info.compress_type != ZSTANDARD or sys.version_info >= (3, 14):  # which unpacks it by itself
        with archive.open(info) as entry:
            return read_limited(entry, where, room)
    try:
        import zstandard
    except ImportError:
        remedy = "pip install 'assay-eval[logs]', or have inspect_ai write it as JSON (--log-format json)"
        raise AssayError(f"{where}: packed with Zstandard, which takes a package: {remedy}") from None
    lengths = struct.unpack("<HH", data[info.header_offset + HEADER - 4 : info.header_offset + HEADER])
    start = info.header_offset + HEADER + sum(lengths)
    packed = io.BytesIO(data[start : start + info.compress_size])
    with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as stream:
        content = read_limited(stream, where, room)
    if zlib.crc32(content) != info.CRC:
        raise AssayError(f"{where}: is damaged (its checksum differs); copy the archive again")
    return content
