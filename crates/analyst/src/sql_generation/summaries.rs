//! One number over the groups of a query: the average of what each of them has, for each of some larger groups or for all.

use crate::interpretation::query::{Expr, Function, Query};

use super::layout::{in_brackets, listed};
use super::statement::{Naming, Writer, with_names};

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
        let (name, word) = match function {
            Function::Minimum => ("MIN", "lowest"),
            Function::Maximum => ("MAX", "highest"),
            Function::Median => ("MEDIAN", "median"),
            Function::Sum | Function::Metric => ("SUM", "total"),
            Function::Average | Function::Count | Function::CountDistinct | Function::Percentile(_) => {
                ("AVG", "average")
            }
        };
        let write = |expr: &Expr| match by.iter().position(|group| group == expr) {
            Some(group) => format!("by_group.group_{group}"),
            None => format!("{name}(by_group.value_of_group)"),
        };
        let shown = Query { select: inner.select.clone(), ..query.clone() };
        let mut names = self.names_of_groups(&shown, naming);
        if let Some(Some(last)) = names.last_mut() {
            let bare = last.trim_matches('"');
            *last = if bare.starts_with(word) { last.clone() } else { format!("{word}_{bare}") };
        }
        let columns = (0..by.len()).map(|group| format!("group_{group}")).chain(["value_of_group".to_owned()]);
        let columns: Vec<String> = columns.collect();
        let mut text = format!(
            "{}\nFROM {} AS by_group ({})",
            listed("SELECT", &with_names(self.index, &shown, &names, &write)),
            in_brackets(&self.query(&inner, Naming::Plain)),
            columns.join(", ")
        );
        if !by.is_empty() {
            text.push_str(&format!("\nGROUP BY {}", by.iter().map(write).collect::<Vec<_>>().join(", ")));
        }
        text + &self.order_and_limit(&shown, &names, &write)
    }
}
