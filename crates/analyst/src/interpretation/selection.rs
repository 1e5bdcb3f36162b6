//! What is asked for: columns, rows of a table, names in full, answers to when, where and how old.

use super::context::Want;
use super::flags::Said;
use super::operators::Operator;
use super::parser::{Asked, DETERMINERS, LINKING_WORDS, Parser, Phase, Selected};
use super::query::Expr;
use crate::links::mentions::ChunkKind;
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, TableId};
use crate::question::lemma::is_past;

const PLACE_WORDS: &[&str] = &["location", "address", "city", "place", "venue", "country", "building", "state"];
const TIME_WORDS: &[&str] = &["date", "year", "time", "day", "month"];
const MONEY_WORDS: &[&str] = &["price", "cost", "amount", "fee", "charge", "salary", "budget"];
const LENGTH_WORDS: &[&str] = &["duration", "length", "time", "distance"];

impl Parser<'_> {
    pub(super) fn select(&mut self, at: usize, asked: Asked) {
        let same = self.selected.iter().find(|selected| selected.asked == asked);
        let Some(same) = same else {
            self.selected.push(Selected { at, asked, sentence: self.sentence });
            return;
        };
        let is_column = matches!(asked, Asked::Expr(Expr::Column(_)));
        let is_listed = !matches!(self.before(at), "for" | "of" | "in" | "by" | "with" | "from" | "to" | "at" | "on");
        let is_anew = same.at != at && same.sentence == self.sentence;
        self.repeats += usize::from(is_column && is_listed && is_anew);
    }

    pub(super) fn select_column(&mut self, at: usize, column: ColumnId) {
        let expr = self.shown(at, column);
        if self.entity.is_none() {
            self.entity = self.attached_table(at);
        }
        if self.entity.is_none() && self.mention(at).is_some() && self.names_table(at, column) {
            self.entity = Some(self.index.columns[column].table);
        }
        self.select(at, Asked::Expr(expr));
    }

    /// What is shown of a column: a metric is computed, and a reference within the table shows whom it refers to.
    pub(super) fn shown(&self, at: usize, column: ColumnId) -> Expr {
        let entry = &self.index.columns[column];
        let text = self.text(at);
        let role = self.index.refers_to_own_table(column) && !text.contains("id") && !text.contains("number");
        let label = self.index.label(entry.table).first().copied();
        match (entry.kind, label.filter(|_| role)) {
            (ColumnKind::Metric, _) => Expr::Aggregate(super::query::Function::Metric, column),
            (_, Some(label)) => Expr::Referred(column, label),
            _ => Expr::Column(column),
        }
    }

    /// A filter of the model, or a column of true and false. One word names a filter only beside its table.
    pub(super) fn condition_named(&self, at: usize) -> Option<ColumnId> {
        let (column, _) = self.resolve(at, Want::Any).filter(|(column, _)| self.index.holds_or_not(*column))?;
        let entry = &self.index.columns[column];
        let chunk = &self.chunks[at];
        let clear = entry.kind != ColumnKind::Filter
            || chunk.end - chunk.start > 1
            || self.is_named(entry.table)
            || self.main_table() == Some(entry.table);
        clear.then_some(column)
    }

    /// A verb that names a column of time: `signed up`, `hired`.
    fn is_time_verb(&self, at: usize, column: ColumnId) -> bool {
        let entry = &self.index.columns[column];
        let text = self.text(at);
        let first = text.split(' ').next().unwrap_or_default();
        let verb = first.ends_with("ed") || is_past(first);
        let noun = ["date", "day", "time", "on", "at"].iter().any(|word| text.split(' ').any(|part| part == *word));
        entry.data == DataKind::Date && verb && !noun
    }

    pub(super) fn step_mention(&mut self, at: usize) {
        let Some(mention) = self.mention(at) else { return };
        let (named, column_score) = (mention.best_table(), mention.best_column_score());
        let is_value = mention.is_value();
        let table_first = self.tables_named.iter().any(|(place, _)| *place == at);
        let lower_word = mention.quoted.is_none() && !self.words[self.chunks[at].start].capitalised();
        let value_first = is_value
            && (mention.is_value_first()
                || self.is_rather_value(at)
                || self.names_its_column(at)
                || (!lower_word && column_score < 0.9 && !table_first));
        if self.undone_at(at) || self.unit_grouped_at(at) {
            return;
        }
        if self.unit_asked_at(at) || self.condition_with_column(at) || self.is_spare_word(at) || self.open_at(at) {
            return;
        }
        if value_first && self.value_at(at) {
            return;
        }
        if let Some(column) = self.condition_named(at)
            && !self.is_by(at)
        {
            self.add_condition(super::query::Condition::Named(column));
            return;
        }
        if let Some(condition) = self.flag_at(at).and_then(|column| self.flag_condition(column, Said::Yes)) {
            self.add_condition(condition);
            return;
        }
        if table_first && !self.prefers_column(at) {
            if let Some((table, _)) = named {
                self.table_at(at, table);
            }
            return;
        }
        if let Some((column, _)) = self.resolve(at, Want::Any) {
            self.column_at(at, column);
        } else if is_value {
            self.value_at(at);
        }
    }

    /// `the Sales department`: the word behind tells whose value it is.
    pub(super) fn names_its_column(&self, at: usize) -> bool {
        let (Some(value), Some(next)) = (self.mention(at), self.mention(at + 1)) else { return false };
        let tables = self.tables_named.iter().filter(|(place, _)| *place == at + 1);
        let owner: Vec<TableId> = tables.map(|(_, table)| *table).collect();
        let named = |column: ColumnId| {
            next.columns.iter().any(|(other, score)| *other == column && *score >= 0.9)
                || (owner.contains(&self.index.columns[column].table)
                    && self.words[self.chunks[at].start].capitalised())
        };
        value.values.iter().any(|(column, _, score)| *score >= 0.95 && named(*column))
    }

    /// A word that only rounds off another: `phone number`, `names of colleges`.
    fn is_spare_word(&self, at: usize) -> bool {
        let text = self.text(at);
        let before = at.checked_sub(1).and_then(|before| self.mention(before));
        let rounds_off =
            matches!(text, "number" | "numbers" | "address" | "addresses" | "code" | "codes" | "value" | "values");
        if rounds_off && before.is_some_and(|before| before.best_column_score() > 0.7) {
            return true;
        }
        let stated = before.filter(|before| before.best_column_score() > 0.9 && before.tables.is_empty());
        let is_name = matches!(text, "name" | "names") && self.text(at + 1) != "of";
        if stated.is_some() && is_name && self.names_things(at - 1) {
            return true;
        }
        let counted = self.selected.iter().any(|selected| matches!(selected.asked, Asked::Expr(Expr::CountRows(_))));
        if text == "number" && counted {
            return true;
        }
        let of = self.skip(at + 1, &["of", "the", "all", "different", "distinct", "each"]);
        let names = matches!(text, "name" | "names")
            && self.text(at + 1) == "of"
            && !self.tables_named.iter().any(|(place, _)| *place == of);
        names
            && self.resolve(of, Want::Text).is_some_and(|(column, _)| {
                self.index.columns[column].data == crate::links::model_index::DataKind::Text
                    && self.mention(of).is_some_and(|mention| mention.best_column_score() > 0.7)
            })
    }

    /// Whether a column just named holds names: `company names` where a column is called company.
    fn names_things(&self, at: usize) -> bool {
        let column = self.resolve(at, Want::Text).map(|(column, _)| column);
        column.is_some_and(|column| {
            let entry = &self.index.columns[column];
            entry.data == DataKind::Text && entry.words.last().is_some_and(|last| last != "name")
        })
    }

    /// `advised`, `attending`: a verb made of a column's name asks for nothing.
    pub(super) fn is_verb_form(&self, at: usize, column: ColumnId) -> bool {
        let text = self.text(at);
        let words = &self.index.columns[column].words;
        let exact = *words == [text] || (text.ends_with("ing") && words.iter().any(|word| word == text));
        (text.ends_with("ed") || text.ends_with("ing")) && !text.contains(' ') && !exact
    }

    /// A name of both a table and a column is the column where it is said `of` another table.
    fn prefers_column(&self, at: usize) -> bool {
        let Some((column, score)) = self.resolve(at, Want::Any) else { return false };
        let table = self.index.columns[column].table;
        self.is_owned_column(at, column)
            || score > 1.3
                && self
                    .mention(at)
                    .is_some_and(|m| m.best_column_score() >= m.best_table().map_or(0.75, |(_, score)| score))
                && self.attached_table(at) == Some(table)
                && self.mention(at).is_some_and(|m| m.best_table().is_none_or(|(t, _)| t != table))
    }

    /// `allergies and their types`: what rows of a table have is no further row of it.
    fn is_owned_column(&self, at: usize, column: ColumnId) -> bool {
        let owned =
            at.checked_sub(1).is_some_and(|before| matches!(self.text(before), "their" | "its" | "his" | "her"));
        let table = self.index.columns[column].table;
        let of_rows = self.antecedent(at) == Some(table)
            && self.mention(at).and_then(|mention| mention.best_table()).is_some_and(|(named, _)| named == table);
        owned && of_rows && !self.index.is_key(column) && !self.index.is_reference(column)
    }

    fn table_at(&mut self, at: usize, table: TableId) {
        if self.entity.is_none() {
            self.entity = Some(table);
        }
        let follows = self.background.is_some() && self.selected.is_empty();
        if self.is_by(at) && self.may_group() && (self.selected_in(self.sentence) || follows) {
            self.groups.push(super::parser::Group::Rows(table));
            self.join_table(table);
            return;
        }
        if self.counted_with(at, table) {
            return;
        }
        let before = self.before(at);
        let context = matches!(
            before,
            "of" | "in"
                | "for"
                | "from"
                | "on"
                | "at"
                | "by"
                | "with"
                | "to"
                | "across"
                | "among"
                | "into"
                | "about"
                | "under"
        );
        let behind_column = self.text(at + 1) == "'s" || self.is_list_head(at + 1);
        let text = self.text(at);
        let verb = (text.ends_with("ed") || text.ends_with("ing") || is_past(text))
            && !self.index.tables[table].words.iter().any(|word| word == text);
        if self.phase == Phase::Select && !context && !behind_column && !verb && !self.is_object(at) {
            self.select(at, Asked::Rows(table));
        }
        self.join_table(table);
    }

    /// `which customers bought products`: what something is done to is not asked for.
    fn is_object(&self, at: usize) -> bool {
        let opens = matches!(self.text(self.sentence_start(at)), "which" | "who" | "what");
        let asked = self.selected.iter().rev().find(|selected| selected.sentence == self.sentence);
        let Some(asked) = asked.filter(|selected| opens && matches!(selected.asked, Asked::Rows(_))) else {
            return false;
        };
        let between = asked.at + 1..at;
        // `hosts host shows`
        let repeats = |place: usize| self.table_at_place(place).is_some_and(|table| asked.asked == Asked::Rows(table));
        !between.clone().any(|place| matches!(self.text(place), "," | "and" | "or"))
            && between.clone().any(|place| self.is_verb(place) || repeats(place))
    }

    /// Whether a column follows that the table before it owns: `student ages`.
    fn is_list_head(&self, at: usize) -> bool {
        let Some(mention) = self.mention(at) else { return false };
        let done = self.text(at).ends_with("ed") || is_past(self.text(at));
        !done
            && mention.best_column_score() > 0.5
            && mention.best_table().is_none_or(|(_, score)| score < mention.best_column_score())
    }

    fn column_at(&mut self, at: usize, column: ColumnId) {
        if self.is_time_verb(at, column) && (self.selected_in(self.sentence) || self.counts_anything) {
            self.time_verb = Some(column);
            self.pending = Some((at, column));
            self.first_or_last(at + 1, column);
            return;
        }
        if self.is_verb(at) && self.first_or_last(at + 1, column) {
            return;
        }
        if self.done_most(at, column) {
            return;
        }
        if self.is_verb_form(at, column) {
            if self.phase == Phase::Filter || self.is_compared(at) {
                self.pending = Some((at, column));
            }
            return;
        }
        if self.is_sorted_by(at) {
            let expr = self.as_expression(column);
            let default = expr.is_aggregate().then_some(super::query::Direction::Descending);
            self.order.push((expr, self.order_direction.or(default)));
            return;
        }
        self.sorts_by = matches!(self.operator(at + 1), Some(Operator::Sorted(_)));
        if self.is_by(at) && self.by_column(column) {
            return;
        }
        if self.is_compared(at) {
            self.pending = Some((at, column));
            return;
        }
        let before = self.before(at);
        let listed = matches!(before, "and" | "," | "as well as" | "along with" | "or" | "together with");
        let asked_again =
            matches!(before, "show" | "list" | "give" | "find" | "return" | "and" | "what" | "is" | "are" | "me");
        let done = self.text(at).ends_with("ed") || is_past(self.text(at));
        match self.phase {
            Phase::Select => {
                let place = matches!(before, "in" | "on" | "at" | "by" | "from" | "to" | "under");
                let place = place || (before == "of" && self.is_owner(at));
                if !place && self.referred_at(at, column) {
                    return;
                }
                if place && self.selected_in(self.sentence) && !self.shape.ratio {
                    self.join_table(self.index.columns[column].table);
                } else {
                    self.select_column(at, column);
                }
            }
            Phase::Filter if (listed || asked_again && !done) && self.pending.is_none() && self.filters_begun() => {
                self.select_column(at, column)
            }
            Phase::Filter => self.pending = Some((at, column)),
        }
    }

    /// `the positions of players`: what the column just asked for is of.
    fn is_owner(&self, at: usize) -> bool {
        let asked = self.selected.last().filter(|selected| selected.sentence == self.sentence);
        let Some(asked) = asked.filter(|selected| matches!(selected.asked, Asked::Expr(Expr::Column(_)))) else {
            return false;
        };
        (asked.at + 1..at).all(|place| self.text(place) == "of" || DETERMINERS.contains(&self.text(place)))
    }

    /// `who was hired first`.
    fn first_or_last(&mut self, at: usize, column: ColumnId) -> bool {
        let direction = match self.text(at) {
            "first" | "earliest" => super::query::Direction::Ascending,
            "last" | "latest" | "most recently" => super::query::Direction::Descending,
            _ => return false,
        };
        let entry = &self.index.columns[column];
        let is_time =
            entry.data == DataKind::Date || entry.words.iter().any(|word| TIME_WORDS.contains(&word.as_str()));
        let ends = matches!(self.text(at + 1), "" | "." | "?" | ",");
        if !is_time || !ends {
            return false;
        }
        self.used[at] = true;
        self.pending = None;
        self.order_by(Expr::Column(column), direction, None);
        true
    }

    /// Whether a comparison follows.
    fn is_compared(&self, at: usize) -> bool {
        let next = self.skip(at + 1, &["is", "are", "was", "were", "be", "of"]);
        let with_time = matches!(self.chunks.get(next + 1).map(|chunk| &chunk.kind), Some(ChunkKind::Time(_)));
        if with_time {
            return false;
        }
        matches!(
            self.operator(next),
            Some(
                Operator::Compare(_)
                    | Operator::AboveAverage(_)
                    | Operator::Between
                    | Operator::Contains
                    | Operator::StartsWith
                    | Operator::EndsWith
            )
        )
    }

    /// `Sort the names by their ages`.
    fn is_sorted_by(&self, at: usize) -> bool {
        let start = self.text(self.sentence_start(at));
        matches!(start, "sort" | "order" | "rank" | "arrange") && self.before(at) == "by"
    }

    pub(super) fn filters_begun(&self) -> bool {
        !self.conditions.is_empty() || !self.having.is_empty() || self.selected_in(self.sentence)
    }

    pub(super) fn selected_in(&self, sentence: usize) -> bool {
        self.selected.iter().any(|selected| selected.sentence == sentence)
    }

    pub(super) fn distinct_at(&mut self, at: usize) {
        let next = self.skip(at + 1, DETERMINERS);
        if self.phase == Phase::Select && self.mention(next).is_some() {
            self.distinct = true;
        }
    }

    pub(super) fn everything_at(&mut self, at: usize) {
        let behind = (at + 1..self.chunks.len())
            .find_map(|place| self.tables_named.iter().find(|(named, _)| *named == place).map(|(_, table)| *table));
        let table = behind.or_else(|| self.main_table());
        if let Some(table) = table {
            self.entity.get_or_insert(table);
            self.select(at, Asked::Expr(Expr::Everything(table)));
            self.phase = Phase::Filter;
        }
    }

    /// `the details of all models`, where no column is called so: all that there is.
    pub(super) fn details_at(&mut self, at: usize) -> bool {
        let asked = matches!(self.text(at), "details" | "detail" | "information" | "info" | "data");
        let next = self.skip(at + 1, &["of", "for", "about", "on", "the", "all", "each", "every"]);
        let of_rows = next > at + 1 && self.tables_named.iter().any(|(place, _)| *place == next);
        let whole = asked && of_rows && self.phase == Phase::Select && !self.selected_in(self.sentence);
        if whole {
            self.everything_at(at);
        }
        whole
    }

    /// `stores in Germany with their floor area` asks for the area too.
    pub(super) fn with_column_at(&mut self, at: usize) -> bool {
        let owned = self.text(at) == "with" && matches!(self.text(at + 1), "their" | "its");
        let ends = matches!(self.text(at + 3), "" | "." | "?" | ",");
        let Some((column, _)) = self.resolve(at + 2, Want::Any).filter(|_| owned && ends) else { return false };
        let rows = self.selected.iter().find_map(|selected| match selected.asked {
            Asked::Rows(table) => Some((selected.at, table)),
            _ => None,
        });
        if let Some((place, table)) = rows {
            for label in self.index.label(table) {
                self.select(place, Asked::Expr(Expr::Column(label)));
            }
        }
        self.used[at..at + 3].fill(true);
        self.select_column(at + 2, column);
        true
    }

    pub(super) fn full_name_at(&mut self, at: usize) {
        let table = self.attached_table(at).or_else(|| self.main_table());
        let Some(table) = table else { return };
        for part in self.index.label(table) {
            self.select_column(at, part);
        }
        self.entity.get_or_insert(table);
    }

    /// `When`, `where`, `who`, `how old`, `how much`: the column is stated by the word of the question.
    pub(super) fn question_word(&mut self, at: usize) {
        let start = self.sentence_start(at);
        let how = at > 0 && self.text(at - 1) == "how";
        if how && self.text(at) == "long" && self.how_long_at(at) {
            return;
        }
        let words = match self.text(at) {
            "when" if at == start => TIME_WORDS,
            "where" if at == start => PLACE_WORDS,
            "old" if how => &["age"],
            "much" if how => MONEY_WORDS,
            "long" if how => LENGTH_WORDS,
            _ => return,
        };
        let next = (at + 1..self.chunks.len())
            .find_map(|place| self.tables_named.iter().find(|(named, _)| *named == place).map(|(_, table)| *table));
        let next_column = self.skip(at + 1, LINKING_WORDS);
        let explicit = self
            .mention(next_column)
            .is_some_and(|mention| mention.best_column_score() > 0.9 && mention.tables.is_empty());
        if explicit && self.text(at) == "much" {
            return;
        }
        let own_time = |table: TableId| self.time_column_of(table).filter(|_| self.text(at) == "when");
        let column = next
            .and_then(|table| own_time(table).or_else(|| self.column_by_words(table, words, Want::Any)))
            .or_else(|| self.column_near(at, words, Want::Any));
        if let Some(column) = column {
            if self.operator_follows(at) {
                return;
            }
            let table = self.index.columns[column].table;
            self.entity.get_or_insert(table);
            let asked = self.extreme_time(at, table, column);
            self.select(at, Asked::Expr(asked));
        }
    }

    /// `How old is the youngest …` is an aggregate of its own.
    fn operator_follows(&self, at: usize) -> bool {
        let next = self.skip(at + 1, LINKING_WORDS);
        matches!(self.operator(next), Some(Operator::Aggregate(_)))
    }
}
