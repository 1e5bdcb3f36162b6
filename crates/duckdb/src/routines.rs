//! Functions and procedures written in SQL, policies and tags: stored in a side table of their database, where statements that call them
//! find their bodies. They do not exist in the engine's catalog.

use firn_engine::{EngineError, RoutineDescription};
use firn_sql::command::{DataType, PolicyReference, TagDefinition};
use firn_sql::routines::{Direction, NamedDatabase, Parameter, Returns, Rights, Routine, RoutineKind};
use firn_sql::{Failure, ObjectName, data_type_of_text, type_in_tree};
use serde_json::{Value, json};

use super::connection::Connection;
use super::side_tables::{side_table, text};

/// Every routine of a database.
pub(crate) fn read(connection: &Connection, database: &str) -> Result<Vec<RoutineDescription>, EngineError> {
    let rows = connection.rows(&format!(
        "SELECT schema_name, name, kind, owner, comment, created_on_ms, definition, id FROM {} ORDER BY ALL",
        side_table(database, "routines")
    ))?;
    rows.into_iter().map(|row| described(database, row)).collect()
}

pub(crate) fn write(connection: &Connection, described: &RoutineDescription) -> Result<(), EngineError> {
    let routine = &described.routine;
    let values = [
        text(routine.name.schema()),
        text(&routine.name.name),
        text(routine.kind.word()),
        text(&routine.signature()),
        text(&described.owner),
        routine.comment.as_deref().map_or_else(|| "NULL".to_owned(), text),
        described.created_on_ms.to_string(),
        text(&definition(routine).to_string()),
        described.id.to_string(),
    ];
    let table = side_table(routine.name.database(), "routines");
    connection.execute(&format!("INSERT INTO {table} VALUES ({})", values.join(", ")))?;
    Ok(())
}

pub(crate) fn forget(connection: &Connection, routine: &Routine) -> Result<(), EngineError> {
    connection.execute(&format!(
        "DELETE FROM {} WHERE schema_name = {} AND name = {} AND kind = {} AND signature = {}",
        side_table(routine.name.database(), "routines"),
        text(routine.name.schema()),
        text(&routine.name.name),
        text(routine.kind.word()),
        text(&routine.signature())
    ))?;
    Ok(())
}

/// Gives a routine another schema; a dropped tag has the id of its drop there.
pub(crate) fn move_routine(connection: &Connection, routine: &Routine, to: &str) -> Result<(), EngineError> {
    connection.execute(&format!(
        "UPDATE {} SET schema_name = {} WHERE schema_name = {} AND name = {} AND kind = {} AND signature = {}",
        side_table(routine.name.database(), "routines"),
        text(to),
        text(routine.name.schema()),
        text(&routine.name.name),
        text(routine.kind.word()),
        text(&routine.signature())
    ))?;
    Ok(())
}

fn definition(routine: &Routine) -> Value {
    let written = |data_type: &DataType| type_in_tree(data_type).to_string();
    let parameters: Vec<Value> = routine
        .parameters
        .iter()
        .map(|parameter| {
            json!({
                "name": parameter.name,
                "out": parameter.direction == Direction::Out,
                "type": written(&parameter.data_type),
                "default": parameter.default,
            })
        })
        .collect();
    let policies = routine.tag.policies.iter().map(|policy| json!([policy.database, policy.id]));
    let policies: Vec<Value> = policies.collect();
    let databases = routine.databases.as_ref().map(|databases| {
        databases.iter().map(|named| json!([named.name, named.id, named.owner])).collect::<Vec<Value>>()
    });
    let returns = match &routine.returns {
        Returns::Value(data_type) => json!({"type": written(data_type)}),
        Returns::Table(columns) => {
            let columns: Vec<Value> =
                columns.iter().map(|(name, data_type)| json!([name, written(data_type)])).collect();
            json!({"columns": columns})
        }
    };
    json!({
        "parameters": parameters,
        "returns": returns,
        "body": routine.body,
        "secure": routine.secure,
        "strict": routine.strict,
        "memoizable": routine.memoizable,
        "caller": routine.rights == Rights::Caller,
        "exempt_other_policies": routine.exempt_other_policies,
        "allowed_values": routine.tag.allowed_values,
        "policies": policies,
        "databases": databases,
    })
}

fn described(database: &str, row: Vec<Option<String>>) -> Result<RoutineDescription, EngineError> {
    let broken = || EngineError::Internal("a stored routine cannot be read".to_owned());
    let mut cells = row.into_iter();
    let mut next = || cells.next().flatten();
    let (schema, name, kind) = (next().ok_or_else(broken)?, next().ok_or_else(broken)?, next().ok_or_else(broken)?);
    let (owner, comment, created) = (next().ok_or_else(broken)?, next(), next().ok_or_else(broken)?);
    let definition: Value = serde_json::from_str(&next().ok_or_else(broken)?).map_err(|_| broken())?;
    let id = next().and_then(|id| id.parse().ok()).unwrap_or_default();
    let routine = Routine {
        kind: RoutineKind::of_word(&kind).ok_or_else(broken)?,
        name: ObjectName::qualified(database, &schema, &name),
        parameters: parameters(&definition["parameters"])?,
        returns: returns(&definition["returns"])?,
        body: definition["body"].as_str().unwrap_or_default().to_owned(),
        comment,
        secure: definition["secure"].as_bool().unwrap_or_default(),
        strict: definition["strict"].as_bool().unwrap_or_default(),
        memoizable: definition["memoizable"].as_bool().unwrap_or_default(),
        rights: if definition["caller"].as_bool().unwrap_or_default() { Rights::Caller } else { Rights::Owner },
        exempt_other_policies: definition["exempt_other_policies"].as_bool().unwrap_or_default(),
        databases: databases(&definition["databases"]),
        tag: tag(&definition),
    };
    Ok(RoutineDescription { id, routine, owner, created_on_ms: created.parse().unwrap_or_default() })
}

fn databases(value: &Value) -> Option<Vec<NamedDatabase>> {
    let named = |value: &Value| {
        let (name, owner) = (value[0].as_str()?.to_owned(), value[2].as_str()?.to_owned());
        Some(NamedDatabase { name, id: value[1].as_i64()?, owner })
    };
    Some(value.as_array()?.iter().filter_map(named).collect())
}

fn tag(definition: &Value) -> TagDefinition {
    let texts = definition["allowed_values"].as_array().into_iter().flatten();
    let policies = definition["policies"].as_array().into_iter().flatten();
    TagDefinition {
        allowed_values: texts.filter_map(|value| value.as_str().map(str::to_owned)).collect(),
        policies: policies
            .filter_map(|pair| {
                let (database, id) = (pair[0].as_str()?.to_owned(), pair[1].as_i64()?);
                Some(PolicyReference { database, id })
            })
            .collect(),
    }
}

fn data_type(value: &Value) -> Result<DataType, Failure> {
    data_type_of_text(value.as_str().unwrap_or_default())
}

fn parameters(value: &Value) -> Result<Vec<Parameter>, Failure> {
    let parameter = |value: &Value| {
        Ok(Parameter {
            name: value["name"].as_str().unwrap_or_default().to_owned(),
            direction: if value["out"].as_bool().unwrap_or_default() { Direction::Out } else { Direction::In },
            data_type: data_type(&value["type"])?,
            default: value["default"].as_str().map(str::to_owned),
        })
    };
    value.as_array().into_iter().flatten().map(parameter).collect()
}

fn returns(value: &Value) -> Result<Returns, Failure> {
    match value["columns"].as_array() {
        Some(columns) => {
            let column = |value: &Value| Ok((value[0].as_str().unwrap_or_default().to_owned(), data_type(&value[1])?));
            columns.iter().map(column).collect::<Result<_, Failure>>().map(Returns::Table)
        }
        None => data_type(&value["type"]).map(Returns::Value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn databases_that_were_not_recorded_are_not_known() {
        let read = |definition: Value| databases(&definition["databases"]);
        assert_eq!(read(json!({})), None);
        assert_eq!(read(json!({"databases": null})), None);
        assert_eq!(read(json!({"databases": []})), Some(Vec::new()));
        let named = NamedDatabase { name: "D".to_owned(), id: 7, owner: "R".to_owned() };
        assert_eq!(read(json!({"databases": [["D", 7, "R"]]})), Some(vec![named]));
    }
}
