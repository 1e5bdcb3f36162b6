"""The wheel `firn-server`: the Python package with the server inside, by the specification of binary distributions."""

import base64
import hashlib

from archives import File, zipped

#: On PyPI the name `firn` is another project's.
NAME = "firn-server"
ROOM = "firn/_bin"
_ENTRY_POINTS = """[console_scripts]
firn = firn._command:main

[pytest11]
firn = firn.pytest_plugin
"""


def platform_tag(machine, glibc):
    """The systems on which it runs: those whose C library is at least of this version."""
    return f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{machine}"


def wheel(package, *, version, tag, programs, licences, readme, date, level):
    """`package` are the Python files, `programs` binary and library, `licences` texts, all by their names."""
    name = NAME.replace("-", "_")
    description = f"{name}-{version}.dist-info"
    files = {f"firn/{name}": File(content) for name, content in sorted(package.items())}
    files |= {f"{ROOM}/{name}": File(content, 0o755) for name, content in sorted(programs.items())}
    files |= {f"{description}/licenses/{name}": File(content) for name, content in sorted(licences.items())}
    files[f"{description}/METADATA"] = File(_metadata(version, licences, readme).encode())
    files[f"{description}/WHEEL"] = File(
        f"Wheel-Version: 1.0\nGenerator: firn\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    )
    files[f"{description}/entry_points.txt"] = File(_ENTRY_POINTS.encode())
    record = [f"{path},sha256={_digest(file.content)},{len(file.content)}" for path, file in files.items()]
    record.append(f"{description}/RECORD,,")
    files[f"{description}/RECORD"] = File(("\n".join(record) + "\n").encode())
    return f"{name}-{version}-{tag}.whl", zipped(files, date=date, level=level)


def _digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def _metadata(version, licences, readme):
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {NAME}",
        f"Version: {version}",
        "Summary: A self-hosted analytics server, and a fresh one for your tests",
        "License-Expression: Apache-2.0",
        *(f"License-File: {name}" for name in sorted(licences)),
        "Requires-Python: >=3.10",
        "Classifier: Framework :: Pytest",
        "Classifier: Typing :: Typed",
        "Classifier: Topic :: Database",
        "Description-Content-Type: text/markdown",
        "",
        readme,
    ]
    return "\n".join(lines)
