//! Puts the parts together: labels for rows, groups for aggregates, one tree of conditions.

use super::parser::{Asked, Group, Joiner, Parser, Reading};
use super::query::{Comparison, Condition, Direction, Expr, Literal, Operand, Query, SetOperation};
use crate::links::mentions::ChunkKind;
use crate::links::model_index::{ColumnId, TableId};
use crate::links::phrase_match::is_function_word;
use crate::links::synonyms::is_person;

impl Parser<'_> {
    pub(super) fn finish(mut self) -> Option<Reading> {
        self.note_event();
        self.tell_of_referred();
        self.note_presence();
        self.note_common();
        self.drop_averaged_rows();
        self.order_within_groups();
        if self.sort_selected && self.order.is_empty() {
            let direction = self.order_direction;
            if let Some(expr) = self.first_selected() {
                self.order.push((expr, direction));
            }
        }
        self.resolve_times();
        let is_fragment = self.selected.is_empty() && !self.shape.is_extreme_time;
        let mut select = self.final_select()?;
        self.plain_counts(&mut select);
        self.add_measures(&mut select);
        let mut query = Query {
            select,
            distinct: self.distinct,
            order: self
                .order
                .iter()
                .map(|(expr, direction)| {
                    (expr.clone(), direction.or(self.order_direction).unwrap_or(Direction::Ascending))
                })
                .collect(),
            limit: self.limit,
            joined: self.joined.clone(),
            ..Query::default()
        };
        self.sum_ordered_facts(&mut query);
        query.conditions = fold(&self.conditions);
        query.having = fold(&self.having);
        Self::wholes_of_question(&query.conditions, &mut query.having);
        let counts_rows = query.order.iter().any(|(expr, _)| matches!(expr, Expr::CountRows(_)));
        if counts_rows || !query.having.is_empty() {
            self.count_references(&mut query);
        }
        self.group_by_kinds(&query);
        self.add_groups(&mut query);
        self.add_keys(&mut query);
        if query.select.iter().any(Expr::is_aggregate) {
            query.distinct = false;
        }
        if query.select.iter().any(|expr| matches!(expr, Expr::Everything(_))) {
            query.select.retain(|expr| !expr.is_aggregate());
            self.spell_out_everything(&mut query);
        }
        self.drop_needless_joins(&mut query);
        self.with_ties(&mut query);
        self.rows_once(&mut query);
        query.distinct |= self.lists_values(&query);
        self.intersect(&mut query);
        self.count_groups(&mut query);
        self.summarise(&mut query);
        self.subtract(&mut query);
        self.shape_answer(&mut query);
        query = self.without_fan_out(query);
        let explained = if self.asks_for_unknown() || self.leaves_out() { 0.0 } else { self.explained() };
        let groups = self.group_expressions();
        let is_bare_count = self.tables_named.is_empty()
            && query.conditions.is_empty()
            && self.selected.iter().all(|selected| selected.asked == Asked::Count);
        Some(Reading {
            query,
            explained,
            is_fragment,
            groups,
            is_share: self.shape.share,
            repeats: self.repeats,
            is_bare_count: is_bare_count && !self.selected.is_empty(),
            top: self.order_direction.filter(|_| self.top),
            beside: self.beside_before(),
        })
    }

    fn final_select(&self) -> Option<Vec<Expr>> {
        let has_columns = self.selected.iter().any(|selected| matches!(selected.asked, Asked::Expr(_) | Asked::Count));
        let mut select: Vec<Expr> = Vec::new();
        let asked_anew = self.asks_anew();
        for (place, selected) in self.selected.iter().enumerate() {
            match &selected.asked {
                Asked::Expr(Expr::Column(_)) if asked_anew && selected.sentence == 0 => {}
                Asked::Expr(expr) => select.push(expr.clone()),
                Asked::Rows(table)
                    if !has_columns || self.is_listed(place) || self.is_enumerated(place) || self.is_topped(place) =>
                {
                    let table = self.who_did(*table).unwrap_or(*table);
                    select.extend(self.index.label(table).into_iter().map(Expr::Column));
                }
                Asked::Rows(_) => {}
                Asked::Count => select.extend(self.count_of_what().map(Expr::CountRows)),
            }
        }
        if select.is_empty() && self.shape.is_extreme_time {
            select = self.group_expressions();
        }
        if select.is_empty() {
            let table = self.main_table().or_else(|| {
                self.conditions.first().and_then(|(_, condition)| {
                    let mut columns = Vec::new();
                    condition.columns(&mut columns);
                    columns.first().map(|column| self.index.columns[*column].table)
                })
            })?;
            select = self.index.label(table).into_iter().map(Expr::Column).collect();
        }
        let mut unique: Vec<Expr> = Vec::new();
        for expr in select {
            if !unique.contains(&expr) {
                unique.push(expr);
            }
        }
        (!unique.is_empty()).then_some(unique)
    }

    /// `Which members major in X? Give me their names.`: what is shown is stated behind the question.
    fn asks_anew(&self) -> bool {
        let opens = self.words.first().is_some_and(|word| matches!(word.lower.as_str(), "which" | "who" | "what"));
        let rows_first = self.selected.first().is_some_and(|first| matches!(first.asked, Asked::Rows(_)));
        let later = |selected: &super::parser::Selected| {
            selected.sentence > 0 && matches!(selected.asked, Asked::Expr(Expr::Column(_)))
        };
        opens && rows_first && self.selected.iter().any(later)
    }

    /// `Who made the latest order?`: the person that the rows refer to.
    fn who_did(&self, table: TableId) -> Option<TableId> {
        let person = |table: &TableId| self.index.tables[*table].words.iter().any(|word| is_person(word));
        self.words.first().filter(|word| word.lower == "who" && !person(&table))?;
        let mut referred = self.index.joins.iter().filter(|join| join.left == table).map(|join| join.right);
        referred.find(person)
    }

    fn count_of_what(&self) -> Option<TableId> {
        let mut columns = Vec::new();
        for (_, condition) in &self.conditions {
            condition.columns(&mut columns);
        }
        let compared = columns.first().map(|column| self.index.columns[*column].table);
        self.counted_table().or(compared)
    }

    /// `the name and number of followers of each user`: the number is a column, not a sum.
    fn plain_counts(&self, select: &mut [Expr]) {
        let kinds =
            |group: &Group| matches!(group, Group::Expr(Expr::Column(column)) if !self.index.columns[*column].unique);
        if self.groups.iter().any(kinds) {
            return;
        }
        let tables: Vec<TableId> = select
            .iter()
            .filter_map(
                |expr| if let Expr::Column(column) = expr { Some(self.index.columns[*column].table) } else { None },
            )
            .chain(
                self.groups.iter().filter_map(|group| if let Group::Rows(table) = group { Some(*table) } else { None }),
            )
            .collect();
        for expr in select {
            if let Expr::Aggregate(_, column) = expr
                && self.counted_columns.contains(column)
                && (tables.contains(&self.index.columns[*column].table) || !self.order.is_empty())
            {
                *expr = Expr::Column(*column);
            }
        }
    }

    /// `the top 3 customers by revenue` asks for the customers too.
    fn is_topped(&self, place: usize) -> bool {
        let first = self.selected.iter().position(|selected| matches!(selected.asked, Asked::Rows(_))) == Some(place);
        let others = self.selected.iter().all(|selected| match &selected.asked {
            Asked::Expr(expr) => expr.is_aggregate(),
            Asked::Rows(_) | Asked::Count => true,
        });
        self.top && first && others
    }

    /// Rows that are distinguished by their key are counted by the rows that refer to them.
    fn count_references(&self, query: &mut Query) {
        let Some(Expr::Column(column)) = query.select.first().cloned() else { return };
        if !self.groups.is_empty() {
            return;
        }
        let table = self.index.columns[column].table;
        let alone = query.select.iter().all(|expr| match expr {
            Expr::Column(other) => self.index.columns[*other].table == table,
            expr => *expr == Expr::CountRows(table),
        });
        if !(alone && (self.index.is_key(column) || self.index.columns[column].unique)) {
            return;
        }
        let child =
            self.index.joins.iter().find(|join| join.right == table && join.left != table).map(|join| join.left);
        let Some(child) = child else { return };
        let having = query.having.iter_mut().filter_map(|condition| match condition {
            Condition::Compare(expr, _, _) => Some(expr),
            _ => None,
        });
        let ordered = query.order.iter_mut().map(|(expr, _)| expr);
        let counts = query.select.iter_mut().chain(ordered).chain(having);
        for expr in counts.filter(|expr| **expr == Expr::CountRows(table)) {
            *expr = Expr::CountRows(child);
        }
    }

    /// `students and their ages` asks for both.
    fn is_listed(&self, place: usize) -> bool {
        let at = self.selected[place].at;
        let Some(next) = self.selected.get(place + 1) else { return false };
        let first =
            self.selected.iter().position(|other| other.sentence == self.selected[place].sentence) == Some(place);
        if !first || !matches!(next.asked, Asked::Expr(_)) {
            return false;
        }
        let between: Vec<&str> = (at + 1..next.at).map(|between| self.text(between)).collect();
        between.len() <= 4
            && between.iter().any(|word| matches!(*word, "and" | "," | "as well as" | "along with" | "with"))
            && next.sentence == self.selected[place].sentence
    }

    /// `the rank, company and market value`: a table's name between columns.
    fn is_enumerated(&self, place: usize) -> bool {
        let at = self.selected[place].at;
        let beside = |other: Option<&super::parser::Selected>| {
            other.is_some_and(|other| {
                let mut between = if other.at < at { other.at + 1..at } else { at + 1..other.at };
                let is_column = matches!(other.asked, Asked::Expr(Expr::Column(_)));
                is_column && !between.is_empty() && between.all(|word| matches!(self.text(word), "and" | "," | "the"))
            })
        };
        let before = place.checked_sub(1).and_then(|before| self.selected.get(before));
        beside(before) && beside(self.selected.get(place + 1))
    }

    fn add_groups(&self, query: &mut Query) {
        let aggregated = query.select.iter().any(Expr::is_aggregate)
            || !query.having.is_empty()
            || query.order.iter().any(|(expr, _)| expr.is_aggregate());
        if !aggregated && !self.shape.row_of_group {
            return;
        }
        for group in self.groups.iter().rev() {
            match group {
                Group::Expr(expr) => {
                    if let Expr::Referred(reference, _) = expr {
                        query.group.push(Expr::Column(*reference));
                    }
                    if !query.select.contains(expr) {
                        query.select.insert(0, expr.clone());
                    }
                }
                Group::Rows(table) => {
                    let own = query.select.iter().any(
                        |expr| matches!(expr, Expr::Column(column) if self.index.columns[*column].table == *table),
                    );
                    if !own {
                        let label = self.distinguished_by(*table).into_iter().map(Expr::Column);
                        query.select.splice(0..0, label.collect::<Vec<_>>());
                    }
                }
            }
        }
    }

    /// What tells groups of rows apart: their name, or their key where they only have a description.
    fn distinguished_by(&self, table: TableId) -> Vec<ColumnId> {
        let label = self.index.label(table);
        let describes = |column: &ColumnId| {
            let last = self.index.columns[*column].words.last().map(String::as_str);
            matches!(last, Some("detail" | "description" | "comment")) && !self.index.columns[*column].unique
        };
        let key = &self.index.tables[table].key;
        if label.iter().all(describes) && key.len() == 1 { key.clone() } else { label }
    }

    /// Rows of a table that share a name are still different rows.
    fn add_keys(&self, query: &mut Query) {
        let aggregated = query.select.iter().any(Expr::is_aggregate)
            || !query.having.is_empty()
            || query.order.iter().any(|(expr, _)| expr.is_aggregate());
        if !aggregated {
            return;
        }
        let plain: Vec<ColumnId> = query
            .select
            .iter()
            .filter_map(|expr| if let Expr::Column(column) = expr { Some(*column) } else { None })
            .collect();
        let counted = |table: TableId| {
            let count = Expr::CountRows(table);
            let having = |condition: &Condition| matches!(condition, Condition::Compare(left, ..) if *left == count);
            query.having.iter().any(having) || query.order.iter().any(|(expr, _)| *expr == count)
        };
        // Of rows that are themselves counted, the key would make groups of one.
        let mut keyed: Vec<TableId> = (0..self.index.tables.len()).filter(|table| counted(*table)).collect();
        for column in plain {
            let table = self.index.columns[column].table;
            let words: Vec<&str> = self.index.columns[column].words.iter().map(String::as_str).collect();
            let is_name = matches!(words.as_slice(), ["name" | "title"] | ["first" | "last" | "full", "name"]);
            let names_rows = is_name
                && self.is_named(table)
                && self.index.label(table).contains(&column)
                && !self.index.columns[column].unique;
            if names_rows && !keyed.contains(&table) {
                keyed.push(table);
                query.group.extend(self.index.tables[table].key.iter().map(|key| Expr::Column(*key)));
            }
        }
    }

    /// A table that was only named because one of its neighbours' columns speaks of it need not be joined.
    fn drop_needless_joins(&self, query: &mut Query) {
        let used = crate::sql_generation::tables_of_columns(self.index, query);
        if used.is_empty() {
            return;
        }
        if !self.style.joins_named {
            query.joined.clear();
            return;
        }
        let index = self.index;
        let way = crate::sql_generation::join_paths::connect(index, &used).unwrap_or_default();
        let stands_for = |table: TableId| {
            let words = &index.tables[table].words;
            let passes = |other: &TableId| {
                *other != table
                    && !used.contains(other)
                    && words.iter().all(|word| index.tables[*other].words.contains(word))
            };
            way.iter().any(|step| passes(&step.to) || passes(&step.from))
        };
        query.joined.retain(|table| !index.is_bridge(*table) || used.contains(table) || !stands_for(*table));
        query.joined.retain(|table| {
            used.contains(table)
                || !index.joins.iter().any(|join| join.right == *table && used.contains(&join.left))
                || index.joins.iter().any(|join| join.left == *table && used.contains(&join.right))
        });
    }

    /// `both A and B` of one column can only hold for different rows: the answers to each are intersected.
    fn intersect(&self, query: &mut Query) {
        let equalities: Vec<(usize, ColumnId)> = query
            .conditions
            .iter()
            .enumerate()
            .filter_map(|(place, condition)| match condition {
                Condition::Compare(
                    Expr::Column(column) | Expr::Part(_, column),
                    Comparison::Equal,
                    Operand::Literal(_),
                ) => Some((place, *column)),
                _ => None,
            })
            .collect();
        let pair = equalities.iter().enumerate().find_map(|(at, (first, column))| {
            equalities[at + 1..].iter().find(|(_, other)| other == column).map(|(second, _)| (*first, *second))
        });
        let is_equal = pair.is_some();
        let Some((first, second)) = pair.or_else(|| contradiction(&query.conditions)) else { return };
        if is_equal && !self.both && self.has_only_one(query, first) {
            let other = query.conditions.remove(second);
            let one = std::mem::replace(&mut query.conditions[first], Condition::Any(Vec::new()));
            query.conditions[first] = Condition::Any(vec![one, other]);
            return;
        }
        if let [Expr::CountRows(owner)] = query.select.as_slice() {
            let owner = *owner;
            for place in [first, second] {
                self.among_rows(owner, &mut query.conditions[place]);
            }
            return;
        }
        let mut other = query.clone();
        other.conditions.remove(first);
        query.conditions.remove(second);
        other.order.clear();
        other.limit = None;
        let shown = query.select.clone();
        query.order.retain(|(expr, _)| shown.contains(expr));
        if query.order.is_empty() {
            query.limit = None;
        }
        query.combined = Some((SetOperation::Intersect, Box::new(other)));
    }

    /// Whether each row shown can meet the condition in one way only: a film has one director.
    fn has_only_one(&self, query: &Query, place: usize) -> bool {
        let mut compared = Vec::new();
        query.conditions[place].columns(&mut compared);
        let table = compared.first().map(|column| self.index.columns[*column].table);
        query.select.iter().all(|expr| match (expr, table) {
            (Expr::Column(column), Some(table)) => {
                let entry = &self.index.columns[*column];
                entry.unique && !self.multiplies(entry.table, table)
            }
            _ => false,
        })
    }

    /// `the customers who bought X`, as a condition of the customers' own.
    pub(super) fn among_rows(&self, owner: TableId, condition: &mut Condition) {
        let mut columns = Vec::new();
        condition.columns(&mut columns);
        let table = columns.first().map(|column| self.index.columns[*column].table);
        let apart = table.filter(|table| *table != owner);
        if let Some(Condition::Not(inside)) =
            apart.and_then(|table| self.not_among(owner, table, vec![condition.clone()]))
        {
            *condition = *inside;
        }
    }

    /// The share of words with a meaning of their own that some part of the query uses.
    pub(super) fn explained(&self) -> f32 {
        let mut content = 0.0;
        let mut explained = 0.0;
        for chunk in &self.chunks {
            let linked = !matches!(chunk.kind, ChunkKind::Word);
            let meaningful = linked || !is_function_word(&chunk.text);
            if meaningful && chunk.text.chars().any(char::is_alphanumeric) {
                content += 1.0;
                explained += f32::from(u8::from(linked));
            }
        }
        if content == 0.0 { 0.0 } else { explained / content }
    }
}

/// Two conditions on one column that no row can meet at once.
fn contradiction(conditions: &[Condition]) -> Option<(usize, usize)> {
    let bound = |condition: &Condition| match condition {
        Condition::Compare(Expr::Column(column) | Expr::Part(_, column), comparison, Operand::Literal(literal)) => {
            Some((*column, *comparison, number_of(literal)?))
        }
        _ => None,
    };
    let is_above = |comparison| matches!(comparison, Comparison::Greater | Comparison::GreaterOrEqual);
    let is_below = |comparison| matches!(comparison, Comparison::Less | Comparison::LessOrEqual);
    for (first, one) in conditions.iter().enumerate() {
        for (second, other) in conditions.iter().enumerate().skip(first + 1) {
            let (Some((a, above, low)), Some((b, below, high))) = (bound(one), bound(other)) else { continue };
            let apart = (is_above(above) && is_below(below) && low >= high)
                || (is_below(above) && is_above(below) && low <= high);
            if a == b && apart {
                return Some((first, second));
            }
        }
    }
    None
}

fn number_of(literal: &Literal) -> Option<f64> {
    match literal {
        Literal::Number(value) => Some(*value),
        Literal::Text(text) => text.trim().parse().ok(),
        Literal::Date(_) => None,
    }
}

/// Conditions joined by `or` become one; the rest all hold.
fn fold(conditions: &[(Joiner, Condition)]) -> Vec<Condition> {
    let mut folded: Vec<Condition> = Vec::new();
    for (joiner, condition) in conditions {
        match (joiner, folded.pop()) {
            (Joiner::Or, Some(Condition::Any(mut any))) => {
                any.push(condition.clone());
                folded.push(Condition::Any(any));
            }
            (Joiner::Or, Some(last)) => folded.push(Condition::Any(vec![last, condition.clone()])),
            (_, last) => {
                folded.extend(last);
                folded.push(condition.clone());
            }
        }
    }
    folded
}
