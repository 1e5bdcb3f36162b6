//! Why a question was understood as it was: all of its readings, and what the judge makes of each.

use chrono::NaiveDate;

use super::understanding::Understood;
use super::{Interpreter, JudgedReading, QUESTION_CHARACTERS_MAX, is_sure};
use crate::conversation::{edit, is_follow_up};
use crate::interpretation::Reading;
use crate::interpretation::query::{Condition, Expr, Literal, Operand, Query};
use crate::join_ways::{OtherWay, other_ways};
use crate::judge::FEATURES;
use crate::links::model_index::ColumnId;
use crate::question::today::take_stated;
use crate::question::words::words;
use crate::restatement::restate;
use crate::sql_generation::sql;

/// One way to read a question.
#[derive(Debug, Clone)]
pub struct Alternative {
    /// The judge's; it compares readings of one question.
    pub score: f32,
    /// The share of the question's words that the reading explains.
    pub explained: f32,
    /// Whether it explains enough to be an answer.
    pub is_sure: bool,
    pub restatement: String,
    pub sql: Option<String>,
    /// What the judge looked at.
    pub features: Vec<(&'static str, f32)>,
}

impl Interpreter<'_> {
    /// All readings of a question, the best first.
    #[must_use]
    pub fn alternatives(&self, question: &str, history: &[String], today: NaiveDate) -> Vec<Alternative> {
        let today = self.today(today);
        let given = today;
        let previous = self.earlier(history, today).query;
        let question: String = question.chars().take(QUESTION_CHARACTERS_MAX).collect();
        let mut words = words(&question);
        let today = take_stated(&mut words, today).unwrap_or(today);
        let words = self.instructions.explained(words, today);
        let background = previous.as_ref().and_then(|query| self.background(query));
        let alternative = |judged: JudgedReading| {
            let reading = match &previous {
                Some(previous) if is_follow_up(&words, Some(&judged.reading)) => {
                    Reading { query: edit(&self.index, previous, &judged.reading, &words), ..judged.reading }
                }
                _ => judged.reading,
            };
            Alternative {
                score: judged.score,
                explained: reading.explained,
                is_sure: is_sure(&reading),
                restatement: restate(&self.index, &reading.query),
                sql: sql(self.model, &self.index, &reading.query),
                features: FEATURES
                    .iter()
                    .copied()
                    .zip(judged.features.values)
                    .filter(|(_, value)| *value != 0.0)
                    .collect(),
            }
        };
        let mut found: Vec<Alternative> =
            self.readings(&words, background, today).into_iter().map(alternative).collect();
        let behind_first = usize::from(!found.is_empty());
        found.splice(behind_first..behind_first, self.over_other_ways(&question, previous.as_ref(), given));
        found
    }

    /// What the question is answered with, over the other ways that lead to the same tables.
    fn over_other_ways(&self, question: &str, previous: Option<&Query>, today: NaiveDate) -> Vec<Alternative> {
        let Understood { words, reading, confidence, .. } = self.understand(question, previous, today);
        let Some(reading) = reading.filter(is_sure) else { return Vec::new() };
        let ways = other_ways(&self.index, &reading.query).into_iter().filter(|way| !way.is_excluded(&words));
        let alternative = |way: OtherWay| Alternative {
            score: confidence,
            explained: reading.explained,
            is_sure: true,
            restatement: restate(&self.index, &way.query),
            sql: sql(self.model, &self.index, &way.query),
            features: Vec::new(),
        };
        let usual = sql(self.model, &self.index, &reading.query);
        ways.map(alternative).filter(|other| other.sql.is_some() && other.sql != usual).collect()
    }
}

/// The columns that a query compares with a text, each with the text.
pub(super) fn compared_texts(query: &Query) -> Vec<(ColumnId, String)> {
    let mut found = Vec::new();
    note_query(query, &mut found);
    found
}

fn note_query(query: &Query, found: &mut Vec<(ColumnId, String)>) {
    for expr in &query.select {
        if let Expr::Portion(_, conditions) = expr {
            conditions.iter().for_each(|condition| note_condition(condition, found));
        }
    }
    for condition in query.conditions.iter().chain(&query.having) {
        note_condition(condition, found);
    }
    if let Some((_, other)) = &query.combined {
        note_query(other, found);
    }
}

fn note_condition(condition: &Condition, found: &mut Vec<(ColumnId, String)>) {
    match condition {
        Condition::Compare(Expr::Column(column), _, Operand::Literal(Literal::Text(text)))
        | Condition::Like(column, text) => found.push((*column, text.clone())),
        Condition::Compare(_, _, Operand::Query(query) | Operand::PercentOf(_, query)) | Condition::In(_, query) => {
            note_query(query, found);
        }
        Condition::Any(conditions) | Condition::All(conditions) => {
            conditions.iter().for_each(|condition| note_condition(condition, found));
        }
        Condition::Not(condition) => note_condition(condition, found),
        _ => {}
    }
}
