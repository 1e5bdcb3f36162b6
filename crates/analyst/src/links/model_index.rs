//! The model laid out for linking: every table and column with the phrases people may use for it, the values of text
//! columns, and the joins.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::evidence::Evidence;
use crate::semantic_model::{JoinType, LogicalTable, RelationshipType, SemanticModel};

use super::column_phrases::{bare_words, other_phrases, without_prefix};
use super::data_kind::{data_kind, is_code};
pub use super::entries::{ColumnEntry, ColumnId, ColumnKind, DataKind, JoinEdge, TableEntry, TableId};
use super::flags::flag_of;
use super::identifier_words::{identifier_words, parts};
use super::offered_columns::{Offered, offered_columns};
use super::person_roles::PersonRole;
use super::phrase_match::Vocabulary;
use super::targets::TargetMeasure;
use super::undeclared_joins::undeclared_joins;
use super::value_aliases::value_aliases;
use super::value_index::ValueIndex;
use crate::lexicon::{PartOfSpeech, parts_of_speech};
use crate::question::lemma::lemma;
use crate::sql_generation::in_expressions;
use crate::sql_generation::join_paths::{Ways, distances};

/// A name that belongs to what a bridge leads to outweighs the bridge's own.
const BRIDGED_WORTH: f32 = 1.02;
/// A role names the rows it refers to nearly as well as its column does.
pub(super) const ROLE_WORTH: f32 = 0.96;

/// The word of a key names rows less surely than their table's name does.
const KEY_WORTH: f32 = 0.8;

#[derive(Debug)]
pub struct ModelIndex {
    pub tables: Arc<Vec<TableEntry>>,
    pub columns: Arc<Vec<ColumnEntry>>,
    pub joins: Vec<JoinEdge>,
    /// How many joins lie between two tables.
    pub distances: Arc<Vec<Vec<usize>>>,
    /// The joins between two tables.
    pub ways: Ways,
    pub values: ValueIndex,
    pub vocabulary: Vocabulary,
    /// Nouns that the model itself is called by: `the cooperative`, which restrict nothing.
    pub whole: BTreeSet<String>,
    /// Of a curated model.
    pub person_roles: Vec<PersonRole>,
    /// The same of references to rows of the same table.
    pub peer_roles: Vec<PersonRole>,
    /// What is to be reached, of a curated model.
    pub targets: Vec<TargetMeasure>,
}

impl ModelIndex {
    /// Whether the model says what its columns are for.
    #[must_use]
    pub fn is_curated(&self) -> bool {
        let curates = |column: &ColumnEntry| {
            column.aggregation.is_some() || matches!(column.kind, ColumnKind::Metric | ColumnKind::Filter)
        };
        self.columns.iter().any(curates)
    }

    #[must_use]
    pub fn new(model: &SemanticModel, evidence: &dyn Evidence) -> Self {
        let known = known_words(model);
        let mut index = Self {
            tables: Arc::default(),
            columns: Arc::default(),
            joins: Vec::new(),
            distances: Arc::default(),
            ways: Ways::default(),
            values: ValueIndex::default(),
            vocabulary: Vocabulary::default(),
            whole: BTreeSet::new(),
            person_roles: Vec::new(),
            peer_roles: Vec::new(),
            targets: Vec::new(),
        };
        for table in &model.tables {
            index.add_table(table, &known, evidence);
            index.add_product(model, table, &known, evidence);
        }
        for relationship in &model.relationships {
            let (Some(left), Some(right)) =
                (index.table_named(&relationship.left_table), index.table_named(&relationship.right_table))
            else {
                continue;
            };
            index.joins.push(JoinEdge {
                name: relationship.name.clone(),
                left,
                right,
                columns: relationship
                    .columns
                    .iter()
                    .map(|pair| (pair.left_column.clone(), pair.right_column.clone()))
                    .collect(),
                one_to_one: relationship.relationship_type == Some(RelationshipType::OneToOne),
                is_left_outer: relationship.join_type == Some(JoinType::LeftOuter),
                has_gaps: relationship
                    .columns
                    .iter()
                    .any(|pair| evidence.has_gaps(&relationship.left_table, &pair.left_column) == Some(true)),
            });
        }
        index.joins.extend(undeclared_joins(&index, evidence));
        index.note_one_to_one();
        index.name_by_joins();
        index.distances = Arc::new(distances(&index.joins, index.tables.len()));
        index.ways = Ways::between(index.tables.len());
        index.add_model_metrics(model, &known);
        if index.is_curated() {
            index.add_curated_phrases(model);
        }
        index.whole = index.words_for_the_whole(model);
        index
    }

    /// The same tables without some of the joins, for writing a query that avoids them. What words stand for is not in it.
    #[must_use]
    pub fn without_joins(&self, avoided: &[usize]) -> Self {
        let left = self.joins.iter().enumerate().filter(|(number, _)| !avoided.contains(number));
        let joins: Vec<JoinEdge> = left.map(|(_, join)| join.clone()).collect();
        Self {
            tables: self.tables.clone(),
            columns: self.columns.clone(),
            distances: self.distances.clone(),
            joins,
            ways: Ways::between(self.tables.len()),
            values: ValueIndex::default(),
            vocabulary: Vocabulary::default(),
            whole: BTreeSet::new(),
            person_roles: Vec::new(),
            peer_roles: Vec::new(),
            targets: self.targets.clone(),
        }
    }

    #[must_use]
    pub fn table_named(&self, name: &str) -> Option<TableId> {
        self.tables.iter().position(|table| table.name.eq_ignore_ascii_case(name))
    }

    #[must_use]
    pub fn column_named(&self, table: TableId, name: &str) -> Option<ColumnId> {
        self.tables[table].columns.iter().copied().find(|&column| self.columns[column].name.eq_ignore_ascii_case(name))
    }

    #[must_use]
    pub fn is_time(&self, column: ColumnId) -> bool {
        self.columns[column].kind == ColumnKind::Time
    }

    /// Whether a join refers with this column to another table.
    #[must_use]
    pub fn is_reference(&self, column: ColumnId) -> bool {
        let entry = &self.columns[column];
        self.joins.iter().any(|join| {
            join.left == entry.table && join.columns.iter().any(|(left, _)| left.eq_ignore_ascii_case(&entry.name))
        })
    }

    /// The join by which a column refers to rows; one within its own table first.
    #[must_use]
    pub fn reference_join(&self, column: ColumnId) -> Option<&JoinEdge> {
        let entry = &self.columns[column];
        let refers = |join: &&JoinEdge| {
            join.left == entry.table && join.columns.iter().any(|(left, _)| left.eq_ignore_ascii_case(&entry.name))
        };
        let mut joins = self.joins.iter().filter(refers);
        joins.clone().find(|join| join.right == entry.table).or_else(|| joins.next())
    }

    /// The table whose rows a column refers to.
    #[must_use]
    pub fn referred_table(&self, column: ColumnId) -> Option<TableId> {
        self.reference_join(column).map(|join| join.right)
    }

    /// Whether the column refers to a row of its own table, as a manager among employees does.
    #[must_use]
    pub fn refers_to_own_table(&self, column: ColumnId) -> bool {
        let entry = &self.columns[column];
        self.joins.iter().any(|join| {
            join.left == entry.table
                && join.right == entry.table
                && join.columns.iter().any(|(left, _)| left.eq_ignore_ascii_case(&entry.name))
        })
    }

    /// Whether the column is a condition by itself: a filter of the model, or true or false.
    #[must_use]
    pub fn holds_or_not(&self, column: ColumnId) -> bool {
        let entry = &self.columns[column];
        entry.kind == ColumnKind::Filter || entry.data == DataKind::Boolean
    }

    /// Whether the column is the key of its table.
    #[must_use]
    pub fn is_key(&self, column: ColumnId) -> bool {
        self.tables[self.columns[column].table].key == [column]
    }

    /// A table that only connects others: it holds hardly more than references.
    #[must_use]
    pub fn is_bridge(&self, table: TableId) -> bool {
        let references = self.joins.iter().filter(|join| join.left == table).count();
        references >= 2 && self.tables[table].columns.len() <= references + 2
    }

    /// The nouns of the model's name and description that name nothing in it.
    fn words_for_the_whole(&self, model: &SemanticModel) -> BTreeSet<String> {
        let said = format!("{} {}", model.name, model.description.as_deref().unwrap_or_default()).to_lowercase();
        let words = said.split(|character: char| !character.is_alphabetic()).map(lemma);
        let is_noun = |word: &String| parts_of_speech(word).has(PartOfSpeech::Noun);
        let name = lemma(&model.name.to_lowercase());
        // The name of the model may be a part of other names, but stand for none of them.
        let is_name = |word: &String| {
            *word == name && !self.vocabulary.phrases.iter().any(|phrase| phrase.words == [name.as_str()])
        };
        words
            .filter(|word| word.len() > 3 && is_noun(word) && (is_name(word) || !self.vocabulary.knows(word)))
            .collect()
    }

    /// `train stations` are stations where a table of that name only connects trains with them; an instructor is a row
    /// of the table that the column refers to.
    fn name_by_joins(&mut self) {
        let mut names = Vec::new();
        for (table, entry) in self.tables.iter().enumerate().filter(|(table, _)| self.is_bridge(*table)) {
            let targets: Vec<TableId> =
                self.joins.iter().filter(|join| join.left == table).map(|join| join.right).collect();
            let ends = targets.iter().copied().find(|target| {
                let words = &self.tables[*target].words;
                entry.words.len() > words.len() && entry.words.ends_with(words)
            });
            names.extend(ends.map(|target| (target, entry.words.clone(), BRIDGED_WORTH)));
        }
        for join in self.joins.iter().filter(|join| join.left != join.right) {
            let [(column, _)] = join.columns.as_slice() else { continue };
            let Some(column) = self.column_named(join.left, column) else { continue };
            let words = &self.columns[column].words;
            let is_role = words.len() == 1 && !self.tables.iter().any(|table| table.words.contains(&words[0]));
            let is_code = matches!(words.last().map(String::as_str), Some("id" | "code" | "number" | "key" | "name"));
            if is_role && !is_code && self.columns[column].data == DataKind::Number {
                names.push((join.right, words.clone(), ROLE_WORTH));
            }
            let target = &self.tables[join.right].words;
            let alone =
                self.joins.iter().filter(|other| (other.left, other.right) == (join.left, join.right)).count() == 1;
            if alone && words.len() > target.len() && words.ends_with(target) {
                names.push((join.right, words.clone(), ROLE_WORTH));
            }
        }
        names.extend((0..self.tables.len()).filter_map(|table| Some((table, self.named_by_key(table)?, KEY_WORTH))));
        for (table, words, worth) in names {
            self.vocabulary.add_table_phrase(table, words, worth);
        }
    }

    /// The rows of a table whose key is `tourist_id` are tourists, whatever the table is called.
    fn named_by_key(&self, table: TableId) -> Option<Vec<String>> {
        let entry = &self.tables[table];
        let [key] = entry.key.as_slice() else { return None };
        let [words @ .., last] = self.columns[*key].words.as_slice() else { return None };
        let stated = matches!(last.as_str(), "id" | "code" | "number") && !words.is_empty();
        let is_new = !words.iter().all(|word| entry.words.contains(word))
            && !self.tables.iter().any(|other| other.words == words);
        (stated && is_new && !self.is_reference(*key)).then(|| words.to_vec())
    }

    fn note_one_to_one(&mut self) {
        for at in 0..self.joins.len() {
            let join = &self.joins[at];
            let key_names: Vec<&String> =
                self.tables[join.left].key.iter().map(|&column| &self.columns[column].name).collect();
            let covers =
                key_names.len() == 1 && join.columns.len() == 1 && join.columns[0].0.eq_ignore_ascii_case(key_names[0]);
            if covers {
                self.joins[at].one_to_one = true;
            }
        }
    }

    fn add_table(&mut self, table: &LogicalTable, known: &BTreeSet<String>, evidence: &dyn Evidence) {
        let id = self.tables.len();
        let words = table_words(&table.name, known);
        self.vocabulary.add_table(id, &words, &table.synonyms);
        Arc::make_mut(&mut self.tables).push(TableEntry {
            name: table.name.clone(),
            words: words.clone(),
            columns: Vec::new(),
            key: Vec::new(),
            row_count: evidence.row_count(&table.name),
            physical: in_expressions(table),
        });
        for offered in offered_columns(table) {
            self.add_column(id, table, &offered, known, evidence);
        }
        Arc::make_mut(&mut self.tables)[id].key =
            table.primary_key.iter().filter_map(|name| self.column_named(id, name)).collect::<Vec<_>>();
    }

    pub(super) fn add_column(
        &mut self,
        table: TableId,
        logical: &LogicalTable,
        offered: &Offered<'_>,
        known: &BTreeSet<String>,
        evidence: &dyn Evidence,
    ) {
        let id = self.columns.len();
        let own = self.tables[table].words.clone();
        let full = identifier_words(offered.name, known, &own);
        let bare = bare_words(&full, &own, offered.kind);
        let bare = if bare == full { without_prefix(full.clone(), logical, &own) } else { bare };
        let row_count = self.tables[table].row_count;
        let is_value = !matches!(offered.kind, ColumnKind::Metric | ColumnKind::Filter);
        let distinct_count = if is_value { evidence.distinct_count(&logical.name, offered.name) } else { None };
        self.vocabulary.add_column(id, &full, &bare, offered.synonyms);
        let noun = own.last().map_or(&[][..], std::slice::from_ref);
        let rest =
            full.strip_suffix(own.as_slice()).or_else(|| full.strip_suffix(noun)).filter(|rest| !rest.is_empty());
        if let (ColumnKind::Filter, Some(rest)) = (offered.kind, rest) {
            self.vocabulary.add_column(id, rest, rest, &[]);
        }
        for (phrase, worth) in other_phrases(&full, &own, offered, logical) {
            self.vocabulary.add_column_phrase(id, phrase, worth);
        }
        let declared = data_kind(offered.data_type, offered.kind);
        let mut is_number_as_text = false;
        let mut flag = None;
        if is_value && matches!(declared, DataKind::Text | DataKind::Boolean) {
            let mut values = evidence.values(&logical.name, offered.name);
            if values.is_empty() {
                values = offered.sample_values.to_vec();
            }
            is_number_as_text = !values.is_empty()
                && declared == DataKind::Text
                && !is_code(&bare)
                && values.iter().all(|value| value.trim().parse::<f64>().is_ok());
            flag = flag_of(&values);
            for value in &values {
                self.values.add(id, value);
                for alias in value_aliases(&bare, value) {
                    self.values.add_alias(id, value, alias);
                }
            }
        }
        Arc::make_mut(&mut self.columns).push(ColumnEntry {
            table,
            name: offered.name.to_string(),
            words: bare,
            kind: offered.kind,
            data: if is_number_as_text { DataKind::Number } else { declared },
            is_number_as_text,
            is_declared_unique: offered.unique,
            unique: offered.unique || (distinct_count.is_some() && distinct_count == row_count),
            expression: offered.expr.to_string(),
            aggregation: offered.aggregation,
            distinct_count,
            has_gaps: matches!(offered.kind, ColumnKind::Time | ColumnKind::Dimension)
                && evidence.has_gaps(&logical.name, offered.name) == Some(true),
            latest_day: match offered.kind {
                ColumnKind::Time => evidence.latest_day(&logical.name, offered.name),
                _ => None,
            },
            flag,
            is_tables_own_time: offered.kind == ColumnKind::Time && is_called_after(offered, known, &own),
            reads: Vec::new(),
            formula: None,
        });
        Arc::make_mut(&mut self.tables)[table].columns.push(id);
    }
}

/// Whether a time is called as its table, with no more than the word for a time: `rental date` of rentals.
fn is_called_after(offered: &Offered<'_>, known: &BTreeSet<String>, own: &[String]) -> bool {
    let names = std::iter::once(offered.name).chain(offered.synonyms.iter().map(String::as_str));
    let noun = own.last().map_or(&[][..], std::slice::from_ref);
    names.map(|name| identifier_words(name, known, own)).any(|words| {
        let rest = words.strip_prefix(own).or_else(|| words.strip_prefix(noun));
        rest.is_some_and(|rest| matches!(rest, [only] if TIME_WORDS.contains(&only.as_str())))
    })
}

/// Words for a time that say nothing of which.
pub const TIME_WORDS: [&str; 6] = ["date", "day", "time", "timestamp", "at", "on"];

fn known_words(model: &SemanticModel) -> BTreeSet<String> {
    let names = model.tables.iter().flat_map(|table| {
        let own = std::iter::once(table.name.as_str());
        own.chain(table.dimensions.iter().map(|column| column.name.as_str()))
            .chain(table.time_dimensions.iter().map(|column| column.name.as_str()))
            .chain(table.facts.iter().map(|column| column.name.as_str()))
    });
    let table_names: BTreeSet<String> = model.tables.iter().map(|table| lemma(&table.name.to_lowercase())).collect();
    let mut known: BTreeSet<String> = BTreeSet::new();
    for name in names {
        let found = parts(name);
        // A name of several parts shows words; a name of one part may itself be glued.
        let glued = |part: &String| ["name", "id", "no", "phone", "code", "num"].iter().any(|end| part.ends_with(end));
        let short = found.iter().all(|part| part.len() <= 7 && !glued(part));
        if found.len() > 1 || short || table_names.contains(&lemma(&found.join(""))) {
            known.extend(found.iter().filter(|part| part.len() >= 3).map(|part| lemma(part)));
        }
    }
    known
}

fn table_words(name: &str, known: &BTreeSet<String>) -> Vec<String> {
    let mut words = identifier_words(name, known, &[]);
    if words.len() > 1 && matches!(words[0].as_str(), "ref" | "tbl" | "dim" | "fact" | "fct" | "stg") {
        words.remove(0);
    }
    words
}
