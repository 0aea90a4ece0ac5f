"""The Hugging Face hub: whether it can be reached, found out once instead of by retries of every file.

Without a network its library retries each file of a model for more than a minute before it says so.
"""

from __future__ import annotations

import socket
import time
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from assay.errors import AssayError

PATIENCE = 3.0
"""Seconds to wait for a connection."""
AGAIN = 60.0
"""Seconds after which a hub that was not reached is tried again."""
UNREACHABLE = "the Hugging Face hub cannot be reached from here"

_tried: tuple[float, bool] = (-AGAIN, True)


def may_download(path: str) -> None:
    """Call before a library loads a model by folder or name: a name is not looked up again and again without a
    network."""
    if not Path(path).exists():
        stop_retries()


def is_reachable() -> bool:
    """Return whether the hub, or the proxy in front of it, takes a connection."""
    global _tried
    when, answer = _tried
    if not answer and time.monotonic() - when < AGAIN:
        return False
    if not answer or when < 0:
        _tried = (time.monotonic(), _takes_connection())
    return _tried[1]


def stop_retries() -> bool:
    """Tell the hub's library to use downloaded files only, if the hub cannot be reached; return whether it can.

    The setting of the user (`HF_HUB_OFFLINE`) is kept.
    """
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE and not _set_here:
        return False
    constants.HF_HUB_OFFLINE = not is_reachable()
    _set_here.add("HF_HUB_OFFLINE")
    return not constants.HF_HUB_OFFLINE


def refuse_unreachable(name: str) -> None:
    """Raise AssayError for a model that is neither here nor to be had, before the libraries that read it are imported.

    Args:
        name: A folder or Hugging Face name.
    """
    if Path(name).exists() or stop_retries():
        return
    from huggingface_hub import try_to_load_from_cache

    if not isinstance(try_to_load_from_cache(name, "config.json"), str):
        raise AssayError(f"weights for {name} are not downloaded, and {UNREACHABLE}. Give a model folder.")


_set_here: set[str] = set()
"""Settings of the library that were changed here."""


def _takes_connection() -> bool:
    from huggingface_hub import constants

    endpoint = urlsplit(constants.ENDPOINT)
    host, port = endpoint.hostname or "", endpoint.port or (80 if endpoint.scheme == "http" else 443)
    proxy = getproxies().get(endpoint.scheme)
    if proxy and not proxy_bypass(host):
        there = urlsplit(proxy if "//" in proxy else f"//{proxy}")
        host, port = there.hostname or "", there.port or 80
    answers: list[bool] = []

    def connect() -> None:
        try:
            socket.create_connection((host, port), PATIENCE).close()
            answers.append(True)
        except OSError:
            answers.append(False)

    attempt = Thread(target=connect, daemon=True)  # looking up a name has no time limit of its own
    attempt.start()
    attempt.join(PATIENCE)
    return bool(answers) and answers[0]
