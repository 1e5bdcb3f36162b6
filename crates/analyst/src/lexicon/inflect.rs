//! Base forms of inflected words: WordNet's list of irregular forms, then the regular endings, as far as they lead to a
//! word that WordNet knows.

use super::parts_of_speech::PartOfSpeech;
use super::wordnet::WORDNET;

/// A base form, and what it is a form of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lemma {
    pub text: &'static str,
    pub part: PartOfSpeech,
}

/// Forms that WordNet has as words of their own only.
const MORE_IRREGULAR: &[(&str, PartOfSpeech, &str)] = &[
    ("people", PartOfSpeech::Noun, "person"),
    ("elder", PartOfSpeech::Adjective, "old"),
    ("eldest", PartOfSpeech::Adjective, "old"),
    ("latest", PartOfSpeech::Adjective, "late"),
];

/// Endings and what they replace. Endings that double a consonant or change `f` to `v` are in the list of irregular forms.
const NOUN_ENDINGS: &[(&str, &str)] = &[
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("ies", "y"),
    ("men", "man"),
];
const VERB_ENDINGS: &[(&str, &str)] = &[
    ("s", ""),
    ("ies", "y"),
    ("es", "e"),
    ("es", ""),
    ("ied", "y"),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
];
const ADJECTIVE_ENDINGS: &[(&str, &str)] =
    &[("er", ""), ("est", ""), ("er", "e"), ("est", "e"), ("ier", "y"), ("iest", "y")];

/// From this level of frequency a noun in `er` or `est` is taken for no form of an adjective.
const FREQUENT_NOUN: u8 = 3;

/// The lemmas of a lower-case word, the most frequent first; the word itself is one of them if it is a base form.
/// With a part of speech only lemmas of that. Empty for a word that WordNet does not know.
#[must_use]
pub fn lemmas(word: &str, part: Option<PartOfSpeech>) -> Vec<Lemma> {
    let mut found = Vec::new();
    for wanted in PartOfSpeech::ALL.into_iter().filter(|wanted| part.is_none_or(|part| part == *wanted)) {
        add_lemmas(&mut found, word, wanted);
    }
    found.sort_by_key(|(_, frequency)| std::cmp::Reverse(*frequency));
    found.into_iter().map(|(lemma, _)| lemma).collect()
}

fn add_lemmas(found: &mut Vec<(Lemma, u8)>, word: &str, part: PartOfSpeech) {
    let before = found.len();
    let more = MORE_IRREGULAR.iter().filter(|(form, of, _)| *form == word && *of == part);
    for (_, _, base) in more {
        add(found, base, part);
    }
    for (_, base) in WORDNET.irregular_bases(word).iter().filter(|(of, _)| *of == part as u8) {
        add(found, WORDNET.text(*base), part);
    }
    // A noun with an irregular plural has no other; `enrolled` is of `enroll` although the list has `enrol` alone.
    let is_settled = part == PartOfSpeech::Noun && found.len() > before;
    add(found, word, part);
    if !is_settled && word.is_ascii() && !is_rather_noun(word, part) {
        add_regular(found, word, part);
    }
}

/// Whether a word that looks like a comparative is a noun in its own right: `customer` is not more custom.
fn is_rather_noun(word: &str, part: PartOfSpeech) -> bool {
    let noun_level =
        |word: &str| WORDNET.find(word).map_or(0, |number| WORDNET.parts(number)[PartOfSpeech::Noun as usize]);
    part == PartOfSpeech::Adjective && noun_level(word) >= FREQUENT_NOUN
}

fn add_regular(found: &mut Vec<(Lemma, u8)>, word: &str, part: PartOfSpeech) {
    let endings = match part {
        PartOfSpeech::Noun => NOUN_ENDINGS,
        PartOfSpeech::Verb => VERB_ENDINGS,
        PartOfSpeech::Adjective => ADJECTIVE_ENDINGS,
        PartOfSpeech::Adverb => &[],
    };
    if word.ends_with("ss") {
        return;
    }
    let mut base = String::with_capacity(word.len() + 1);
    for (ending, replacement) in endings {
        if let Some(start) = word.strip_suffix(ending).filter(|start| start.len() >= 2) {
            base.clear();
            base.push_str(start);
            base.push_str(replacement);
            add(found, &base, part);
        }
    }
}

/// Adds a base if WordNet knows it as that part of speech.
fn add(found: &mut Vec<(Lemma, u8)>, base: &str, part: PartOfSpeech) {
    let Some(number) = WORDNET.find(base) else { return };
    let frequency = WORDNET.parts(number)[part as usize];
    let lemma = Lemma { text: WORDNET.text(number), part };
    if frequency > 0 && !found.iter().any(|(known, _)| *known == lemma) {
        found.push((lemma, frequency));
    }
}

#[cfg(test)]
mod tests {
    use super::lemmas;
    use crate::lexicon::parts_of_speech::PartOfSpeech::{self, Adjective, Adverb, Noun, Verb};

    #[test]
    fn forms_lead_to_their_base() {
        for (form, part, base) in [
            ("children", Noun, "child"),
            ("people", Noun, "person"),
            ("cities", Noun, "city"),
            ("criteria", Noun, "criterion"),
            ("addresses", Noun, "address"),
            ("boxes", Noun, "box"),
            ("branches", Noun, "branch"),
            ("women", Noun, "woman"),
            ("wives", Noun, "wife"),
            ("indices", Noun, "index"),
            ("analyses", Noun, "analysis"),
            ("movies", Noun, "movie"),
            ("status", Noun, "status"),
            ("series", Noun, "series"),
            ("bought", Verb, "buy"),
            ("sold", Verb, "sell"),
            ("taught", Verb, "teach"),
            ("written", Verb, "write"),
            ("expired", Verb, "expire"),
            ("enrolled", Verb, "enroll"),
            ("shipping", Verb, "ship"),
            ("running", Verb, "run"),
            ("studies", Verb, "study"),
            ("applied", Verb, "apply"),
            ("oldest", Adjective, "old"),
            ("larger", Adjective, "large"),
            ("biggest", Adjective, "big"),
            ("heaviest", Adjective, "heavy"),
            ("best", Adjective, "good"),
            ("worse", Adjective, "bad"),
            ("farther", Adverb, "far"),
        ] {
            let found = lemmas(form, Some(part));
            assert!(found.iter().any(|lemma| lemma.text == base && lemma.part == part), "{form}: {found:?}");
        }
    }

    #[test]
    fn what_is_no_form_leads_nowhere() {
        let texts = |form: &str, part: Option<PartOfSpeech>| -> Vec<&str> {
            lemmas(form, part).into_iter().map(|lemma| lemma.text).collect()
        };
        assert_eq!(texts("glass", Some(Noun)), ["glass"]);
        assert_eq!(texts("address", Some(Noun)), ["address"]);
        assert!(!texts("news", None).contains(&"new"));
        assert!(texts("xqzfoo", None).is_empty());
        assert!(texts("", None).is_empty());
        assert!(texts("bergen", None).is_empty());
        assert!(!texts("number", Some(Adjective)).contains(&"numb") || texts("number", Some(Noun)) == ["number"]);
    }

    #[test]
    fn the_most_frequent_comes_first() {
        assert_eq!(lemmas("orders", None).first().map(|lemma| (lemma.text, lemma.part)), Some(("order", Noun)));
        assert_eq!(lemmas("found", None).first().map(|lemma| (lemma.text, lemma.part)), Some(("find", Verb)));
    }
}
