#!/usr/bin/env python3
"""Runs the test executables of the workspace, two at a time: `scripts/run_tests.py [cargo test arguments]`.

`cargo test` runs one after the other. Most suites wait for servers, limits and disks at some point, and each ends with
one long test; meanwhile the tests of another one run. The output of an executable is printed when it has ended. Examples
in doc comments are not run: the crates have none.
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

AT_A_TIME = 2


def main(arguments):
    executables = built(arguments)
    if not executables:
        sys.exit("cargo has built no test")
    failed = []
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        runs = [pool.submit(run, *executable) for executable in executables]
        for ended in as_completed(runs):
            name, status, output = ended.result()
            print(f"     Running {name}\n{output}", flush=True)
            if status != 0:
                failed.append(name)
    for name in failed:
        print(f"failed: {name}")
    sys.exit(1 if failed else 0)


def built(arguments):
    """The executables, each with its package's folder; those of the suites first, which take longest."""
    command = ["cargo", "test", "--no-run", "--message-format=json-render-diagnostics", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as cargo:
        messages = [json.loads(line) for line in cargo.stdout if line.startswith("{")]
    if cargo.returncode != 0:
        sys.exit(cargo.returncode)
    tests = [message for message in messages if message.get("executable") and message["profile"]["test"]]
    tests.sort(key=lambda test: "test" not in test["target"]["kind"])
    return [(test["target"]["name"], test["executable"], Path(test["manifest_path"]).parent) for test in tests]


def run(name, executable, package):
    # As cargo does: in the folder of the package, which is named to the tests too.
    environment = {**os.environ, "CARGO_MANIFEST_DIR": str(package)}
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    ended = subprocess.run([executable], cwd=package, env=environment, text=True, errors="replace", **streams)
    return name, ended.returncode, ended.stdout


if __name__ == "__main__":
    main(sys.argv[1:])
