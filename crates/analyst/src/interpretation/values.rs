//! Conditions on values: a column with its value, or a value that tells its column.

use super::context::Want;
use super::operators::Operator;
use super::parser::{Joiner, LINKING_WORDS, Parser, Phase};
use super::query::{Comparison, Condition, Expr, Literal, Operand, TimeUnit};
use crate::links::mentions::Mention;
use crate::links::model_index::{ColumnId, ColumnKind, DataKind};

impl Parser<'_> {
    /// A mention of a column with its value behind it: `whose sex is F`, `building NEB`, `the year 2008`.
    pub(super) fn condition_with_column(&mut self, at: usize) -> bool {
        let Some(mention) = self.mention(at) else { return false };
        if mention.columns.is_empty() || mention.best_column_score() < 0.5 {
            return false;
        }
        let value_at = self.skip(at + 1, LINKING_WORDS);
        let negated = self.operator(value_at) == Some(Operator::Not);
        let value_at = if negated { self.skip(value_at + 1, LINKING_WORDS) } else { value_at };
        if self.shape.share && self.tables_named.iter().any(|(place, _)| *place == at) {
            return false;
        }
        let linking: Vec<&str> = (at + 1..value_at).map(|place| self.text(place)).collect();
        let tight = linking.is_empty()
            || linking.iter().any(|word| {
                matches!(
                    *word,
                    "is" | "are" | "was" | "were" | "=" | "named" | "called" | "equal" | "equals" | "as" | ":"
                )
            });
        let plain = linking.iter().all(|word| {
            !matches!(
                *word,
                "in" | "at"
                    | "on"
                    | "for"
                    | "from"
                    | "of"
                    | "by"
                    | "with"
                    | "has"
                    | "have"
                    | "had"
                    | "that"
                    | "which"
                    | "both"
            )
        });
        let Some(column) = self.column_for_value(at, value_at, tight && plain) else { return false };
        let comparison = match self.operator(value_at + 1) {
            Some(Operator::OrMore(widened)) => widened,
            _ if negated => Comparison::NotEqual,
            _ => Comparison::Equal,
        };
        let literal = self.literal_at(value_at, column);
        let Some(literal) = literal else { return false };
        self.used[at..=value_at].fill(true);
        let condition = Condition::Compare(Expr::Column(column), comparison, Operand::Literal(literal));
        self.add_condition(condition);
        if self.entity.is_none() {
            self.entity = self.antecedent(at);
        }
        let last = self.more_values(value_at, column, comparison);
        self.column_behind_value(last, column);
        true
    }

    /// The column that a mention and the value behind it agree on.
    fn column_for_value(&self, at: usize, value_at: usize, tight: bool) -> Option<ColumnId> {
        let mention = self.mention(at)?;
        if let Some(value) = self.mention(value_at) {
            let agreed = mention
                .columns
                .iter()
                .filter(|(column, _)| value.values.iter().any(|(of, _, _)| of == column))
                .map(|&(column, link)| (column, link + self.table_bonus(at, column)))
                .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            if let Some((column, _)) = agreed {
                return Some(self.of_rows_named(at, value, column).unwrap_or(column));
            }
            let loose = value.quoted.is_some() && tight && value.values.is_empty();
            return if loose { self.resolve(at, Want::Text).map(|(column, _)| column) } else { None };
        }
        if self.number(value_at).is_some() && tight {
            let next_is_noun = self.mention(value_at + 1).is_some_and(|next| !next.tables.is_empty());
            let (column, _) = self.resolve(at, Want::Number)?;
            let fits = self.index.columns[column].data == DataKind::Number || self.text_has_number(column, value_at);
            return (!next_is_noun && fits).then_some(column);
        }
        None
    }

    /// `clubs located in Vienna`: a verb speaks of what it stands behind, whatever column resembles it elsewhere.
    fn of_rows_named(&self, at: usize, value: &Mention, column: ColumnId) -> Option<ColumnId> {
        let table =
            self.antecedent(at).filter(|_| self.is_verb(at) && !self.is_named(self.index.columns[column].table))?;
        let own = |of: &ColumnId| self.index.columns[*of].table == table;
        value.values.iter().map(|(of, _, _)| *of).find(own)
    }

    fn table_bonus(&self, at: usize, column: ColumnId) -> f32 {
        let table = self.index.columns[column].table;
        let mut bonus = 0.0;
        if self.attached_table(at) == Some(table) {
            bonus += 0.5;
        }
        if self.is_named(table) {
            bonus += 0.3;
        }
        if self.entity == Some(table) || self.antecedent(at) == Some(table) {
            bonus += 0.2;
        }
        if self.selected_tables().contains(&table) {
            bonus += 0.1;
        }
        bonus
    }

    fn text_has_number(&self, column: ColumnId, at: usize) -> bool {
        let word = &self.words[self.chunks[at].start];
        self.index.values.quoted(&word.text).iter().any(|hit| hit.column == column && hit.score > 0.9)
    }

    /// The value at a chunk as the column has it.
    pub(super) fn literal_at(&self, at: usize, column: ColumnId) -> Option<Literal> {
        if let Some(number) = self.number(at) {
            return Some(match self.index.columns[column].data {
                DataKind::Text => Literal::Text(self.words[self.chunks[at].start].text.clone()),
                _ => Literal::Number(number),
            });
        }
        if matches!(self.chunks.get(at)?.kind, crate::links::mentions::ChunkKind::Date) {
            return Some(Literal::Date(self.words[self.chunks[at].start].text.clone()));
        }
        let mention = self.mention(at)?;
        let known = mention.values.iter().filter(|(of, _, _)| *of == column).max_by(|a, b| a.2.total_cmp(&b.2));
        if let Some((_, value, _)) = known {
            return Some(Literal::Text(value.clone()));
        }
        let quoted = mention.quoted.clone()?;
        Some(match self.index.columns[column].data {
            DataKind::Number => Literal::Number(quoted.trim().parse().ok()?),
            _ => Literal::Text(quoted),
        })
    }

    /// `… is A or B`: further values of the same column.
    fn more_values(&mut self, from: usize, column: ColumnId, comparison: Comparison) -> usize {
        let mut at = from + 1;
        loop {
            let joined = matches!(self.text(at), "or" | "and" | ",");
            let next = self.skip(at + 1, &["or", "and", ",", "the", "a", "is", "are", "in", "either"]);
            if !joined || next >= self.chunks.len() {
                return at - 1;
            }
            let same = self.mention(next).is_some_and(|mention| {
                mention.values.iter().any(|(of, _, _)| *of == column)
                    || (mention.quoted.is_some() && mention.values.is_empty())
            });
            let number = self.number(next).is_some()
                && self.index.columns[column].data == DataKind::Number
                && self.mention(next + 1).is_none();
            if !(same || number) {
                return at - 1;
            }
            let Some(literal) = self.literal_at(next, column) else { return at - 1 };
            let and = (at..next).any(|place| self.text(place) == "and");
            self.used[at..=next].fill(true);
            let each = and && (self.both || self.may_have_both(column));
            let joiner = if each || comparison == Comparison::NotEqual { Joiner::And } else { Joiner::Or };
            self.conditions
                .push((joiner, Condition::Compare(Expr::Column(column), comparison, Operand::Literal(literal))));
            at = next + 1;
        }
    }

    /// Whether one of what is asked about can have several values of the column.
    fn may_have_both(&self, column: ColumnId) -> bool {
        let table = self.index.columns[column].table;
        let asked = self.selected_tables().first().copied().or(self.entity);
        let sums_up = self.selected.iter().any(|selected| match &selected.asked {
            super::parser::Asked::Expr(expr) => expr.is_aggregate(),
            super::parser::Asked::Count => true,
            super::parser::Asked::Rows(_) => false,
        });
        let both_ways = |asked: usize| self.multiplies(table, asked) || !sums_up;
        asked.is_some_and(|asked| asked != table && self.multiplies(asked, table) && both_ways(asked))
    }

    /// A value by itself: `female students`, `from "Los Angeles"`.
    pub(super) fn value_at(&mut self, at: usize) -> bool {
        if self.full_name_value(at) {
            return true;
        }
        let Some(column) = self.column_of_value(at) else { return false };
        if let Some(event) = self.event_of_state(at, column) {
            self.used[at] = true;
            self.time_verb = Some(event);
            self.pending = Some((at, event));
            return true;
        }
        let Some(literal) = self.literal_at(at, column) else { return false };
        let negated = at > 0 && self.operator(at - 1) == Some(Operator::Not);
        let comparison = if negated { Comparison::NotEqual } else { Comparison::Equal };
        self.used[at] = true;
        self.add_condition(Condition::Compare(Expr::Column(column), comparison, Operand::Literal(literal)));
        self.pending = None;
        let last = self.more_values(at, column, comparison);
        self.column_behind_value(last, column);
        true
    }

    /// `"Ann Lee"` where the first and the last name are columns of their own.
    fn full_name_value(&mut self, at: usize) -> bool {
        let quoted =
            self.mention(at).filter(|mention| mention.values.is_empty()).and_then(|mention| mention.quoted.as_ref());
        let parts: Vec<&str> = quoted.map(|text| text.split_whitespace().collect()).unwrap_or_default();
        let [first, last] = parts.as_slice() else { return false };
        let value_of = |column: ColumnId, text: &str| {
            let hits = self.index.values.quoted(text).into_iter();
            hits.filter(|hit| hit.column == column && hit.score >= 0.95).map(|hit| hit.value).next()
        };
        let named = (0..self.index.tables.len()).find_map(|table| match self.index.label(table).as_slice() {
            [own, family] => Some([(*own, value_of(*own, first)?), (*family, value_of(*family, last)?)]),
            _ => None,
        });
        let Some(parts) = named else { return false };
        self.used[at] = true;
        self.pending = None;
        for (column, value) in parts {
            let literal = Operand::Literal(Literal::Text(value));
            self.add_condition(Condition::Compare(Expr::Column(column), Comparison::Equal, literal));
        }
        true
    }

    /// `the computer science department`: the word behind a value only repeats its column.
    pub(super) fn column_behind_value(&mut self, at: usize, column: ColumnId) {
        let place = self.skip(at + 1, &["for", "as", "the", "a", "an", "their", "its", "his", "her"]);
        let repeats = self
            .mention(place)
            .is_some_and(|mention| mention.columns.iter().any(|(id, _)| *id == column) && mention.tables.is_empty());
        if repeats {
            self.used[at + 1..=place].fill(true);
        }
    }

    pub(super) fn column_of_value(&self, at: usize) -> Option<ColumnId> {
        let mention = self.mention(at)?;
        if let Some((_, pending)) = self.pending
            && (mention.values.is_empty() || mention.values.iter().any(|(column, _, _)| *column == pending))
        {
            return Some(pending);
        }
        let anchor = self.antecedent(at).or(self.entity).or(self.background.map(|background| background.table));
        let best = mention
            .values
            .iter()
            .map(|(column, _, link)| {
                let table = self.index.columns[*column].table;
                let near = anchor.map_or(0.0, |anchor| {
                    -0.12 * crate::sql_generation::join_paths::distance(self.index, anchor, table).min(5) as f32
                });
                let label = if self.index.label(table).contains(column) { 0.05 } else { 0.0 };
                let reference = if self.index.is_reference(*column) { -0.05 } else { 0.0 };
                let beside = if self.value_beside(at, table) { 0.7 } else { 0.0 };
                (*column, link + self.table_bonus(at, *column) + near + label + reference + beside)
            })
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
            .map(|(column, _)| column);
        best.or_else(|| {
            mention.quoted.as_ref()?;
            let table = self.antecedent(at).or_else(|| self.main_table())?;
            self.index.label(table).first().copied()
        })
    }

    /// Whether the neighbour is a value of the same table: first and last names belong together.
    fn value_beside(&self, at: usize, table: usize) -> bool {
        [at.wrapping_sub(1), at + 1].into_iter().any(|place| {
            self.mention(place).is_some_and(|mention| {
                mention.is_value_first()
                    && mention.values.iter().any(|(column, _, _)| self.index.columns[*column].table == table)
            })
        })
    }

    /// A bare number: a year, or the value of a column just named.
    pub(super) fn step_number(&mut self, at: usize, value: f64) {
        if let Some(Operator::OrMore(comparison)) = self.operator(at + 1) {
            self.number_compared(at, comparison);
            return;
        }
        let before = self.before(at).to_string();
        if let Some((_, column)) = self.pending.take()
            && self.index.columns[column].data == DataKind::Number
        {
            self.add_condition(Condition::Compare(
                Expr::Column(column),
                Comparison::Equal,
                Operand::Literal(Literal::Number(value)),
            ));
            return;
        }
        let next = self.mention(at + 1);
        if self.text(at + 1) == "years" || self.text(at + 1) == "year" {
            if let Some(column) = self.column_near(at, &["age"], Want::Number) {
                self.used[at + 1] = true;
                self.add_condition(Condition::Compare(
                    Expr::Column(column),
                    Comparison::Equal,
                    Operand::Literal(Literal::Number(value)),
                ));
            }
            return;
        }
        let is_year = (1000.0..2200.0).contains(&value) && value.fract() == 0.0;
        let grows = self.shape.growth && self.shape.grain.is_none();
        if (self.shape.versus.is_some() || grows || self.shape.is_extreme_time)
            && let Some(range) = self.range_of(at)
        {
            self.time_compared(at, range, Comparison::Equal);
            return;
        }
        if is_year
            && matches!(
                before.as_str(),
                "in" | "during" | "for" | "of" | "on" | "from" | "about" | "not" | "only" | "just" | "both"
            )
        {
            if let Some(column) = self.year_column(at) {
                self.add_condition(self.year_condition(column, Comparison::Equal, value));
            }
            return;
        }
        if let (true, "or" | "and", Some(column)) = (is_year, before.as_str(), self.stated_year()) {
            self.joiner = if self.both { Joiner::And } else { Joiner::Or };
            self.add_condition(self.year_condition(column, Comparison::Equal, value));
            return;
        }
        if next.is_some_and(|mention| !mention.tables.is_empty()) && self.phase == Phase::Filter && before != "top" {
            self.count_compared(at, Comparison::Equal);
            return;
        }
        if next.is_some_and(|mention| mention.best_column_score() > 0.6)
            && self.phase == Phase::Filter
            && let Some((column, _)) = self.resolve(at + 1, Want::Number)
            && self.index.columns[column].data == DataKind::Number
        {
            self.used[at + 1] = true;
            self.add_condition(Condition::Compare(
                Expr::Column(column),
                Comparison::Equal,
                Operand::Literal(Literal::Number(value)),
            ));
        }
    }

    /// The column of the year compared just before: `in 2024 or 2025`.
    fn stated_year(&self) -> Option<ColumnId> {
        match self.conditions.last() {
            Some((_, Condition::Compare(Expr::Part(TimeUnit::Year, column), Comparison::Equal, _))) => Some(*column),
            Some((_, Condition::Compare(Expr::Column(column), Comparison::Equal, _))) => {
                Some(*column).filter(|column| self.index.columns[*column].words.iter().any(|word| word == "year"))
            }
            _ => None,
        }
    }

    pub(super) fn step_date(&mut self, at: usize) {
        let column = self.pending.take().map(|(_, column)| column).or_else(|| self.date_column(at));
        if let Some(column) = column {
            let date = self.words[self.chunks[at].start].text.clone();
            self.add_condition(Condition::Compare(
                Expr::Column(column),
                Comparison::Equal,
                Operand::Literal(Literal::Date(date)),
            ));
        }
    }

    pub(super) fn date_column(&self, at: usize) -> Option<ColumnId> {
        let words = &["date", "time", "day", "timestamp", "from", "year", "founded", "opened", "built"];
        self.column_near(at, words, Want::Any)
    }

    pub(super) fn year_column(&self, at: usize) -> Option<ColumnId> {
        if self.time_verb.is_some() {
            return self.time_verb;
        }
        if let Some(time) = self.time_of_verb() {
            return Some(time);
        }
        let named =
            self.mention(at.wrapping_sub(1)).and_then(|_| self.resolve(at - 1, Want::Any)).map(|(column, _)| column);
        let words = &["year", "founded", "opened", "built", "date", "time", "season", "day", "since"];
        named
            .filter(|&column| self.index.columns[column].words.iter().any(|word| words.contains(&word.as_str())))
            .or_else(|| {
                self.column_near(at, words, Want::Any)
                    .filter(|&found| !self.is_quantity(found) && !self.is_birth(found))
                    .map(|found| self.instead_of(found))
            })
            .or_else(|| self.time_column())
    }

    /// A number that is no year: `lead time` is a quantity.
    fn is_quantity(&self, column: ColumnId) -> bool {
        let entry = &self.index.columns[column];
        let of_years = ["year", "founded", "opened", "built", "season", "since"];
        matches!(entry.kind, ColumnKind::Metric | ColumnKind::Filter)
            || entry.kind == ColumnKind::Fact && !entry.words.iter().any(|word| of_years.contains(&word.as_str()))
    }

    /// A date that the question does not name and that lies elsewhere than what is measured gives way to the measure's.
    fn instead_of(&self, found: ColumnId) -> ColumnId {
        let columns = &self.index.columns;
        match self.known_time_column() {
            Some(time) if columns[found].data == DataKind::Date && columns[found].table != columns[time].table => time,
            _ => found,
        }
    }

    pub(super) fn year_condition(&self, column: ColumnId, comparison: Comparison, year: f64) -> Condition {
        let entry = &self.index.columns[column];
        match entry.data {
            DataKind::Date => Condition::Compare(
                Expr::Part(TimeUnit::Year, column),
                comparison,
                Operand::Literal(Literal::Number(year)),
            ),
            DataKind::Text if comparison == Comparison::Equal => Condition::Like(column, format!("%{year:.0}%")),
            DataKind::Text => Condition::Compare(
                Expr::Column(column),
                comparison,
                Operand::Literal(Literal::Text(format!("{year:.0}"))),
            ),
            _ => Condition::Compare(Expr::Column(column), comparison, Operand::Literal(Literal::Number(year))),
        }
    }
}
