"""Whose process is at the other end of a connection within this machine. The kernel knows, on Linux."""

from __future__ import annotations

import os
import socket
import struct
import sys
from pathlib import Path

End = tuple[str, int]
"""An address and a port."""

LISTS = ("/proc/net/tcp", "/proc/net/tcp6")
DIAG, BY_FAMILY, REQUEST = 4, 20, 1
"""The kernel's service for questions about sockets, the question, and that it is one (linux/sock_diag.h)."""
HEAD = struct.Struct("=IHHII")
ANY = 0xFFFFFFFF
UID = HEAD.size + 64
"""Where the owner stands in an answer (linux/inet_diag.h: four bytes, the socket's 48, three numbers)."""


def other_user(client: End | None, server: End | None) -> bool:
    """Whether the other end is known to belong to another user, root aside."""
    if client is None or server is None or not client[1] or not server[1]:
        return False
    try:
        owner = asked(client, server)
        owner = listed(client, server) if owner is None else owner
    except (OSError, AttributeError):  # no addresses, as in tests without a network; or not Linux
        return False
    return owner is not None and owner not in (0, os.getuid())


def asked(client: End, server: End) -> int | None:
    """The owner of the client's end, by a question about this one connection."""
    family = _family(client)
    ends = b"".join(socket.inet_pton(family, host).ljust(16, b"\0") for host, _ in (client, server))
    ports = struct.pack(">HH", client[1], server[1])
    question = struct.pack("=BBBBI", family, socket.IPPROTO_TCP, 0, 0, ANY) + ports + ends
    question += struct.pack("=III", 0, ANY, ANY)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, DIAG) as kernel:
        kernel.settimeout(1)
        kernel.send(HEAD.pack(HEAD.size + len(question), BY_FAMILY, REQUEST, 0, 0) + question)
        answer = kernel.recv(4096)
    if len(answer) < UID + 4 or HEAD.unpack_from(answer)[1] != BY_FAMILY:
        return None
    return int.from_bytes(answer[UID : UID + 4], sys.byteorder)


def listed(client: End, server: End) -> int | None:
    """The same from the list of all connections, which takes long where there are many."""
    ends = f"{_as_listed(client)} {_as_listed(server)} "
    for path in LISTS:
        if Path(path).exists():
            for line in Path(path).read_text("ascii").splitlines():
                if ends in line:
                    return int(line.split()[7])
    return None


def _family(end: End) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in end[0] else socket.AF_INET


def _as_listed(end: End) -> str:
    """As the kernel writes it: every four bytes in the order of the machine."""
    packed = socket.inet_pton(_family(end), end[0])
    words = (f"{int.from_bytes(packed[i : i + 4], sys.byteorder):08X}" for i in range(0, len(packed), 4))
    return f"{''.join(words)}:{end[1]:04X}"
