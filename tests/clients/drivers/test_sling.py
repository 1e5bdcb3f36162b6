"""Sling: files into tables and back."""

import os
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def sling(place, tmp_path):
    package = pytest.importorskip("sling_linux_amd64")
    (program,) = Path(package.__file__).parent.glob("bin/sling-linux-*")
    address = f"snowflake://ADMIN:{place.server.token}@{place.host}:{place.port}/{place.database.name}"
    address += "?account=firn&protocol=http&schema=PUBLIC&warehouse=COMPUTE_WH&role=ACCOUNTADMIN"
    environment = os.environ | {"FIRN": address, "SLING_HOME_DIR": str(tmp_path / "home"), "SLING_DISABLE_TELEMETRY": "true"}
    program.chmod(0o755)

    def run(*arguments):
        ran = subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, timeout=120, cwd=tmp_path)
        assert ran.returncode == 0, ran.stdout + ran.stderr

    return run


def test_a_file_is_loaded_merged_and_written(sling, place, tmp_path):
    (tmp_path / "in.csv").write_text("id,name,amount\n1,ada,1.5\n2,\"gr,ace\",2.25\n")
    sling("conns", "test", "FIRN")
    source, target = ("--src-stream", f"file://{tmp_path}/in.csv"), ("--tgt-conn", "FIRN", "--tgt-object", "PUBLIC.PEOPLE")
    sling("run", *source, *target, "--mode", "full-refresh")
    assert place.rows("SELECT ID, NAME, AMOUNT FROM PEOPLE ORDER BY ID") == [(1, "ada", 1.5), (2, "gr,ace", 2.25)]
    (tmp_path / "in.csv").write_text("id,name,amount\n2,Grace,2.25\n3,linus,3\n")
    sling("run", *source, *target, "--mode", "incremental", "--primary-key", "id")
    assert place.rows("SELECT NAME FROM PEOPLE ORDER BY ID") == [("ada",), ("Grace",), ("linus",)]
    sling("run", "--src-conn", "FIRN", "--src-stream", "PUBLIC.PEOPLE", "--tgt-object", f"file://{tmp_path}/out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0].lower().startswith("id,name,amount") and len(lines) == 4
