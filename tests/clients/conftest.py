"""Starts the real server for the clients: once with plain HTTP, once with TLS."""

import datetime
import ipaddress
import json
import os
import ssl
import subprocess
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa

ACCOUNT = "TESTACCOUNT"
ADMIN_TOKEN = "test-admin-token-0123456789abcdef"
READY = "listening on "


@dataclass
class Server:
    """A running server, its address, and the key of its user CLIENT."""

    url: str
    process: subprocess.Popen
    tls: ssl.SSLContext | None = None
    key_pem: bytes = field(default=b"")

    @property
    def host(self) -> str:
        return self.url.split("//")[1]

    def sql(self, statement: str, **fields) -> dict:
        """Runs a statement as ADMIN; for preparing, not for what a test is about."""
        request = urllib.request.Request(
            f"{self.url}/api/v2/statements",
            data=json.dumps({"statement": statement, **fields}).encode(),
            headers={
                "Authorization": f"Bearer {ADMIN_TOKEN}",
                "Content-Type": "application/json",
                "User-Agent": "firn-tests/1.0",
            },
        )
        with urllib.request.urlopen(request, timeout=60, context=self.tls) as response:
            return json.load(response)


def start(data: Path, listen: str = "127.0.0.1:0", **settings: str) -> Server:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FIRN_")}
    environment |= {"FIRN_ADMIN_TOKEN": ADMIN_TOKEN, "FIRN_ACCOUNT": ACCOUNT, **settings}
    process = subprocess.Popen(
        [os.environ["FIRN_BINARY"], "serve", "--listen", listen, "--data-dir", str(data)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=(data.parent / "log").open("w"),
        text=True,
    )
    for line in process.stdout:
        if READY in line:
            return Server(url=line.split(READY)[1].strip(), process=process)
    raise RuntimeError(f"firn did not start: {(data.parent / 'log').read_text()}")


def stop(server: Server) -> None:
    server.process.terminate()
    server.process.wait(timeout=30)


def prepare(server: Server) -> None:
    """A database with ten digits, and a user with a key pair who owns it."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    server.key_pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    bare = "".join(public.decode().splitlines()[1:-1])
    server.sql("CREATE ROLE CLIENT_ROLE")
    server.sql("CREATE USER CLIENT DEFAULT_ROLE = CLIENT_ROLE DEFAULT_WAREHOUSE = COMPUTE_WH DEFAULT_NAMESPACE = CLIENTS.PUBLIC")
    server.sql("GRANT ROLE CLIENT_ROLE TO USER CLIENT")
    server.sql(f"ALTER USER CLIENT SET RSA_PUBLIC_KEY = '{bare}'")
    server.sql("CREATE DATABASE CLIENTS")
    server.sql("GRANT OWNERSHIP ON DATABASE CLIENTS TO ROLE CLIENT_ROLE")
    server.sql("CREATE TABLE CLIENTS.PUBLIC.DIGITS (D INT)")
    server.sql("INSERT INTO CLIENTS.PUBLIC.DIGITS VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)")
    server.sql("GRANT OWNERSHIP ON TABLE CLIENTS.PUBLIC.DIGITS TO ROLE CLIENT_ROLE")


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for the loopback address that is its own authority."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate_file, key_file = folder / "certificate.pem", folder / "key.pem"
    certificate_file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return certificate_file, key_file


@pytest.fixture(scope="session")
def plain(tmp_path_factory) -> Server:
    server = start(tmp_path_factory.mktemp("plain") / "data")
    prepare(server)
    yield server
    stop(server)


@pytest.fixture(scope="session")
def secure(tmp_path_factory) -> Server:
    folder = tmp_path_factory.mktemp("secure")
    certificate_file, key_file = certificate(folder)
    server = start(folder / "data", FIRN_TLS_CERT=str(certificate_file), FIRN_TLS_KEY=str(key_file))
    server.tls = ssl.create_default_context(cafile=str(certificate_file))
    prepare(server)
    yield server
    stop(server)
