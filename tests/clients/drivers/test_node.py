"""The driver for Node."""

import json
import os
import subprocess
from pathlib import Path

PROGRAM = Path(__file__).parent / "node/client.mjs"


def test_a_program_for_node(place):
    place_text = json.dumps(
        {
            "host": place.host,
            "port": place.port,
            "account": place.server.account,
            "token": place.server.token,
            "database": place.database.name,
        }
    )
    # Node finds packages beside the program only: where they are installed, it lies too.
    program = Path(os.environ["FIRN_NODE_FOLDER"]) / PROGRAM.name
    program.write_text(PROGRAM.read_text())
    ran = subprocess.run(["node", str(program), place_text], capture_output=True, text=True, timeout=120)
    steps = {}
    for line in ran.stdout.splitlines():
        if line.startswith('{"step"'):
            said = json.loads(line)
            steps[said["step"]] = said["value"]
    assert ran.returncode == 0, ran.stdout + ran.stderr
    values = steps["values"][0]
    assert (values["N"], values["Q"], values["T"], values["B"], values["Z"]) == (1, 2.5, "ä", True, None)
    assert values["D"].startswith("2024-02-29") and values["V"] == {"a": [1]}
    assert steps["inserted"] == 3
    assert steps["read"] == [
        {"A": 1, "B": "one", "C": True},
        {"A": 2, "B": None, "C": False},
        {"A": 3, "B": "it's", "C": None},
    ]
    assert steps["bound"][0]["T"] == "x"
    assert steps["kept"] == [{"N": 3}]
    assert steps["many"] == [200_000, 200_000 * 199_999 // 2]
    assert steps["streamed"] == 5000
    assert [rows[0]["N"] for rows in steps["several"]] == [1, 2]
    assert steps["refused"] == ["002003", "42S02"]
    assert steps["left"] is False
