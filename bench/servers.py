"""Starts and stops the servers that are measured, on loopback ports of their own."""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

from api import Api

TOKEN = "bench-token-0123456789-abcdefghijklmnop"
START_WAIT_S = 60
STOP_WAIT_S = 30


class Server:
    def __init__(self, process, port):
        self.process = process
        self.port = port

    def api(self):
        return Api(self.port, TOKEN)

    def peak_memory_bytes(self):
        return self._memory("VmHWM")

    def memory_bytes(self):
        return self._memory("VmRSS")

    def forget_peak_memory(self):
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as file:
            file.write("5")

    def _memory(self, field):
        with open(f"/proc/{self.process.pid}/status") as file:
            for line in file:
                if line.startswith(field):
                    return int(line.split()[1]) * 1024
        raise RuntimeError(f"/proc does not have {field}")


@contextlib.contextmanager
def firn(data_dir):
    """The firn under test, with its data in `data_dir`."""
    port = free_port()
    environment = {**os.environ, "FIRN_ADMIN_TOKEN": TOKEN, "FIRN_LOG_LEVEL": "warn"}
    command = [os.environ["FIRN_BINARY"], "serve", "--data-dir", str(data_dir), "--listen", f"127.0.0.1:{port}"]
    with running(command, port, "/readyz", environment) as server:
        yield server


@contextlib.contextmanager
def snowduck():
    """The peer, in memory and without its access log: its fastest way to run."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "snowduck.server:app", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--no-access-log", "--log-level", "warning"]
    with running(command, port, "/api/v2/query-history", os.environ) as server:
        yield server


@contextlib.contextmanager
def running(command, port, ready_path, environment):
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    try:
        wait_until_ready(process, f"http://127.0.0.1:{port}{ready_path}")
        yield Server(process, port)
    finally:
        process.terminate()
        try:
            process.wait(STOP_WAIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_until_ready(process, url):
    deadline = time.monotonic() + START_WAIT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args[0]} ended with {process.returncode} before it was ready")
        with contextlib.suppress(urllib.error.URLError, ConnectionError, TimeoutError):
            with urllib.request.urlopen(url, timeout=2):
                return
        time.sleep(0.02)
    raise RuntimeError(f"{process.args[0]} was not ready within {START_WAIT_S} s")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
