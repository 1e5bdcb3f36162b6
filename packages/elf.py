"""What a program or library asks of the system, read from its ELF file: versions of libraries, and where it looks for them."""

import struct
from dataclasses import dataclass, field
from pathlib import Path

_DYNAMIC, _VERSIONS_NEEDED = 6, 0x6FFFFFFE
_TAG_NEEDED, _TAG_RPATH, _TAG_RUNPATH = 1, 15, 29


@dataclass
class Elf:
    libraries: list = field(default_factory=list)
    run_path: list = field(default_factory=list)
    #: Such as GLIBC_2.34, by the library that has them.
    versions: dict = field(default_factory=dict)

    def newest(self, prefix):
        """The highest version with this prefix, as a tuple of numbers; empty if there is none."""
        found = [name[len(prefix) :] for names in self.versions.values() for name in names if name.startswith(prefix)]
        return max((tuple(map(int, each.split("."))) for each in found if each[:1].isdigit()), default=())


def read(path):
    data = Path(path).read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{path} is no 64-bit little-endian ELF file")
    sections_at = struct.unpack_from("<Q", data, 40)[0]
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, sections_at + size * index) for index in range(count)]
    elf = Elf()
    for _, kind, _, _, offset, length, link, info, _, _ in sections:
        texts = sections[link][4] if link < len(sections) else 0
        if kind == _DYNAMIC:
            _read_dynamic(data, offset, length, texts, elf)
        elif kind == _VERSIONS_NEEDED:
            _read_versions(data, offset, info, texts, elf)
    return elf


def _text(data, offset):
    return data[offset : data.index(b"\0", offset)].decode()


def _read_dynamic(data, offset, length, texts, elf):
    for place in range(offset, offset + length, 16):
        tag, value = struct.unpack_from("<qQ", data, place)
        if tag == _TAG_NEEDED:
            elf.libraries.append(_text(data, texts + value))
        elif tag in (_TAG_RPATH, _TAG_RUNPATH):
            elf.run_path += _text(data, texts + value).split(":")


def _read_versions(data, offset, count, texts, elf):
    for _ in range(count):
        _, names, library, first, following = struct.unpack_from("<HHIII", data, offset)
        place = offset + first
        for _ in range(names):
            _, _, _, name, next_name = struct.unpack_from("<IHHII", data, place)
            elf.versions.setdefault(_text(data, texts + library), set()).add(_text(data, texts + name))
            place += next_name
        offset += following
