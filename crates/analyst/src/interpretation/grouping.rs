//! Groups and order.

use super::context::Want;
use super::operators::{Adjectives, Operator};
use super::parser::{Asked, DETERMINERS, Group, Parser, Phase};
use super::query::{Comparison, Condition, Direction, Expr, Function, Query};
use crate::links::model_index::ColumnId;
use crate::links::synonyms::Adjective;

impl Parser<'_> {
    /// `for each X`, `per X`, `grouped by X and Y`.
    pub(super) fn group_at(&mut self, at: usize, operator: Operator) {
        self.shape.is_per |= self.text(at) == "per";
        let mut place = self.skip(at + 1, DETERMINERS);
        loop {
            let Some(mention) = self.mention(place) else { return };
            let is_table = self.tables_named.iter().any(|(named, _)| *named == place);
            let owned =
                self.mention(place + 1).is_some_and(|next| next.best_column_score() > 0.6 && next.tables.is_empty())
                    && !self.is_verb(place + 1)
                    || self.text(place + 1) == "'s";
            if mention.is_value_first() {
                return;
            }
            if let (true, Some((table, _))) = (is_table, mention.best_table()) {
                let compound = self
                    .mention(place + 1)
                    .is_some_and(|next| next.best_column_score() >= 0.9 && next.tables.is_empty());
                if owned && (operator != Operator::Each || compound) {
                    place += 1;
                    continue;
                }
                self.groups.push(Group::Rows(table));
                self.note_per(at);
                self.entity.get_or_insert(table);
                self.join_table(table);
                self.used[place] = true;
            } else if let Some((column, _)) = self.resolve(place, Want::Any) {
                let group = self.shown(place, column);
                if self.lists_each(at) {
                    self.select(place, Asked::Expr(group.clone()));
                }
                self.groups.push(Group::Expr(group));
                self.note_per(at);
                self.used[place] = true;
            } else {
                return;
            }
            let next = self.skip(place + 1, &["the", "each"]);
            if operator == Operator::GroupBy && self.text(next) == "and" {
                place = self.skip(next + 1, DETERMINERS);
            } else {
                break;
            }
        }
        if at == self.sentence_start(at) || self.text(at + 2) == "," {
            self.phase = Phase::Select;
        }
    }

    /// `show each pet's name and …` asks for the name, computed or not.
    fn lists_each(&self, at: usize) -> bool {
        let requests = ["show", "list", "give", "find", "return", "me", "display"];
        matches!(self.text(at), "each" | "every") && self.phase == Phase::Select && requests.contains(&self.before(at))
    }

    fn note_per(&mut self, at: usize) {
        if self.text(at) == "per" {
            self.shape.per_groups.extend(self.groups.last().cloned());
        }
    }

    /// `the average weight per shipment by depot`: the rows that are averaged are no groups.
    pub(super) fn drop_averaged_rows(&mut self) {
        let is_averaged = |group: &Group| {
            self.selected.iter().any(|selected| match (&selected.asked, group) {
                (Asked::Expr(Expr::Aggregate(Function::Average | Function::Median, column)), Group::Rows(table)) => {
                    self.index.columns[*column].table == *table
                }
                _ => false,
            })
        };
        let rows = self.shape.per_groups.iter().find(|group| is_averaged(group)).cloned();
        self.groups.retain(|group| Some(group) != rows.as_ref());
    }

    /// `the average age of male and female students`: a condition that all rows meet tells the groups.
    pub(super) fn group_by_kinds(&mut self, query: &Query) {
        if self.both || !query.select.iter().any(Expr::is_aggregate) {
            return;
        }
        let joined_by_and = |at: usize| {
            let value = |place: usize| self.mention(place).is_some_and(|mention| mention.is_value());
            self.operator(at) == Some(Operator::And) && at > 0 && value(at - 1) && value(at + 1)
        };
        if !(0..self.chunks.len()).any(joined_by_and) {
            return;
        }
        let compares = self.words.first().is_some_and(|word| word.lower == "compare");
        for condition in &query.conditions {
            let Condition::Any(any) = condition else { continue };
            let mut columns = Vec::new();
            condition.columns(&mut columns);
            columns.dedup();
            let equal = |one: &Condition| matches!(one, Condition::Compare(Expr::Column(_), Comparison::Equal, _));
            if let [column] = columns.as_slice()
                && any.iter().all(equal)
                && (compares || self.index.columns[*column].distinct_count == Some(any.len() as u64))
            {
                self.groups.push(Group::Expr(Expr::Column(*column)));
            }
        }
    }

    /// Whether groups have many values of a column: a team has one founding year, a country has many.
    pub(super) fn is_of_many(&self, column: ColumnId) -> bool {
        let table = self.index.columns[column].table;
        self.groups.iter().any(|group| *group != Group::Rows(table))
    }

    pub(super) fn order_at(&mut self, at: usize) {
        let mut place = at + 1;
        let by = self.skip(place, &["the", "a"]);
        if let Some(Operator::Sorted(direction)) = self.operator(by) {
            self.order_direction = Some(direction);
            self.used[by] = true;
            place = self.skip(by + 1, &["by", "of", "the"]);
        }
        if matches!(self.operator(by), Some(Operator::Alphabetical)) {
            return;
        }
        while let Some((expr, end)) = self.expression_at(place) {
            self.used[place..end].fill(true);
            let behind = self.skip(end, &["in", "the", "("]);
            let stated = match self.operator(behind) {
                Some(Operator::Sorted(direction)) => Some(direction),
                _ => None,
            };
            let end = if stated.is_some() { behind + 1 } else { end };
            self.used[place..end].fill(true);
            self.order.push((expr, stated.or(self.order_direction)));
            let next = self.skip(end, &["then", "by", "the", ",", ")"]);
            let more = matches!(self.text(next), "and") || self.text(end) == ",";
            if !more || self.starts_request(next) {
                break;
            }
            place = self.skip(next + 1, &["then", "by", "the"]);
        }
        self.phase = Phase::Filter;
    }

    fn starts_request(&self, at: usize) -> bool {
        let next = self.skip(at, &["and", ",", "then"]);
        matches!(self.text(next), "show" | "list" | "give" | "find" | "return" | "what")
    }

    /// `in descending order of X`, or a direction for an order already stated.
    pub(super) fn sorted_at(&mut self, at: usize, direction: Option<Direction>) {
        let next = self.skip(at + 1, &["by", "of", "the", "their", "its", "using"]);
        let counts = self.before(at) == "by" && self.operator(at + 1) == Some(Operator::Count);
        let stated = next > at + 1 || counts || self.text(at).ends_with(" of");
        if stated && let Some((expr, end)) = self.expression_at(next) {
            self.used[next..end].fill(true);
            let direction = direction.unwrap_or(Direction::Ascending);
            self.order.push((expr, Some(direction)));
            self.sorted_too(end, direction);
            return;
        }
        match self.order.last_mut() {
            Some((_, open @ None)) => *open = direction.or(Some(Direction::Ascending)),
            Some(_) => {}
            None => {
                self.order_direction = Some(direction.unwrap_or(Direction::Ascending));
                self.sort_selected = true;
            }
        }
    }

    /// `from the oldest to the youngest`, of a column already stated or of the one that the adjective speaks of.
    pub(super) fn sorted_by_adjective_at(&mut self, at: usize, form: Adjectives) {
        let direction = |larger: bool| if larger { Direction::Descending } else { Direction::Ascending };
        let stated = match self.order.last() {
            Some((Expr::Column(column), None)) => Some(*column),
            _ => None,
        };
        if let Some((column, (_, open))) = stated.zip(self.order.last_mut()) {
            let words = &self.index.columns[column].words;
            let speaks = |measure: &&Adjective| words.iter().any(|word| measure.column_words.contains(&word.as_str()));
            let measure = form.measures().find(speaks).or_else(|| form.measures().next());
            *open = measure.map(|measure| direction(form.wants_larger(measure)));
            return;
        }
        for measure in form.measures() {
            let want = if measure.is_extent() { Want::Extent } else { Want::Measure };
            if let Some(column) = self.column_near(at, measure.column_words, want) {
                self.order.push((Expr::Column(column), Some(direction(form.wants_larger(measure)))));
                return;
            }
        }
        let larger = form.measures().next().is_none_or(|measure| form.wants_larger(measure));
        self.sorted_at(at, Some(direction(larger)));
    }

    /// `in descending order of sales and profits`.
    fn sorted_too(&mut self, at: usize, direction: Direction) {
        let stated = self.operator(at) == Some(Operator::And);
        if let Some((expr, end)) = self.expression_at(at + 1).filter(|_| stated)
            && matches!(self.text(end), "" | "." | "?")
        {
            self.used[at..end].fill(true);
            self.order.push((expr, Some(direction)));
        }
    }

    /// What an order without a column means: the first thing asked for.
    pub(super) fn first_selected(&self) -> Option<Expr> {
        self.selected.iter().find_map(|selected| match &selected.asked {
            Asked::Expr(expr @ (Expr::Column(_) | Expr::Aggregate(..) | Expr::CountRows(_))) => Some(expr.clone()),
            Asked::Rows(table) => self.index.label(*table).first().map(|column| Expr::Column(*column)),
            Asked::Expr(_) | Asked::Count => None,
        })
    }
}
