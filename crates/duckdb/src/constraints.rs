//! Keys as they are stored in the side tables: JSON text, written and read here alone.

use std::sync::atomic::{AtomicU64, Ordering};

use firn_sql::command::{ConstraintKind, KeyRule, KeyRules, TableConstraint};
use firn_sql::{Failure, ObjectName};
use serde_json::{Value, json};

/// The prefix of generated names.
const SYSTEM_NAME: &str = "SYS_CONSTRAINT_";

pub(crate) fn write(constraints: &[TableConstraint]) -> String {
    let list: Vec<Value> = constraints
        .iter()
        .map(|constraint| {
            let mut written = json!({"name": constraint.name, "columns": constraint.columns});
            match &constraint.kind {
                ConstraintKind::PrimaryKey => written["kind"] = json!("PRIMARY KEY"),
                ConstraintKind::Unique => written["kind"] = json!("UNIQUE"),
                ConstraintKind::ForeignKey { table, columns, rules } => {
                    written["kind"] = json!("FOREIGN KEY");
                    written["table"] = json!([table.database(), table.schema(), table.name]);
                    written["references"] = json!(columns);
                    written["on_update"] = json!(rules.on_update.words());
                    written["on_delete"] = json!(rules.on_delete.words());
                }
            }
            written
        })
        .collect();
    Value::Array(list).to_string()
}

/// The same keys, each with a name: a system's where it was given none.
pub(crate) fn named(constraints: &[TableConstraint]) -> Vec<TableConstraint> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = || {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        format!("{SYSTEM_NAME}{:x}_{count:x}", chrono::Utc::now().timestamp_micros())
    };
    let mut constraints = constraints.to_vec();
    for constraint in &mut constraints {
        constraint.name.get_or_insert_with(name);
    }
    constraints
}

/// A table has one primary key at most.
pub(crate) fn one_primary_key<'a>(
    table: &ObjectName,
    constraints: impl IntoIterator<Item = &'a TableConstraint>,
) -> Result<(), Failure> {
    let primary = constraints.into_iter().filter(|key| matches!(key.kind, ConstraintKind::PrimaryKey));
    if primary.count() < 2 {
        return Ok(());
    }
    let message = format!(
        "SQL compilation error:\nmultiple primary keys: the primary key of table '{table}' already exists; a key of several \
         columns is PRIMARY KEY (a, b), and DROP PRIMARY KEY drops the one that is there."
    );
    Err(Failure::new("002206", "42601", message))
}

/// What `write` wrote; anything else is no constraint at all.
pub(crate) fn read(text: &str) -> Vec<TableConstraint> {
    let Ok(Value::Array(list)) = serde_json::from_str(text) else { return Vec::new() };
    list.iter().filter_map(read_one).collect()
}

fn read_one(value: &Value) -> Option<TableConstraint> {
    let kind = match value["kind"].as_str()? {
        "PRIMARY KEY" => ConstraintKind::PrimaryKey,
        "UNIQUE" => ConstraintKind::Unique,
        _ => {
            let table = strings(&value["table"]);
            let [database, schema, name] = &table[..] else { return None };
            ConstraintKind::ForeignKey {
                table: ObjectName::qualified(database, schema, name),
                columns: strings(&value["references"]),
                rules: rules(value),
            }
        }
    };
    Some(TableConstraint { name: value["name"].as_str().map(str::to_owned), columns: strings(&value["columns"]), kind })
}

/// Keys that were written before rules were recorded have none.
fn rules(value: &Value) -> KeyRules {
    let rule = |name: &str| value[name].as_str().and_then(KeyRule::of_words).unwrap_or_default();
    KeyRules { on_update: rule("on_update"), on_delete: rule("on_delete") }
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use firn_sql::ObjectName;
    use firn_sql::command::{ConstraintKind, KeyRule, KeyRules, TableConstraint};

    use super::{read, write};

    #[test]
    fn keys_survive_being_written_down() {
        let keys = [
            TableConstraint { name: None, columns: vec!["A".into(), "B".into()], kind: ConstraintKind::PrimaryKey },
            TableConstraint { name: Some("U".into()), columns: vec!["C".into()], kind: ConstraintKind::Unique },
            TableConstraint {
                name: Some("F".into()),
                columns: vec!["D".into()],
                kind: ConstraintKind::ForeignKey {
                    table: ObjectName::qualified("DB", "PUBLIC", "T"),
                    columns: vec!["ID".into()],
                    rules: KeyRules { on_delete: KeyRule::Cascade, ..KeyRules::default() },
                },
            },
        ];
        assert_eq!(format!("{:?}", read(&write(&keys))), format!("{keys:?}"));
    }
}
