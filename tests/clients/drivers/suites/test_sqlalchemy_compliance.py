"""SQLAlchemy's compliance suite through snowflake-sqlalchemy: the share of its tests that pass, and which do not."""

import os
import re
import subprocess
import sys
from pathlib import Path

SUITE = Path(__file__).parent / "sqlalchemy"
LEAST_SHARE = 0.95


def test_most_of_the_suite_passes(place, tmp_path):
    place.rows("CREATE SCHEMA TEST_SCHEMA")
    login = place.login
    address = (
        f"snowflake://ADMIN:{login['password']}@{place.host}:{place.port}/{login['database']}/{login['schema']}"
        f"?account={login['account']}&warehouse=COMPUTE_WH"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-ra", "compliance.py", "--dburi", address, "--maxfail=10000"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    ran = subprocess.run(command, cwd=SUITE, env=environment, capture_output=True, text=True)
    report = os.environ.get("FIRN_SUITE_REPORT")
    if report:
        Path(report).write_text(ran.stdout + ran.stderr)
    counts = {word: int(count) for count, word in re.findall(r"(\d+) (passed|failed|errors?|skipped)", ran.stdout[-400:])}
    broken = sum(count for word, count in counts.items() if word.startswith(("failed", "error")))
    share = counts.get("passed", 0) / max(1, counts.get("passed", 0) + broken)
    print(f"{counts}, {share:.1%} of those that ran")
    assert counts.get("passed", 0) > 100, ran.stdout[-4000:] + ran.stderr[-2000:]
    assert share >= LEAST_SHARE, "\n".join(re.findall(r"^(?:FAILED|ERROR) .*$", ran.stdout, re.M))
