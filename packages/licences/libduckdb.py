#!/usr/bin/env python3
"""Writes libduckdb.txt from DuckDB's sources: `libduckdb.py FOLDER`, the one that has `third_party` and `extension`.

To be run when `scripts/libduckdb` locks another version.
"""

import sys
from pathlib import Path

RULE = "-" * 100
#: Parts that are compiled into the library.
LICENCES = ["LICENSE", "third_party/**/LICENSE", "third_party/**/NOTICES", "extension/icu/third_party/icu/LICENSE"]
LICENCES += ["src/include/**/LICENSE"]


def main(folder):
    files = sorted({file for pattern in LICENCES for file in folder.glob(pattern)})
    by_text = {}
    for file in files:
        text = "\n".join(line.rstrip() for line in file.read_text(errors="replace").splitlines()).strip("\n")
        by_text.setdefault(text, []).append(str(file.parent.relative_to(folder)).replace(".", "DuckDB"))
    parts = [f"{RULE}\n{', '.join(names)}\n{RULE}\n\n{text}\n" for text, names in by_text.items()]
    Path(__file__).with_suffix(".txt").write_text("\n".join(parts))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
