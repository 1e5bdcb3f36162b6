//! The entrance: a question in, a reading with its SQL and its restatement out, or what could be asked instead.

mod agreement;
mod counted_pieces;
mod described_words;
mod doubt;
mod doubted_readings;
mod dropped_conditions;
mod earlier;
mod explanation;
mod follow_ups;
mod inclusions;
mod instructed;
mod miscounts;
mod misreadings;
mod named_rows;
mod opinions;
mod peers;
mod placed_words;
mod plausibility;
mod proposals;
mod read_before;
mod readings;
mod refusals;
mod repeated_rows;
mod roles_played;
mod same_words;
mod sentences;
mod settling;
mod several_ways;
mod silent_choices;
mod silent_groups;
mod stated_units;
mod understanding;
mod undone_events;
mod unit_quotients;
mod verified_answers;
mod void_answers;

use std::cell::RefCell;
use std::sync::Arc;

use agreement::agree;
use chrono::NaiveDate;
pub use explanation::Alternative;
use instructed::Objection;
use read_before::ReadBefore;
pub use readings::Origin;
use repeated_rows::repetition_in_words;
use several_ways::ways_in_words;
use understanding::Understood;

use crate::accounting::Accounting;
use crate::asked_words::AskedWords;
use crate::evidence::Evidence;
use crate::frame;
use crate::instructions::Instructions;
use crate::interpretation::query::{Expr, Function, Query};
use crate::interpretation::{Background, Reading, stated_range};
use crate::judge::{Aspects, Features};
use crate::links::mentions::{Chunk, ChunkKind};
use crate::links::model_index::{ColumnEntry, ColumnKind, ModelIndex};
use crate::question::intent::{Intent, intent, says_every};
use crate::question::today::stated_in;
use crate::question::words::{Word, words};
use crate::restatement::{restate, restate_in_words};
use crate::semantic_model::SemanticModel;
use crate::sql_generation::{composed_metric, sql, sql_in_words, tables_of_columns};
use crate::suggestions::{Named, candidates, is_sayable};

/// Questions of the history that count.
const HISTORY_MAX: usize = 8;
const QUESTION_CHARACTERS_MAX: usize = 2_000;
const SUGGESTIONS_MAX: usize = 3;
/// Suggestions that are tried.
const CANDIDATES_MAX: usize = 12;
/// An answer less probable than this comes with suggestions.
const SUGGESTED_BELOW: f32 = 0.5;
/// An answer less probable than this names the reading that competes with it.
const DOUBTED_BELOW: f32 = 0.885;
/// An answer that goes on with what could not be read, or was not answered, is not more probable than this.
const UNREAD_CONFIDENCE_MAX: f32 = 0.6;
/// A suggestion must be answered at least so probably.
const ANSWERED_FROM: f32 = 0.5;
/// A reading that explains less of the question is no answer to it.
const EXPLAINED_MIN: f32 = 0.3;
/// The same where the question names nothing to show: what it asks for may be just the word that nothing explains.
const FRAGMENT_EXPLAINED_MIN: f32 = 0.6;

/// A phrase that resembles a column's names less is not used as a name for it.
const NAME_SCORE_MIN: f32 = 0.9;

/// Reads questions about one model.
pub struct Interpreter<'a> {
    model: &'a SemanticModel,
    index: Arc<ModelIndex>,
    instructions: Instructions,
    /// What was understood before, by the words and the day.
    understood: RefCell<Vec<(Vec<Word>, NaiveDate, Understood)>>,
    read_before: ReadBefore,
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
    /// How probable it is that the SQL answers the question, from 0 to 1; 0 without SQL.
    pub confidence: f32,
    /// Words of the question that the reading does not use.
    pub unused: Vec<String>,
    /// Names in the question that neither the model nor the data have.
    pub missing: Vec<String>,
    /// What else speaks against the reading, each a sentence.
    pub doubts: Vec<String>,
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
    pub chunks: Arc<[Chunk]>,
    pub origin: Origin,
    pub features: Features,
    pub aspects: Aspects,
    pub accounting: Accounting,
    /// Words that the query by itself does not stand for, whatever its reader says.
    pub unaccounted: usize,
    /// Those of them that are no verbs.
    pub unaccounted_names: usize,
    /// The places of words that have their place in the reading and still change nothing in its query.
    pub placed_unused: Vec<usize>,
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
        Self::over(model, Arc::new(ModelIndex::new(model, evidence)))
    }

    /// The same over an index of the model that was made before.
    #[must_use]
    pub fn over(model: &'a SemanticModel, index: Arc<ModelIndex>) -> Self {
        let instructions = Instructions::of(model);
        Self { model, index, instructions, understood: RefCell::default(), read_before: ReadBefore::default() }
    }

    /// Understands a question; `history` holds the user's questions before it, the oldest first.
    #[must_use]
    pub fn interpret(&self, question: &str, history: &[String], today: NaiveDate) -> Answer {
        let today = self.today(today);
        let earlier = self.earlier(history, today);
        let previous = earlier.query.as_ref();
        let mut understood = self.understand(question, previous, today);
        understood.confidence = understood.confidence.min(earlier.confidence_max);
        let drops = |previous: &Query| frame::without_part(&self.index, &words(question), previous).is_some();
        let is_edit = self.is_curated() && previous.is_some_and(drops);
        if let Some(intent) = self.intent_of(question).filter(|_| !is_edit) {
            let answer = self.answer(Understood { reading: None, ..understood }, today);
            return Answer { category: Category::OutOfScope, doubts: vec![intent.explanation()], ..answer };
        }
        if self.is_curated() && self.expects_what_is_not_there(&understood) {
            let answer = self.answer(Understood { reading: None, ..understood }, today);
            let doubts = vec![Intent::Prediction.explanation()];
            return Answer { category: Category::OutOfScope, doubts, ..answer };
        }
        if let Some(objection) = self.objection(question, &understood) {
            let (category, reply) = match objection {
                Objection::Rejected(reply) => (Category::OutOfScope, reply),
                Objection::Unclear(reply) => (Category::Ambiguous, reply),
            };
            let answer = self.answer(Understood { reading: None, ..understood }, today);
            return Answer { category, doubts: vec![reply], ..answer };
        }
        if let Some(refused) = self.is_curated().then(|| self.refusal(&understood, today)).flatten() {
            return refused;
        }
        let sure = understood.reading.as_ref().filter(|reading| previous.is_none() && is_sure(reading));
        let ways = match sure {
            Some(reading) if self.is_doubtful(&understood.chunks) => self.ways_to_mean(question, reading, today),
            _ => Vec::new(),
        };
        if ways.is_empty() {
            let answer = self.answer(understood, today);
            return match self.unread_before(question, &earlier, today) {
                Some(doubt) if answer.sql.is_some() => Answer {
                    confidence: answer.confidence.min(UNREAD_CONFIDENCE_MAX),
                    doubts: std::iter::once(doubt).chain(answer.doubts).collect(),
                    ..answer
                },
                _ => answer,
            };
        }
        Answer { suggestions: ways, ..self.answer(Understood { reading: None, ..understood }, today) }
    }

    /// Whether something is asked for that no query does: to change data, to give reasons, to look into the future.
    #[must_use]
    pub fn asks_for_no_query(&self, question: &str) -> bool {
        self.intent_of(question).is_some()
    }

    /// What is asked for instead of a query; a verb that the model knows as a name is none.
    fn intent_of(&self, question: &str) -> Option<Intent> {
        let words = words(question);
        let found = intent(&words)?;
        let is_named = |word: &Word| self.index.vocabulary.knows(&word.lemma);
        let opens = words.first().is_some_and(is_named) && !words.get(1).is_some_and(says_every);
        (found != Intent::Change || !opens).then_some(found)
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
        let range = query.conditions.iter().find_map(stated_range).map(|(_, range)| range);
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

    /// The SQL that computes a metric of the model; `None` where it names no table, or tables that are not related.
    #[must_use]
    pub fn sql_of_metric(&self, name: &str) -> Option<String> {
        let is_it = |column: &ColumnEntry| column.kind == ColumnKind::Metric && column.name == name;
        let column = self.index.columns.iter().rposition(is_it)?;
        let composed = composed_metric(&self.index, column);
        let expr = composed.unwrap_or(Expr::Aggregate(Function::Metric, column));
        let query = Query { select: vec![expr], ..Query::default() };
        sql(self.model, &self.index, &query)
    }

    fn answer(&self, understood: Understood, today: NaiveDate) -> Answer {
        let Understood { words, reading, chunks, confidence, unused, rivals, .. } = understood;
        let chunks = chunks.as_slice();
        let links: Vec<Link> = chunks.iter().filter_map(|chunk| self.link(chunk)).collect();
        let mut values: Vec<FoundValue> = chunks.iter().flat_map(|chunk| self.found_values(chunk)).collect();
        let reading = reading.filter(is_sure);
        let asked = self.asked_words(chunks);
        let written = |reading: &Reading| sql_in_words(self.model, &self.index, &asked, &reading.query);
        let statement = reading.as_ref().and_then(written);
        if let (Some(reading), Some(statement)) = (reading, statement) {
            let other_values = self.split_used(&mut values, &reading.query);
            let mut doubts = self.rival_in_words(&reading.query, &rivals, &asked, confidence);
            doubts.extend(repetition_in_words(&self.index, &reading.query));
            doubts.extend(ways_in_words(&self.index, &words, &reading.query));
            let is_doubted = confidence < SUGGESTED_BELOW;
            let suggestions = if is_doubted { self.suggestions(chunks, &rivals, today) } else { Vec::new() };
            return Answer {
                category: Category::ClearSql,
                sql: Some(statement),
                restatement: restate_in_words(&self.index, &asked, &reading.query),
                suggestions,
                score: reading.explained,
                confidence,
                unused,
                missing: Vec::new(),
                doubts,
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
            suggestions: self.suggestions(chunks, &rivals, today),
            score: 0.0,
            confidence: 0.0,
            unused,
            missing: Vec::new(),
            doubts: Vec::new(),
            query: None,
            links,
            values,
            other_values: Vec::new(),
        }
    }

    /// What else a doubtful question may mean, as a sentence.
    fn rival_in_words(&self, query: &Query, rivals: &[Query], asked: &AskedWords, confidence: f32) -> Vec<String> {
        let rival =
            rivals.iter().skip(1).find(|rival| !agree(&self.index, rival, query) && is_sayable(&self.index, rival));
        let Some(rival) = rival.filter(|_| confidence < DOUBTED_BELOW) else { return Vec::new() };
        let (said, other) = (restate_in_words(&self.index, asked, query), restate_in_words(&self.index, asked, rival));
        if said == other {
            return Vec::new();
        }
        let mut characters = other.trim_end_matches('.').chars();
        let first = characters.next().map(|first| first.to_lowercase().collect::<String>()).unwrap_or_default();
        vec![format!("It may also mean: {first}{}.", characters.as_str())]
    }

    /// What the question calls the columns it mentions.
    fn asked_words(&self, chunks: &[Chunk]) -> AskedWords {
        let mut asked = AskedWords::default();
        for chunk in chunks {
            let ChunkKind::Mention(mention) = &chunk.kind else { continue };
            for (column, _) in mention.columns.iter().filter(|(_, score)| *score >= NAME_SCORE_MIN) {
                asked.note(&self.index, *column, &chunk.text);
            }
        }
        asked
    }

    /// Questions that are answered: the competing readings in words, then those about what was named.
    fn suggestions(&self, chunks: &[Chunk], rivals: &[Query], today: NaiveDate) -> Vec<String> {
        let named = Named::of(&self.index, chunks);
        let answered = |question: &String| {
            let understood = self.understand(question, None, today);
            let is_answered = understood.confidence >= ANSWERED_FROM && self.objection(question, &understood).is_none();
            let reading = understood.reading;
            reading.is_some_and(|reading| {
                is_answered && is_sure(&reading) && sql(self.model, &self.index, &reading.query).is_some()
            })
        };
        let sayable = rivals.iter().filter(|query| is_sayable(&self.index, query));
        let in_words = sayable.map(|query| restate(&self.index, query));
        let mut chosen: Vec<String> = Vec::new();
        for question in in_words.chain(candidates(&self.index, &named)).take(CANDIDATES_MAX) {
            if chosen.len() < SUGGESTIONS_MAX && !chosen.contains(&question) && answered(&question) {
                chosen.push(question);
            }
        }
        chosen
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

    /// Reduces the values to those that the query compares with; gives back what else the same words are.
    fn split_used(&self, values: &mut Vec<FoundValue>, query: &Query) -> Vec<FoundValue> {
        let used: Vec<(String, String)> = explanation::compared_texts(query)
            .into_iter()
            .map(|(column, text)| (self.column_name(column), text))
            .collect();
        let is_used = |found: &FoundValue| {
            let column = format!("{}.{}", found.table, found.column);
            used.iter().any(|(used, text)| *used == column && *text == found.value)
        };
        let (compared, mut others): (Vec<_>, Vec<_>) = std::mem::take(values).into_iter().partition(is_used);
        others.retain(|other| compared.iter().any(|used| used.text == other.text && used.value == other.value));
        *values = compared;
        others
    }

    fn column_name(&self, column: usize) -> String {
        let entry = &self.index.columns[column];
        format!("{}.{}", self.index.tables[entry.table].name, entry.name)
    }
}

fn is_mention(chunk: &Chunk) -> bool {
    matches!(chunk.kind, ChunkKind::Mention(_))
}

fn is_sure(reading: &Reading) -> bool {
    reading.explained >= if reading.is_fragment { FRAGMENT_EXPLAINED_MIN } else { EXPLAINED_MIN }
}

/// The query behind the common tables, on one line and without the prefix of their names.
#[cfg(test)]
fn body_on_one_line(sql: &str) -> String {
    let body = sql.lines().skip_while(|line| !line.starts_with("SELECT") && !line.starts_with("--"));
    let text = body.map(str::trim).collect::<Vec<_>>().join(" ");
    text.replace("( ", "(").replace(" )", ")").replace("__", "")
}

#[cfg(test)]
mod asked_model;
#[cfg(test)]
mod bakery_questions;
#[cfg(test)]
mod business_questions;
#[cfg(test)]
mod choir_questions;
#[cfg(test)]
mod ferry_questions;
#[cfg(test)]
mod framed_questions;
#[cfg(test)]
mod hive_questions;
#[cfg(test)]
mod honest_questions;
#[cfg(test)]
mod instructed_questions;
#[cfg(test)]
mod join_questions;
#[cfg(test)]
mod listed_values;
#[cfg(test)]
mod measured_questions;
#[cfg(test)]
mod museum_questions;
#[cfg(test)]
mod paraphrases;
#[cfg(test)]
mod role_questions;
#[cfg(test)]
mod shape_questions;
#[cfg(test)]
mod uncurated_questions;
#[cfg(test)]
mod way_questions;
