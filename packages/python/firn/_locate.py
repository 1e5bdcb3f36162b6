"""Where the server's binary is."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from firn._errors import StartError

_BUNDLED = Path(__file__).parent / "_bin" / "firn"


def binary() -> str:
    """The binary that FIRN_BINARY names, else the one of the wheel, else the one on PATH."""
    named = os.environ.get("FIRN_BINARY")
    if named:
        if not os.access(named, os.X_OK):
            raise StartError(f"FIRN_BINARY names `{named}`, which is no executable file")
        return named
    if _BUNDLED.exists():
        return str(_BUNDLED)
    found = shutil.which("firn")
    if found is None:
        raise StartError(
            "the firn binary was not found: this package has none for your system, and there is none on PATH; "
            "install the wheel of your system, or set FIRN_BINARY to the path of a binary"
        )
    return found
