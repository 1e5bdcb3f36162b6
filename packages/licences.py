"""The licences of everything that the packages bring along besides firn: crates, npm packages of the console, libduckdb."""

import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_LICENCE_FILE = re.compile(r"(licen[cs]e|copying|notice|copyright|unlicense)", re.IGNORECASE)
_NO_LICENCE = {".rs", ".c", ".h", ".py", ".toml", ".json", ".hs", ".js", ".ts", ".html", ".sh"}
_DEEPEST = 3
#: They build the console and are not in it.
_BUILDERS = {"vite", "typescript", "@vitejs/plugin-react"}
_RULE = "=" * 100


def third_party(target):
    """The text of THIRD-PARTY.txt, for binaries of this target."""
    parts = sorted(_crates(target) + _npm_packages(), key=lambda part: (part["name"].lower(), part["version"]))
    texts = {}
    for part in parts:
        for text in part["texts"]:
            texts.setdefault(_normalised(text), (text, []))[1].append(f"{part['name']} {part['version']}")
    lines = [
        "firn is under the Apache License 2.0 (LICENSE). Its packages bring along the parts listed here, under their own",
        "licences, whose texts follow the list.",
        "",
    ]
    lines += [_described(part) for part in parts]
    lines += ["libduckdb: MIT; its parts are named at the end", "WordNet (the analyst's lexicon): WordNet License"]
    for text, names in texts.values():
        lines += ["", _RULE, *_wrapped(names), _RULE, "", text.strip("\n")]
    wordnet = ROOT / "crates/analyst/src/lexicon/data/WORDNET_LICENSE"
    lines += ["", _RULE, "WordNet", _RULE, "", wordnet.read_text().strip("\n")]
    lines += ["", _RULE, "libduckdb", _RULE, "", (ROOT / "packages/licences/libduckdb.txt").read_text().strip("\n")]
    return "\n".join(lines) + "\n"


def _described(part):
    missing = "" if part["texts"] else f" (its package has no licence file{part['by']})"
    return f"{part['name']} {part['version']}: {part['licence']}{missing}"


def _wrapped(names):
    line = ""
    for name in sorted(set(names)):
        if line and len(line) + len(name) > 98:
            yield line + ","
            line = ""
        line += f"{', ' if line else ''}{name}"
    yield line


def _normalised(text):
    return " ".join(text.split())


def _texts(folder):
    found = [file for file in sorted(Path(folder).rglob("*")) if _is_licence(file, folder)]
    return [file.read_text(errors="replace").replace("\r\n", "\n") for file in found]


def _is_licence(file, folder):
    place = file.relative_to(folder)
    if len(place.parts) > _DEEPEST or "node_modules" in place.parts or not _LICENCE_FILE.match(file.name):
        return False
    return file.suffix.lower() not in _NO_LICENCE and file.is_file()


def _crates(target):
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    packages = {package["id"]: package for package in metadata["packages"]}
    binary = next(identity for identity, package in packages.items() if package["name"] == "firn")
    shipped, waiting = set(), [binary]
    while waiting:
        identity = waiting.pop()
        if identity in shipped:
            continue
        shipped.add(identity)
        for dependency in nodes[identity]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    foreign = [packages[identity] for identity in shipped if packages[identity]["source"]]
    return [
        {
            "name": package["name"],
            "version": package["version"],
            "licence": package["license"] or f"see {package['license_file']}",
            "texts": _texts(Path(package["manifest_path"]).parent),
            "by": f"; authors: {', '.join(package['authors'])}" if package["authors"] else "",
        }
        for package in foreign
    ]


def _npm_packages():
    """What the console's own dependencies need, by the lock file; nothing where firn is built without the console."""
    web = ROOT / "web"
    if not (web / "dist/index.html").exists():
        return []
    locked = json.loads((web / "package-lock.json").read_text())["packages"]
    direct = [name for name in locked[""]["dependencies"] if name not in _BUILDERS and not name.startswith("@types/")]
    waiting = [("", name) for name in direct]
    found = {}
    while waiting:
        inside, name = waiting.pop()
        place = _locked_place(locked, inside, name)
        if place is None or place in found or name.startswith("@types/"):
            continue
        package = found[place] = locked[place]
        waiting += [(place, each) for each in package.get("dependencies", {})]
    return [
        {
            "name": place.rpartition("node_modules/")[2],
            "version": package["version"],
            "licence": package.get("license", "unknown"),
            "texts": _installed_texts(web / place),
            "by": "",
        }
        for place, package in found.items()
    ]


def _installed_texts(folder):
    if not folder.is_dir():
        raise SystemExit(f"{folder} is missing, whose licence comes along: run `npm ci --omit=dev --ignore-scripts` in web/")
    return _texts(folder)


def _locked_place(locked, inside, name):
    """Where npm finds a package that one at `inside` asks for."""
    while True:
        place = f"{inside}/node_modules/{name}" if inside else f"node_modules/{name}"
        if place in locked:
            return place
        if not inside:
            return None
        inside = inside.rpartition("node_modules/")[0].rstrip("/")
