//! The entrance: a question in, a reading with its SQL and its restatement out, or what could be asked instead.

mod doubt;
mod explanation;
mod plausibility;
mod readings;

use chrono::NaiveDate;
pub use explanation::Alternative;
pub use readings::Origin;

use crate::accounting::Accounting;
use crate::conversation::{edit, is_follow_up};
use crate::evidence::Evidence;
use crate::interpretation::query::Query;
use crate::interpretation::style::PLAIN;
use crate::interpretation::{Background, Reading, range_told};
use crate::judge::Features;
use crate::links::mentions::{Chunk, ChunkKind, chunks};
use crate::links::model_index::{ColumnKind, ModelIndex};
use crate::links::phrase_match::is_function_word;
use crate::question::today::{stated_in, take_stated};
use crate::question::words::words;
use crate::restatement::restate;
use crate::semantic_model::SemanticModel;
use crate::sql_generation::{sql, tables_of_columns};
use crate::suggestions::candidates;
use crate::verified_queries;

/// Questions of the history that count.
const HISTORY_MAX: usize = 8;
const QUESTION_CHARACTERS_MAX: usize = 2_000;
const SUGGESTIONS_MAX: usize = 3;
/// More verified questions than these are found by their words only.
const VERIFIED_READ_MAX: usize = 50;
/// A reading that explains less of the question is no answer to it.
const EXPLAINED_MIN: f32 = 0.3;
/// The same where the question names nothing to show: what it asks for may be just the word that nothing explains.
const FRAGMENT_EXPLAINED_MIN: f32 = 0.6;

/// Reads questions about one model.
pub struct Interpreter<'a> {
    model: &'a SemanticModel,
    index: ModelIndex,
}

/// What kind of answer it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// The SQL answers the question.
    ClearSql,
    /// The question speaks of the model's things, but not clearly enough.
    Ambiguous,
    /// Nothing in the question is in the model.
    OutOfScope,
}

/// What a question was understood as.
#[derive(Debug, Clone)]
pub struct Answer {
    pub category: Category,
    pub sql: Option<String>,
    /// The query in plain English; empty without SQL.
    pub restatement: String,
    /// Questions that can be answered, where this one cannot.
    pub suggestions: Vec<String>,
    /// How sure the reading is, from 0 to 1.
    pub score: f32,
    pub query: Option<Query>,
    pub links: Vec<Link>,
    /// Values of the data that the question names; with SQL, those that it compares with.
    pub values: Vec<FoundValue>,
    /// The same words as values of other columns, which the SQL does not compare with.
    pub other_values: Vec<FoundValue>,
}

/// A reading and what the judge makes of it.
#[derive(Debug, Clone)]
pub struct JudgedReading {
    pub reading: Reading,
    pub chunks: Vec<Chunk>,
    pub origin: Origin,
    pub features: Features,
    pub accounting: Accounting,
    pub score: f32,
}

/// A part of the question and what it was linked to.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    pub text: String,
    /// Names of tables, `table.column`s or values, best first.
    pub targets: Vec<String>,
}

/// A value found in the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundValue {
    pub text: String,
    pub table: String,
    pub column: String,
    pub value: String,
}

impl<'a> Interpreter<'a> {
    #[must_use]
    pub fn new(model: &'a SemanticModel, evidence: &dyn Evidence) -> Self {
        Self { model, index: ModelIndex::new(model, evidence) }
    }

    /// Understands a question; `history` holds the user's questions before it, the oldest first.
    #[must_use]
    pub fn interpret(&self, question: &str, history: &[String], today: NaiveDate) -> Answer {
        let today = self.today(today);
        let mut previous: Option<Query> = None;
        for earlier in history.iter().rev().take(HISTORY_MAX).rev() {
            previous = self.read(earlier, previous.as_ref(), today).0.map(|reading| reading.query).or(previous);
        }
        let (reading, chunks) = self.read(question, previous.as_ref(), today);
        let ways = match reading.as_ref().filter(|reading| previous.is_none() && is_sure(reading)) {
            Some(reading) if self.is_doubtful(&chunks) => self.ways_to_mean(question, reading, today),
            _ => Vec::new(),
        };
        if ways.is_empty() {
            return self.answer(reading, &chunks, today);
        }
        Answer { suggestions: ways, ..self.answer(None, &chunks, today) }
    }

    /// The verified query that answers the question, if the model has one.
    #[must_use]
    pub fn verified(&self, question: &str, today: NaiveDate) -> Option<verified_queries::Found<'a>> {
        let said = verified_queries::find(self.model, &self.index.values, question);
        said.or_else(|| self.verified_in_other_words(question, self.today(today)))
    }

    /// A verified question that is understood as the very same query, where neither has a word left that the other has not.
    fn verified_in_other_words(&self, question: &str, today: NaiveDate) -> Option<verified_queries::Found<'a>> {
        let queries = &self.model.verified_queries;
        if queries.is_empty() || queries.len() > VERIFIED_READ_MAX {
            return None;
        }
        let understood = |text: &str| {
            let (reading, chunks) = self.read(text, None, today);
            let reading = reading.filter(|reading| is_sure(reading) && !reading.is_fragment)?;
            Some((reading.query, words_left(&chunks)))
        };
        let asked = understood(question)?;
        let query = queries.iter().find(|query| understood(&query.question).as_ref() == Some(&asked))?;
        Some(verified_queries::Found { query, question: query.question.clone(), sql: query.sql.clone() })
    }

    fn read(&self, question: &str, previous: Option<&Query>, today: NaiveDate) -> (Option<Reading>, Vec<Chunk>) {
        let question: String = question.chars().take(QUESTION_CHARACTERS_MAX).collect();
        let mut words = words(&question);
        let today = take_stated(&mut words, today).unwrap_or(today);
        let background = previous.and_then(|query| self.background(query));
        let readings = self.readings(&words, background, today);
        let best = readings.into_iter().next();
        let (reading, chunks) = match best {
            Some(best) => (Some(best.reading), best.chunks),
            None => (None, chunks(&self.index, &words, today, &PLAIN)),
        };
        let reading = match (previous, reading) {
            (Some(previous), Some(reading)) if is_follow_up(&words, Some(&reading)) => {
                // What changes nothing was not understood.
                let query = edit(&self.index, previous, &reading, &words);
                let is_changed = query != *previous;
                is_changed.then(|| Reading { query, explained: reading.explained.max(0.6), ..reading })
            }
            (None, Some(reading)) if reading.is_fragment && !chunks.iter().any(is_mention) => None,
            (_, reading) => reading,
        };
        (reading, chunks)
    }

    /// The day the model states, or the given one.
    fn today(&self, given: NaiveDate) -> NaiveDate {
        let instructions = &self.model.module_custom_instructions.sql_generation;
        let texts = [&self.model.custom_instructions, instructions];
        texts.into_iter().flatten().find_map(|text| stated_in(text)).unwrap_or(given)
    }

    fn background(&self, query: &Query) -> Option<Background> {
        let table = tables_of_columns(&self.index, query).first().copied()?;
        let mut columns = Vec::new();
        query.conditions.iter().for_each(|condition| condition.columns(&mut columns));
        query.select.iter().for_each(|expr| expr.columns(&mut columns));
        let time = columns.into_iter().find(|&column| self.index.columns[column].kind == ColumnKind::Time);
        let range = query.conditions.iter().find_map(range_told).map(|(_, range)| range);
        let measured = query.select.iter().find(|expr| expr.is_aggregate()).and_then(|expr| {
            let measure = Query { select: vec![expr.clone()], ..Query::default() };
            tables_of_columns(&self.index, &measure).first().copied()
        });
        Some(Background { table, time, measured, range })
    }

    /// The SQL of a reading.
    #[must_use]
    pub fn sql_of(&self, reading: &Reading) -> Option<String> {
        sql(self.model, &self.index, &reading.query)
    }

    fn answer(&self, reading: Option<Reading>, chunks: &[Chunk], today: NaiveDate) -> Answer {
        let links: Vec<Link> = chunks.iter().filter_map(|chunk| self.link(chunk)).collect();
        let mut values: Vec<FoundValue> = chunks.iter().flat_map(|chunk| self.found_values(chunk)).collect();
        let reading = reading.filter(is_sure);
        let statement = reading.as_ref().and_then(|reading| sql(self.model, &self.index, &reading.query));
        if let (Some(reading), Some(statement)) = (reading, statement) {
            let other_values = self.keep_used(&mut values, &reading.query);
            return Answer {
                category: Category::ClearSql,
                sql: Some(statement),
                restatement: restate(&self.index, &reading.query),
                suggestions: Vec::new(),
                score: reading.explained,
                query: Some(reading.query),
                links,
                values,
                other_values,
            };
        }
        Answer {
            category: if links.is_empty() { Category::OutOfScope } else { Category::Ambiguous },
            sql: None,
            restatement: String::new(),
            suggestions: self.suggestions(chunks, today),
            score: 0.0,
            query: None,
            links,
            values,
            other_values: Vec::new(),
        }
    }

    /// Questions that are answered, those about what was named first.
    fn suggestions(&self, chunks: &[Chunk], today: NaiveDate) -> Vec<String> {
        let named: Vec<usize> = chunks
            .iter()
            .filter_map(|chunk| match &chunk.kind {
                ChunkKind::Mention(mention) => {
                    let of_column = mention.columns.first().map(|(column, _)| self.index.columns[*column].table);
                    mention.best_table().map(|(table, _)| table).or(of_column)
                }
                _ => None,
            })
            .collect();
        let answered = |question: &String| {
            let (reading, _) = self.read(question, None, today);
            reading.is_some_and(|reading| is_sure(&reading) && sql(self.model, &self.index, &reading.query).is_some())
        };
        candidates(&self.index, &named).into_iter().filter(answered).take(SUGGESTIONS_MAX).collect()
    }

    fn link(&self, chunk: &Chunk) -> Option<Link> {
        let ChunkKind::Mention(mention) = &chunk.kind else { return None };
        let tables = mention.tables.iter().map(|(table, _)| self.index.tables[*table].name.clone());
        let columns = mention.columns.iter().map(|(column, _)| self.column_name(*column));
        let values = mention.values.iter().map(|(column, value, _)| format!("{} = {value}", self.column_name(*column)));
        Some(Link { text: chunk.text.clone(), targets: tables.chain(columns).chain(values).take(8).collect() })
    }

    fn found_values(&self, chunk: &Chunk) -> Vec<FoundValue> {
        let ChunkKind::Mention(mention) = &chunk.kind else { return Vec::new() };
        let found = mention.values.iter().map(|(column, value, _)| {
            let entry = &self.index.columns[*column];
            FoundValue {
                text: chunk.text.clone(),
                table: self.index.tables[entry.table].name.clone(),
                column: entry.name.clone(),
                value: value.clone(),
            }
        });
        found.collect()
    }

    /// Keeps the values that the query compares with; gives back what else the same words are.
    fn keep_used(&self, values: &mut Vec<FoundValue>, query: &Query) -> Vec<FoundValue> {
        let used: Vec<(String, String)> = explanation::compared_texts(query)
            .into_iter()
            .map(|(column, text)| (self.column_name(column), text))
            .collect();
        let is_used = |found: &FoundValue| {
            let column = format!("{}.{}", found.table, found.column);
            used.iter().any(|(used, text)| *used == column && *text == found.value)
        };
        let (kept, mut others): (Vec<_>, Vec<_>) = std::mem::take(values).into_iter().partition(is_used);
        others.retain(|other| kept.iter().any(|kept| kept.text == other.text && kept.value == other.value));
        *values = kept;
        others
    }

    fn column_name(&self, column: usize) -> String {
        let entry = &self.index.columns[column];
        format!("{}.{}", self.index.tables[entry.table].name, entry.name)
    }
}

/// What was said and linked to nothing, in alphabetical order.
fn words_left(chunks: &[Chunk]) -> Vec<String> {
    let is_left = |chunk: &&Chunk| {
        let is_word = chunk.text.chars().any(char::is_alphabetic);
        chunk.kind == ChunkKind::Word && is_word && !is_function_word(&chunk.text)
    };
    let mut left: Vec<String> = chunks.iter().filter(is_left).map(|chunk| chunk.text.clone()).collect();
    left.sort_unstable();
    left
}

fn is_mention(chunk: &Chunk) -> bool {
    matches!(chunk.kind, ChunkKind::Mention(_))
}

fn is_sure(reading: &Reading) -> bool {
    reading.explained >= if reading.is_fragment { FRAGMENT_EXPLAINED_MIN } else { EXPLAINED_MIN }
}

#[cfg(test)]
mod business_questions;
#[cfg(test)]
mod uncurated_questions;
