//! The first groups of an order by themselves, and all the others as one more.

use crate::interpretation::query::{Direction, Query};

use super::layout::{in_brackets, listed};
use super::statement::{Naming, Writer};

/// What the groups beyond the limit are called together.
const OTHERS: &str = "Others";

impl Writer<'_> {
    /// A query of one group and one measure; what is beyond its limit is added up.
    pub(super) fn with_rest(&self, query: &Query, naming: Naming) -> String {
        let direction = match query.order.first() {
            Some((_, Direction::Ascending)) => "ASC",
            _ => "DESC",
        };
        let limit = query.limit.unwrap_or_default();
        let inner = Query { has_rest: false, limit: None, order: Vec::new(), ..query.clone() };
        let names: Vec<String> =
            self.names_of_groups(query, naming).into_iter().map(Option::unwrap_or_default).collect();
        let [group, measure] = names.as_slice() else { return self.query(&inner, naming) };
        let called = |name: &String| if name.is_empty() { String::new() } else { format!(" AS {name}") };
        let shown =
            format!("CASE WHEN ranked.place <= {limit} THEN CAST(ranked.group_0 AS VARCHAR) ELSE '{OTHERS}' END");
        let items = [format!("{shown}{}", called(group)), format!("SUM(ranked.value_of_group){}", called(measure))];
        let place =
            format!("ROW_NUMBER() OVER (ORDER BY by_group.value_of_group {direction} NULLS LAST, by_group.group_0)");
        let ranked = format!(
            "SELECT by_group.group_0, by_group.value_of_group, {place} AS place\nFROM {} AS by_group (group_0, value_of_group)",
            in_brackets(&self.query(&inner, Naming::Plain))
        );
        format!(
            "{}\nFROM {} AS ranked\nGROUP BY {shown}\nORDER BY MIN(ranked.place)",
            listed("SELECT", &items),
            in_brackets(&ranked)
        )
    }
}
