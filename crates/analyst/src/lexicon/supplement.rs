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

/// Reads `synonym 0.9: a b c`, `hypernym 0.7: general > special special`, or `never: a b`. Earlier lines win.
fn add_line(entries: &mut Entries, line: &'static str) {
    let Some((head, words)) = line.split_once(':').filter(|_| !line.starts_with('#')) else { return };
    let (kind, strength) = head.split_once(' ').unwrap_or((head, "0"));
    let strength = strength.parse().unwrap_or(0.0);
    let mut add = |first, second, kind: Option<RelationKind>| {
        let relation = kind.map(|kind| Relation { kind, strength });
        entries.entry((first, second)).or_insert(relation);
    };
    if let Some((generals, specials)) = words.split_once('>') {
        for general in generals.split_whitespace() {
            for special in specials.split_whitespace() {
                add(general, special, Some(RelationKind::Hypernym));
                add(special, general, Some(RelationKind::Hyponym));
            }
        }
        return;
    }
    let kind = match kind {
        "synonym" => Some(RelationKind::Synonym),
        "derived" => Some(RelationKind::Derived),
        "antonym" => Some(RelationKind::Antonym),
        "attribute" => Some(RelationKind::Attribute),
        _ => None,
    };
    for first in words.split_whitespace() {
        for second in words.split_whitespace().filter(|second| *second != first) {
            add(first, second, kind);
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::TEXT;

    #[test]
    fn every_line_is_well_formed() {
        for line in TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (head, words) = line.split_once(':').unwrap();
            let (kind, strength) = head.split_once(' ').unwrap_or((head, "0"));
            assert!(["synonym", "derived", "antonym", "attribute", "hypernym", "never"].contains(&kind), "{line}");
            assert!(strength.parse::<f32>().is_ok_and(|strength| (0.0..=1.0).contains(&strength)), "{line}");
            assert_eq!(kind == "hypernym", words.contains('>'), "{line}");
            assert!(words.split_whitespace().filter(|word| *word != ">").count() >= 2, "{line}");
        }
    }
}
