"""A server and DuckDB in-process over the same filled tables."""

import shutil
import time
from contextlib import contextmanager

import duckdb

import engine_file
import servers


@contextmanager
def filled_pair(work_dir, table, fill):
    """The server with `table` in BENCH.PUBLIC, filled by a statement of the engine's, and a connection to a copy of its file."""
    data_dir = work_dir / "data"
    engine_file.make_tables(data_dir, "BENCH", [table])
    file = engine_file.file_of(data_dir, "BENCH")
    engine_file.fill(file, [fill])
    copy = work_dir / "peer.duckdb"
    shutil.copy(file, copy)
    with servers.firn(data_dir) as firn, duckdb.connect(str(copy), read_only=True) as peer:
        yield firn, peer


def timed(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin
