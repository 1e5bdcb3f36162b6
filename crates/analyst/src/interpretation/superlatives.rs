//! The highest, the most, the youngest, the top three.

use super::context::Want;
use super::operators::{Adjectives, Operator};
use super::parser::{Asked, DETERMINERS, Group, Parser, Phase};
use super::query::{Direction, Expr, Function};
use super::units::HEIGHT_WORDS;
use crate::links::model_index::{ColumnId, DataKind, TableId};
use crate::links::synonyms::is_person;

impl Parser<'_> {
    /// The number that belongs to a superlative: `the three largest`, `top 3`.
    pub(super) fn superlative_limit(&mut self, at: usize) -> Option<u64> {
        let before = (at.saturating_sub(2)..at).rev().find(|&place| self.number(place).is_some() && !self.used[place]);
        let behind = Some(at + 1).filter(|&place| self.number(place).is_some());
        let earlier = (self.sentence_start(at)..at).find(|&place| {
            self.number(place).is_some_and(|value| value < 100.0)
                && !self.used[place]
                && self.mention(place + 1).is_some_and(|mention| !mention.is_value_first())
                && self.phase_of_number(place)
        });
        let place = before.filter(|&place| place + 1 == at || self.text(place + 1) == "of").or(behind).or(earlier)?;
        self.used[place] = true;
        self.number(place).filter(|value| *value >= 1.0).map(|value| value as u64)
    }

    /// Whether a number stands where things are asked for, not compared.
    fn phase_of_number(&self, place: usize) -> bool {
        place == 0 || !matches!(self.operator(place - 1), Some(Operator::Compare(_) | Operator::Between))
    }

    pub(super) fn is_head(&self) -> bool {
        self.phase == Phase::Select && !self.selected_in(self.sentence) && self.selected.is_empty()
    }

    pub(super) fn order_by(&mut self, expr: Expr, direction: Direction, limit: Option<u64>) {
        if let Expr::CountRows(table) = expr {
            self.join_table(table);
        }
        self.order.insert(0, (expr, Some(direction)));
        let stated = self.limit.filter(|_| self.top);
        self.limit = limit.or(stated).or(Some(1));
    }

    pub(super) fn superlative_at(&mut self, at: usize, direction: Direction) {
        let was_numbered = self.superlative_limit(at);
        if let Some((expr, measured, end)) = self.stated_measure(at).or_else(|| self.rows_measured_by(at)) {
            self.used[measured..end].fill(true);
            self.order_by(expr, direction, was_numbered);
            return;
        }
        if self.comes_first(at, direction) {
            return;
        }
        let place = self.skip_unlinked(self.skip(at + 1, DETERMINERS));
        let place =
            if self.number(place).is_some() { self.skip_unlinked(self.skip(place + 1, DETERMINERS)) } else { place };
        if matches!(self.operator(at), Some(Operator::Top(_))) {
            self.limit = was_numbered.or(Some(1));
            self.top = true;
            self.order_direction = Some(direction);
            let measure = self
                .superlative_measure(place, direction)
                .filter(|(expr, _)| matches!(expr, Expr::Column(_) | Expr::CountRows(_) | Expr::Aggregate(..)));
            if let Some((expr, end)) = measure.filter(|_| self.phase == Phase::Filter) {
                self.used[at..end].fill(true);
                self.order_by(expr, direction, was_numbered);
            }
            return;
        }
        if self.two_extremes(at, direction) {
            return;
        }
        if let Some((expr, end)) = self.superlative_measure(place, direction) {
            let expr = self.in_total(expr, end);
            let head = self.is_head() && was_numbered.is_none();
            if let (true, Expr::Column(column)) = (head && !self.asks_which(at), &expr) {
                let function = if direction == Direction::Descending { Function::Maximum } else { Function::Minimum };
                self.used[at..end].fill(true);
                self.select(at, Asked::Expr(Expr::Aggregate(function, *column)));
                return;
            }
            self.shape.is_one_row |=
                matches!(expr, Expr::Column(_)) && self.table_at_place(place).is_some() && self.is_one_row(place);
            let is_stated = matches!(expr, Expr::CountRows(_) | Expr::Aggregate(..))
                || self.mention(place).is_some()
                || (self.phase == Phase::Filter && self.selected_in(self.sentence));
            if is_stated {
                self.used[at..end].fill(true);
            }
            self.who_has_it(at, &expr);
            self.order_by(expr, direction, was_numbered);
            return;
        }
        if let Some(table) = self.table_at_place(place)
            && self.is_head()
            && let Some(column) = self.size_column(table)
        {
            self.order_by(Expr::Column(column), direction, was_numbered);
            return;
        }
        let waiting = self.pending.filter(|(place, column)| {
            *place + 3 > at && self.index.columns[*column].data == DataKind::Number && self.ends_behind(at)
        });
        if let Some((_, column)) = waiting {
            self.pending = None;
            self.order_by(self.as_expression(column), direction, was_numbered);
            return;
        }
        if self.does_most(at, direction, was_numbered) {
            return;
        }
        let done =
            (at.saturating_sub(2)..at).any(|before| matches!(self.text(before), "sold" | "spent" | "spend" | "sells"));
        if let Some(measure) = self.default_measure().filter(|_| done) {
            self.order_by(self.as_expression(measure), direction, was_numbered);
        } else if let Some(table) = self.counted_table() {
            self.order_by(Expr::CountRows(table), direction, was_numbered);
        }
    }

    /// `the three largest ships in terms of tonnage`: what is stated behind is what counts.
    fn stated_measure(&self, at: usize) -> Option<(Expr, usize, usize)> {
        const TELLING: &[[&str; 2]] = &[["terms", "of"], ["based", "on"], ["measured", "by"], ["according", "to"]];
        let stated = |place: &usize| {
            TELLING.iter().any(|[first, second]| self.text(*place) == *first && self.text(place + 1) == *second)
        };
        let place =
            (at + 1..self.chunks.len()).take_while(|&place| !matches!(self.text(place), "." | "?")).find(stated)?;
        let (expr, end) = self.expression_at(place + 2)?;
        Some((expr, place, end))
    }

    /// `the highest hut by elevation`, where the table itself has no such measure.
    fn rows_measured_by(&self, at: usize) -> Option<(Expr, usize, usize)> {
        let rows = self.skip(at + 1, DETERMINERS);
        self.table_at_place(rows).filter(|_| self.text(rows + 1) == "by")?;
        self.measured_by(at)
    }

    /// `…, highest salary first`: an order, not the one row.
    fn comes_first(&mut self, at: usize, direction: Direction) -> bool {
        let place = self.skip(at + 1, DETERMINERS);
        let ends = matches!(self.text(place + 2), "" | "." | "?" | ",");
        if self.text(place + 1) != "first" || !ends {
            return false;
        }
        let Some((expr, _)) = self.expression_at(place) else { return false };
        self.used[at..=place + 1].fill(true);
        self.order.push((expr, Some(direction)));
        true
    }

    fn ends_behind(&self, at: usize) -> bool {
        matches!(self.text(at + 1), "" | "." | "?" | ",")
    }

    /// `the most honey in total`.
    fn in_total(&mut self, expr: Expr, end: usize) -> Expr {
        let is_total = self.text(end) == "in" && self.text(end + 1) == "total";
        match expr {
            Expr::Column(column) if is_total => {
                self.used[end..=end + 1].fill(true);
                Expr::Aggregate(Function::Sum, column)
            }
            expr => expr,
        }
    }

    /// `the longest game by number of moves`.
    fn measured_by(&self, at: usize) -> Option<(Expr, usize, usize)> {
        let place = (at + 1..self.chunks.len()).find(|&place| self.text(place) == "by")?;
        let is_noun = self.mention(place - 1).is_some() && !self.is_verb(place - 1);
        let (expr, end) = self.expression_at(place + 1).filter(|_| is_noun)?;
        let mut columns = Vec::new();
        expr.columns(&mut columns);
        let is_number = columns.iter().all(|column| self.index.columns[*column].data == DataKind::Number);
        (is_number && matches!(self.text(end), "" | "." | "?" | ",")).then_some((expr, place, end))
    }

    /// `who has the highest salary`: the person whose it is.
    fn who_has_it(&mut self, at: usize, expr: &Expr) {
        let Expr::Column(column) = expr else { return };
        let table = self.index.columns[*column].table;
        let is_person = self.index.tables[table].words.iter().any(|word| is_person(word));
        if self.selected.is_empty() && is_person && self.text(self.sentence_start(at)) == "who" {
            self.select(at, Asked::Rows(table));
            self.entity.get_or_insert(table);
            self.shape.is_one_row = true;
        }
    }

    /// `who earns the most`, `which parcels weigh the least`: the verb before names what is compared.
    fn does_most(&mut self, at: usize, direction: Direction, limit: Option<u64>) -> bool {
        let Some(verb) = (0..at).rev().find(|&place| self.text(place) != "the") else { return false };
        let is_noun = matches!(self.before(verb), "with" | "of" | "has" | "have" | "by" | "and" | "," | "in" | "for");
        let column = self.resolve(verb, Want::Number).map(|(column, _)| column).filter(|&column| {
            self.index.columns[column].data == DataKind::Number
                && !self.index.is_key(column)
                && !self.index.is_reference(column)
        });
        let opens = self.text(self.sentence_start(at));
        let asks = matches!(opens, "who" | "which" | "what") && (verb > self.sentence_start(at));
        let Some(column) = column.filter(|_| asks && !is_noun) else { return false };
        let is_who = opens == "who";
        self.used[verb] = true;
        let shown = Asked::Expr(self.shown(verb, column));
        self.selected.retain(|selected| selected.asked != shown);
        let table = self.index.columns[column].table;
        let doer = verb.checked_sub(1).and_then(|before| self.table_at_place(before)).or(is_who.then_some(table));
        if let Some(doer) = doer.filter(|_| self.selected.is_empty()) {
            self.select(verb, Asked::Rows(doer));
            self.entity.get_or_insert(doer);
        }
        let measure = self.as_summed(column).unwrap_or(Expr::Column(column));
        self.shape.is_one_row |= matches!(measure, Expr::Column(_));
        self.order_by(measure, direction, limit);
        self.phase = Phase::Filter;
        true
    }

    /// `the highest and lowest price`.
    fn two_extremes(&mut self, at: usize, direction: Direction) -> bool {
        let second = self.skip(at + 1, &["and", "the", ","]);
        if second == at + 1 || self.operator(second) != Some(Operator::Superlative(direction.reversed())) {
            return false;
        }
        let place = self.skip(second + 1, DETERMINERS);
        let Some((column, _)) = self.resolve(place, Want::Number) else { return false };
        self.used[at..=place].fill(true);
        let functions = match direction {
            Direction::Descending => [Function::Maximum, Function::Minimum],
            Direction::Ascending => [Function::Minimum, Function::Maximum],
        };
        for function in functions {
            self.select(at, Asked::Expr(Expr::Aggregate(function, column)));
        }
        true
    }

    /// The sentence asks for something else than the superlative's own value.
    fn asks_which(&self, at: usize) -> bool {
        let start = self.sentence_start(at);
        (start..at).any(|place| matches!(self.text(place), "which" | "who" | "whose"))
    }

    pub(super) fn table_at_place(&self, place: usize) -> Option<TableId> {
        self.tables_named.iter().find(|(named, _)| *named == place).map(|(_, table)| *table)
    }

    pub(super) fn skip_unlinked(&self, from: usize) -> usize {
        let unlinked =
            matches!(self.text(from), "number" | "amount" | "total" | "level" | "value" | "numbers" | "amounts")
                && self.mention(from).is_none();
        let sums = self.operator(from).is_some() && self.resolve(from + 1, Want::Number).is_some();
        if (unlinked && !sums) || self.operator(from) == Some(Operator::Count) {
            self.skip(from + 1, DETERMINERS)
        } else {
            from
        }
    }

    /// What is compared: a number column, an aggregate, or how many rows.
    fn superlative_measure(&self, place: usize, _direction: Direction) -> Option<(Expr, usize)> {
        if matches!(self.operator(place), Some(Operator::Aggregate(_))) {
            return self.expression_at(place);
        }
        let mention = self.mention(place)?;
        if mention.is_value_first() {
            return None;
        }
        let column = self.resolve(place, Want::Number).filter(|&(column, _)| {
            self.index.columns[column].data != DataKind::Text
                && !self.index.is_key(column)
                && !self.index.is_reference(column)
        });
        let table = self.table_at_place(place);
        match (table, column) {
            (Some(table), _) if self.is_head() && self.size_column(table).is_some() => None,
            (Some(table), None) if self.is_one_row(place) => {
                let high = place.checked_sub(1).is_some_and(|before| matches!(self.text(before), "highest" | "lowest"));
                let height = self.column_by_words(table, HEIGHT_WORDS, Want::Number).filter(|_| high);
                let amount = height.or_else(|| self.size_column(table)).map_or(Expr::CountRows(table), Expr::Column);
                Some((amount, place + 1))
            }
            (Some(table), None) => Some((Expr::CountRows(table), place + 1)),
            (Some(table), Some((_, score))) if score < 1.2 => Some((Expr::CountRows(table), place + 1)),
            (_, Some((column, _))) => Some((self.as_expression(column), place + 1)),
            (None, None) => {
                let (column, _) = self.resolve(place, Want::Any)?;
                let entry = &self.index.columns[column];
                let countable = entry.data == DataKind::Text && self.phase == Phase::Filter;
                Some(if countable {
                    (Expr::CountRows(entry.table), place + 1)
                } else {
                    (Expr::Column(column), place + 1)
                })
            }
        }
    }

    /// `the largest order` is one of them; `the most orders` are many.
    fn is_one_row(&self, place: usize) -> bool {
        let sized = place.checked_sub(1).is_some_and(|before| {
            matches!(self.text(before), "largest" | "biggest" | "greatest" | "highest" | "smallest" | "lowest")
        });
        let word = &self.words[self.chunks[place].end - 1];
        sized && word.lower == word.lemma
    }

    pub(super) fn size_column(&self, table: TableId) -> Option<ColumnId> {
        let words = ["area", "size", "population", "capacity", "acreage", "square", "amount", "value", "total"];
        self.column_by_words(table, &words, Want::Number)
    }

    pub(super) fn adjective_superlative_at(&mut self, at: usize, form: Adjectives) {
        if at + 1 < self.chunks.len() && self.unit_asked_at(at + 1) {
            self.used[at + 1] = true;
            return;
        }
        let limit = self.superlative_limit(at);
        let place = self.skip(at + 1, DETERMINERS);
        let place = if self.number(place).is_some() { self.skip(place + 1, DETERMINERS) } else { place };
        if let Some((expr, measured, end)) = self.stated_measure(at).or_else(|| self.measured_by(at)) {
            let larger = form.measures().next().is_none_or(|measure| form.wants_larger(measure));
            self.used[measured..end].fill(true);
            self.order_by(expr, if larger { Direction::Descending } else { Direction::Ascending }, limit);
            return;
        }
        let explicit = self
            .mention(place)
            .filter(|mention| mention.best_column_score() > 0.6)
            .and_then(|_| self.resolve(place, Want::Any));
        let is_table = self.table_at_place(place).is_some();
        if let Some((column, _)) = explicit.filter(|_| !is_table)
            && let Some(measure) = self.measure_of(column, form)
        {
            self.extreme_column(at, place, column, measure, limit);
            return;
        }
        let near = self.table_at_place(place);
        for measure in form.measures() {
            let want = if measure.is_extent() { Want::Extent } else { Want::Measure };
            let column = near
                .and_then(|table| self.column_by_words(table, measure.column_words, want))
                .or_else(|| self.column_near(at, measure.column_words, want));
            if let Some(column) = column {
                let direction = if form.wants_larger(measure) { Direction::Descending } else { Direction::Ascending };
                self.extreme_row(at, column, direction, limit);
                return;
            }
        }
    }

    /// `the club founded most recently`.
    pub(super) fn done_most(&mut self, at: usize, column: ColumnId) -> bool {
        let Some(Operator::SuperlativeBy(form)) = self.operator(at + 1).filter(|_| self.is_verb(at)) else {
            return false;
        };
        let Some(direction) = self.measure_of(column, form) else { return false };
        self.used[at..=at + 1].fill(true);
        self.order_by(Expr::Column(column), direction, None);
        true
    }

    fn measure_of(&self, column: ColumnId, form: Adjectives) -> Option<Direction> {
        let entry = &self.index.columns[column];
        let stated = form
            .measures()
            .find(|measure| entry.words.iter().any(|word| measure.column_words.contains(&word.as_str())));
        let measure = stated.or_else(|| form.measures().next().filter(|_| entry.data != DataKind::Text))?;
        Some(if form.wants_larger(measure) { Direction::Descending } else { Direction::Ascending })
    }

    /// `the earliest date`: the value itself where nothing else is asked for, else the row that has it.
    fn extreme_column(&mut self, at: usize, place: usize, column: ColumnId, direction: Direction, limit: Option<u64>) {
        self.used[place] = true;
        if self.is_head() && limit.is_none() && !self.asks_which(at) {
            let function = if direction == Direction::Descending { Function::Maximum } else { Function::Minimum };
            self.select(at, Asked::Expr(Expr::Aggregate(function, column)));
        } else {
            self.order_by(Expr::Column(column), direction, limit);
        }
    }

    /// `the oldest student`; `how old is the youngest person` asks for the value.
    fn extreme_row(&mut self, at: usize, column: ColumnId, direction: Direction, limit: Option<u64>) {
        let asked_value = self.selected.iter().any(|selected| selected.asked == Asked::Expr(Expr::Column(column)));
        if asked_value && self.selected.len() == 1 {
            let function = if direction == Direction::Descending { Function::Maximum } else { Function::Minimum };
            self.selected[0].asked = Asked::Expr(Expr::Aggregate(function, column));
            let _ = at;
            self.phase = Phase::Filter;
            return;
        }
        self.order_by(Expr::Column(column), direction, limit);
    }

    /// `the most expensive product of each category`: the rows are asked for by name, in groups of their own column.
    fn is_row_of_group(&self) -> bool {
        let [super::parser::Selected { asked: Asked::Rows(table), at, .. }] = self.selected.as_slice() else {
            return false;
        };
        let adjective = at.checked_sub(1).and_then(|before| self.operator(before));
        let group_table = |group: &Group| match group {
            Group::Expr(Expr::Column(column)) => Some(self.index.columns[*column].table),
            Group::Rows(table) => Some(*table),
            Group::Expr(_) => None,
        };
        let groups: Vec<Option<TableId>> = self.groups.iter().map(group_table).collect();
        let of_rows = groups.iter().all(|group| *group == Some(*table));
        let asked = matches!(self.text(self.sentence_start(*at)), "who" | "which");
        let ordered =
            matches!(self.order.as_slice(), [(Expr::Column(column), _)] if self.index.columns[*column].table == *table);
        let around =
            || groups.iter().all(|group| group.is_some_and(|group| group != *table && !self.multiplies(*table, group)));
        (matches!(adjective, Some(Operator::SuperlativeBy(_))) && of_rows)
            || (asked && ordered && (of_rows || around()))
    }

    /// Superlatives inside a group ask for one value of each group.
    pub(super) fn order_within_groups(&mut self) {
        let grouped = !self.groups.is_empty();
        let only_extreme = self.limit == Some(1) && self.order.len() == 1;
        if !(grouped && only_extreme) {
            return;
        }
        if let Some((Expr::Column(column), Some(direction))) = self.order.first().cloned() {
            let function = if direction == Direction::Descending { Function::Maximum } else { Function::Minimum };
            let asked = Asked::Expr(Expr::Column(column));
            let extreme = Asked::Expr(Expr::Aggregate(function, column));
            let place = self.selected.iter().position(|selected| selected.asked == asked);
            if self.is_row_of_group() {
                self.shape.row_of_group = true;
                return;
            }
            let only_groups = self.selected.iter().all(|selected| match &selected.asked {
                Asked::Expr(expr) => self.groups.contains(&Group::Expr(expr.clone())) || *expr == Expr::Column(column),
                Asked::Rows(_) => true,
                Asked::Count => false,
            });
            if let Some(place) = place {
                self.selected[place].asked = extreme;
            } else if only_groups {
                self.select(0, extreme);
            } else {
                return;
            }
            self.order.clear();
            self.limit = None;
        }
    }
}
