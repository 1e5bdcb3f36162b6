"""The packages, made of the built binary: what is in them, and that they run where they are unpacked.

`make dist` packs a binary of its own, without paths of the machine it was built on; the others are the same.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import elf
from archives import File, ar, tar_gz, zipped
from conftest import ROOT

BINARY = os.environ["FIRN_BINARY"]
LIBRARY = Path(os.environ.get("DUCKDB_LIB_DIR", ROOT / "vendor/duckdb")) / "libduckdb.so"
DATE = 1_700_000_000

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="packages are made on Linux")


def pack(out, *options):
    command = [ROOT / "packages/pack.py", "--binary", BINARY, "--library", LIBRARY, "--out", out, "--level", "1", *options]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(DATE), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    """Made twice at the same time, in different folders."""
    folder = tmp_path_factory.mktemp("packages")
    packing = [pack(folder / name, "--allow-build-paths") for name in ("one", "other")]
    said = [process.communicate()[0] for process in packing]
    assert [process.returncode for process in packing] == [0, 0], said
    yield folder
    shutil.rmtree(folder)


def only(folder, pattern):
    (found,) = folder.glob(pattern)
    return found


def run(*command, **variables):
    """With nothing of this environment but what the system has."""
    ran = subprocess.run(command, env={"PATH": "/usr/bin:/bin", **variables}, text=True, capture_output=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_the_same_binary_gives_the_same_packages(packages):
    one, other = [(packages / name / "SHA256SUMS").read_text() for name in ("one", "other")]
    assert one == other
    names = set()
    for line in one.splitlines():
        digest, name = line.split("  ")
        names.add(name.rpartition(".")[2])
        assert hashlib.sha256((packages / "one" / name).read_bytes()).hexdigest() == digest, name
    assert names == {"gz", "whl", "deb", "Dockerfile"}


def test_a_binary_that_knows_where_it_was_built_is_refused(tmp_path):
    packing = pack(tmp_path / "dist")
    said = packing.communicate()[0]
    assert packing.returncode != 0 and "looks for libraries in" in said, said
    assert not (tmp_path / "dist").exists()


def test_the_tar_gz_runs_where_it_is_unpacked(packages, tmp_path):
    archive = only(packages / "one", "*.tar.gz")
    with tarfile.open(archive) as entries:
        members = entries.getmembers()
        entries.extractall(tmp_path, filter="fully_trusted")
    assert [member.name for member in members] == sorted(member.name for member in members)
    assert {(member.uid, member.gid, member.uname, member.mtime) for member in members} == {(0, 0, "root", DATE)}
    home = only(tmp_path, "firn-*")
    assert run(home / "bin/firn", "--version").startswith("firn ")
    assert f"{home}/lib/libduckdb.so" in os.path.realpath(re.search(r"libduckdb\.so => (\S+)", run("ldd", home / "bin/firn"))[1])
    assert (home / "share/man/man1/firn-serve.1").read_text().startswith(".ie")
    for completion in ("bash-completion/completions/firn", "zsh/site-functions/_firn", "fish/vendor_completions.d/firn.fish"):
        assert "serve" in (home / "share" / completion).read_text()


def test_the_wheel_serves_tests(packages, tmp_path, run_pytest):
    wheel = only(packages / "one", "*.whl")
    glibc = max(elf.read(BINARY).newest("GLIBC_"), elf.read(LIBRARY).newest("GLIBC_"))
    assert f"-py3-none-manylinux_{glibc[0]}_{glibc[1]}_" in wheel.name
    installed = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--target", installed, wheel], check=True)
    told = run(installed / "bin/firn", "--version", PYTHONPATH=str(installed))
    assert told.startswith("firn ")
    # The plugin is found by its entry point, the binary in the package.
    code, output = run_pytest(
        "-q", folder=ROOT / "examples/orders_report", package=installed, plugin=(), FIRN_BINARY="", PATH="/usr/bin:/bin"
    )
    assert (code, "5 passed" in output) == (0, True), output


def test_every_file_of_the_wheel_is_recorded(packages):
    with zipfile.ZipFile(only(packages / "one", "*.whl")) as wheel:
        record = wheel.read(next(name for name in wheel.namelist() if name.endswith("/RECORD"))).decode()
        assert [line.split(",")[0] for line in record.splitlines()] == wheel.namelist()
        assert all(entry.date_time == (2023, 11, 14, 22, 13, 20) for entry in wheel.infolist())
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in wheel.infolist()}
    assert modes["firn/_bin/firn"] == 0o755 and modes["firn/__init__.py"] == 0o644


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb is missing")
def test_the_deb_has_server_unit_and_settings(packages, tmp_path):
    archive = only(packages / "one", "*.deb")
    fields = run("dpkg-deb", "--field", archive)
    assert "Package: firn" in fields and re.search(r"Depends: libc6 \(>= 2\.\d+\), ", fields)
    run("dpkg-deb", "--extract", archive, tmp_path)
    assert run(tmp_path / "usr/bin/firn", "--version").startswith("firn ")
    unit = (tmp_path / "usr/lib/systemd/system/firn.service").read_text()
    assert "User=firn" in unit and "ProtectSystem=strict" in unit
    printed = run(tmp_path / "usr/bin/firn", "serve", "--config", tmp_path / "etc/firn/firn.toml", "--print-config")
    assert 'data_dir = "/var/lib/firn"' in printed
    listed = run("dpkg-deb", "--contents", archive)
    assert all(line.split()[1] == "root/root" for line in listed.splitlines()), listed


def test_the_licences_of_all_parts_come_along(packages):
    with tarfile.open(only(packages / "one", "*.tar.gz")) as archive:
        name = next(name for name in archive.getnames() if name.endswith("THIRD-PARTY.txt"))
        text = archive.extractfile(name).read().decode()
    for part in ("tokio 1.", "rusqlite 0.", "react 1", "echarts 6.", "@codemirror/view 6.", "libduckdb: MIT", "third_party/re2"):
        assert part in text, part
    for phrase in ("Stichting DuckDB Foundation", "WordNet", "Meta Platforms", "Apache License"):
        assert phrase in text, phrase
    assert ": unknown" not in text


def test_archives_do_not_tell_the_order_or_the_time():
    files = {"b/x": File(b"1", 0o755), "a": File(b"2"), "c": File(link="a")}
    reverse = dict(reversed(files.items()))
    assert tar_gz(files, date=DATE, level=6) == tar_gz(reverse, date=DATE, level=6)
    assert zipped(files, date=DATE, level=6) == zipped(files, date=DATE, level=6)
    assert ar({"odd": b"1"}, date=DATE).endswith(b"`\n1\n")
