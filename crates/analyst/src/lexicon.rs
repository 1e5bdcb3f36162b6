//! What English words mean to one another, as far as a question needs it to find the words of a schema: synonyms,
//! hypernyms, derived words, demonyms, attributes of adjectives, base forms and parts of speech.
//!
//! The data are a selection from WordNet (its licence is `lexicon/data/WORDNET_LICENSE`), made by `scripts/lexicon`, and
//! hand-written tables for what it lacks. They are part of the binary; WordNet's part is unpacked at the first use. All
//! words are lower-case.

mod attribute;
mod decode;
mod inflect;
mod parts_of_speech;
mod persons;
mod places;
mod relation;
mod supplement;
mod wordnet;

pub use attribute::{Attribute, Degree, Direction, attribute_of, degree_of};
pub use inflect::{Lemma, lemmas};
pub use parts_of_speech::{PartOfSpeech, PartsOfSpeech, is_function_word, is_word, parts_of_speech};
pub use persons::is_person;
pub use places::{Alias, AliasKind, aliases_of, demonym, demonyms_of, places_of};
pub use relation::{Relation, RelationKind, relation};
