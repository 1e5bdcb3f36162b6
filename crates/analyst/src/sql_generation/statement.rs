//! A whole statement: the tables it needs, how they join, and its clauses.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::asked_words::AskedWords;
use crate::interpretation::query::{Expr, Function, Query, SetOperation};
use crate::links::model_index::{ColumnId, DataKind, ModelIndex, TableId};
use crate::restatement::Wording;
use crate::semantic_model::SemanticModel;

use super::aliases::aliases;
use super::common_tables::{Use, common_table};
use super::conditions::Conditions;
use super::expressions::{Counting, expression, referred_alias};
use super::fan_out::multiplied_owner;
use super::grains::parts_of_grain;
use super::identifiers::{identifier, table_alias};
use super::join_paths::{Step, connect, is_multiplied};
use super::layout::listed;
use super::outer_joins::{from_summed_rows, outer_steps};
use super::tie_breaks::ordering;

/// The SQL of a query; `None` where its tables cannot be joined.
#[must_use]
pub fn sql(model: &SemanticModel, index: &ModelIndex, query: &Query) -> Option<String> {
    sql_in_words(model, index, &AskedWords::default(), query)
}

/// The SQL of a query, with computed columns called what the question calls them.
#[must_use]
pub fn sql_in_words(model: &SemanticModel, index: &ModelIndex, asked: &AskedWords, query: &Query) -> Option<String> {
    if !query.avoided.is_empty() {
        let over_others = Query { avoided: Vec::new(), ..query.clone() };
        return sql_in_words(model, &index.without_joins(&query.avoided), asked, &over_others);
    }
    let wording = Wording { index, asked };
    let writer = Writer { index, wording, used: RefCell::default(), failed: RefCell::new(false) };
    let body = writer.query(query, Naming::Aliases);
    if *writer.failed.borrow() {
        return None;
    }
    let used = writer.used.into_inner();
    let tables = used.iter().map(|(table, usage)| common_table(model, &model.tables[*table], usage, &body));
    Some(format!("WITH {}\n{body}", tables.collect::<Vec<_>>().join(",\n")))
}

/// Whether computed columns get names of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    Aliases,
    Plain,
    /// `group_0`, `group_1` and so on.
    Numbered,
}

pub(super) struct Writer<'a> {
    pub(super) index: &'a ModelIndex,
    wording: Wording<'a>,
    used: RefCell<BTreeMap<TableId, Use>>,
    failed: RefCell<bool>,
}

impl Writer<'_> {
    pub(super) fn query(&self, query: &Query, naming: Naming) -> String {
        if let Some(function) = query.summary {
            return self.summary(query, function, naming);
        }
        if query.has_rest {
            return self.with_rest(query, naming);
        }
        if let Some(parts) = parts_of_grain(self.index, query) {
            return self.side_by_side(query, &parts, naming);
        }
        if let Some(owner) = multiplied_owner(self.index, query) {
            return self.once_per_group(query, owner, naming);
        }
        let tables = needed_tables(self.index, query);
        let steps = connect(self.index, &tables).unwrap_or_else(|| {
            *self.failed.borrow_mut() = true;
            Vec::new()
        });
        let Some(&first) = tables.first() else {
            *self.failed.borrow_mut() = true;
            return String::new();
        };
        let (first, steps) = from_summed_rows(self.index, query, first, steps);
        self.note_use(first, &steps, query);
        let grouped: Vec<TableId> = group_tables(self.index, query);
        let counting = |table: TableId| counting(self.index, &grouped, &steps, table);
        let along: Option<String> =
            query.select.iter().find(|expr| expr.is_unit_of_time()).map(|expr| expression(self.index, expr, &counting));
        let partition = self.partition(query, &counting);
        let nested = |inner: &Query| self.query(inner, Naming::Plain);
        let write = |expr: &Expr| match expr {
            Expr::Holds(condition) => Conditions { index: self.index, counting: &counting, nested: &nested }
                .joined(std::slice::from_ref(condition)),
            _ => windowed(expr, along.as_deref(), &partition, &|inner| expression(self.index, inner, &counting)),
        };
        let names = self.names(query, naming);
        let items = with_names(self.index, query, &names, &write);
        let select = if query.distinct { "SELECT DISTINCT" } else { "SELECT" };
        let from = table_alias(&self.index.tables[first].name);
        let mut text = format!("{}\nFROM {from}", listed(select, &items));
        for (step, is_outer) in steps.iter().zip(outer_steps(self.index, query, &steps)) {
            let join = if is_outer { "LEFT JOIN" } else { "JOIN" };
            text.push_str(&self.join(join, *step));
        }
        for reference in references(query) {
            text.push_str(&self.join_referred(reference));
        }
        text.push_str(&self.rows_and_groups(query, &counting, &write));
        text.push_str(&self.order_within_limit(query, &names, &write));
        text
    }

    fn note_use(&self, first: TableId, steps: &[Step], query: &Query) {
        let mut used = self.used.borrow_mut();
        for table in steps.iter().map(|step| step.to).chain([first]) {
            used.entry(table).or_default();
        }
        for expr in &query.select {
            if let Expr::Everything(table) = expr {
                used.entry(*table).or_default().is_whole = true;
            }
        }
        for reference in references(query) {
            let table = self.index.referred_table(reference).unwrap_or(self.index.columns[reference].table);
            used.entry(table).or_default().aliases.insert(referred_alias(self.index, reference));
        }
    }

    /// The names of what is selected.
    pub(super) fn names(&self, query: &Query, naming: Naming) -> Vec<Option<String>> {
        match naming {
            Naming::Plain => vec![None; query.select.len()],
            Naming::Aliases => aliases(self.wording, query),
            Naming::Numbered => {
                let is_group = |expr: &Expr| !matches!(expr, Expr::Everything(_));
                let mut numbers = 0..;
                let name = |expr: &Expr| is_group(expr).then(|| numbers.next().map(|number| format!("group_{number}")));
                query.select.iter().map(name).map(Option::flatten).collect()
            }
        }
    }

    /// The names of what is selected from groups that are numbered: a plain column gets its own name back.
    pub(super) fn names_of_groups(&self, query: &Query, naming: Naming) -> Vec<Option<String>> {
        let names = self.names(query, naming).into_iter().zip(&query.select);
        let named = names.map(|(name, expr)| match (name, expr) {
            (None, Expr::Column(column)) if naming == Naming::Aliases => {
                Some(identifier(&self.index.columns[*column].name))
            }
            (name, _) => name,
        });
        named.collect()
    }

    /// The clauses from WHERE to HAVING.
    fn rows_and_groups(
        &self,
        query: &Query,
        counting: &dyn Fn(TableId) -> Counting,
        write: &dyn Fn(&Expr) -> String,
    ) -> String {
        let nested = |inner: &Query| self.query(inner, Naming::Plain);
        let conditions = Conditions { index: self.index, counting, nested: &nested };
        let mut text = String::new();
        if !query.conditions.is_empty() {
            text.push_str(&format!("\nWHERE {}", conditions.over_lines(&query.conditions)));
        }
        let group = group_columns(query);
        if !group.is_empty() {
            let group: Vec<String> = group.iter().map(write).collect();
            text.push_str(&format!("\n{}", listed("GROUP BY", &group)));
        }
        if !query.having.is_empty() {
            text.push_str(&format!("\nHAVING {}", conditions.over_lines(&query.having)));
        }
        text
    }

    /// The clauses that order and limit, and the query that this one is combined with.
    fn order_within_limit(&self, query: &Query, names: &[Option<String>], write: &dyn Fn(&Expr) -> String) -> String {
        if let (false, Some(limit)) = (query.limit_within.is_empty(), query.limit) {
            let within: Vec<String> = query.limit_within.iter().map(write).collect();
            let within = within.join(", ");
            let order = ordering(self.index, query, write).join(", ");
            let shown = self.ordered_by(query, names, write);
            return format!(
                "\nQUALIFY ROW_NUMBER() OVER (PARTITION BY {within} ORDER BY {order}) <= {limit}\nORDER BY {within}, {}",
                shown.join(", ")
            );
        }
        let mut text = String::new();
        if let Some((operation, other)) = &query.combined {
            let word = match operation {
                SetOperation::Intersect => "INTERSECT",
                SetOperation::Except => "EXCEPT",
                SetOperation::Union => "UNION",
            };
            text.push_str(&format!("\n{word}\n{}", self.query(other, Naming::Plain)));
        }
        text + &self.order_and_limit(query, names, write)
    }

    /// ORDER BY and LIMIT; what is selected under a name is ordered by that name.
    pub(super) fn order_and_limit(
        &self,
        query: &Query,
        names: &[Option<String>],
        write: &dyn Fn(&Expr) -> String,
    ) -> String {
        let mut text = String::new();
        if !query.order.is_empty() {
            text.push_str(&format!("\n{}", listed("ORDER BY", &self.ordered_by(query, names, write))));
        }
        if let Some(limit) = query.limit {
            text.push_str(&format!("\nLIMIT {limit}"));
        }
        text
    }

    fn ordered_by(&self, query: &Query, names: &[Option<String>], write: &dyn Fn(&Expr) -> String) -> Vec<String> {
        let named = |expr: &Expr| {
            let selected = query.select.iter().zip(names).find(|(selected, _)| *selected == expr);
            let name = selected.and_then(|(_, name)| name.clone());
            name.unwrap_or_else(|| write(expr))
        };
        ordering(self.index, query, &named)
    }

    /// The row that a reference leads to, under an alias of its own.
    fn join_referred(&self, reference: ColumnId) -> String {
        let entry = &self.index.columns[reference];
        let Some(join) = self.index.reference_join(reference) else {
            *self.failed.borrow_mut() = true;
            return String::new();
        };
        let (own, other) = (table_alias(&self.index.tables[entry.table].name), referred_alias(self.index, reference));
        let target = table_alias(&self.index.tables[join.right].name);
        let on: Vec<String> = join
            .columns
            .iter()
            .map(|(left, right)| format!("{own}.{} = {other}.{}", identifier(left), identifier(right)))
            .collect();
        format!("\nJOIN {target} AS {other} ON {}", on.join(" AND "))
    }

    /// Window functions run within the groups that are no unit of time.
    fn partition(&self, query: &Query, counting: &dyn Fn(TableId) -> Counting) -> String {
        let plain: Vec<String> = query
            .select
            .iter()
            .filter(|expr| !expr.is_aggregate() && !expr.is_unit_of_time() && !matches!(expr, Expr::Everything(_)))
            .map(|expr| expression(self.index, expr, counting))
            .collect();
        if plain.is_empty() { String::new() } else { format!("PARTITION BY {} ", plain.join(", ")) }
    }

    fn join(&self, join: &str, step: Step) -> String {
        let from = table_alias(&self.index.tables[step.from].name);
        let to = table_alias(&self.index.tables[step.to].name);
        let on: Vec<String> = step
            .columns(self.index)
            .into_iter()
            .map(|(left, right)| format!("{from}.{} = {to}.{}", identifier(left), identifier(right)))
            .collect();
        format!("\n{join} {to} ON {}", on.join(" AND "))
    }
}

/// What is selected, each under its name; computed numbers rounded as the query says.
pub(super) fn with_names(
    index: &ModelIndex,
    query: &Query,
    names: &[Option<String>],
    write: &dyn Fn(&Expr) -> String,
) -> Vec<String> {
    let named = query.select.iter().zip(names).map(|(expr, name)| match (name, query.decimals) {
        (Some(name), Some(decimals)) if is_fraction(index, expr) => {
            format!("ROUND({}, {decimals}) AS {name}", write(expr))
        }
        (Some(name), _) => format!("{} AS {name}", write(expr)),
        (None, _) => write(expr),
    });
    named.collect()
}

/// Whether an expression computes a number that is no count.
fn is_fraction(index: &ModelIndex, expr: &Expr) -> bool {
    match expr {
        Expr::CountRows(_) | Expr::Aggregate(Function::Count | Function::CountDistinct, _) => false,
        Expr::Aggregate(Function::Minimum | Function::Maximum, column) => {
            index.columns[*column].data == DataKind::Number
        }
        other => other.is_aggregate(),
    }
}

/// The columns by which rows of a table are joined with others of the same table.
fn references(query: &Query) -> BTreeSet<ColumnId> {
    let mut found = BTreeSet::new();
    let mut note = |expr: &Expr| {
        if let Expr::Referred(reference, _) = expr {
            found.insert(*reference);
        }
    };
    query.select.iter().chain(&query.group).chain(query.order.iter().map(|(expr, _)| expr)).for_each(&mut note);
    for condition in query.conditions.iter().chain(&query.having) {
        condition.each_compared(&mut note);
    }
    found
}

/// Running totals and growth look along the unit of time of the answer.
fn windowed(expr: &Expr, along: Option<&str>, partition: &str, write: &dyn Fn(&Expr) -> String) -> String {
    let Some(along) = along else { return write(expr) };
    match expr {
        Expr::RunningTotal(inner) => format!("SUM({}) OVER ({partition}ORDER BY {along})", write(inner)),
        Expr::Growth(inner) => {
            let now = write(inner);
            let then = format!("LAG({now}) OVER ({partition}ORDER BY {along})");
            format!("100.0 * ({now} - {then}) / NULLIF({then}, 0)")
        }
        Expr::Increase(inner) => {
            let now = write(inner);
            format!("{now} - LAG({now}) OVER ({partition}ORDER BY {along})")
        }
        Expr::MovingAverage(inner, count) => {
            let before = count.saturating_sub(1);
            let rows = format!("ROWS BETWEEN {before} PRECEDING AND CURRENT ROW");
            format!("AVG({}) OVER ({partition}ORDER BY {along} {rows})", write(inner))
        }
        _ => write(expr),
    }
}

/// Rows of a table count by key where a join from it may meet many rows.
pub(super) fn counting(index: &ModelIndex, grouped: &[TableId], steps: &[Step], table: TableId) -> Counting {
    // A curated model counts things: a customer of two policies is one customer.
    let is_pairs = !index.is_curated() && is_straight_path(grouped, steps, table);
    if is_pairs || !is_multiplied(index, steps, table) {
        return Counting::AllRows;
    }
    Counting::DistinctKeys
}

/// One way from the counted rows to those they are grouped by: every pair of them counts.
fn is_straight_path(grouped: &[TableId], steps: &[Step], table: TableId) -> bool {
    let degree = |at: TableId| steps.iter().filter(|step| step.from == at || step.to == at).count();
    let touched: BTreeSet<TableId> = steps.iter().flat_map(|step| [step.from, step.to]).collect();
    let ends = touched.iter().filter(|&&at| degree(at) == 1).all(|at| *at == table || grouped.contains(at));
    !grouped.is_empty() && ends && touched.iter().all(|&at| degree(at) <= 2) && degree(table) == 1
}

fn group_tables(index: &ModelIndex, query: &Query) -> Vec<TableId> {
    let mut columns = Vec::new();
    for expr in group_columns(query) {
        expr.columns(&mut columns);
    }
    columns.into_iter().map(|column| index.columns[column].table).collect()
}

/// The tables whose columns the query uses, the one it is about first.
#[must_use]
pub fn needed_tables(index: &ModelIndex, query: &Query) -> Vec<TableId> {
    let mut tables: Vec<TableId> = Vec::new();
    let mut columns = Vec::new();
    let expressions =
        query.select.iter().chain(&query.group).chain(query.order.iter().map(|(expr, _)| expr)).collect::<Vec<_>>();
    for expr in expressions {
        expr.tables(&mut tables);
        joined_columns(expr, &mut columns);
    }
    for condition in query.conditions.iter().chain(&query.having) {
        condition.tables(&mut tables);
        condition.each_compared(&mut |expr| joined_columns(expr, &mut columns));
    }
    // Factors of one product are joined before anything else, so that no other way leads from one to the other.
    columns.sort_by_key(|id| index.columns[*id].reads.is_empty());
    let of_columns = columns.into_iter().flat_map(|id| {
        let entry = &index.columns[id];
        std::iter::once(entry.table).chain(entry.reads.iter().copied())
    });
    let mut all: Vec<TableId> = of_columns.chain(tables).chain(query.joined.iter().copied()).collect();
    let mut seen = BTreeSet::new();
    all.retain(|table| seen.insert(*table));
    all
}

/// The columns whose tables an expression needs; a row that is referred to is joined under an alias of its own.
fn joined_columns(expr: &Expr, found: &mut Vec<ColumnId>) {
    match expr {
        Expr::Referred(reference, _) => found.push(*reference),
        _ => expr.columns(found),
    }
}

/// The tables of the columns and counts in a query, without those that merely take part.
#[must_use]
pub fn tables_of_columns(index: &ModelIndex, query: &Query) -> Vec<TableId> {
    needed_tables(index, &Query { joined: Vec::new(), ..query.clone() })
}

/// Plain columns beside aggregates group the rows.
pub(super) fn group_columns(query: &Query) -> Vec<Expr> {
    let aggregated = query.select.iter().any(Expr::is_aggregate)
        || !query.having.is_empty()
        || query.order.iter().any(|(expr, _)| expr.is_aggregate())
        || !query.group.is_empty();
    if !aggregated {
        return Vec::new();
    }
    let mut group: Vec<Expr> = query.group.clone();
    for expr in query.select.iter().chain(query.order.iter().map(|(expr, _)| expr)) {
        if !expr.is_aggregate() && !group.contains(expr) && !matches!(expr, Expr::Everything(_)) {
            group.push(expr.clone());
        }
    }
    group
}
