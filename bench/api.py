"""A small client of the statement API on one persistent raw socket: nothing in it but what a request needs."""

import gzip
import json
import socket
import time

ANSWER_WAIT_S = 600


class Api:
    def __init__(self, port, token):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=ANSWER_WAIT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.head = (
            f" HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
            "User-Agent: bench/1\r\nAccept: application/json\r\nContent-Type: application/json\r\n"
        ).encode()

    def close(self):
        self.socket.close()

    def post(self, body):
        """Sends a statement; returns the body of the answer, which must be a result."""
        content = json.dumps(body).encode()
        return self._answer(b"POST /api/v2/statements" + self.head + b"Content-Length: %d\r\n\r\n" % len(content) + content)

    def partition(self, handle, number):
        """One partition as it comes over the wire, compressed."""
        path = f"GET /api/v2/statements/{handle}?partition={number}".encode()
        return self._answer(path + self.head + b"Accept-Encoding: gzip\r\n\r\n")

    def partition_json(self, handle, number):
        content = self.partition(handle, number)
        return json.loads(gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content)

    def run(self, sql, **fields):
        """Runs a statement and returns all its rows."""
        answer = json.loads(self.post({"statement": sql, **fields}))
        while "data" not in answer:
            time.sleep(0.01)
            answer = self.partition_json(answer["statementHandle"], 0)
        rows = answer["data"]
        for number in range(1, len(answer["resultSetMetaData"].get("partitionInfo") or [])):
            rows += self.partition_json(answer["statementHandle"], number)["data"]
        return rows

    def _answer(self, request):
        self.socket.sendall(request)
        received = self.socket.recv(1 << 18)
        head_end = received.find(b"\r\n\r\n")
        while head_end < 0:
            received += self._more()
            head_end = received.find(b"\r\n\r\n")
        status = received[9:12]
        length = int(header(received[:head_end], b"content-length"))
        chunks = [received[head_end + 4 :]]
        missing = length - len(chunks[0])
        while missing > 0:
            chunks.append(self._more())
            missing -= len(chunks[-1])
        content = b"".join(chunks)
        if status not in (b"200", b"202"):
            raise RuntimeError(f"answered {status.decode()}: {content[:500]!r}")
        return content

    def _more(self):
        received = self.socket.recv(1 << 18)
        if not received:
            raise RuntimeError("the server closed the connection")
        return received


def header(head, name):
    for line in head.split(b"\r\n")[1:]:
        key, _, value = line.partition(b":")
        if key.lower() == name:
            return value.strip()
    raise RuntimeError(f"the answer has no {name.decode()}: {head!r}")
