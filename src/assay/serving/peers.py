"""The user at the other end of a local connection, as the Linux kernel reports it."""

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
"""Netlink protocol, message type and flag of a socket query (linux/sock_diag.h)."""
HEAD = struct.Struct("=IHHII")
ANY = 0xFFFFFFFF
UID = HEAD.size + 64
"""Offset of the user id in a response (linux/inet_diag.h: four bytes, 48 of the socket, three integers)."""


def other_user(client: End | None, server: End | None) -> bool:
    """Return whether the client is known to belong to another user, other than root."""
    if client is None or server is None or not client[1] or not server[1]:
        return False
    try:
        owner = queried_owner(client, server)
        owner = listed_owner(client, server) if owner is None else owner
    except (OSError, AttributeError):  # no IP addresses, or not Linux
        return False
    return owner is not None and owner not in (0, os.getuid())


def queried_owner(client: End, server: End) -> int | None:
    """Return the user id of the client's socket, by a netlink query for this connection."""
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


def listed_owner(client: End, server: End) -> int | None:
    """Return the same from the list of all connections, which is slow if there are many."""
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
    """Format an address as the kernel lists it: groups of four bytes in machine order."""
    packed = socket.inet_pton(_family(end), end[0])
    words = (f"{int.from_bytes(packed[i : i + 4], sys.byteorder):08X}" for i in range(0, len(packed), 4))
    return f"{''.join(words)}:{end[1]:04X}"
