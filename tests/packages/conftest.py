"""The Python package as it lies in the checkout, with the built binary."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "packages/python"
sys.path.insert(0, str(PACKAGE))
sys.path.insert(0, str(ROOT / "packages"))


@pytest.fixture
def run_pytest(tmp_path):
    """Runs pytest in another process, with the plugin of the package in a folder or of the checkout."""

    def run(*arguments, folder=tmp_path, package=PACKAGE, plugin=("-p", "firn.pytest_plugin"), **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        environment |= {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1", **variables}
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *plugin, *arguments]
        ran = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True)
        return ran.returncode, ran.stdout + ran.stderr

    return run


@pytest.fixture(scope="session")
def server():
    import firn

    with firn.serve() as server:
        yield server


@pytest.fixture
def database(server):
    with server.new_database() as database:
        yield database
