"""The .deb: the server with its unit for systemd."""

import hashlib
from pathlib import Path

from archives import File, ar, gz, tar_gz

_HERE = Path(__file__).resolve().parent
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_DOCUMENTS = "usr/share/doc/firn"


def deb(parts, *, version, machine, glibc, date, level):
    """`parts` are what `pack.py` gathers."""
    architecture = _ARCHITECTURES[machine]
    files = {
        "usr/lib/firn/firn": File(parts.binary, 0o755),
        "usr/lib/firn/libduckdb.so": File(parts.library),
        "usr/bin/firn": File(link="../lib/firn/firn"),
        "usr/lib/systemd/system/firn.service": File((_HERE / "firn.service").read_bytes()),
        "etc/firn/firn.toml": File((_HERE / "deb/firn.toml").read_bytes(), 0o640),
        f"{_DOCUMENTS}/copyright": File(parts.documents["LICENSE"]),
        f"{_DOCUMENTS}/THIRD-PARTY.txt.gz": File(gz(parts.documents["THIRD-PARTY.txt"])),
        f"{_DOCUMENTS}/changelog.gz": File(gz(parts.documents["CHANGELOG.md"])),
    }
    files |= {f"usr/share/man/man1/{name}.gz": File(gz(page)) for name, page in parts.manual.items()}
    files |= {f"usr/share/{path}": File(text) for path, text in parts.completions.items()}
    installed_kb = sum(len(file.content) for file in files.values()) // 1024
    control = {
        "control": File(_control(version, architecture, glibc, installed_kb).encode()),
        "conffiles": File(b"/etc/firn/firn.toml\n"),
        "md5sums": File(_md5sums(files).encode()),
    }
    for script in ("postinst", "prerm", "postrm"):
        control[script] = File((_HERE / "deb" / script).read_bytes(), 0o755)
    members = {
        "debian-binary": b"2.0\n",
        "control.tar.gz": tar_gz(_from_root(control), date=date, level=9),
        "data.tar.gz": tar_gz(_from_root(files), date=date, level=level),
    }
    return f"firn_{version}_{architecture}.deb", ar(members, date=date)


def _from_root(files):
    return {f"./{path}": file for path, file in files.items()}


def _md5sums(files):
    sums = [(hashlib.md5(file.content).hexdigest(), path) for path, file in sorted(files.items()) if not file.link]
    return "".join(f"{digest}  {path}\n" for digest, path in sums)


def _control(version, architecture, glibc, installed_kb):
    return f"""Package: firn
Version: {version}
Architecture: {architecture}
Maintainer: The firn authors <firn@localhost>
Installed-Size: {installed_kb}
Depends: libc6 (>= {glibc[0]}.{glibc[1]}), libgcc-s1, libstdc++6, passwd
Recommends: ca-certificates
Section: database
Priority: optional
Description: self-hosted analytics server that speaks a cloud warehouse's SQL API
 SQL over HTTP, on your own machine, in one process: statements, roles and
 policies, stages, questions in plain English, and a console in the browser.
"""
