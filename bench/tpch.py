"""The 22 queries of TPC-H through the API beside DuckDB in-process on a copy of the same file."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import duckdb

import engine_file
import servers
from report import Goal, Line

SCALE_FACTOR = 1
ROUNDS = 3
QUERIES = Path(__file__).with_name("tpch")
TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")


def measure(work_dir):
    data_dir = work_dir / "data"
    parquet_dir = generate(work_dir.parent)
    engine_file.make_tables(data_dir, "TPCH", table_definitions())
    file = engine_file.file_of(data_dir, "TPCH")
    engine_file.fill(file, [f"INSERT INTO PUBLIC.{table} FROM '{parquet_dir}/{table}.parquet'" for table in TABLES])
    copy = work_dir / "peer.duckdb"
    shutil.copy(file, copy)
    with servers.firn(data_dir) as firn, duckdb.connect(str(copy), read_only=True) as peer:
        peer.execute("USE peer.PUBLIC")
        yield from run_queries(firn.api(), peer)


def generate(cache):
    """The tables as Parquet, generated once and cached."""
    target = cache / f"tpch-sf{SCALE_FACTOR}"
    if not (target / "complete").exists():
        shutil.rmtree(target, ignore_errors=True)
        program = Path(sys.executable).with_name("tpchgen-cli")
        command = [program, "parquet", "--scale-factor", str(SCALE_FACTOR), "--output-dir", target]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        (target / "complete").touch()
    return target


def table_definitions():
    return [text for text in (QUERIES / "tables.sql").read_text().split(";") if text.strip()]


def run_queries(api, peer):
    place = {"database": "TPCH", "schema": "PUBLIC", "parameters": {"use_cached_result": "false"}}
    our_sum, their_sum = 0.0, 0.0
    for number in range(1, 23):
        sql = (QUERIES / f"q{number:02}.sql").read_text()
        ours, theirs = [], []
        for _ in range(ROUNDS):
            theirs.append(timed(lambda: peer.execute(sql).fetchall()))
            ours.append(timed(lambda: api.run(sql, **place)))
        (our_time, our_rows), (their_time, their_rows) = min(ours), min(theirs)
        if our_rows != their_rows:
            raise RuntimeError(f"query {number} has {our_rows} rows, DuckDB says {their_rows}")
        our_sum += our_time
        their_sum += their_time
        yield comparison(f"query {number}", our_time, their_time, None)
    yield comparison("all 22 queries, best of 3 each", our_sum, their_sum, Goal.at_most(1.15))


def comparison(what, ours, theirs, goal):
    return Line(what, f"{ours * 1e3:.1f} ms", f"DuckDB in-process {theirs * 1e3:.1f} ms", ours / theirs, goal)


def timed(work):
    begin = time.perf_counter()
    rows = work()
    return time.perf_counter() - begin, len(rows)
