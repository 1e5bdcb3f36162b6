"""The binary form of the lexicon, read by crates/analyst/src/lexicon/decode.rs.

Raw deflate of seven sections. Numbers are LEB128 unless said otherwise; counts per word are one byte. Words are known by
their place in the sorted list, synsets by their number. What belongs together by kind is stored in columns, which
compress better.

1. words: their number; then front-coded and sorted by bytes: bytes shared with the word before, length of the rest (one
   byte each), the rest
2. parts of speech: a byte per word for noun (low half) and verb, then a byte per word for adjective and adverb: 0 for
   none, else the level of frequency from 1
3. senses: per word their number; per sense its weight in 31sts (one byte); per sense its synset: 0 for a new one, else
   how far back it is from the next new number
4. hypernyms: the number of synsets; per synset the number of parents (one byte); the low, middle and high bytes of the
   parents' numbers
5. categories: their number (one byte) and synsets; the number of distinct sets of categories less one (one byte), each
   with its count and members (one byte each); per synset its set (one byte)
6. pairs: per word their number; then each with the distance from the word before, and kind (3 bits) and strength in 31sts
   (5 bits) in one byte; only with the word that is earlier in the list
7. irregular forms: their number; front-coded like words, each followed by its part of speech (one byte) and its base
"""

import math
import zlib
from collections import defaultdict

DERIVED, ANTONYM, ATTRIBUTE = range(3)
KINDS = {"+": DERIVED, "\\": DERIVED, "!": ANTONYM, "=": ATTRIBUTE}
STEPS = 31


def varint(number) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def steps(share) -> int:
    return max(1, min(STEPS, round(share * STEPS)))


def front_coded(words):
    before = b""
    for word in words:
        word = word.encode()
        shared = next((i for i, (a, b) in enumerate(zip(before, word)) if a != b), min(len(before), len(word)))
        yield bytes([shared, len(word) - shared]) + word[shared:]
        before = word


def word_section(words) -> bytes:
    return varint(len(words)) + b"".join(front_coded(words))


def part_section(lexicon) -> bytes:
    columns = bytearray(), bytearray()
    for word in lexicon.words:
        noun, verb, adjective, adverb = (0 if t is None else 1 + min(14, int(math.log2(1 + t))) for t in lexicon.tags[word])
        columns[0].append(noun | verb << 4)
        columns[1].append(adjective | adverb << 4)
    return bytes(columns[0]) + bytes(columns[1])


def number_synsets(lexicon, parents, categories):
    """Synsets in the order of their first word, then those that only stand above others; and the words' senses."""
    senses = defaultdict(list)
    for (word, key), weight in lexicon.weights.items():
        senses[word].append((key, weight))
    members = defaultdict(int)
    for word, key in lexicon.weights:
        members[key] += 1
    used_above = set(categories)
    for key in members:
        for parent in parents.get(key, []):
            used_above.update([parent, *parents.get(parent, [])])
    numbers = {}
    for word in lexicon.words:
        selected = [s for s in senses[word] if members[s[0]] > 1 or s[0] in used_above or parents.get(s[0])]
        senses[word] = sorted(selected, key=lambda s: (-s[1], s[0]))
        for key, _ in senses[word]:
            numbers.setdefault(key, len(numbers))
    for key in sorted(used_above):
        numbers.setdefault(key, len(numbers))
    return numbers, senses


def sense_section(lexicon, numbers, senses) -> bytes:
    counts, weights, refs = bytearray(), bytearray(), bytearray()
    for_next = 0
    for word in lexicon.words:
        counts.append(len(senses[word]))
        for key, weight in senses[word]:
            weights.append(steps(weight))
            number = numbers[key]
            refs += varint(0 if number == for_next else for_next - number)
            for_next = max(for_next, number + 1)
    return bytes(counts) + bytes(weights) + bytes(refs)


def hypernym_section(numbers, parents) -> bytes:
    counts, targets = bytearray(), bytearray()
    for key in numbers:
        above = [numbers[parent] for parent in parents.get(key, []) if parent in numbers]
        counts.append(len(above))
        for number in above:
            targets += number.to_bytes(3, "little")
    low, middle, high = targets[0::3], targets[1::3], targets[2::3]
    return varint(len(numbers)) + bytes(counts) + bytes(low) + bytes(middle) + bytes(high)


def category_section(numbers, below, categories) -> bytes:
    sets = sorted({tuple(sorted(below[key])) for key in numbers})
    assert len(sets) <= 256
    out = bytearray([len(categories)])
    for key in categories:
        out += varint(numbers[key])
    out.append(len(sets) - 1)
    for members in sets:
        out += bytes([len(members), *members])
    places = {members: i for i, members in enumerate(sets)}
    return bytes(out) + bytes(places[tuple(sorted(below[key]))] for key in numbers)


def pair_section(lexicon, pairs) -> bytes:
    places = {word: i for i, word in enumerate(lexicon.words)}
    by_first = defaultdict(list)
    for (first, second), (kind, strength) in pairs.items():
        if first in places and second in places:
            by_first[places[first]].append((places[second], kind << 5 | steps(strength)))
    counts, rest = bytearray(), bytearray()
    for first in range(len(lexicon.words)):
        entries = sorted(by_first[first])
        counts.append(len(entries))
        before = first
        for second, code in entries:
            rest += varint(second - before) + bytes([code])
            before = second
    return bytes(counts) + bytes(rest)


def form_section(lexicon, forms) -> bytes:
    places = {word: i for i, word in enumerate(lexicon.words)}
    out = bytearray(varint(len(forms)))
    for coded, (_, part, base) in zip(front_coded(form for form, *_ in forms), forms):
        out += coded + bytes([part]) + varint(places[base])
    return bytes(out)


def encode(lexicon, forms) -> bytes:
    parents, below, categories = lexicon.hypernyms()
    numbers, senses = number_synsets(lexicon, parents, categories)
    sections = [
        word_section(lexicon.words),
        part_section(lexicon),
        sense_section(lexicon, numbers, senses),
        hypernym_section(numbers, parents),
        category_section(numbers, below, categories),
        pair_section(lexicon, lexicon.pairs()),
        form_section(lexicon, forms),
    ]
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15, 9)
    return deflate.compress(b"".join(sections)) + deflate.flush()
