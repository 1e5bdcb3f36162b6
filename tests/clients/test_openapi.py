"""schemathesis against the served document: whatever it sends, the server never fails."""

import subprocess
import sys

from conftest import ADMIN_TOKEN


def test_no_request_of_the_document_makes_the_server_fail(plain, tmp_path):
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{plain.url}/api/v2/openapi.json",
        "--header", f"Authorization: Bearer {ADMIN_TOKEN}",
        "--checks", "not_a_server_error,response_schema_conformance,content_type_conformance",
        "--max-examples", "40",
        "--generation-database", "none",
        "--seed", "20261009",
        "--request-timeout", "60",
        "--no-color",
    ]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert run.returncode == 0, run.stdout[-8000:] + run.stderr[-2000:]
    assert plain.process.poll() is None
    assert plain.sql("SELECT 1")["data"] == [["1"]]
