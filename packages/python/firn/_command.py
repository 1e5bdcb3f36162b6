"""The `firn` command that the wheel installs."""

from __future__ import annotations

import os
import sys

from firn._errors import StartError
from firn._locate import _BUNDLED, binary


def main() -> None:
    # What is on PATH may be this very command.
    if not os.environ.get("FIRN_BINARY") and not _BUNDLED.exists():
        sys.exit("firn: this installation has no binary for your system; set FIRN_BINARY to the path of one")
    try:
        program = binary()
    except StartError as error:
        sys.exit(f"firn: {error}")
    os.execv(program, [program, *sys.argv[1:]])
