"""The command line of the vendor, `snow`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def snow(place, tmp_path):
    login = place.login
    lines = ["[connections.firn]"] + [f"{key} = {json.dumps(value)}" for key, value in login.items()]
    config = tmp_path / "config.toml"
    config.write_text("\n".join(lines) + "\n")
    config.chmod(0o600)
    environment = os.environ | {"SNOWFLAKE_HOME": str(tmp_path), "NO_COLOR": "1"}

    def run(*arguments):
        command = [Path(sys.executable).with_name("snow"), "--config-file", config, *arguments, "-c", "firn", "--format", "json"]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, cwd=tmp_path)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return json.loads(ran.stdout) if ran.stdout.strip() else None

    return run


def test_connection_and_statements(snow):
    assert snow("connection", "test")["Status"] == "OK"
    assert snow("sql", "-q", "SELECT 1 AS N, 'x' AS T") == [{"N": 1, "T": "x"}]
    several = snow("sql", "-q", "CREATE TABLE T (A INT); INSERT INTO T VALUES (1), (2); SELECT SUM(A) AS S FROM T")
    assert several[-1] == [{"S": 3}]
    assert [found["name"] for found in snow("object", "list", "table", "--like", "T")] == ["T"]
    assert snow("object", "describe", "table", "T")[0]["name"] == "A"


def test_stages(snow, tmp_path):
    (tmp_path / "a.csv").write_text("1\n2\n")
    snow("stage", "create", "S")
    assert snow("stage", "copy", "a.csv", "@S")[0]["status"] == "UPLOADED"
    assert [Path(found["name"]).name for found in snow("stage", "list-files", "@S")] == ["a.csv"]
    snow("stage", "copy", "@S", str(tmp_path / "out"))
    assert (tmp_path / "out/a.csv").read_text() == "1\n2\n"
    snow("stage", "drop", "S")
