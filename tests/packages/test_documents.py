"""The examples of the documents are run as they are, and print what the documents say."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import firn
from conftest import PACKAGE, ROOT
from documents import blocks, printed, program

EXAMPLES = ROOT / "docs/examples"


@pytest.fixture(scope="session")
def demo():
    with firn.serve(demo=True) as server:
        yield server


@pytest.fixture
def run(demo, tmp_path):
    def run(*command, text=None):
        folder = Path(os.environ["FIRN_BINARY"]).parent
        # Settings of whoever runs the tests are not the servers'.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("FIRN_")}
        environment |= {"FIRN_BINARY": os.environ["FIRN_BINARY"], "FIRN_URL": demo.url, "FIRN_TOKEN": demo.token, "FIRN": demo.url, "TOKEN": demo.token}
        environment |= {"PATH": f"{folder}:{environment['PATH']}", "PYTHONPATH": str(PACKAGE), "HOME": str(tmp_path)}
        ran = subprocess.run(command, input=text, cwd=tmp_path, env=environment, text=True, capture_output=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    return run


def test_curl(run):
    page = EXAMPLES / "curl.md"
    assert run("bash", "-eu", "-c", program(page, "sh")) == printed(page)


def test_python(run):
    page = EXAMPLES / "python.md"
    assert run(sys.executable, "-c", program(page, "python")) == printed(page)


def test_javascript(run, tmp_path):
    if shutil.which("node") is None:
        pytest.skip("node is missing")
    page = EXAMPLES / "javascript.md"
    (tmp_path / "page.mjs").write_text(program(page, "js"))
    assert run("node", "page.mjs") == printed(page)


def test_rust(run):
    page = EXAMPLES / "rust.md"
    compiled = ROOT / "tests/examples/by_example.rs"
    assert program(page, "rust") == compiled.read_text(), f"{compiled} is not what {page} shows"
    assert run(Path(os.environ["FIRN_BINARY"]).parent / "examples/by_example") == printed(page)


def test_the_first_statement_of_the_readme(run):
    """Its rows and columns; ids, times and line breaks are others."""
    page = ROOT / "README.md"
    shell = next(text for kind, text in blocks(page) if "/api/v2/statements" in text and kind == "sh")
    shown = json.loads(next(text for kind, text in blocks(page) if kind == "json"))
    lines = [line for line in shell.splitlines() if not line.startswith("TOKEN=")]
    answer = json.loads(run("bash", "-c", "\n".join(lines).replace("http://127.0.0.1:8090", "$FIRN").replace("curl ", "curl -s ", 1)))
    assert answer["data"] == shown["data"]
    assert answer["resultSetMetaData"] == shown["resultSetMetaData"]


def test_the_question_of_the_readme(run):
    page = ROOT / "README.md"
    text = page.read_text()
    asked, shown = re.search(r"^```sh\n[^\n]*firn ask ([^\n]*)\n```\n+```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL).groups()

    def without_ids(answer):
        return re.sub(r"request_id: [0-9a-f-]+", "request_id", answer).split()

    assert without_ids(run("sh", "-c", f"firn ask {asked}")) == without_ids(shown)


def test_the_tests_of_the_testing_page_pass(run_pytest, tmp_path):
    """The blocks of the page whose first line names a file are a project."""
    for kind, text in blocks(ROOT / "docs/testing.md"):
        first = text.splitlines()[0]
        if kind == "python" and first.startswith("# ") and first.endswith(".py"):
            (tmp_path / first[2:]).write_text(text)
    code, output = run_pytest("-q")
    assert (code, "failed" in output) == (0, False), output
    assert int(re.search(r"(\d+) passed", output)[1]) >= 4, output


def test_getting_started(run, tmp_path):
    """What its shell examples do once the server runs."""
    shown = [text for kind, text in blocks(ROOT / "docs/getting-started.md") if kind == "sh"]
    bodies = [text for text in shown if not text.startswith(("firn serve", "sudo"))]
    lines = [line for text in bodies for line in text.splitlines() if not line.startswith(("export ", "firn console"))]
    (tmp_path / "orders.csv").write_text("id,ordered_on,amount\n1,2026-01-05,10.00\n2,2026-01-06,2.50\n")
    output = run("bash", "-eu", "-c", "\n".join(lines), text="correct horse battery\n")
    assert re.search(r"COUNT\(\*\)\s+2\n", output) and "'Cancelled'" in output, output
