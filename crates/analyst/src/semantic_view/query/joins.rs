//! Which tables a query joins, and along which relationships: always from many rows to one.

use std::collections::BTreeSet;

use firn_sql::Failure;

use super::super::expansion::expand_column;
use super::invalid;
use crate::semantic_model::logical_sql::identifier;
use crate::semantic_model::{LogicalTable, Relationship, SemanticModel};

/// The table from which all the others are reached towards single rows.
pub(super) fn common_base<'m>(
    model: &'m SemanticModel,
    tables: &BTreeSet<String>,
) -> Result<&'m LogicalTable, Failure> {
    let candidates = model.tables.iter().filter(|table| tables.contains(&table.name));
    let mut found = candidates.filter(|table| joined(model, table, tables, &[]).is_ok());
    match (found.next(), model.tables.first()) {
        (Some(base), _) => Ok(base),
        (None, Some(first)) if tables.is_empty() => Ok(first),
        _ => Err(apart(tables.iter().map(String::as_str).collect::<Vec<_>>().join(", ").as_str())),
    }
}

fn apart(tables: &str) -> Failure {
    invalid(tables, "no relationships lead from one of these tables to all the others, so they cannot be combined")
}

/// `base LEFT JOIN …`, each join along a relationship from many rows to one.
pub(in super::super) fn joined(
    model: &SemanticModel,
    base: &LogicalTable,
    tables: &BTreeSet<String>,
    using: &[String],
) -> Result<String, Failure> {
    let mut text = format!("{} AS {}", base.source.sql(), identifier(&base.name));
    let mut reached = vec![base.name.clone()];
    let mut steps: Vec<(&Relationship, String)> = Vec::new();
    let mut next = 0;
    while let Some(from) = reached.get(next).cloned() {
        next += 1;
        for join in model.relationships.iter().filter(|join| join.left_table.eq_ignore_ascii_case(&from)) {
            let Some(right) = model.table(&join.right_table) else { continue };
            if reached.contains(&right.name) {
                continue;
            }
            let beside = model.relationships.iter().filter(|other| {
                other.left_table.eq_ignore_ascii_case(&from) && other.right_table.eq_ignore_ascii_case(&right.name)
            });
            let beside: Vec<&Relationship> = beside.collect();
            let chosen = match beside.as_slice() {
                [only] => *only,
                several => match several
                    .iter()
                    .find(|one| using.iter().any(|name| name.eq_ignore_ascii_case(&one.name)))
                {
                    Some(chosen) => *chosen,
                    None if tables.contains(&right.name) => {
                        let names = format!("{from} and {}", right.name);
                        return Err(invalid(&names, "several relationships join them; a metric names one with USING"));
                    }
                    None => join,
                },
            };
            reached.push(right.name.clone());
            steps.push((chosen, right.name.clone()));
        }
    }
    if let Some(missing) = tables.iter().find(|table| !reached.contains(table)) {
        return Err(apart(&format!("{}, {missing}", base.name)));
    }
    for (join, right) in needed(&steps, tables) {
        let (Some(left_table), Some(right_table)) = (model.table(&join.left_table), model.table(right)) else {
            continue;
        };
        let mut conditions = Vec::new();
        for pair in &join.columns {
            let left = expand_column(model, left_table, &pair.left_column)?.expr;
            let right = expand_column(model, right_table, &pair.right_column)?.expr;
            conditions.push(format!("{left} = {right}"));
        }
        text.push_str(&format!(
            " LEFT JOIN {} AS {} ON {}",
            right_table.source.sql(),
            identifier(&right_table.name),
            conditions.join(" AND ")
        ));
    }
    Ok(text)
}

/// The steps that lead to a table that is used, in their order.
fn needed<'s>(steps: &'s [(&'s Relationship, String)], tables: &BTreeSet<String>) -> Vec<(&'s Relationship, &'s str)> {
    let mut wanted: BTreeSet<String> = tables.iter().map(|table| table.to_uppercase()).collect();
    let mut needed = Vec::new();
    for (join, right) in steps.iter().rev() {
        if wanted.contains(&right.to_uppercase()) {
            wanted.insert(join.left_table.to_uppercase());
            needed.push((*join, right.as_str()));
        }
    }
    needed.reverse();
    needed
}
