//! References that neither a key nor a name suggests: a column whose every value is the key of one other table.

use firn_analyst::semantic_model::{Dimension, LogicalTable, Relationship, RelationshipColumns, SemanticModel};

use crate::server::Server;

/// Fewer different values may be among other keys by chance.
const DIFFERENT_VALUES_MIN: u64 = 3;
/// Numbers that are keys by chance: where keys fill more of their range than one in so many.
const RANGE_PER_KEY_MIN: f64 = 4.0;

/// Adds the relationships that the data show, and makes their columns dimensions.
pub fn add(server: &Server, model: &mut SemanticModel) {
    let keys: Vec<(String, Spread)> = model.tables.iter().filter_map(|table| key_of(server, table)).collect();
    let mut found = Vec::new();
    for table in &model.tables {
        for column in open_columns(table, &model.relationships) {
            let Some(spread) = spread(server, table, &column) else { continue };
            let likely = keys.iter().filter(|(owner, key)| *owner != table.name && spread.may_refer_to(key));
            let targets = likely.filter_map(|(owner, _)| model.table(owner));
            let mut targets = targets.filter(|target| refers(server, table, &column, target));
            if let (Some(target), None) = (targets.next(), targets.next()) {
                found.push(relationship(table, &column, target));
            }
        }
    }
    join_by(model, found);
}

/// Adds relationships, and makes their columns dimensions.
pub fn join_by(model: &mut SemanticModel, found: Vec<Relationship>) {
    for join in &found {
        let table = model.tables.iter_mut().find(|table| table.name == join.left_table);
        if let (Some(table), Some(pair)) = (table, join.columns.first()) {
            as_dimension(table, &pair.left_column);
        }
    }
    model.relationships.extend(found);
}

/// How the values of a column are spread.
struct Spread {
    is_number: bool,
    lowest: String,
    highest: String,
    different: u64,
}

impl Spread {
    fn may_refer_to(&self, key: &Self) -> bool {
        if self.is_number != key.is_number || self.different < DIFFERENT_VALUES_MIN || self.different > key.different {
            return false;
        }
        if !self.is_number {
            return self.lowest >= key.lowest && self.highest <= key.highest;
        }
        let range = |spread: &Self| Some((spread.lowest.parse::<f64>().ok()?, spread.highest.parse::<f64>().ok()?));
        let (Some((low, high)), Some((key_low, key_high))) = (range(self), range(key)) else { return false };
        let is_sparse = (key_high - key_low) / key.different as f64 >= RANGE_PER_KEY_MIN;
        low >= key_low && high <= key_high && is_sparse
    }
}

fn key_of(server: &Server, table: &LogicalTable) -> Option<(String, Spread)> {
    let [key] = table.primary_key.as_slice() else { return None };
    Some((table.name.clone(), spread(server, table, key)?))
}

/// Columns that are no key and refer to nothing yet.
pub fn open_columns(table: &LogicalTable, relationships: &[Relationship]) -> Vec<String> {
    let refers = |column: &String| {
        let own = relationships.iter().filter(|join| join.left_table == table.name);
        own.flat_map(|join| &join.columns).any(|pair| pair.left_column == *column)
    };
    let dimensions = table.dimensions.iter().map(|column| &column.name);
    let columns = dimensions.chain(table.facts.iter().map(|column| &column.name));
    columns.filter(|column| !table.primary_key.contains(column) && !refers(column)).cloned().collect()
}

fn data_type<'t>(table: &'t LogicalTable, column: &str) -> Option<&'t str> {
    let dimensions = table.dimensions.iter().map(|dimension| (&dimension.name, &dimension.data_type));
    let mut columns = dimensions.chain(table.facts.iter().map(|fact| (&fact.name, &fact.data_type)));
    columns.find(|(name, _)| *name == column).and_then(|(_, data_type)| data_type.as_deref())
}

fn spread(server: &Server, table: &LogicalTable, column: &str) -> Option<Spread> {
    let data_type = data_type(table, column)?;
    let is_number = data_type.starts_with("NUMBER");
    if !is_number && !matches!(data_type, "TEXT" | "VARCHAR") {
        return None;
    }
    let expr = table.column_expression(column)?;
    let sql = format!("SELECT MIN({expr}), MAX({expr}), COUNT(DISTINCT {expr}) FROM {}", table.source.sql());
    let rows = server.rows_in(&sql, None, None).ok()?.rows;
    let [Some(lowest), Some(highest), Some(different)] = rows.first()?.as_slice() else { return None };
    let different = different.parse().ok()?;
    Some(Spread { is_number, lowest: lowest.clone(), highest: highest.clone(), different })
}

/// Whether every value of the column is a key of the other table.
pub fn refers(server: &Server, table: &LogicalTable, column: &str, target: &LogicalTable) -> bool {
    let key = target.primary_key.first().and_then(|key| target.column_expression(key));
    let (Some(own), Some(key)) = (table.column_expression(column), key) else { return false };
    let sql = format!(
        "SELECT COUNT(*) FROM {} WHERE {own} IS NOT NULL AND {own} NOT IN (SELECT {key} FROM {} WHERE {key} IS NOT NULL)",
        table.source.sql(),
        target.source.sql()
    );
    let strangers = server.rows_in(&sql, None, None);
    strangers.is_ok_and(|found| matches!(found.rows.first().map(Vec::as_slice), Some([Some(count)]) if count == "0"))
}

pub fn relationship(table: &LogicalTable, column: &str, target: &LogicalTable) -> Relationship {
    Relationship {
        name: format!("{}_{column}_to_{}", table.name, target.name),
        left_table: table.name.clone(),
        right_table: target.name.clone(),
        columns: vec![RelationshipColumns {
            left_column: column.to_owned(),
            right_column: target.primary_key.first().cloned().unwrap_or_default(),
        }],
        ..Relationship::default()
    }
}

/// A number that refers to rows is nothing to add up.
fn as_dimension(table: &mut LogicalTable, column: &str) {
    let Some(place) = table.facts.iter().position(|fact| fact.name == column) else { return };
    let fact = table.facts.remove(place);
    table.dimensions.push(Dimension {
        name: fact.name,
        expr: fact.expr,
        data_type: fact.data_type,
        description: fact.description,
        ..Dimension::default()
    });
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn numbers_without_gaps_refer_to_nothing_by_themselves() {
        let spread = |lowest: &str, highest: &str, different: u64| Spread {
            is_number: true,
            lowest: lowest.to_owned(),
            highest: highest.to_owned(),
            different,
        };
        assert!(spread("1121", "7712", 9).may_refer_to(&spread("1121", "9999", 60)));
        assert!(!spread("1", "9", 9).may_refer_to(&spread("1", "60", 60)));
        assert!(!spread("1121", "9999", 2).may_refer_to(&spread("1121", "9999", 60)));
        assert!(!spread("5", "9999", 9).may_refer_to(&spread("1121", "9999", 60)));
    }
}
