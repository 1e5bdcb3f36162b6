"""`firn` and a server whose certificate is of an authority of one's own."""

import datetime
import os
import subprocess

import pytest
from conftest import ADMIN_TOKEN, start, stop
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def signed(subject, key, issuer, issuer_key, is_authority):
    name = lambda text: x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name(subject))
        .issuer_name(name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    )
    return builder.sign(issuer_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """A server with TLS, and the file of its authority's certificate."""
    folder = tmp_path_factory.mktemp("authority")
    own, leaf = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    (folder / "ca.pem").write_bytes(signed("own authority", own, "own authority", own, True))
    (folder / "leaf.pem").write_bytes(signed("localhost", leaf, "own authority", own, False))
    (folder / "key.pem").write_bytes(
        leaf.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    server = start(folder / "data", FIRN_TLS_CERT=str(folder / "leaf.pem"), FIRN_TLS_KEY=str(folder / "key.pem"))
    yield server.url.replace("127.0.0.1", "localhost"), folder / "ca.pem"
    stop(server)


def firn(home, *arguments, **variables):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FIRN_", "SSL_"))}
    given = kept | {"HOME": str(home), "FIRN_TOKEN": ADMIN_TOKEN} | variables
    return subprocess.run([os.environ["FIRN_BINARY"], *arguments], env=given, capture_output=True, text=True, timeout=60)


def test_a_server_of_an_own_authority_is_reached(authority, tmp_path):
    url, certificates = authority
    sql = ["sql", "--no-header", "select 1", "--url", url]
    refused = firn(tmp_path, *sql)
    assert refused.returncode == 3 and "--ca-file" in refused.stderr
    for arguments, variables in [
        (["--ca-file", str(certificates)], {}),
        ([], {"SSL_CERT_FILE": str(certificates)}),
        ([], {"FIRN_CA_FILE": str(certificates)}),
    ]:
        ran = firn(tmp_path, *sql, *arguments, **variables)
        assert (ran.returncode, ran.stdout) == (0, "1\n"), ran.stderr
    listed = firn(tmp_path, "stage", "ls", "@~", "--url", url, "--ca-file", str(certificates))
    assert listed.returncode == 0, listed.stderr


def test_files_without_certificates_are_named(authority, tmp_path):
    url, _ = authority
    (tmp_path / "empty.pem").write_text("nothing\n")
    for file in ["nofile.pem", "empty.pem"]:
        ran = firn(tmp_path, "status", "--url", url, "--ca-file", str(tmp_path / file))
        assert ran.returncode == 2 and "ca_file" in ran.stderr, ran.stderr
