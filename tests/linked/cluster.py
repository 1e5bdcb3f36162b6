"""A cluster for the tests of linked databases: Sail, and an Iceberg REST catalog of which it reads the tables.

Prints the port of the cluster and of the catalog, and ends with its standard input. `POST /append` at the catalog adds rows to a
table as another engine would.
"""

import datetime
import decimal
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pyarrow
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError


def filled(warehouse):
    catalog = SqlCatalog("lake", uri=f"sqlite:///{warehouse}/catalog.db", warehouse=f"file://{warehouse}")
    catalog.create_namespace("sales")
    day = datetime.date(2024, 1, 30)
    noon = datetime.datetime(2024, 1, 30, 12, 30, 15, 250000)
    orders = pyarrow.table(
        {
            "id": pyarrow.array([1, 2, 3, None], pyarrow.int64()),
            "customer": pyarrow.array(["anna", "bob", None, "anna"]),
            "amount": pyarrow.array(
                [decimal.Decimal("10.50"), decimal.Decimal("0.25"), None, decimal.Decimal("-3.00")],
                pyarrow.decimal128(12, 2),
            ),
            "ordered_on": pyarrow.array([day, day, None, datetime.date(2023, 12, 31)]),
            "ordered_at": pyarrow.array([noon, None, noon, noon], pyarrow.timestamp("us")),
            "weight": pyarrow.array([1.5, 2.0, None, -0.25]),
            "paid": pyarrow.array([True, False, None, True]),
        }
    )
    catalog.create_table("sales.orders", schema=orders.schema).append(orders)
    many = pyarrow.table({"n": pyarrow.array(range(300_000), pyarrow.int64())})
    catalog.create_table("sales.many", schema=many.schema).append(many)
    return catalog


class Rest(BaseHTTPRequestHandler):
    catalog = None
    lock = threading.Lock()

    def do_GET(self):
        parts = [unquote(part) for part in self.path.split("?")[0].strip("/").split("/")]
        with self.lock:
            try:
                self.answer(200, self.found(parts[1:]))
            except (NoSuchNamespaceError, NoSuchTableError, KeyError) as error:
                kind = type(error).__name__.replace("Error", "Exception")
                self.answer(404, {"error": {"message": str(error), "type": kind, "code": 404}})

    do_HEAD = do_GET

    def do_POST(self):
        content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.lock:
            table = self.catalog.load_table(content["table"])
            table.append(pyarrow.Table.from_pylist(content["rows"], schema=table.schema().as_arrow()))
        self.answer(200, {})

    def found(self, parts):
        match parts:
            case ["config"]:
                return {"defaults": {}, "overrides": {}}
            case ["namespaces"]:
                return {"namespaces": [list(name) for name in self.catalog.list_namespaces()]}
            case ["namespaces", name]:
                return {"namespace": [name], "properties": self.catalog.load_namespace_properties(name)}
            case ["namespaces", name, "tables"]:
                self.catalog.load_namespace_properties(name)
                tables = self.catalog.list_tables(name)
                return {"identifiers": [{"namespace": [name], "name": table[-1]} for table in tables]}
            case ["namespaces", name, "views"]:
                return {"identifiers": []}
            case ["namespaces", name, "tables", table]:
                loaded = self.catalog.load_table((name, table))
                metadata = json.loads(loaded.metadata.model_dump_json())
                return {"metadata-location": loaded.metadata_location, "metadata": metadata, "config": {}}
        raise KeyError("/".join(parts))

    def answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def main():
    with tempfile.TemporaryDirectory(prefix="firn-lake-") as warehouse:
        Rest.catalog = filled(warehouse)
        rest = ThreadingHTTPServer(("127.0.0.1", 0), Rest)
        threading.Thread(target=rest.serve_forever, daemon=True).start()
        port = int(sys.argv[1]) if len(sys.argv) > 1 else free_port()
        address = f"http://127.0.0.1:{rest.server_port}"
        catalogs = f'[{{name="lake", type="iceberg-rest", uri="{address}"}}]'
        environment = {**os.environ, "SAIL_MODE": "local", "SAIL_CATALOG__LIST": catalogs}
        sail = Path(sys.executable).parent / "sail"
        arguments = [sail, "spark", "server", "--ip", "127.0.0.1", "--port", str(port)]
        cluster = subprocess.Popen(arguments, env=environment, stdout=sys.stderr)
        print(json.dumps({"cluster": port, "catalog": rest.server_port}), flush=True)
        try:
            sys.stdin.read()
        finally:
            cluster.terminate()
            cluster.wait()


if __name__ == "__main__":
    main()
