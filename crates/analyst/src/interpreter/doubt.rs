//! Questions that can be meant in several ways: a word is the name of several columns, or a value of several, and nothing
//! in the question tells which. Each way is stated as a question of its own.

use chrono::NaiveDate;

use super::plausibility::is_plausible;
use super::{Interpreter, JudgedReading, is_sure};
use crate::interpretation::query::{Expr, Query};
use crate::interpretation::style::PLAIN;
use crate::interpretation::{Reading, read, style_score};
use crate::links::mentions::{Chunk, ChunkKind, Mention};
use crate::links::model_index::{ColumnId, ColumnKind};
use crate::question::words::{Word, WordKind, words};
use crate::restatement::plural;
use crate::sql_generation::join_paths::connect;
use crate::sql_generation::{needed_tables, sql};

/// Readings whose scores lie closer are equally good.
const MARGIN: f32 = 0.02;
/// A link below this is no name of the column.
const LINK_MIN: f32 = 0.9;
/// A link from here on names a table.
const TABLE_MIN: f32 = 0.6;
const WAYS_MAX: usize = 4;

impl Interpreter<'_> {
    /// Whether a part of the question has several meanings that are equally good.
    pub(super) fn is_doubtful(&self, chunks: &[Chunk]) -> bool {
        chunks
            .iter()
            .any(|chunk| matches!(&chunk.kind, ChunkKind::Mention(mention) if self.meanings(mention).len() > 1))
    }

    /// The ways in which a question can be meant, where there are several; each is answered by itself.
    pub(super) fn ways_to_mean(&self, question: &str, best: &Reading, today: NaiveDate) -> Vec<String> {
        let is_alone = |way: &String| {
            let best = self.best_of(way, today);
            best.is_some_and(|(reading, _)| self.ways_at_first(way, &reading, today).is_empty())
        };
        let ways: Vec<String> = self.ways_at_first(question, best, today).into_iter().filter(is_alone).collect();
        if ways.len() > 1 { ways } else { Vec::new() }
    }

    /// The ways to mean the first word that has several.
    fn ways_at_first(&self, question: &str, best: &Reading, today: NaiveDate) -> Vec<String> {
        let words = words(question);
        let readings = self.answerable_readings(&words, None, today);
        let Some(judged) = readings.iter().find(|judged| judged.reading.query == best.query) else {
            return Vec::new();
        };
        let chunks = &judged.chunks;
        (0..chunks.len()).find_map(|at| self.ways_at(&words, judged, at, today)).unwrap_or_default()
    }

    fn ways_at(&self, words: &[Word], judged: &JudgedReading, at: usize, today: NaiveDate) -> Option<Vec<String>> {
        let ChunkKind::Mention(mention) = &judged.chunks[at].kind else { return None };
        let mut meanings = self.meanings(mention);
        let is_used = meanings.iter().any(|meaning| uses(&judged.reading.query, meaning.column()));
        self.drop_names(&mut meanings);
        if !is_used || self.is_placed(&meanings, &judged.chunks) {
            return None;
        }
        if meanings.len() < 2 {
            return None;
        }
        let judged_as = |meaning| Some((self.score_with(words, &judged.chunks, at, meaning)?, meaning));
        let scored: Vec<(f32, &Meaning)> = meanings.iter().filter_map(judged_as).collect();
        let best = scored.iter().map(|(score, _)| *score).fold(f32::MIN, f32::max);
        let equal = scored.into_iter().filter(|(score, _)| best - score < MARGIN);
        let mut ways: Vec<(String, String)> = Vec::new();
        for (_, meaning) in equal.take(WAYS_MAX) {
            let asked = self.asked_with(words, &judged.chunks[at], meaning);
            let Some((reading, _)) = self.best_of(&asked, today) else { continue };
            let Some(statement) = sql(self.model, &self.index, &reading.query) else { continue };
            if uses(&reading.query, meaning.column()) && !ways.iter().any(|(_, known)| *known == statement) {
                ways.push((asked, statement));
            }
        }
        (ways.len() > 1).then(|| ways.into_iter().map(|(asked, _)| asked).collect())
    }

    /// A value that is a row's name and something else of the row besides is hardly meant as the name.
    fn drop_names(&self, meanings: &mut Vec<Meaning>) {
        let table = |meaning: &Meaning| self.index.columns[meaning.column()].table;
        let is_name = |meaning: &Meaning| {
            matches!(meaning, Meaning::Value(..)) && self.index.label(table(meaning)).contains(&meaning.column())
        };
        let others: Vec<usize> = meanings.iter().filter(|meaning| !is_name(meaning)).map(table).collect();
        meanings.retain(|meaning| !is_name(meaning) || !others.contains(&table(meaning)));
        // What refers to a row by its name means the row.
        let refers = |meaning: &Meaning| self.index.is_reference(meaning.column());
        if !meanings.iter().all(refers) {
            meanings.retain(|meaning| !refers(meaning));
        }
    }

    /// Whether the question names a table, so that meanings of different tables are distinguished by it.
    fn is_placed(&self, meanings: &[Meaning], chunks: &[Chunk]) -> bool {
        let names_table = |chunk: &Chunk| match &chunk.kind {
            ChunkKind::Mention(mention) => mention.best_table().is_some_and(|(_, score)| score >= TABLE_MIN),
            _ => false,
        };
        let mut tables = meanings.iter().map(|meaning| self.index.columns[meaning.column()].table);
        let first = tables.next();
        let is_one_table = tables.all(|table| Some(table) == first);
        let are_columns = meanings.iter().any(|meaning| matches!(meaning, Meaning::Column(_)));
        (are_columns || !is_one_table) && chunks.iter().any(names_table)
    }

    /// How good the question's best reading is where a chunk has just this meaning; `None` where it has none then.
    fn score_with(&self, words: &[Word], chunks: &[Chunk], at: usize, meaning: &Meaning) -> Option<f32> {
        let mut chunks = chunks.to_vec();
        let ChunkKind::Mention(mention) = &mut chunks[at].kind else { return None };
        let column = meaning.column();
        mention.tables.clear();
        mention.columns.retain(|(other, _)| *other == column);
        mention.values.retain(|(other, _, _)| *other == column);
        let reading = read(&self.index, words, chunks.clone(), None, &PLAIN)?;
        let is_joined = connect(&self.index, &needed_tables(&self.index, &reading.query)).is_some();
        let can_be = is_joined && uses(&reading.query, column) && is_plausible(&self.index, &reading.query);
        can_be.then(|| style_score(&self.index, &chunks, &reading, 0))
    }

    /// The meanings that are as good as the best one; what a metric is made of gives way to it.
    fn meanings(&self, mention: &Mention) -> Vec<Meaning> {
        let mut meanings = equal_meanings(mention);
        let kind = |meaning: &Meaning| self.index.columns[meaning.column()].kind;
        let table = |meaning: &Meaning| self.index.columns[meaning.column()].table;
        let metrics: Vec<usize> =
            meanings.iter().filter(|meaning| kind(meaning) == ColumnKind::Metric).map(table).collect();
        meanings.retain(|meaning| kind(meaning) == ColumnKind::Metric || !metrics.contains(&table(meaning)));
        meanings
    }

    fn best_of(&self, question: &str, today: NaiveDate) -> Option<(Reading, f32)> {
        let readings = self.answerable_readings(&words(question), None, today);
        let best = readings.iter().reduce(|best, next| if next.score > best.score { next } else { best })?;
        is_sure(&best.reading).then(|| (best.reading.clone(), best.score))
    }

    /// The question with one meaning of a chunk spelled out.
    fn asked_with(&self, words: &[Word], chunk: &Chunk, meaning: &Meaning) -> String {
        let entry = &self.index.columns[meaning.column()];
        let column = format!("{} {}", self.index.tables[entry.table].words.join(" "), entry.words.join(" "));
        let last = &words[chunk.end - 1];
        let spelled = match meaning {
            Meaning::Column(_) if last.lower != last.lemma => plural(&column),
            Meaning::Column(_) => column,
            Meaning::Value(_, value) => format!("{column} {value}"),
        };
        let mut text = String::new();
        for (at, word) in words.iter().enumerate() {
            let stated = match at {
                _ if at == chunk.start => spelled.as_str(),
                _ if (chunk.start..chunk.end).contains(&at) => continue,
                _ => word.text.as_str(),
            };
            if !text.is_empty() && word.kind != WordKind::Mark {
                text.push(' ');
            }
            text.push_str(stated);
        }
        text
    }
}

/// What a mention may stand for.
enum Meaning {
    Column(ColumnId),
    Value(ColumnId, String),
}

impl Meaning {
    fn column(&self) -> ColumnId {
        match self {
            Self::Column(column) | Self::Value(column, _) => *column,
        }
    }
}

/// The meanings whose links are as good as the best one.
fn equal_meanings(mention: &Mention) -> Vec<Meaning> {
    if mention.columns.is_empty() && mention.tables.is_empty() {
        let best = mention.values.iter().map(|(_, _, score)| *score).fold(LINK_MIN, f32::max);
        let equal = mention.values.iter().filter(|(_, _, score)| *score >= best);
        return equal.map(|(column, value, _)| Meaning::Value(*column, value.clone())).collect();
    }
    let best = mention.best_column_score().max(LINK_MIN);
    if mention.is_value() || mention.best_table().is_some_and(|(_, score)| score >= best) {
        return Vec::new();
    }
    let equal = mention.columns.iter().filter(|(_, score)| *score >= best);
    equal.map(|(column, _)| Meaning::Column(*column)).collect()
}

fn uses(query: &Query, column: ColumnId) -> bool {
    let mut columns = Vec::new();
    let exprs = query.select.iter().chain(&query.group).chain(query.order.iter().map(|(expr, _)| expr));
    exprs.for_each(|expr: &Expr| expr.columns(&mut columns));
    query.conditions.iter().chain(&query.having).for_each(|condition| condition.columns(&mut columns));
    columns.contains(&column)
}
