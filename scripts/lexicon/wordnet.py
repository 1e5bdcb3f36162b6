"""Reads the dict files of WordNet: synsets, their words and pointers, and how often each sense was tagged."""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

NOUN, VERB, ADJECTIVE, ADVERB = range(4)
FILES = {"noun": NOUN, "verb": VERB, "adj": ADJECTIVE, "adv": ADVERB}
LETTERS = {"n": NOUN, "v": VERB, "a": ADJECTIVE, "s": ADJECTIVE, "r": ADVERB}
SENSE_TYPES = {"1": NOUN, "2": VERB, "3": ADJECTIVE, "4": ADVERB, "5": ADJECTIVE}


@dataclass
class Synset:
    key: tuple  # (part of speech, offset)
    lexicographer_file: int
    words: list  # as written, with capitals; compounds joined by underscores
    pointers: list = field(default_factory=list)  # (symbol, target key, source word or 0, target word or 0)

    @property
    def is_instance(self):
        return any(symbol == "@i" for symbol, *_ in self.pointers)

    def targets(self, *symbols):
        return [target for symbol, target, *_ in self.pointers if symbol in symbols]


def read_synsets(dict_folder: Path) -> dict:
    synsets = {}
    for name, part in FILES.items():
        for line in (dict_folder / f"data.{name}").read_text(encoding="utf-8").splitlines():
            if not line.startswith(" "):
                synset = parse_synset(line, part)
                synsets[synset.key] = synset
    return synsets


def parse_synset(line, part) -> Synset:
    fields = line.split(" | ")[0].split()
    word_count = int(fields[3], 16)
    words = [fields[4 + 2 * i].split("(")[0] for i in range(word_count)]
    at = 4 + 2 * word_count
    synset = Synset((part, fields[0]), int(fields[1]), words)
    for i in range(int(fields[at])):
        symbol, offset, letter, ends = fields[at + 1 + 4 * i : at + 5 + 4 * i]
        synset.pointers.append((symbol, (LETTERS[letter], offset), int(ends[:2], 16), int(ends[2:], 16)))
    return synset


def read_senses(dict_folder: Path) -> dict:
    """(lower-case word, part of speech) -> [(synset key, sense number, tag count)] by sense number."""
    senses = defaultdict(list)
    for line in (dict_folder / "index.sense").read_text(encoding="utf-8").splitlines():
        key, offset, number, tags = line.split()
        word, rest = key.split("%")
        part = SENSE_TYPES[rest[0]]
        senses[word, part].append(((part, offset), int(number), int(tags)))
    for entries in senses.values():
        entries.sort(key=lambda entry: entry[1])
    return senses


def read_licence(dict_folder: Path) -> str:
    """The licence, which heads every data file in numbered lines."""
    lines = (dict_folder / "data.noun").read_text(encoding="utf-8").splitlines()
    numbered = (line.split(maxsplit=1) for line in lines if line.startswith("  "))
    return "".join(f"{(fields[1:] or [''])[0].rstrip()}\n" for fields in numbered)
