//! Undeclared keys and relationships, found by the names of columns and verified in the data.

use firn_analyst::question::lemma::lemma;
use firn_analyst::semantic_model::{LogicalTable, Relationship, RelationshipColumns, SemanticModel};

use crate::server::Server;

/// Gives tables without a key the column that is called like one and never repeats.
pub fn add_keys(server: &Server, model: &mut SemanticModel) {
    for table in model.tables.iter_mut().filter(|table| table.primary_key.is_empty()) {
        let names = [format!("{}_id", singular(&table.name)), format!("{}_id", table.name), "id".to_owned()];
        let candidates = names.iter().filter_map(|name| table.dimensions.iter().find(|column| column.name == *name));
        let key = candidates.map(|column| column.name.clone()).find(|name| is_unique(server, table, name));
        if let Some(column) = table.dimensions.iter_mut().find(|column| Some(&column.name) == key.as_ref()) {
            column.unique = true;
            table.primary_key = vec![column.name.clone()];
        }
    }
}

fn is_unique(server: &Server, table: &LogicalTable, column: &str) -> bool {
    let Some(expression) = table.column_expression(column) else { return false };
    let sql = format!("SELECT COUNT(*), COUNT(DISTINCT {expression}) FROM {}", table.source.sql());
    let Ok(counted) = server.rows_in(&sql, None, None) else { return false };
    match counted.rows.first().map(Vec::as_slice) {
        Some([Some(rows), Some(different)]) => rows == different && rows != "0",
        _ => false,
    }
}

/// Relationships that names suggest: a column called like another table's key, or like that table and its `id`.
pub fn relationships(model: &SemanticModel, declared: &[Relationship]) -> Vec<Relationship> {
    let mut found = Vec::new();
    for right in &model.tables {
        let [key] = right.primary_key.as_slice() else { continue };
        let wanted = if key == "id" { format!("{}_id", singular(&right.name)) } else { key.clone() };
        for left in model.tables.iter().filter(|left| left.name != right.name) {
            let joined = declared.iter().any(|join| join.left_table == left.name && join.right_table == right.name);
            let has_column = left.dimensions.iter().any(|column| column.name == wanted);
            let is_same_key = key != "id" && left.primary_key == right.primary_key;
            if !joined && has_column && !is_same_key {
                found.push(Relationship {
                    name: format!("{}_to_{}", left.name, right.name),
                    left_table: left.name.clone(),
                    right_table: right.name.clone(),
                    columns: vec![RelationshipColumns { left_column: wanted.clone(), right_column: key.clone() }],
                    ..Relationship::default()
                });
            }
        }
    }
    found
}

pub fn singular(name: &str) -> String {
    match name.rsplit_once('_') {
        Some((before, last)) => format!("{before}_{}", lemma(last)),
        None => lemma(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_called_by_many_and_its_key_by_one() {
        let names = [
            ("orders", "order"),
            ("categories", "category"),
            ("branches", "branch"),
            ("order_lines", "order_line"),
            ("class", "class"),
            ("staff", "staff"),
        ];
        for (many, one) in names {
            assert_eq!(singular(many), one);
        }
    }
}
