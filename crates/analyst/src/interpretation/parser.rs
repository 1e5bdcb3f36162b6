//! Reads chunks from left to right. Each construct has a room of its own; this one holds the state and the order in
//! which constructs are tried.

use crate::links::mentions::{Chunk, ChunkKind, Mention};
use crate::links::model_index::{ColumnId, ModelIndex, TableId};
use crate::question::lemma::is_past;
use crate::question::time::TimeRange;
use crate::question::words::Word;

use super::operators::Operator;
use super::query::{Condition, Direction, Expr, Query};
use super::style::Style;

/// A query read from a question, and how much of the question it explains.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    pub query: Query,
    /// Share of the content words that the query uses.
    pub explained: f32,
    /// The question names nothing to show by itself, as a follow-up does.
    pub is_fragment: bool,
    /// What the question groups by.
    pub groups: Vec<Expr>,
    /// The answer is to be shown as shares.
    pub is_share: bool,
    /// How many parts of the question ask for a column that another part has asked for.
    pub repeats: usize,
    /// It asks for nothing but how many of what was spoken of there are.
    pub is_bare_count: bool,
    /// Where only some rows are asked for: those with the most, or with the least.
    pub top: Option<Direction>,
    /// The range of time that the one before is to be shown beside.
    pub beside: Option<TimeRange>,
}

/// What the question before was about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Background {
    pub table: TableId,
    /// The column that its times were of.
    pub time: Option<ColumnId>,
    /// The table of what it measured.
    pub measured: Option<TableId>,
    /// The range of time it was about.
    pub range: Option<TimeRange>,
}

/// Reads a question's chunks as a query.
#[must_use]
pub fn read(
    index: &ModelIndex,
    words: &[Word],
    chunks: Vec<Chunk>,
    background: Option<Background>,
    style: &Style,
) -> Option<Reading> {
    let mut parser = Parser::new(index, words, chunks, style);
    parser.background = background;
    if let Some(reading) = parser.shared_values() {
        return Some(reading);
    }
    parser.run();
    parser.finish()
}

/// Where the reader is: in the list of what is asked for, or in what restricts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Select,
    Filter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joiner {
    And,
    Or,
}

/// Something asked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Asked {
    Expr(Expr),
    /// Rows of a table, to be shown by their label.
    Rows(TableId),
    /// How many rows there are, of whatever the question turns out to be about.
    Count,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Selected {
    pub at: usize,
    pub asked: Asked,
    pub sentence: usize,
}

/// A group: a column, or the rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Group {
    Expr(Expr),
    Rows(TableId),
}

pub(super) struct Parser<'a> {
    pub index: &'a ModelIndex,
    pub words: &'a [Word],
    pub chunks: Vec<Chunk>,
    pub used: Vec<bool>,
    pub phase: Phase,
    pub sentence: usize,
    pub selected: Vec<Selected>,
    /// Columns asked for again within a sentence.
    pub repeats: usize,
    pub conditions: Vec<(Joiner, Condition)>,
    pub having: Vec<(Joiner, Condition)>,
    pub groups: Vec<Group>,
    pub order: Vec<(Expr, Option<Direction>)>,
    pub order_direction: Option<Direction>,
    pub sort_selected: bool,
    pub limit: Option<u64>,
    pub distinct: bool,
    pub both: bool,
    pub joined: Vec<TableId>,
    /// The table the question is about.
    pub entity: Option<TableId>,
    /// A column in the filter phase that waits for what it is compared with.
    pub pending: Option<(usize, ColumnId)>,
    /// The column of time that a verb names: `signed up`, `hired`.
    pub time_verb: Option<ColumnId>,
    pub joiner: Joiner,
    pub tables_named: Vec<(usize, TableId)>,
    /// Number columns asked for with `how many`: the number itself, or its sum.
    pub counted_columns: Vec<ColumnId>,
    pub counts_anything: bool,
    pub style: Style,
    /// What the question before was about.
    pub background: Option<Background>,
    pub shape: super::times::Shape,
    /// `by X from largest to smallest` orders.
    pub sorts_by: bool,
    /// `top 3`: the limit waits for a measure.
    pub top: bool,
}

impl<'a> Parser<'a> {
    fn new(index: &'a ModelIndex, words: &'a [Word], chunks: Vec<Chunk>, style: &Style) -> Self {
        let mut parser = Self {
            index,
            words,
            used: vec![false; chunks.len()],
            chunks,
            phase: Phase::Select,
            sentence: 0,
            selected: Vec::new(),
            repeats: 0,
            conditions: Vec::new(),
            having: Vec::new(),
            groups: Vec::new(),
            order: Vec::new(),
            order_direction: None,
            sort_selected: false,
            limit: None,
            distinct: false,
            both: false,
            joined: Vec::new(),
            entity: None,
            pending: None,
            time_verb: None,
            joiner: Joiner::And,
            tables_named: Vec::new(),
            counted_columns: Vec::new(),
            counts_anything: false,
            style: *style,
            background: None,
            shape: super::times::Shape::default(),
            sorts_by: false,
            top: false,
        };
        parser.both = (0..parser.chunks.len()).any(|at| parser.operator(at) == Some(Operator::Both));
        if (0..parser.chunks.len()).any(|at| parser.operator(at) == Some(Operator::Versus)) {
            parser.shape.versus = Some(super::periods::Versus::Given);
        }
        if (0..parser.chunks.len()).any(|at| parser.operator(at) == Some(Operator::Ratio)) {
            parser.shape.ratio = true;
        }
        parser.name_tables();
        parser
    }

    fn run(&mut self) {
        let mut at = 0;
        while at < self.chunks.len() {
            if !self.used[at] {
                self.step(at);
            }
            at += 1;
        }
    }

    pub(super) fn step(&mut self, at: usize) {
        match &self.chunks[at].kind {
            ChunkKind::Operator(operator) => self.step_operator(at, *operator),
            ChunkKind::Mention(_) => self.step_mention(at),
            ChunkKind::Number(value) => self.step_number(at, *value),
            ChunkKind::Date => self.step_date(at),
            ChunkKind::Time(range) => self.time_range_at(at, *range),
            ChunkKind::Word => self.step_word(at),
        }
    }

    fn step_operator(&mut self, at: usize, operator: Operator) {
        match operator {
            Operator::Count | Operator::Aggregate(_) => self.aggregate_at(at),
            Operator::Distinct => self.distinct_at(at),
            Operator::Once => self.distinct = true,
            Operator::Compare(comparison) => self.comparison_at(at, comparison),
            Operator::CompareBy(form) => self.adjective_comparison_at(at, form),
            Operator::AboveAverage(comparison) => self.above_average_at(at, comparison),
            Operator::Between => self.between_at(at),
            Operator::Not => self.not_at(at),
            Operator::Without | Operator::Except => self.without_at(at),
            Operator::Each | Operator::GroupBy => self.group_at(at, operator),
            Operator::OrderBy => self.order_at(at),
            Operator::Sorted(direction) => self.sorted_at(at, Some(direction)),
            Operator::SortedBy(form) => self.sorted_by_adjective_at(at, form),
            Operator::Alphabetical => self.sorted_at(at, None),
            Operator::Superlative(direction) | Operator::Top(direction) => self.superlative_at(at, direction),
            Operator::SuperlativeBy(form) => self.adjective_superlative_at(at, form),
            Operator::MostCommon(direction) => self.most_common_at(at, direction),
            Operator::Both => self.both = true,
            Operator::Or => self.joiner = Joiner::Or,
            Operator::And | Operator::Either | Operator::Makes => {}
            Operator::Contains | Operator::StartsWith | Operator::EndsWith => self.pattern_at(at, operator),
            Operator::Multiple => self.multiple_at(at),
            Operator::CountTimes => self.count_times_at(at),
            Operator::Times(count) => self.times_at(at, count),
            Operator::Everything => self.everything_at(at),
            Operator::Full => self.full_name_at(at),
            Operator::OrMore(_) => {}
            Operator::Share => {
                self.shape.share = true;
                self.shape.share_at = at;
            }
            Operator::Ratio => self.shape.ratio = true,
            Operator::Versus => {}
            Operator::SamePeriodLastYear => self.shape.versus = Some(super::periods::Versus::LastYear),
            Operator::RunningTotal => self.shape.running_total = true,
            Operator::Punctual(comparison) => self.punctual_at(at, comparison),
            Operator::PeriodBefore(unit) => self.period_before(at, unit),
            Operator::Grain(unit) => self.grain_at(at, unit),
            Operator::Over(unit) => {
                self.shape.grain = Some(unit);
                self.shape.growth = true;
            }
            Operator::Growth => self.shape.growth = true,
            Operator::GrowthExtreme(direction) => {
                self.shape.growth = true;
                self.shape.growth_extreme = Some(direction);
            }
        }
    }

    /// Words of grammar that change the phase.
    fn step_word(&mut self, at: usize) {
        if self.rival_at(at) || self.missing_at(at) || (self.text(at) == "all" && self.all_at(at)) {
            return;
        }
        if self.undone_at(at) || self.unit_grouped_at(at) {
            return;
        }
        if self.details_at(at) || self.unit_asked_at(at) || self.open_at(at) || self.with_column_at(at) {
            return;
        }
        let text = self.chunks[at].text.as_str();
        let first = at == self.sentence_start(at);
        match text {
            "." | "?" | ";" | "!" if at + 1 < self.chunks.len() => {
                self.sentence += 1;
                self.phase = Phase::Select;
                self.pending = None;
            }
            "whose" | "who" | "that" | "where" | "whom" if !first => self.enter_filter(),
            "which" if !first && self.starts_relative_clause(at) => self.enter_filter(),
            "have" | "has" | "had" if self.text(at + 1) == "by" || self.before(at) == "how" => {}
            "with" | "having" | "have" | "has" | "had" | "if" => self.enter_filter(),
            "when" | "where" | "who" | "old" | "much" | "long" => self.question_word(at),
            _ if self.opens_clause(at) => self.enter_filter(),
            "do" | "does" | "did" if self.have_by(at) => {}
            "is" | "are" | "was" | "were" | "do" | "does" | "did" if self.selected_in_sentence() => self.enter_filter(),
            _ => {}
        }
    }

    fn starts_relative_clause(&self, at: usize) -> bool {
        let asks = at == self.sentence_start(at) + 1 && matches!(self.text(at - 1), "on" | "at" | "from" | "by" | "to");
        at > 0 && !asks && !matches!(self.chunks[at - 1].text.as_str(), "," | "and" | "in" | "for" | "?" | ".")
    }

    /// `how many do we have by plan`: nothing is restricted.
    fn have_by(&self, at: usize) -> bool {
        (at + 1..at + 4).any(|place| self.text(place) == "have" && self.text(place + 1) == "by")
    }

    /// `departments managed by …`: a verb behind a noun restricts it, `who` or not.
    fn opens_clause(&self, at: usize) -> bool {
        let text = self.text(at);
        let verb = (text.ends_with("ed") && text.len() > 4) || is_past(text);
        verb && self.selected_in_sentence() && at > 0 && self.mention(at - 1).is_some()
    }

    fn enter_filter(&mut self) {
        self.phase = Phase::Filter;
    }

    fn selected_in_sentence(&self) -> bool {
        self.selected.iter().any(|selected| selected.sentence == self.sentence)
    }

    pub(super) fn sentence_start(&self, at: usize) -> usize {
        (0..at)
            .rev()
            .find(|&before| matches!(self.chunks[before].text.as_str(), "." | "?" | ";"))
            .map_or(0, |end| end + 1)
    }

    pub(super) fn mention(&self, at: usize) -> Option<&Mention> {
        match &self.chunks.get(at)?.kind {
            ChunkKind::Mention(mention) => Some(mention),
            _ => None,
        }
    }

    pub(super) fn operator(&self, at: usize) -> Option<Operator> {
        match self.chunks.get(at)?.kind {
            ChunkKind::Operator(operator) => Some(operator),
            _ => None,
        }
    }

    pub(super) fn number(&self, at: usize) -> Option<f64> {
        match self.chunks.get(at)?.kind {
            ChunkKind::Number(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn text(&self, at: usize) -> &str {
        self.chunks.get(at).map_or("", |chunk| chunk.text.as_str())
    }

    /// The next chunk that is not one of the given words.
    pub(super) fn skip(&self, from: usize, words: &[&str]) -> usize {
        let quoted = |at: usize| self.mention(at).is_some_and(|mention| mention.quoted.is_some());
        (from..self.chunks.len()).find(|&at| quoted(at) || !words.contains(&self.text(at))).unwrap_or(self.chunks.len())
    }

    pub(super) fn add_condition(&mut self, condition: Condition) {
        let joiner = std::mem::replace(&mut self.joiner, Joiner::And);
        if self.conditions.iter().any(|(_, other)| *other == condition) {
            return;
        }
        self.conditions.push((joiner, condition));
    }

    pub(super) fn add_having(&mut self, condition: Condition) {
        let joiner = std::mem::replace(&mut self.joiner, Joiner::And);
        self.having.push((joiner, condition));
    }

    pub(super) fn join_table(&mut self, table: TableId) {
        if !self.joined.contains(&table) {
            self.joined.push(table);
        }
    }

    /// The word of grammar before a chunk, determiners aside.
    pub(super) fn before(&self, at: usize) -> &str {
        let skipped =
            ["the", "a", "an", "all", "any", "their", "its", "his", "her", "some", "different", "distinct", "those"];
        (0..at).rev().map(|before| self.text(before)).find(|text| !skipped.contains(text)).unwrap_or("")
    }
}

/// Words between a column and what it is compared with.
pub(super) const LINKING_WORDS: &[&str] = &[
    "is", "are", "was", "were", "be", "being", "been", "of", "the", "a", "an", "equal", "equals", "to", "as", "named",
    "called", "=", ":", "by", "in", "at", "on", "with", "name", "has", "have", "had", "value", "either", "both", "for",
    "from", "also", "type", "since", "titled", "than", "that", "which",
];

pub(super) const DETERMINERS: &[&str] = &[
    "the",
    "a",
    "an",
    "all",
    "any",
    "of",
    "their",
    "its",
    "his",
    "her",
    "some",
    "those",
    "these",
    "different",
    "distinct",
    "other",
    "our",
];
