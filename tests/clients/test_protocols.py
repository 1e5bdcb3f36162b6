"""HTTP/1.1 and HTTP/2, with and without TLS."""

import httpx
import pytest
from conftest import ADMIN_TOKEN

HEADERS = {"Authorization": f"Bearer {ADMIN_TOKEN}", "User-Agent": "firn-tests/1.0"}


@pytest.mark.parametrize("version", ["HTTP/1.1", "HTTP/2"])
def test_over_tls(secure, version):
    with httpx.Client(verify=secure.tls, http1=version == "HTTP/1.1", http2=version == "HTTP/2") as client:
        answer = client.post(f"{secure.url}/api/v2/statements", headers=HEADERS, json={"statement": "SELECT 1"})
    assert answer.http_version == version
    assert answer.json()["data"] == [["1"]]


@pytest.mark.parametrize("version", ["HTTP/1.1", "HTTP/2"])
def test_in_the_clear(plain, version):
    with httpx.Client(http1=version == "HTTP/1.1", http2=version == "HTTP/2") as client:
        answer = client.post(f"{plain.url}/api/v2/statements", headers=HEADERS, json={"statement": "SELECT 1"})
    assert answer.http_version == version
    assert answer.json()["data"] == [["1"]]


def test_plain_http_on_a_tls_port_is_no_answer(secure):
    with pytest.raises(httpx.HTTPError):
        httpx.get(f"http://{secure.host}/healthz")
