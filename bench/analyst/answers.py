"""Runs SQL of one database once, whoever asks again: answers and verdicts are stored in a file."""

import hashlib
import json
import sqlite3
import threading
import time
import zlib
from pathlib import Path

import duckdb

import databases
import dialect
import references
from comparison import cell

ROWS_MAX = 1000
TABLES = """
CREATE TABLE IF NOT EXISTS runs (scope BLOB, sql BLOB, answer BLOB, PRIMARY KEY (scope, sql)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answers (answer BLOB PRIMARY KEY, content BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS verdicts (scope BLOB, question BLOB, answer BLOB, label TEXT,
    PRIMARY KEY (scope, question, answer)) WITHOUT ROWID;
"""
SOURCES = [Path(__file__).parent / name for name in ("comparison.py", "references.py", "databases.py", "dialect.py")]


def digest(*parts):
    hashed = hashlib.blake2b(digest_size=12)
    for part in parts:
        hashed.update(part if isinstance(part, bytes) else part.encode())
        hashed.update(b"\0")
    return hashed.digest()


class Answers:
    """The answers to SQL over one database."""

    def __init__(self, folder, cache, seconds_max):
        self.folder, self.seconds_max = folder, seconds_max
        self.store = sqlite3.connect(cache, timeout=120)
        contents = [path.read_bytes() for path in sorted(folder.iterdir()) if path.suffix in (".csv", ".json")]
        loading = [path.read_bytes() for path in SOURCES[2:]]
        self.scope = digest(folder.name, *contents, *loading)
        self.judged_scope = digest(self.scope, *(path.read_bytes() for path in SOURCES[:2]))
        self.runs = dict(self.store.execute("SELECT sql, answer FROM runs WHERE scope = ?", [self.scope]))
        self.verdicts = {
            (question, answer): label
            for question, answer, label in self.store.execute(
                "SELECT question, answer, label FROM verdicts WHERE scope = ?", [self.judged_scope]
            )
        }
        self.contents, self.variants = {}, {}
        self.new_runs, self.new_contents, self.new_verdicts = [], {}, []
        self.connection, self.watch = None, None

    def label(self, question, sql):
        """How right a reading's SQL is, and a short name of its answer."""
        if sql is None:
            return "none", None
        answer = self.answer(sql)
        key = (digest(references.key_of(question)), answer)
        if key not in self.verdicts:
            self.verdicts[key] = self.judge(question, key[0], answer)
            self.new_verdicts.append((self.judged_scope, *key, self.verdicts[key]))
        return self.verdicts[key], answer.hex()[:10]

    def judge(self, question, key, answer):
        content = self.content(answer)
        if "error" in content:
            return "failed"
        if content["count"] > len(content["rows"]):
            return "wrong"
        if key not in self.variants:
            self.variants[key] = references.variants(self.database(), question)
        rows = [tuple(row) for row in content["rows"]]
        relaxed = False
        for variant in self.variants[key]:
            verdict = variant.compare(rows)
            if verdict == "strict":
                return variant.why
            relaxed |= verdict == "relaxed"
        return "relaxed" if relaxed else "wrong"

    def error(self, sql):
        return self.content(self.answer(sql)).get("error")

    def answer(self, sql):
        key = digest(sql)
        if key not in self.runs:
            packed = json.dumps(self.run(sql), separators=(",", ":"))
            self.runs[key] = digest(packed)
            self.new_runs.append((self.scope, key, self.runs[key]))
            self.new_contents[self.runs[key]] = packed
        return self.runs[key]

    def content(self, answer):
        if answer in self.new_contents:
            return json.loads(self.new_contents[answer])
        if answer not in self.contents:
            packed = self.store.execute("SELECT content FROM answers WHERE answer = ?", [answer]).fetchone()[0]
            self.contents[answer] = json.loads(zlib.decompress(packed))
        return self.contents[answer]

    def run(self, sql):
        connection = self.database()
        self.watch.begin()
        try:
            connection.execute(dialect.for_duckdb(sql))
            rows = [tuple(map(cell, row)) for row in connection.fetchmany(ROWS_MAX + 1)]
        except (duckdb.Error, RuntimeError, OverflowError) as error:
            return {"error": str(error)[:200]}
        finally:
            self.watch.end()
        return {"count": len(rows), "rows": rows[:ROWS_MAX]}

    def database(self):
        if self.connection is None:
            self.connection = databases.connect(self.folder)
            self.watch = Watch(self.connection, self.seconds_max)
        return self.connection

    def save(self):
        contents = [(answer, zlib.compress(packed.encode(), 1)) for answer, packed in self.new_contents.items()]
        with self.store:
            self.store.executemany("INSERT OR IGNORE INTO runs VALUES (?, ?, ?)", self.new_runs)
            self.store.executemany("INSERT OR IGNORE INTO answers VALUES (?, ?)", contents)
            self.store.executemany("INSERT OR IGNORE INTO verdicts VALUES (?, ?, ?, ?)", self.new_verdicts)
        self.store.close()
        if self.connection is not None:
            self.watch.stop()
            self.connection.close()


class Watch:
    """Interrupts statements that take too long."""

    def __init__(self, connection, seconds_max):
        self.connection, self.seconds_max = connection, seconds_max
        self.begun, self.stopped = None, threading.Event()
        threading.Thread(target=self.look, daemon=True).start()

    def begin(self):
        self.begun = time.monotonic()

    def end(self):
        self.begun = None

    def stop(self):
        self.stopped.set()

    def look(self):
        while not self.stopped.wait(self.seconds_max / 4):
            begun = self.begun
            if begun is not None and time.monotonic() - begun > self.seconds_max:
                self.connection.interrupt()


def prepare(cache):
    """Makes the file of answers where there is none."""
    store = sqlite3.connect(cache, timeout=120)
    store.execute("PRAGMA journal_mode = WAL")
    store.executescript(TABLES)
    store.close()
