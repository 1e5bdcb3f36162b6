//! How two words are related: what the hand-written table says, else what WordNet says of their frequent senses. A false
//! relation does more harm than a missing one, so weak ones are left out.

use super::attribute::attribute_of;
use super::places;
use super::supplement;
use super::wordnet::{PairKind, WORDNET, WordNet};

/// The relation of a question's word to a word of the schema.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relation {
    pub kind: RelationKind,
    /// From 0 to 1: how far the two words may be taken for each other.
    pub strength: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RelationKind {
    /// They mean the same: `client`, `customer`.
    Synonym,
    /// The question's word is the more general: `vehicle` for a table of cars.
    Hypernym,
    /// The question's word is the more special: `physician` for a table of people.
    Hyponym,
    /// One is made from the other, or both from a third: `enroll`, `enrollment`; `manager`, `management`.
    Derived,
    /// One is the adjective or the inhabitant of the place that the other names: `asian`, `asia`.
    Demonym,
    /// One is an adjective, the other the noun it is a value of: `expensive`, `price`; `female`, `gender`.
    Attribute,
    /// They are opposites: `winner`, `loser`. The strength says how certain that is.
    Antonym,
}

/// Weaker relations are not reported.
const STRENGTH_MIN: f32 = 0.33;
/// Hypernyms reach farther, so they must be surer.
const HYPERNYM_MIN: f32 = 0.38;
/// Share of the strength that is left after each step up.
const HYPERNYM_STEPS: [f32; 2] = [0.8, 0.65];
const CATEGORY_STEP: f32 = 0.6;
/// Share of the strength that is left when two words are made from a third.
const THIRD_WORD: f32 = 0.8;
/// Share of the strength that an adjective has for the nouns after the first.
const LATER_NOUN: f32 = 0.8;

/// The relation between two different lower-case lemmas (compounds joined by underscores), the strongest if there are
/// several.
#[must_use]
pub fn relation(question_word: &str, schema_word: &str) -> Option<Relation> {
    if question_word == schema_word {
        return None;
    }
    if let Some(entry) = supplement::find(question_word, schema_word) {
        return entry;
    }
    if places::is_demonym_of(question_word, schema_word) || places::is_demonym_of(schema_word, question_word) {
        return Some(Relation { kind: RelationKind::Demonym, strength: 0.95 });
    }
    if let Some(found) = measured(question_word, schema_word).or_else(|| measured(schema_word, question_word)) {
        return Some(found);
    }
    let wordnet = &*WORDNET;
    let (first, second) = (wordnet.find(question_word)?, wordnet.find(schema_word)?);
    let found = [
        paired(wordnet, first, second),
        synonym(wordnet, first, second),
        hypernym(wordnet, first, second).map(|strength| Relation { kind: RelationKind::Hypernym, strength }),
        hypernym(wordnet, second, first).map(|strength| Relation { kind: RelationKind::Hyponym, strength }),
        derived_from_third(wordnet, first, second),
    ];
    let found = found.into_iter().flatten().filter(|relation| relation.strength >= STRENGTH_MIN);
    found.max_by(|a, b| a.strength.total_cmp(&b.strength))
}

/// An adjective and a noun that the table of attributes says it measures; the first nouns are the likeliest.
fn measured(adjective: &str, noun: &str) -> Option<Relation> {
    let strengths = attribute_of(adjective).iter().filter_map(|attribute| {
        let place = attribute.nouns.iter().position(|known| *known == noun)?;
        Some(if place == 0 { attribute.strength } else { attribute.strength * LATER_NOUN })
    });
    let strength = strengths.max_by(f32::total_cmp)?;
    Some(Relation { kind: RelationKind::Attribute, strength })
}

fn paired(wordnet: &WordNet, first: u32, second: u32) -> Option<Relation> {
    let pair = wordnet.pairs(first).iter().find(|pair| pair.word == second)?;
    let kind = match pair.kind {
        PairKind::Derived => RelationKind::Derived,
        PairKind::Antonym => RelationKind::Antonym,
        PairKind::Attribute => RelationKind::Attribute,
    };
    Some(Relation { kind, strength: pair.strength })
}

fn synonym(wordnet: &WordNet, first: u32, second: u32) -> Option<Relation> {
    let shared = wordnet.senses(first).iter().filter_map(|sense| {
        let other = wordnet.senses(second).iter().find(|other| other.synset == sense.synset)?;
        Some((sense.weight * other.weight).sqrt())
    });
    let strength = shared.max_by(f32::total_cmp)?;
    Some(Relation { kind: RelationKind::Synonym, strength })
}

/// How strongly `general` names something that `special` is one of.
fn hypernym(wordnet: &WordNet, general: u32, special: u32) -> Option<f32> {
    let targets = wordnet.senses(general);
    let weight_of = |synset| targets.iter().find(|sense| sense.synset == synset).map(|sense| sense.weight);
    let mut strongest: Option<f32> = None;
    for sense in wordnet.senses(special) {
        let mut reach = |synset: u32, step: f32| {
            if let Some(weight) = weight_of(synset) {
                let strength = (weight * sense.weight).sqrt() * step;
                strongest = Some(strongest.map_or(strength, |so_far| so_far.max(strength)));
            }
        };
        let [one_step, two_steps] = HYPERNYM_STEPS;
        for &parent in wordnet.hypernyms(sense.synset) {
            reach(parent, one_step);
            for &grandparent in wordnet.hypernyms(parent) {
                reach(grandparent, two_steps);
            }
        }
        for category in wordnet.categories(sense.synset) {
            reach(category, CATEGORY_STEP);
        }
    }
    strongest.filter(|strength| *strength >= HYPERNYM_MIN)
}

fn derived_from_third(wordnet: &WordNet, first: u32, second: u32) -> Option<Relation> {
    let of_second = wordnet.pairs(second);
    let shared = wordnet.pairs(first).iter().filter(|pair| pair.kind == PairKind::Derived).filter_map(|pair| {
        let other = of_second.iter().find(|other| other.word == pair.word && other.kind == PairKind::Derived)?;
        Some((pair.strength * other.strength).sqrt())
    });
    let strength = shared.max_by(f32::total_cmp)? * THIRD_WORD;
    Some(Relation { kind: RelationKind::Derived, strength })
}

#[cfg(test)]
mod tests {
    use super::RelationKind::{Antonym, Attribute, Demonym, Derived, Hypernym, Hyponym, Synonym};
    use super::relation;

    #[test]
    fn related_words_are_found() {
        for (question_word, schema_word, kind) in [
            ("client", "customer", Synonym),
            ("movie", "film", Synonym),
            ("salary", "wage", Synonym),
            ("teacher", "instructor", Synonym),
            ("physician", "doctor", Synonym),
            ("gender", "sex", Synonym),
            ("telephone", "phone", Synonym),
            ("vendor", "supplier", Synonym),
            ("nation", "country", Synonym),
            ("shop", "store", Synonym),
            ("percentage", "percent", Synonym),
            ("colour", "color", Synonym),
            ("zip_code", "postcode", Synonym),
            ("person", "employee", Hypernym),
            ("person", "physician", Hypernym),
            ("person", "architect", Hypernym),
            ("vehicle", "car", Hypernym),
            ("vehicle", "truck", Hypernym),
            ("building", "hotel", Hypernym),
            ("animal", "dog", Hypernym),
            ("physician", "person", Hyponym),
            ("bedroom", "room", Hyponym),
            ("manage", "manager", Derived),
            ("manager", "management", Derived),
            ("expire", "expiration", Derived),
            ("enroll", "enrollment", Derived),
            ("teach", "teacher", Derived),
            ("own", "owner", Derived),
            ("rent", "rental", Derived),
            ("people", "population", Derived),
            ("advise", "advisor", Derived),
            ("nominate", "nomination", Derived),
            ("donate", "donation", Derived),
            ("graduate", "graduation", Derived),
            ("asian", "asia", Demonym),
            ("france", "french", Demonym),
            ("american", "united_states", Demonym),
            ("expensive", "price", Attribute),
            ("old", "age", Attribute),
            ("female", "gender", Attribute),
            ("winner", "loser", Antonym),
            ("first", "last", Antonym),
        ] {
            let found = relation(question_word, schema_word);
            assert_eq!(found.map(|found| found.kind), Some(kind), "{question_word} {schema_word}");
            let strength = found.map_or(0.0, |found| found.strength);
            assert!((0.33..=1.0).contains(&strength), "{question_word} {schema_word}: {strength}");
        }
    }

    #[test]
    fn unrelated_words_are_not() {
        for (question_word, schema_word) in [
            ("name", "address"),
            ("price", "date"),
            ("student", "teacher"),
            ("name", "id"),
            ("state", "country"),
            ("state", "status"),
            ("city", "state"),
            ("date", "year"),
            ("type", "status"),
            ("code", "name"),
            ("number", "name"),
            ("count", "amount"),
            ("total", "full"),
            ("order", "product"),
            ("customer", "order"),
            ("rank", "score"),
            ("level", "degree"),
            ("account", "history"),
            ("class", "grade"),
            ("position", "location"),
            ("weight", "height"),
            ("revenue", "profit"),
            ("person", "general"),
            ("it", "subject"),
            ("are", "unit"),
            ("customer", "customer"),
            ("xqzfoo", "customer"),
            ("customer", ""),
            ("record", "book"),
            ("park", "common"),
        ] {
            assert_eq!(relation(question_word, schema_word), None, "{question_word} {schema_word}");
        }
    }

    #[test]
    fn directions_mirror_each_other() {
        for (general, special) in [("person", "employee"), ("vehicle", "car"), ("room", "bedroom"), ("food", "bread")] {
            let (down, up) = (relation(general, special), relation(special, general));
            assert_eq!(down.map(|found| found.kind), Some(Hypernym), "{general} {special}");
            assert_eq!(up.map(|found| found.kind), Some(Hyponym), "{general} {special}");
            assert_eq!(down.map(|found| found.strength), up.map(|found| found.strength), "{general} {special}");
        }
    }
}
