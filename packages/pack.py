#!/usr/bin/env python3
"""Makes the packages of a built binary: tar.gz, wheel, .deb, Dockerfile and their checksums.

    pack.py --binary target/dist/firn --library vendor/duckdb/libduckdb.so --out dist

The same binary gives the same bytes, whenever and wherever: every file's time is SOURCE_DATE_EPOCH, or that of the commit.
"""

import argparse
import hashlib
import os
import platform
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import elf
import licences
from archives import File, tar_gz
from deb import deb
from wheel import platform_tag, wheel

ROOT = Path(__file__).resolve().parent.parent
#: Where each shell looks for completions, below `share`.
COMPLETIONS = {
    "bash": "bash-completion/completions/firn",
    "zsh": "zsh/site-functions/_firn",
    "fish": "fish/vendor_completions.d/firn.fish",
}
#: What every Linux with a desktop or a shell has; anything else would have to come along.
SYSTEM_LIBRARIES = re.compile(r"(libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+|ld-linux[-\w]*)\.so\.\d+")
MACHINES = {"x86_64": "x64", "aarch64": "arm64"}


@dataclass
class Parts:
    """What the packages are made of."""

    binary: bytes
    library: bytes
    documents: dict = field(default_factory=dict)
    manual: dict = field(default_factory=dict)
    completions: dict = field(default_factory=dict)


def main():
    arguments = parse()
    machine, date = platform.machine(), source_date()
    version = workspace_version()
    check_version(arguments.binary, version)
    glibc = check_libraries(arguments.binary, arguments.library)
    if not arguments.allow_build_paths:
        check_paths(arguments.binary)
    parts = gather(arguments, machine)
    options = {"date": date, "level": arguments.level}
    made = dict(
        [
            tarball(parts, version=version, machine=machine, **options),
            deb(parts, version=version, machine=machine, glibc=glibc, **options),
            python_wheel(parts, version=version, machine=machine, glibc=glibc, **options),
            ("Dockerfile", (ROOT / "packages/Dockerfile").read_bytes()),
        ]
    )
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, content in made.items():
        (arguments.out / name).write_bytes(content)
    sums = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(made.items())]
    (arguments.out / "SHA256SUMS").write_text("".join(sums))
    for name, content in sorted(made.items()):
        print(f"{len(content):>12,} {arguments.out / name}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--level", type=int, default=6, help="of compression, 1 to 9")
    parser.add_argument(
        "--allow-build-paths", action="store_true", help="pack a binary that knows the folder it was built in"
    )
    return parser.parse_args()


def source_date():
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    told = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if told.returncode != 0:
        sys.exit("SOURCE_DATE_EPOCH is not set, and the sources are no checkout that has a commit's time")
    return int(told.stdout)


def workspace_version():
    found = re.search(r'^version = "([^"]+)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    package = (ROOT / "packages/python/firn/_version.py").read_text()
    if f'"{found[1]}"' not in package:
        sys.exit(f"packages/python/firn/_version.py has another version than Cargo.toml, which has {found[1]}")
    return found[1]


def check_version(binary, version):
    told = run_binary(binary, "--version").decode().split()
    if told[1] != version:
        sys.exit(f"{binary} is version {told[1]}, the sources are {version}")


def check_libraries(binary, library):
    """Nothing but the system's own libraries may be asked for; returns the version of the C library that is needed."""
    newest = (0, 0)
    for file in (binary, library):
        asked = elf.read(file)
        foreign = [name for name in asked.libraries if not SYSTEM_LIBRARIES.fullmatch(name)]
        if foreign not in ([], ["libduckdb.so"]):
            sys.exit(f"{file} needs {', '.join(foreign)}, which no package brings along")
        newest = max(newest, asked.newest("GLIBC_"))
    return newest


def check_paths(binary):
    """A binary for others says nothing of the machine it was built on."""
    asked = [place for place in elf.read(binary).run_path if not place.startswith("$ORIGIN")]
    if asked:
        sys.exit(f"{binary} looks for libraries in {', '.join(asked)}")
    content = binary.read_bytes()
    homes = {Path.home(), ROOT, os.environ.get("CARGO_HOME"), os.environ.get("CARGO_TARGET_DIR")}
    for place in sorted(str(home) for home in homes if home and str(home) != "/"):
        found = re.search(re.escape(place.encode()) + rb"/[\w.@/-]{0,80}", content)
        if found:
            sys.exit(f"{binary} has a path of the machine it was built on: {found[0].decode()}")


def gather(arguments, machine):
    parts = Parts(binary=arguments.binary.read_bytes(), library=arguments.library.read_bytes())
    for name in ("LICENSE", "CHANGELOG.md", "README.md"):
        parts.documents[name] = (ROOT / name).read_bytes()
    parts.documents["THIRD-PARTY.txt"] = licences.third_party(f"{machine}-unknown-linux-gnu").encode()
    with tempfile.TemporaryDirectory() as folder:
        run_binary(arguments.binary, "man", folder)
        parts.manual = {page.name: page.read_bytes() for page in sorted(Path(folder).iterdir())}
    for shell, path in COMPLETIONS.items():
        parts.completions[path] = run_binary(arguments.binary, "completions", shell)
    return parts


def run_binary(binary, *arguments):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FIRN_")}
    environment["LD_LIBRARY_PATH"] = os.environ.get("LD_LIBRARY_PATH") or str(ROOT / "vendor/duckdb")
    return subprocess.run([binary, *arguments], env=environment, check=True, stdout=subprocess.PIPE).stdout


def tarball(parts, *, version, machine, date, level):
    name = f"firn-{version}-linux-{MACHINES[machine]}"
    files = {
        "bin/firn": File(parts.binary, 0o755),
        "lib/libduckdb.so": File(parts.library, 0o755),
        "share/doc/firn/firn.service": File((ROOT / "packages/firn.service").read_bytes()),
    }
    files |= {f"share/doc/firn/{name}": File(text) for name, text in parts.documents.items()}
    files |= {f"share/man/man1/{name}": File(page) for name, page in parts.manual.items()}
    files |= {f"share/{path}": File(text) for path, text in parts.completions.items()}
    return f"{name}.tar.gz", tar_gz({f"{name}/{path}": file for path, file in files.items()}, date=date, level=level)


def python_wheel(parts, *, version, machine, glibc, date, level):
    folder = ROOT / "packages/python/firn"
    sources = [file for file in folder.rglob("*") if file.suffix == ".py" or file.name == "py.typed"]
    return wheel(
        {str(file.relative_to(folder)): file.read_bytes() for file in sources},
        version=version,
        tag=platform_tag(machine, glibc),
        programs={"firn": parts.binary, "libduckdb.so": parts.library},
        licences={name: parts.documents[name] for name in ("LICENSE", "THIRD-PARTY.txt")},
        readme=(ROOT / "packages/python/README.md").read_text(),
        date=date,
        level=level,
    )


if __name__ == "__main__":
    main()
