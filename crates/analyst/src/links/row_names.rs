//! What people call the rows of a table by.

use crate::lexicon;

use super::model_index::{ColumnId, ColumnKind, DataKind, ModelIndex, TableId};
use super::phrase_match::{Phrase, Target};

/// A synonym for a column that is worth less is no name for it.
const NAME_WORTH_MIN: f32 = 0.9;

impl ModelIndex {
    /// The column that names a row for a reader: a name or title, else a description, else the key.
    #[must_use]
    pub fn label(&self, table: TableId) -> Vec<ColumnId> {
        let columns = &self.tables[table].columns;
        let with_words = |wanted: &[&str]| {
            columns.iter().copied().find(|&column| {
                let words = &self.columns[column].words;
                words.len() == wanted.len() && words.iter().zip(wanted).all(|(word, wanted)| word == wanted)
            })
        };
        if let Some(column) = with_words(&["name"]).or_else(|| with_words(&["full", "name"])) {
            return vec![column];
        }
        // The title of somebody with a first and a last name is a position.
        if let (Some(first), Some(last)) = (with_words(&["first", "name"]), with_words(&["last", "name"])) {
            return vec![first, last];
        }
        if let Some(column) = with_words(&["title"]) {
            return vec![column];
        }
        let text_ending = |endings: &[&str]| {
            columns.iter().copied().find(|&column| {
                let entry = &self.columns[column];
                entry.data == DataKind::Text
                    && entry.words.last().is_some_and(|word| endings.contains(&word.as_str()))
                    && !self.is_reference(column)
            })
        };
        let own = &self.tables[table].words;
        let same = columns.iter().copied().find(|&column| {
            let entry = &self.columns[column];
            entry.data == DataKind::Text && entry.words == *own
        });
        let called_name = || {
            let is_name = |phrase: &&Phrase| phrase.words.last().is_some_and(|word| word == "name");
            let called = self.vocabulary.phrases.iter().filter(is_name).find_map(|phrase| match phrase.target {
                Target::Column(column) if phrase.worth >= NAME_WORTH_MIN && columns.contains(&column) => Some(column),
                _ => None,
            });
            called.filter(|column| self.columns[*column].data == DataKind::Text && !self.is_reference(*column))
        };
        let found = text_ending(&["name", "title"])
            .or(same)
            .or_else(called_name)
            .or_else(|| text_ending(&["detail", "description"]));
        if let Some(column) = found {
            return vec![column];
        }
        self.tables[table].key.clone()
    }

    /// What people call a row by: its name, else a number or a mark that is not its key, else the key.
    #[must_use]
    pub fn row_name(&self, table: TableId) -> Vec<ColumnId> {
        let found = self.label(table);
        let entry = &self.tables[table];
        if found != entry.key {
            return found;
        }
        let is_other = |column: &ColumnId| {
            self.columns[*column].kind == ColumnKind::Dimension
                && !entry.key.contains(column)
                && !self.is_reference(*column)
        };
        let is_mark = |column: &ColumnId| {
            let marks = ["number", "registration", "plate", "mark", "label", "code", "symbol"];
            self.columns[*column].words.last().is_some_and(|word| marks.contains(&word.as_str()))
        };
        let is_unique_text = |column: &ColumnId| {
            self.columns[*column].is_declared_unique && self.columns[*column].data == DataKind::Text
        };
        let others: Vec<ColumnId> = entry.columns.iter().copied().filter(is_other).collect();
        let mark = others.iter().copied().find(is_mark).or_else(|| others.iter().copied().find(is_unique_text));
        mark.map_or(found, |mark| vec![mark])
    }

    /// Whether rows are things under a mark of their own, such as the tail number of an aircraft: others refer to them, and they
    /// refer to nothing.
    #[must_use]
    pub fn is_catalogue(&self, table: TableId) -> bool {
        let is_text = |column: &ColumnId| self.columns[*column].data == DataKind::Text;
        let refers = self.joins.iter().any(|join| join.left == table && join.right != table);
        let is_referred_to = self.joins.iter().any(|join| join.right == table && join.left != table);
        matches!(self.tables[table].key.as_slice(), [key] if is_text(key)) && is_referred_to && !refers
    }

    /// Whether rows have no name of their own, as events do.
    #[must_use]
    pub fn is_event(&self, table: TableId) -> bool {
        self.row_name(table) == self.tables[table].key && !self.is_catalogue(table) && !self.is_role(table)
    }

    /// Whether rows are people in a role who are called by the name of the person that they refer to: the vets among people.
    #[must_use]
    pub fn is_role(&self, table: TableId) -> bool {
        let is_person = |word: &String| lexicon::relation(word, "person").is_some();
        let entry = &self.tables[table];
        let is_named = |other: TableId| other != table && self.label(other) != self.tables[other].key;
        self.label(table) == entry.key
            && entry.words.last().is_some_and(is_person)
            && self.joins.iter().any(|join| join.left == table && is_named(join.right))
    }
}

#[cfg(test)]
mod tests {
    use crate::evidence::NoEvidence;
    use crate::links::model_index::ModelIndex;
    use crate::semantic_model::{Dimension, LogicalTable, SemanticModel};

    #[test]
    fn people_are_shown_by_their_names_and_not_by_their_titles() {
        let names = ["title", "first_name", "last_name"];
        let dimensions = names.map(|name| Dimension { name: name.to_string(), ..Dimension::default() }).to_vec();
        let clerks = LogicalTable { name: "clerks".to_string(), dimensions, ..LogicalTable::default() };
        let model = SemanticModel { tables: vec![clerks], ..SemanticModel::default() };
        assert_eq!(ModelIndex::new(&model, &NoEvidence).label(0), [1, 2]);
    }
}
