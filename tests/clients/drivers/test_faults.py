"""The connector for Python where things go wrong: a server that is killed, tokens that expire, connections that break off; and TLS
with a certificate of one's own."""

import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import snowflake.connector
from snowflake.connector.errors import Error

TOKEN = "a-token-of-these-tests-alone"


class Restarted:
    """A server with data of its own, which can be killed and started again at its address."""

    def __init__(self, folder: Path, *options: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.folder, self.options = folder, options
        self.start()

    def start(self) -> None:
        command = [os.environ["FIRN_BINARY"], "serve", "--data-dir", self.folder / "data", "--listen", f"127.0.0.1:{self.port}"]
        command += ["--admin-token", TOKEN, "--log-level", "warn", *self.options]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("FIRN_")}
        self.log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(command, env=environment, stdout=self.log, stderr=self.log)
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert self.process.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.1)
        raise AssertionError("the server does not listen")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.log.close()

    def connect(self, **options):
        login = {"account": "FIRN", "user": "ADMIN", "password": TOKEN, "host": "127.0.0.1", "port": self.port, "protocol": "http"}
        return snowflake.connector.connect(**login | {"warehouse": "COMPUTE_WH"} | options)


@pytest.fixture
def started(tmp_path):
    servers = []

    def start(*options: str) -> Restarted:
        servers.append(Restarted(tmp_path, *options))
        return servers[-1]

    yield start
    for server in servers:
        server.kill()


def one(connection, sql):
    return connection.cursor().execute(sql).fetchone()


def test_a_session_of_before_a_restart_is_over_and_says_so(started):
    server = started()
    before = server.connect()
    before.cursor().execute("CREATE DATABASE D")
    before.cursor().execute("CREATE TABLE T (A INT)")
    before.cursor().execute("INSERT INTO T VALUES (1)")
    server.kill()
    server.start()
    with pytest.raises(Error):
        before.cursor().execute("INSERT INTO D.PUBLIC.T VALUES (2)")
    with server.connect(database="D", schema="PUBLIC") as after:
        assert one(after, "SELECT COUNT(*), SUM(A) FROM T") == (1, 1)


def test_a_statement_that_a_kill_interrupts_does_not_run_twice(started):
    server = started()
    with server.connect() as connection:
        connection.cursor().execute("CREATE DATABASE D")
        connection.cursor().execute("CREATE TABLE T (A VARCHAR)")
    interrupted = server.connect(database="D", schema="PUBLIC")
    ended = []

    def insert():
        try:
            interrupted.cursor().execute("INSERT INTO T SELECT SYSTEM$WAIT(3)")
            ended.append(None)
        except Error as error:
            ended.append(error)

    thread = threading.Thread(target=insert, daemon=True)
    thread.start()
    time.sleep(1)
    server.kill()
    server.start()
    thread.join(60)
    assert ended and isinstance(ended[0], Error), "the driver says that it failed, and does not try for ever"
    with server.connect(database="D", schema="PUBLIC") as after:
        assert one(after, "SELECT COUNT(*) FROM T") == (0,)


def test_tokens_expire_while_rows_are_fetched(started):
    server = started("--driver-token-s", "2")
    with server.connect() as connection:
        cursor = connection.cursor().execute(
            "SELECT SEQ8() AS N, REPEAT('x', 200) AS T FROM TABLE(GENERATOR(ROWCOUNT => 200000))"
        )
        count = 0
        for row in cursor:
            if count % 50_000 == 0:
                time.sleep(1.2)
            assert row[0] == count
            count += 1
        assert count == 200_000
        assert one(connection, "SELECT 1") == (1,), "the token is renewed"


def test_clients_that_leave_hold_nothing_up(started):
    server = started()
    with server.connect() as connection:
        connection.cursor().execute("CREATE DATABASE D")
        connection.cursor().execute("CREATE TABLE T (A INT)")
        connection.cursor().execute("INSERT INTO T VALUES (1)")
        program = f"""
import os, snowflake.connector
connection = snowflake.connector.connect(account="FIRN", user="ADMIN", password={TOKEN!r}, host="127.0.0.1", port={server.port},
    protocol="http", database="D", schema="PUBLIC", warehouse="COMPUTE_WH", autocommit=False)
connection.cursor().execute("UPDATE T SET A = 2")
os._exit(1)
"""
        assert subprocess.run([sys.executable, "-c", program], timeout=60).returncode == 1
        (session,) = [row[0] for row in connection.cursor().execute("SHOW TRANSACTIONS").fetchall()] or [None]
        assert session is not None, "the transaction of the client that left is there"
        number = one(connection, "SELECT CURRENT_SESSION()")[0]
        for found in connection.cursor().execute("SHOW SESSIONS").fetchall():
            if str(found[0]) != number:
                connection.cursor().execute(f"SELECT SYSTEM$ABORT_SESSION({found[0]})")
        connection.cursor().execute("UPDATE T SET A = A + 10")
        assert one(connection, "SELECT A FROM T") == (11,)


def test_addresses_of_chunks_are_good_as_they_are_alone(started):
    if snowflake.connector.__version__.startswith("5."):
        pytest.skip("line 5 does not show the addresses")
    server = started()
    with server.connect() as connection:
        cursor = connection.cursor().execute("SELECT SEQ8() AS N, RANDSTR(200, RANDOM()) AS T FROM TABLE(GENERATOR(ROWCOUNT => 200000))")
        remote = [batch for batch in cursor.get_result_batches() if getattr(batch, "_remote_chunk_info", None)]
        address = remote[0]._remote_chunk_info.url
        assert urllib.request.urlopen(address).status == 200
        for forged in (address[:-4] + "AAAA", address.replace("/chunks/1", "/chunks/2"), address.split("?")[0]):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(forged)
            assert refused.value.code in (401, 403, 404), forged


def openssl(folder, *arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def with_own_authority(folder):
    """`ca.pem`, and a certificate for localhost that it has signed, with its key."""
    key = ("-newkey", "rsa:2048", "-nodes")
    openssl(folder, "req", "-x509", *key, "-days", "2", "-subj", "/CN=Own CA", "-keyout", "ca.key", "-out", "ca.pem")
    openssl(folder, "req", *key, "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr")
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
    signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names")
    openssl(folder, "x509", "-req", "-in", "server.csr", *signed, "-out", "server.pem")
    return folder / "ca.pem"


def test_tls_with_an_authority_of_ones_own(tmp_path, started, monkeypatch):
    authority = with_own_authority(tmp_path)
    server = started("--tls-cert", str(tmp_path / "server.pem"), "--tls-key", str(tmp_path / "server.key"))
    for name in ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.setenv(name, str(authority))
    (tmp_path / "in.csv").write_text("1\n2\n")
    with server.connect(protocol="https", host="localhost") as connection:
        assert one(connection, "SELECT 1") == (1,)
        rows = "SELECT SEQ8() AS N, REPEAT('x', 100) AS T FROM TABLE(GENERATOR(ROWCOUNT => 200000))"
        assert sum(1 for _ in connection.cursor().execute(rows)) == 200_000
        connection.cursor().execute(f"PUT 'file://{tmp_path}/in.csv' @~")
        listed = connection.cursor().execute("LIST @~").fetchall()
        assert [row[0].rsplit("/", 1)[-1] for row in listed] == ["in.csv.gz"]
