"""schemathesis against the served document: whatever it sends, the server does not fail, and its answers are those that
the document describes. FIRN_EXAMPLES makes it longer, FIRN_SEED repeats a run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ADMIN_TOKEN, start, stop

CONFIG = Path(__file__).with_name("schemathesis.toml")

# Not checked: that a missing User-Agent is refused, since the client sends one of its own then.
NOT_CHECKED = "missing_required_header"


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    """The objects of the document's examples, so that some requests get further than to a missing name. Sessions are opened
    and never closed."""
    server = start(tmp_path_factory.mktemp("described"), FIRN_SESSIONS_PER_USER_MAX="10000", FIRN_SESSIONS_MAX="10000")
    for statement in (
        "CREATE DATABASE DEMO",
        "CREATE TABLE DEMO.PUBLIC.T (C1 INT, C2 VARCHAR)",
        "CREATE STAGE FIRN.PUBLIC.MY_STAGE",
        "COPY INTO @FIRN.PUBLIC.MY_STAGE/data.csv FROM (SELECT 1, 'a') SINGLE = TRUE",
    ):
        server.sql(statement)
    yield server
    stop(server)


def test_requests_of_the_document_get_the_answers_of_the_document(described, tmp_path):
    command = [
        sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG), "run", f"{described.url}/api/v2/openapi.json",
        "--header", f"Authorization: Bearer {ADMIN_TOKEN}",
        "--checks", "all", "--exclude-checks", NOT_CHECKED,
        "--max-examples", os.environ.get("FIRN_EXAMPLES", "20"),
        "--generation-database", "none",
        "--seed", os.environ.get("FIRN_SEED", "20261009"),
        "--request-timeout", "60",
        "--continue-on-failure",
        "--no-color",
    ]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stdout[-16000:] + run.stderr[-2000:]
    assert described.process.poll() is None
    assert described.sql("SELECT 1")["data"] == [["1"]]
