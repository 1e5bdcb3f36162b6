//! Nouns for people, by what WordNet says that they are.

use super::wordnet::{WORDNET, WordNet};

/// Steps up from a noun to a person.
const STEPS_MAX: usize = 8;
/// A sense with a smaller share of the weight of the most frequent one is not what a name means.
const SENSE_SHARE_MIN: f32 = 0.5;

/// Whether a frequent sense of a lower-case lemma is somebody: `commander`, `firefighter`.
#[must_use]
pub fn is_person(lemma: &str) -> bool {
    let wordnet = &*WORDNET;
    let (Some(word), Some(person)) = (wordnet.find(lemma), wordnet.find("person")) else { return false };
    let Some(person) = wordnet.senses(person).iter().max_by(|a, b| a.weight.total_cmp(&b.weight)) else { return false };
    let senses = wordnet.senses(word);
    let most = senses.iter().map(|sense| sense.weight).fold(0.0, f32::max);
    let mut frequent = senses.iter().filter(|sense| sense.weight >= most * SENSE_SHARE_MIN);
    frequent.any(|sense| reaches(wordnet, sense.synset, person.synset, STEPS_MAX))
}

fn reaches(wordnet: &WordNet, from: u32, to: u32, steps: usize) -> bool {
    from == to || steps > 0 && wordnet.hypernyms(from).iter().any(|parent| reaches(wordnet, *parent, to, steps - 1))
}

#[cfg(test)]
mod tests {
    use super::is_person;

    #[test]
    fn people_are_told_from_things() {
        for noun in ["person", "commander", "firefighter", "mentor", "inspector", "sponsor", "librarian", "trainee"] {
            assert!(is_person(noun), "{noun}");
        }
        for noun in ["container", "order", "elevator", "shop", "station", "restaurant", "committee", "xqzfoo"] {
            assert!(!is_person(noun), "{noun}");
        }
    }
}
