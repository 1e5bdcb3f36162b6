//! Roles in which rows refer to people: OWNER_ID of an animal makes owners of people, and those who own.

use super::model_index::{ColumnId, DataKind, JoinEdge, ModelIndex, TableId};
use super::phrase_match::{Phrase, Target};
use crate::lexicon::{self, PartOfSpeech};
use crate::question::lemma::lemma;
use crate::question::words::Word;
use crate::semantic_model::SemanticModel;

/// Suffixes of nouns for those who do what a verb says: `owner`, `operator`, `assistant`.
const DOERS: [&str; 4] = ["er", "or", "ant", "ent"];
/// Behind these `own` is no verb.
const POSSESSIVES: [&str; 8] = ["their", "his", "her", "its", "our", "my", "your", "whose"];

/// What a name or a declared synonym is worth.
const DECLARED_WORTH: f32 = 1.0;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonRole {
    /// What somebody in this role is called.
    pub nouns: Vec<String>,
    /// Base forms of what somebody in this role does, where the nouns do not tell it.
    verbs: Vec<String>,
    pub reference: ColumnId,
    /// The place of the join that the reference makes.
    pub join: usize,
    /// The table of the reference.
    pub from: TableId,
    pub persons: TableId,
}

impl PersonRole {
    /// Whether a word of the question speaks of the role: `owner`, `owners`, `owns`.
    #[must_use]
    pub fn is_said(&self, words: &[Word], at: usize) -> bool {
        self.is_called(&words[at]) || self.is_done(words, at)
    }

    /// Whether a word is a noun for somebody in the role.
    #[must_use]
    pub fn is_called(&self, word: &Word) -> bool {
        self.nouns.contains(&word.lemma)
    }

    /// Whether a word is the verb of the role: `owns` of owners, `skippered` of skippers.
    #[must_use]
    pub fn is_done(&self, words: &[Word], at: usize) -> bool {
        let word = &words[at];
        let is_possessive = at > 0 && POSSESSIVES.contains(&words[at - 1].lower.as_str());
        if is_possessive || self.nouns.contains(&word.lower) {
            return false;
        }
        let verbs = lexicon::lemmas(&word.lower, Some(PartOfSpeech::Verb));
        let is_own =
            |verb: &str| self.verbs.iter().any(|own| own == verb) || self.nouns.iter().any(|noun| does(noun, verb));
        verbs.iter().any(|verb| is_own(verb.text) || self.is_called_verb(verb.text, word))
    }

    /// `skippered`: the noun itself is the verb.
    fn is_called_verb(&self, verb: &str, word: &Word) -> bool {
        self.nouns.iter().any(|noun| noun == verb && word.lemma != *noun)
    }
}

/// Whether a noun names those who do what a verb says: `owner`, `writer`, `translator`.
fn does(noun: &str, verb: &str) -> bool {
    let stem = verb.strip_suffix('e').unwrap_or(verb);
    let mut bases = DOERS.iter().filter_map(|suffix| noun.strip_suffix(suffix));
    verb.len() > 2 && bases.any(|base| base == verb || base == stem)
}

/// The roles of a model. A noun that names a table or two references names no role.
pub(super) fn person_roles(index: &ModelIndex, model: &SemanticModel) -> Vec<PersonRole> {
    let joins = (0..index.joins.len()).filter(|join| index.joins[*join].left != index.joins[*join].right);
    let mut roles: Vec<PersonRole> = joins.filter_map(|join| role_of(index, model, join)).collect();
    let all = roles.clone();
    for role in &mut roles {
        let is_shared = |noun: &String| all.iter().filter(|other| other.nouns.contains(noun)).count() > 1;
        role.nouns.retain(|noun| !is_shared(noun));
        let is_done_twice = |verb: &String| all.iter().filter(|other| other.verbs.contains(verb)).count() > 1;
        role.verbs.retain(|verb| !is_done_twice(verb));
    }
    roles.retain(|role| !role.nouns.is_empty() || !role.verbs.is_empty());
    roles
}

/// Nouns for those whom others report to.
const SUPERIORS: [&str; 5] = ["boss", "manager", "supervisor", "superior", "lead"];

/// Roles of rows that others of the same table refer to: the boss of an employee.
pub(super) fn peer_roles(index: &ModelIndex, model: &SemanticModel) -> Vec<PersonRole> {
    let joins = (0..index.joins.len()).filter(|join| index.joins[*join].left == index.joins[*join].right);
    let mut roles: Vec<PersonRole> = joins.filter_map(|join| role_of(index, model, join)).collect();
    for role in roles.iter_mut().filter(|role| role.nouns.iter().any(|noun| SUPERIORS.contains(&noun.as_str()))) {
        role.verbs.push("report".to_owned());
    }
    roles
}

fn role_of(index: &ModelIndex, model: &SemanticModel, place: usize) -> Option<PersonRole> {
    let join = &index.joins[place];
    let [(column, _)] = join.columns.as_slice() else { return None };
    let reference = index.column_named(join.left, column)?;
    let is_named = index.label(join.right) != index.tables[join.right].key;
    if index.columns[reference].data != DataKind::Number || !is_named {
        return None;
    }
    let nouns = nouns_of(index, model, join, reference);
    let verbs = verbs_of(index, model, reference);
    let role = PersonRole { nouns, verbs, reference, join: place, from: join.left, persons: join.right };
    (!role.nouns.is_empty() || !role.verbs.is_empty()).then_some(role)
}

/// The nouns for people in the name of a reference, in its synonyms, in its description and in the name of its relationship.
fn nouns_of(index: &ModelIndex, model: &SemanticModel, join: &JoinEdge, reference: ColumnId) -> Vec<String> {
    let own = match index.columns[reference].words.as_slice() {
        [word, last] if matches!(last.as_str(), "id" | "key") => Some(word.clone()),
        _ => None,
    };
    let synonyms = index.vocabulary.phrases.iter().filter(|phrase| phrase.target == Target::Column(reference));
    let synonyms = synonyms.filter_map(|phrase| match phrase.words.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    });
    let relationship = Some(join.name.to_lowercase()).filter(|name| name.chars().all(char::is_alphabetic));
    let is_role = |word: &String| !names_table(index, word) && lexicon::relation(word, "person").is_some();
    let described = described_noun(index, &described(index, model, reference));
    let said = own.into_iter().chain(synonyms).chain(relationship).chain(described);
    let mut nouns: Vec<String> = said.filter(is_role).collect();
    nouns.sort();
    nouns.dedup();
    nouns
}

/// Whether a word is part of a table's name, or a synonym that the model declares for it: those are all of its rows.
fn names_table(index: &ModelIndex, word: &String) -> bool {
    let is_synonym = |phrase: &Phrase| {
        let is_declared = matches!(phrase.target, Target::Table(_)) && phrase.worth >= DECLARED_WORTH;
        is_declared && phrase.words == std::slice::from_ref(word)
    };
    index.tables.iter().any(|table| table.words.contains(word)) || index.vocabulary.phrases.iter().any(is_synonym)
}

/// Whether the rows of a table are people.
pub fn is_persons(index: &ModelIndex, table: TableId) -> bool {
    let is_person = |word: &String| word == "person" || lexicon::relation(word, "person").is_some();
    let tells_person = |column: &ColumnId| {
        let stated = ["birth", "gender", "sex", "hired", "salary"];
        index.columns[*column].name.split('_').any(|part| stated.contains(&part.to_lowercase().as_str()))
    };
    let entry = &index.tables[table];
    index.label(table) != entry.key && (entry.words.iter().any(is_person) || entry.columns.iter().any(tells_person))
}

/// What the name or the description of a reference says that people do: ISSUED_BY, `the librarian who handed it out`.
fn verbs_of(index: &ModelIndex, model: &SemanticModel, reference: ColumnId) -> Vec<String> {
    let entry = &index.columns[reference];
    let name = entry.name.to_lowercase();
    let deed = name.strip_suffix("_by").map(str::to_owned);
    let said = described(index, model, reference);
    let verb_of_who = said.iter().position(|word| word == "who").and_then(|at| said.get(at + 1)).cloned();
    let bases = deed.into_iter().chain(verb_of_who).filter_map(|verb| {
        let bases = lexicon::lemmas(&verb, Some(PartOfSpeech::Verb));
        bases.first().map(|base| base.text.to_owned())
    });
    bases.filter(|base| base.len() > 2 && !matches!(base.as_str(), "have" | "get")).collect()
}

/// The words of a reference's description.
fn described(index: &ModelIndex, model: &SemanticModel, reference: ColumnId) -> Vec<String> {
    let entry = &index.columns[reference];
    let table = model.tables.iter().find(|table| table.name == index.tables[entry.table].name);
    let mut columns = table.into_iter().flat_map(|table| &table.dimensions);
    let description = columns.find(|column| column.name == entry.name).and_then(|column| column.description.as_deref());
    let words = description.unwrap_or_default().split(|character: char| !character.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// What a description calls those who are referred to: the last word before what is said of them. A `staff member` is any
/// row of the staff.
fn described_noun(index: &ModelIndex, said: &[String]) -> Option<String> {
    const BEHIND: &[&str] =
        &["who", "whom", "that", "which", "of", "in", "for", "on", "at", "with", "responsible", "to"];
    let end = said.iter().position(|word| BEHIND.contains(&word.as_str())).unwrap_or(said.len());
    match &said[..end] {
        [.., kind, _] if names_table(index, &lemma(kind)) => None,
        [.., noun] => Some(lemma(noun)),
        [] => None,
    }
}
