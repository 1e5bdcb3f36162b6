//! Table functions that are computed here: the steps of a plan, and the relations that a view reads.

use firn_engine::Session;
use firn_sql::command::{DataType, ObjectKind};
use firn_sql::lookups::Rows;
use firn_sql::{Constant, Failure, ObjectName};

use crate::authorise::{Authority, reads_of_view};
use crate::explain;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// EXPLAIN_JSON: the steps of a plan that is given as JSON.
pub fn plan(json: &str) -> Result<Rows, RunError> {
    let steps = explain::steps_of_json(json).ok_or_else(|| {
        Failure::invalid_value("plan", "…", "give what SYSTEM$EXPLAIN_PLAN_JSON or EXPLAIN USING JSON answers")
    })?;
    let (names, rows) = explain::cells(&steps);
    let is_number = |name: &str| matches!(name, "step" | "id") || name.ends_with("Total") || name.ends_with("Assigned");
    let columns = names.into_iter().map(|name| match is_number(name) {
        true => (name.to_owned(), DataType::Number { precision: 38, scale: 0 }),
        false => (name.to_owned(), text_type()),
    });
    Ok(rows_of(columns.collect(), rows))
}

/// GET_OBJECT_REFERENCES: the tables and views that a view names.
pub fn references(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    view: &ObjectName,
) -> Result<Rows, RunError> {
    let missing = || RunError::from(Failure::missing_object("View", &view.to_string()));
    let described = session.describe(view)?.ok_or_else(missing)?;
    let authority = Authority::new(&services.catalog, session, &state.role);
    if !authority.sees(described.as_ref())? || !authority.may_read_text(&described) {
        return Err(missing());
    }
    let reads = reads_of_view(services, &described)?.ok_or_else(missing)?;
    let mut rows = Vec::new();
    for object in &reads.uses.objects {
        let kind = session.describe(&object.name)?.map(|found| match found.kind {
            ObjectKind::View => "VIEW".to_owned(),
            _ => "TABLE".to_owned(),
        });
        let name = &object.name;
        let cells = [view.database(), view.schema(), &view.name, name.database(), name.schema(), &name.name];
        let mut row: Vec<Option<String>> = cells.into_iter().map(|cell| Some(cell.to_owned())).collect();
        row.push(kind);
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    let names = [
        "DATABASE_NAME",
        "SCHEMA_NAME",
        "VIEW_NAME",
        "REFERENCED_DATABASE_NAME",
        "REFERENCED_SCHEMA_NAME",
        "REFERENCED_OBJECT_NAME",
        "REFERENCED_OBJECT_TYPE",
    ];
    Ok(rows_of(names.iter().map(|name| ((*name).to_owned(), text_type())).collect(), rows))
}

fn text_type() -> DataType {
    DataType::Varchar { length: None }
}

fn rows_of(columns: Vec<(String, DataType)>, cells: Vec<Vec<Option<String>>>) -> Rows {
    let row = |cells: Vec<Option<String>>| {
        let cells = cells.into_iter().zip(&columns);
        cells.map(|(text, (_, data_type))| Constant { data_type: data_type.clone(), text }).collect()
    };
    let rows = cells.into_iter().map(row).collect();
    Rows::new(columns, rows)
}
