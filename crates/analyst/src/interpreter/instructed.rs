//! What the model's instructions make of a question and of its reading.

use chrono::NaiveDate;

use super::understanding::Understood;
use super::{Interpreter, is_sure};
use crate::frame::{compared_by_filter, is_form_of};
use crate::instructions::{Instruction, Rows};
use crate::interpretation::query::{Condition, Expr, Operand, Query};
use crate::interpretation::stated_range;
use crate::links::model_index::{ColumnId, ColumnKind, TIME_WORDS};
use crate::question::words::{Word, words};
use crate::sql_generation::needed_tables;

/// A phrase of an instruction that is less explained is not understood.
const PHRASE_EXPLAINED_MIN: f32 = 0.99;

/// Words for any time that a question may name.
const PERIODS: &[&str] = &["year", "month", "quarter", "week", "day", "date", "period", "time", "range", "timeframe"];

/// Why a question is not answered by SQL.
pub(super) enum Objection {
    Rejected(String),
    Unclear(String),
}

impl Interpreter<'_> {
    /// What the instructions say against answering the question.
    pub(super) fn objection(&self, question: &str, understood: &Understood) -> Option<Objection> {
        let asked = words(question);
        let query = understood.reading.as_ref().map(|reading| &reading.query);
        self.instructions.items.iter().find_map(|instruction| match instruction {
            Instruction::Reject { topic, reply } if self.is_about(&asked, query, topic) => {
                Some(Objection::Rejected(reply.clone()))
            }
            Instruction::Unclear { topic, missing, reply }
                if self.is_about(&asked, query, topic)
                    && !self.is_about(&asked, query, missing)
                    && !self.is_within(query, missing) =>
            {
                Some(Objection::Unclear(reply.clone()))
            }
            _ => None,
        })
    }

    /// Whether the question says all the words, or its reading uses the table or the column that is called so.
    fn is_about(&self, asked: &[Word], query: Option<&Query>, topic: &[String]) -> bool {
        let is_said = topic.iter().all(|lemma| asked.iter().any(|word| word.lemma == *lemma));
        is_said || query.is_some_and(|query| self.is_used(query, topic))
    }

    /// Whether a period is asked for and the query has one.
    fn is_within(&self, query: Option<&Query>, missing: &[String]) -> bool {
        let is_period = missing.iter().any(|lemma| PERIODS.contains(&lemma.as_str()));
        is_period && query.is_some_and(|query| self.times(query) > 0)
    }

    fn is_used(&self, query: &Query, topic: &[String]) -> bool {
        let is_table = |table: &usize| self.index.tables[*table].words == topic;
        let of_column = |column: &ColumnId| {
            let entry = &self.index.columns[*column];
            entry.words == topic
        };
        needed_tables(&self.index, query).iter().any(is_table) || columns_of(query).iter().any(of_column)
    }

    /// The understanding with the model's defaults put in: filters, but for those on columns that the question lifts them from,
    /// a period, rounding, a limit.
    pub(super) fn with_defaults(
        &self,
        understood: Understood,
        asked: &[Word],
        lifted: &[ColumnId],
        today: NaiveDate,
    ) -> Understood {
        if self.instructions.items.is_empty() || understood.reading.is_none() {
            return understood;
        }
        let mut understood = self.within_default_period(understood, asked, today);
        let Some(reading) = &mut understood.reading else { return understood };
        let query = &mut reading.query;
        let mut defaults = self.default_conditions(today);
        defaults.retain(|condition| {
            let columns = self.compared_by(condition);
            !columns.iter().any(|column| lifted.contains(column) || self.is_spoken_of(asked, *column))
        });
        self.add_defaults(query, &defaults);
        query.decimals = self.instructions.decimals();
        query.limit = query.limit.or(self.instructions.limit());
        understood
    }

    /// Puts the default filters into a query and into those nested in it.
    fn add_defaults(&self, query: &mut Query, defaults: &[Condition]) {
        if defaults.is_empty() {
            return;
        }
        let conditions = query.conditions.iter_mut().chain(&mut query.having);
        conditions.for_each(|condition| self.add_nested_defaults(condition, defaults));
        if let Some((_, other)) = &mut query.combined {
            self.add_defaults(other, defaults);
        }
        for condition in defaults {
            if self.is_default_for(query, condition) {
                query.conditions.push(condition.clone());
            }
        }
    }

    fn add_nested_defaults(&self, condition: &mut Condition, defaults: &[Condition]) {
        match condition {
            Condition::In(_, query)
            | Condition::Compare(_, _, Operand::Query(query) | Operand::PercentOf(_, query)) => {
                self.add_defaults(query, defaults);
            }
            Condition::Any(all) | Condition::All(all) => {
                all.iter_mut().for_each(|condition| self.add_nested_defaults(condition, defaults));
            }
            Condition::Not(inner) => self.add_nested_defaults(inner, defaults),
            _ => {}
        }
    }

    /// The columns that a condition compares, those behind a filter of the model too.
    fn compared_by(&self, condition: &Condition) -> Vec<ColumnId> {
        let mut columns = Vec::new();
        condition.columns(&mut columns);
        let is_filter = |column: &&ColumnId| self.index.columns[**column].kind == ColumnKind::Filter;
        let filters = columns.iter().filter(is_filter);
        let behind: Vec<ColumnId> = filters.flat_map(|filter| compared_by_filter(&self.index, *filter)).collect();
        columns.into_iter().chain(behind).collect()
    }

    /// Whether the question has a verb for the day of a column: `resigned` for RESIGNED_ON.
    fn is_spoken_of(&self, asked: &[Word], column: ColumnId) -> bool {
        let entry = &self.index.columns[column];
        let tells = |part: &&String| !TIME_WORDS.contains(&part.as_str());
        let is_said = |part: &String| asked.iter().any(|word| word.lower == *part || is_form_of(part, word));
        entry.kind == ColumnKind::Time && entry.words.iter().filter(tells).any(is_said)
    }

    /// A condition that names nothing the query speaks of, or what the query restricts itself, is not put in.
    fn is_default_for(&self, query: &Query, condition: &Condition) -> bool {
        let columns = self.compared_by(condition);
        let tables = needed_tables(&self.index, query);
        let own = query.conditions.iter().chain(&query.having);
        let restricted: Vec<ColumnId> = own.flat_map(|own| self.compared_by(own)).collect();
        let is_grouping = |column: &ColumnId| query.select.contains(&Expr::Column(*column));
        columns.iter().all(|column| tables.contains(&self.index.columns[*column].table))
            && !columns.iter().any(|column| restricted.contains(column) || is_grouping(column))
    }

    /// The filters of the instructions, as far as they are understood.
    fn default_conditions(&self, today: NaiveDate) -> Vec<Condition> {
        let filters = self.instructions.items.iter().filter_map(|instruction| match instruction {
            Instruction::Filter { phrase, rows, .. } => Some((phrase, *rows)),
            _ => None,
        });
        filters.filter_map(|(phrase, rows)| self.filter(phrase, rows, today)).collect()
    }

    fn filter(&self, phrase: &str, rows: Rows, today: NaiveDate) -> Option<Condition> {
        let understood = self.understand_words(words(phrase), None, today);
        let reading = understood.reading.filter(|reading| reading.explained >= PHRASE_EXPLAINED_MIN)?;
        let mut conditions = reading.query.conditions;
        if conditions.is_empty() || !understood.unused.is_empty() {
            return None;
        }
        let all = if conditions.len() == 1 { conditions.remove(0) } else { Condition::All(conditions) };
        Some(match rows {
            Rows::Only => all,
            Rows::Without => match all {
                Condition::Compare(left, comparison, right) => Condition::Compare(left, comparison.negated(), right),
                other => Condition::Not(Box::new(other)),
            },
        })
    }

    /// The same question in the default period, where it names none and differs in nothing else then.
    fn within_default_period(&self, understood: Understood, asked: &[Word], today: NaiveDate) -> Understood {
        let (Some(period), Some(reading)) = (self.instructions.period(), &understood.reading) else {
            return understood;
        };
        if self.times(&reading.query) > 0 {
            return understood;
        }
        let mut longer = asked.to_vec();
        while longer.last().is_some_and(|word| matches!(word.lower.as_str(), "?" | "." | "!")) {
            longer.pop();
        }
        longer.extend(words(&format!("in the {period}")));
        let within = self.understand_words(longer, None, today);
        let is_same = within.reading.as_ref().is_some_and(|other| {
            let mut plain = other.query.clone();
            plain.conditions.retain(|condition| !self.is_about_time(condition));
            is_sure(other) && plain == reading.query && self.times(&other.query) == 1 && self.is_of_events(&other.query)
        });
        if is_same { Understood { confidence: understood.confidence, ..within } } else { understood }
    }

    /// Whether the day that a query restricts is that of something that happened: members of the last year are not those who
    /// joined in it.
    fn is_of_events(&self, query: &Query) -> bool {
        let ranges = query.conditions.iter().filter_map(stated_range);
        ranges.into_iter().all(|(column, _)| self.index.is_event(self.index.columns[column].table))
    }

    fn times(&self, query: &Query) -> usize {
        query.conditions.iter().filter(|condition| self.is_about_time(condition)).count()
    }

    fn is_about_time(&self, condition: &Condition) -> bool {
        let mut columns = Vec::new();
        condition.columns(&mut columns);
        columns.iter().any(|column| self.index.columns[*column].kind == ColumnKind::Time)
    }

    /// The sentences of the instructions that are not honoured.
    #[must_use]
    pub fn unused_instructions(&self, today: NaiveDate) -> Vec<String> {
        let today = self.today(today);
        let mut unused = self.instructions.unknown.clone();
        for instruction in &self.instructions.items {
            if let Instruction::Filter { phrase, rows, sentence } = instruction
                && self.filter(phrase, *rows, today).is_none()
            {
                unused.push(sentence.clone());
            }
        }
        unused
    }
}

fn columns_of(query: &Query) -> Vec<ColumnId> {
    let mut columns = Vec::new();
    let ordered = query.order.iter().map(|(expr, _)| expr);
    query.select.iter().chain(&query.group).chain(ordered).for_each(|expr| expr.columns(&mut columns));
    query.conditions.iter().chain(&query.having).for_each(|condition| condition.columns(&mut columns));
    columns
}
