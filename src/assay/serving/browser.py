"""Opening the user's browser, where there is a user with a browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from threading import Thread


def open_browser(address: str) -> bool:
    """Open an address in the browser without waiting for it; return whether that was tried."""
    if not _has_browser():
        return False
    Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    return True


def _has_browser() -> bool:
    """Return whether a user with a graphical browser is at this terminal: not in CI, in a pipe, or in a remote shell,
    where a browser of the terminal itself would take it over."""
    if os.environ.get("CI") or not sys.stdout.isatty():
        return False
    if os.environ.get("BROWSER") or sys.platform in ("darwin", "win32"):
        return not os.environ.get("SSH_CONNECTION")
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
