//! Sums over rows that a join would show several times: the rows of each group are taken once before they are summed up.

use crate::interpretation::query::{Expr, Function, Query};
use crate::links::model_index::{ModelIndex, TableId};

use super::conditions::Conditions;
use super::expressions::{Counting, expression};
use super::identifiers::table_alias;
use super::join_paths::{connect, is_multiplied};
use super::layout::{in_brackets, listed};
use super::statement::{Naming, Writer, group_columns, needed_tables, with_names};

/// The table whose facts the joins of a query would sum up more than once.
pub fn multiplied_owner(index: &ModelIndex, query: &Query) -> Option<TableId> {
    let plain = query.limit_within.is_empty() && query.combined.is_none() && query.summary.is_none();
    if !plain || group_columns(query).is_empty() && !index.is_curated() {
        return None;
    }
    let mut owner = None;
    for expr in query.select.iter().filter(|expr| expr.is_aggregate()) {
        let Expr::Aggregate(function, column) = expr else { return None };
        let entry = &index.columns[*column];
        let sums = matches!(
            function,
            Function::Metric | Function::Sum | Function::Average | Function::Median | Function::Percentile(_)
        );
        let curated = *function == Function::Metric || entry.aggregation.is_some();
        if !sums || !curated || owner.is_some_and(|owner| owner != entry.table) {
            return None;
        }
        owner = Some(entry.table);
    }
    let owner = owner.filter(|owner| !index.tables[*owner].key.is_empty())?;
    let steps = connect(index, &needed_tables(index, query))?;
    is_multiplied(index, &steps, owner).then_some(owner)
}

impl Writer<'_> {
    pub(super) fn once_per_group(&self, query: &Query, owner: TableId, naming: Naming) -> String {
        let groups = group_columns(query);
        let inner = Query {
            select: groups.iter().cloned().chain([Expr::Everything(owner)]).collect(),
            distinct: true,
            conditions: query.conditions.clone(),
            joined: query.joined.clone(),
            ..Query::default()
        };
        let rows = table_alias(&self.index.tables[owner].name);
        let counting = |_: TableId| Counting::AllRows;
        let write = |expr: &Expr| match groups.iter().position(|group| group == expr) {
            Some(group) => format!("{rows}.group_{group}"),
            None => expression(self.index, expr, &counting),
        };
        let names = self.names_of_groups(query, naming);
        let by: Vec<String> = (0..groups.len()).map(|group| format!("{rows}.group_{group}")).collect();
        let mut text = format!(
            "{}\nFROM {} AS {rows}",
            listed("SELECT", &with_names(self.index, query, &names, &write)),
            in_brackets(&self.query(&inner, Naming::Numbered)),
        );
        if !by.is_empty() {
            text.push_str(&format!("\n{}", listed("GROUP BY", &by)));
        }
        if !query.having.is_empty() {
            let nested = |inner: &Query| self.query(inner, Naming::Plain);
            let conditions = Conditions { index: self.index, counting: &counting, nested: &nested };
            text.push_str(&format!("\nHAVING {}", conditions.over_lines(&query.having)));
        }
        text + &self.order_and_limit(query, &names, &write)
    }
}
