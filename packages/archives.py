"""Archives that are the same, byte for byte, whenever and wherever they are made of the same files."""

import gzip
import io
import tarfile
import time
import zipfile
from dataclasses import dataclass


@dataclass(frozen=True)
class File:
    """A file of a package: what is in it, and its mode; or a link."""

    content: bytes = b""
    mode: int = 0o644
    link: str = ""


def tar_gz(files, *, date, level):
    """`files` are by their paths; their folders are made too, and all of them are root's."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in sorted({*files, *_folders(files)}):
            entry = tarfile.TarInfo(path)
            entry.mtime, entry.uname, entry.gname = date, "root", "root"
            file = files.get(path)
            if file is None:
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(entry)
            elif file.link:
                entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, file.link, 0o777
                archive.addfile(entry)
            else:
                entry.size, entry.mode = len(file.content), file.mode
                archive.addfile(entry, io.BytesIO(file.content))
    return gz(plain.getvalue(), level=level)


def gz(content, *, level=9):
    """Without a name or a time."""
    return gzip.compress(content, compresslevel=level, mtime=0)


def _folders(files):
    for path in files:
        parts = path.split("/")[:-1]
        for count in range(1, len(parts) + 1):
            folder = "/".join(parts[:count])
            if folder not in ("", "."):
                yield folder


def zipped(files, *, date, level):
    """In the order given."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for path, file in files.items():
            entry = zipfile.ZipInfo(path, time.gmtime(date)[:6])
            entry.create_system = 3
            entry.external_attr = (0o100000 | file.mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.content, compresslevel=level)
    return packed.getvalue()


def ar(members, *, date):
    """What a .deb is: `members` by their names."""
    packed = io.BytesIO(b"!<arch>\n")
    packed.seek(0, io.SEEK_END)
    for name, content in members.items():
        packed.write(f"{name:<16}{date:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode())
        packed.write(content + b"\n" * (len(content) % 2))
    return packed.getvalue()
