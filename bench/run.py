"""Measures firn beside its peers in one run and prints the ratios.

    run.py [small] [definitions] [many] [grants] [tpch] [large] [pandas] [copy] [front]

Without names (here or in the variable PARTS) it runs all parts. FIRN_BINARY says which firn. Exits
with 1 when a goal is missed.
"""

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import copy_into
import definitions
import front
import grants
import large_result
import many_tables
import pandas_result
import small_statements
import tpch
from report import print_head, print_line

PARTS = {
    "small": ("Small statements", small_statements.measure),
    "definitions": ("Definitions", definitions.measure),
    "many": ("A database of 1,000 tables", many_tables.measure),
    "grants": ("100,000 grants", grants.measure),
    "tpch": ("TPC-H, scale factor 1", tpch.measure),
    "large": ("A result of 5 million rows", large_result.measure),
    "pandas": ("5 million rows to pandas", pandas_result.measure),
    "copy": ("Loading files", copy_into.measure),
    "front": ("Before the engine", front.measure),
}


def main():
    names = sys.argv[1:] or os.environ.get("PARTS", "").split() or list(PARTS)
    for name in names:
        if name not in PARTS:
            sys.exit(f"there is no part `{name}`; the parts are {', '.join(PARTS)}")
    if not os.access(os.environ.get("FIRN_BINARY", ""), os.X_OK):
        sys.exit("FIRN_BINARY names no program; `make bench` builds firn and sets it")
    cache = Path(os.environ["FIRN_BINARY"]).resolve().parent.parent / "bench"
    cache.mkdir(exist_ok=True)
    print(f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, {machine()}")
    missed = 0
    for name in names:
        title, measure = PARTS[name]
        print_head(title)
        work_dir = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=cache))
        try:
            for line in measure(work_dir):
                print_line(line)
                missed += not line.is_good()
        finally:
            shutil.rmtree(work_dir, ignore_errors=True)
    print(f"\n{missed} goals missed" if missed else "\nall goals met")
    sys.exit(1 if missed else 0)


def machine():
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return "unknown processor"


if __name__ == "__main__":
    main()
