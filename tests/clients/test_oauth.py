"""A login with the token of an identity provider that the server knows by its key or by its key set."""

import http.server
import json
import threading
import time
import urllib.error
import urllib.request

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

AUDIENCE = "https://firn.example.com"
KEY_ID = "key-1"


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture(scope="module")
def key_set_url(key):
    """An identity provider's published keys, on this machine."""
    public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()))
    keys = json.dumps({"keys": [public | {"kid": KEY_ID, "use": "sig", "alg": "RS256"}]}).encode()

    class Keys(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(keys)

        def log_message(self, *_):
            pass

    provider = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Keys)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{provider.server_port}/keys"
    provider.shutdown()


@pytest.fixture(scope="module")
def integrations(plain, key, key_set_url) -> dict[str, str]:
    """The issuers the server accepts: one known by its key, one by the address of its keys."""
    pem = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    bare = "".join(pem.decode().splitlines()[1:-1])
    issuers = {"key": "https://key.example.com", "key set": "https://keys.example.com"}
    sources = {
        "key": f"EXTERNAL_OAUTH_RSA_PUBLIC_KEY = '{bare}'",
        "key set": f"EXTERNAL_OAUTH_JWS_KEYS_URL = '{key_set_url}'",
    }
    for number, (name, issuer) in enumerate(issuers.items()):
        plain.sql(
            f"""CREATE SECURITY INTEGRATION PROVIDER_{number} TYPE = EXTERNAL_OAUTH ENABLED = TRUE
                EXTERNAL_OAUTH_TYPE = CUSTOM EXTERNAL_OAUTH_ISSUER = '{issuer}' {sources[name]}
                EXTERNAL_OAUTH_AUDIENCE_LIST = ('{AUDIENCE}') EXTERNAL_OAUTH_TOKEN_USER_MAPPING_CLAIM = 'sub'
                EXTERNAL_OAUTH_USER_MAPPING_ATTRIBUTE = 'LOGIN_NAME'"""
        )
    return issuers


def claims(issuer: str, **others) -> dict:
    now = int(time.time())
    usual = {"sub": "CLIENT", "aud": AUDIENCE, "iat": now, "exp": now + 300, "scp": ["session:role:CLIENT_ROLE"]}
    return usual | {"iss": issuer} | others


def ask(url: str, token: str, token_type: str | None = "OAUTH") -> tuple[int, dict]:
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "User-Agent": "firn-tests/1.0",
    }
    if token_type:
        headers["X-Snowflake-Authorization-Token-Type"] = token_type
    statement = json.dumps({"statement": "SELECT CURRENT_USER(), CURRENT_ROLE()"}).encode()
    request = urllib.request.Request(f"{url}/api/v2/statements", data=statement, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.mark.parametrize("known_by", ["key", "key set"])
@pytest.mark.parametrize("token_type", ["OAUTH", None])
def test_a_user_logs_in(plain, key, integrations, known_by, token_type):
    token = jwt.encode(claims(integrations[known_by]), key, algorithm="RS256", headers={"kid": KEY_ID})
    status, answer = ask(plain.url, token, token_type)
    assert status == 200, answer
    assert answer["data"] == [["CLIENT", "CLIENT_ROLE"]]


@pytest.mark.parametrize("known_by", ["key", "key set"])
def test_what_does_not_hold_is_refused(plain, key, integrations, known_by):
    issuer = integrations[known_by]
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    refused = [
        jwt.encode(claims(issuer), stranger, algorithm="RS256", headers={"kid": KEY_ID}),
        jwt.encode(claims(issuer, aud="https://elsewhere.example.com"), key, algorithm="RS256"),
        jwt.encode(claims(issuer, exp=int(time.time()) - 3600), key, algorithm="RS256"),
        jwt.encode(claims(issuer, sub="NOBODY"), key, algorithm="RS256"),
        jwt.encode(claims("https://unknown.example.com"), key, algorithm="RS256"),
        jwt.encode(claims(issuer, scp=["session:role:ACCOUNTADMIN"]), key, algorithm="RS256"),
    ]
    for token in refused:
        status, answer = ask(plain.url, token)
        assert status == 401, answer
