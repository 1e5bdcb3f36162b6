//! One number over the groups of a query: the average of what each of them has, for each of some larger groups or for all.

use std::collections::BTreeSet;

use crate::interpretation::query::{Expr, Function, Query};

use super::identifiers::identifier;
use super::statement::{Naming, Writer, with_alias};
use super::tie_breaks::ordering;

impl Writer<'_> {
    pub(super) fn summary(&self, query: &Query, function: Function, naming: Naming) -> String {
        let Some((value, groups)) = query.select.split_last() else { return String::new() };
        let by = &query.summary_by;
        let inner = Query {
            select: by.iter().chain([value]).cloned().collect(),
            group: groups.iter().chain(&query.group).filter(|group| !by.contains(group)).cloned().collect(),
            summary: None,
            summary_by: Vec::new(),
            order: Vec::new(),
            limit: None,
            ..query.clone()
        };
        let name = match function {
            Function::Minimum => "MIN",
            Function::Maximum => "MAX",
            Function::Median => "MEDIAN",
            Function::Sum | Function::Metric => "SUM",
            Function::Average | Function::Count | Function::CountDistinct => "AVG",
        };
        let write = |expr: &Expr| match by.iter().position(|group| group == expr) {
            Some(group) => format!("by_group.group_{group}"),
            None => format!("{name}(by_group.value_of_group)"),
        };
        let mut taken = BTreeSet::new();
        let named = |expr: &Expr| match (naming, expr) {
            (Naming::Aliases, Expr::Column(column)) => {
                format!("{} AS {}", write(expr), identifier(&self.index.columns[*column].name))
            }
            (Naming::Aliases, _) => with_alias(self.index, expr, write(expr), &mut taken),
            (Naming::Plain | Naming::Numbered, _) => write(expr),
        };
        let alias = match naming {
            Naming::Aliases => format!(" AS {}_of_groups", name.to_lowercase()),
            Naming::Plain | Naming::Numbered => String::new(),
        };
        let mut select: Vec<String> = by.iter().map(named).collect();
        select.push(format!("{}{alias}", write(value)));
        let columns = (0..by.len()).map(|group| format!("group_{group}")).chain(["value_of_group".to_owned()]);
        let columns: Vec<String> = columns.collect();
        let mut text = format!(
            "SELECT {} FROM ({}) AS by_group ({})",
            select.join(", "),
            self.query(&inner, Naming::Plain),
            columns.join(", ")
        );
        if !by.is_empty() {
            text.push_str(&format!(" GROUP BY {}", by.iter().map(write).collect::<Vec<_>>().join(", ")));
        }
        if !query.order.is_empty() {
            text.push_str(&format!(" ORDER BY {}", ordering(self.index, query, &write)));
        }
        text
    }
}
