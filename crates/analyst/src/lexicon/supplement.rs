//! The hand-written relations of `data/relations.txt`: business words and word families that WordNet lacks, and pairs
//! that it relates but databases keep apart. They take precedence over WordNet.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::relation::{Relation, RelationKind};

static TEXT: &str = include_str!("data/relations.txt");

type Entries = HashMap<(&'static str, &'static str), Option<Relation>>;

static ENTRIES: LazyLock<Entries> = LazyLock::new(|| {
    let mut entries = Entries::new();
    for line in TEXT.lines() {
        add_line(&mut entries, line);
    }
    entries
});

/// What the table says of two words: nothing, that they are unrelated (`Some(None)`), or their relation.
#[expect(clippy::option_option, reason = "an entry that denies a relation differs from no entry")]
pub fn find(question_word: &str, schema_word: &str) -> Option<Option<Relation>> {
    ENTRIES.get(&(question_word, schema_word)).copied()
}

/// Reads `synonym 0.9: a b c`, `synonym 0.7: a = b c`, `hypernym 0.7: general > special special`, or `never: a b`.
fn add_line(entries: &mut Entries, line: &'static str) {
    let Some((head, words)) = line.split_once(':').filter(|_| !line.starts_with('#')) else { return };
    let (kind, strength) = head.split_once(' ').unwrap_or((head, "0"));
    let strength = strength.parse().unwrap_or(0.0);
    let kinds = match kind {
        "synonym" => [Some(RelationKind::Synonym); 2],
        "derived" => [Some(RelationKind::Derived); 2],
        "antonym" => [Some(RelationKind::Antonym); 2],
        "attribute" => [Some(RelationKind::Attribute); 2],
        "hypernym" => [Some(RelationKind::Hypernym), Some(RelationKind::Hyponym)],
        _ => [None; 2],
    };
    let [forward, backward] = kinds.map(|kind| kind.map(|kind| Relation { kind, strength }));
    for (first, second) in pairs(words) {
        entries.insert((first, second), forward);
        entries.insert((second, first), backward);
    }
}

/// The pairs of a line, each once: those across `=` or `>`, or all if there is neither.
fn pairs(words: &'static str) -> Vec<(&'static str, &'static str)> {
    if let Some((left, right)) = words.split_once(['=', '>']) {
        return left.split_whitespace().flat_map(|a| right.split_whitespace().map(move |b| (a, b))).collect();
    }
    let words: Vec<_> = words.split_whitespace().collect();
    words.iter().enumerate().flat_map(|(at, a)| words.iter().skip(at + 1).map(move |b| (*a, *b))).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use std::collections::HashMap;

    use super::{TEXT, pairs};

    #[test]
    fn every_line_is_well_formed() {
        for line in lines() {
            let (head, words) = line.split_once(':').unwrap();
            let (kind, strength) = head.split_once(' ').unwrap_or((head, "0"));
            assert!(["synonym", "derived", "antonym", "attribute", "hypernym", "never"].contains(&kind), "{line}");
            assert!(strength.parse::<f32>().is_ok_and(|strength| (0.0..=1.0).contains(&strength)), "{line}");
            assert_eq!(kind == "hypernym", words.contains('>'), "{line}");
            assert!(!pairs(words).is_empty(), "{line}");
        }
    }

    #[test]
    fn every_pair_is_in_one_line() {
        let mut seen: HashMap<(&str, &str), &str> = HashMap::new();
        for line in lines() {
            for (a, b) in pairs(line.split_once(':').unwrap().1) {
                let before = seen.insert((a.min(b), a.max(b)), line);
                assert!(before.is_none() && a != b, "{a} {b}: {line} / {before:?}");
            }
        }
    }

    fn lines() -> impl Iterator<Item = &'static str> {
        TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
    }
}
