//! Rows for the views of one database whose objects the engine does not know as tables: functions, procedures, stages
//! and file formats; and how many rows its tables have.

use std::sync::Arc;

use firn_engine::{ObjectDescription, RoutineDescription, Session, TableSize};
use firn_sql::command::{DataType, ObjectKind, Persistence};
use firn_sql::file_formats::{FileFormat, described};
use firn_sql::routines::{Parameter, Returns, RoutineKind, type_word};

use super::Row;
use crate::authorise::{Authority, Secured};
use crate::routines::hide_body;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// The caller, and the database whose views are read.
pub struct Asked<'a> {
    pub services: &'a Services,
    pub session: &'a dyn Session,
    pub state: &'a SessionState,
    pub database: &'a str,
    pub of_whom: Whom,
}

/// Whose objects a view shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whom {
    /// Also the temporary ones of the session.
    Session,
    /// Those that the owner of a definition sees.
    Owner,
}

impl Asked<'_> {
    fn authority(&self) -> Authority<'_> {
        Authority::new(&self.services.catalog, self.session, &self.state.role)
    }

    pub fn stages(&self) -> Result<Vec<Row>, RunError> {
        let mut rows = Vec::new();
        let authority = self.authority();
        for stage in self.session.stages(self.database, None)? {
            if authority.sees(Secured::stage(&stage))? {
                let url = stage.definition.external.map(|external| external.url.to_string());
                let kind = if url.is_some() { "External Named" } else { "Internal Named" };
                rows.push(vec![
                    Some(stage.name.schema().to_owned()),
                    Some(stage.name.name.clone()),
                    url,
                    None,
                    Some(kind.to_owned()),
                    Some(stage.owner),
                    stage.comment,
                    Some(stage.created_on_ms.to_string()),
                ]);
            }
        }
        Ok(rows)
    }

    /// Schema, name, and number of rows and bytes of each table.
    pub fn table_sizes(&self) -> Result<Vec<Row>, RunError> {
        let mut tables = Vec::new();
        let authority = self.authority();
        for object in self.session.objects(self.database, None)? {
            let is_shown = self.of_whom == Whom::Session || object.persistence != Persistence::Temporary;
            if object.kind == ObjectKind::Table && is_shown && authority.sees(object.as_ref())? {
                tables.push(object);
            }
        }
        let described: Vec<&ObjectDescription> = tables.iter().map(AsRef::as_ref).collect();
        let sizes = self.services.table_sizes.of_tables(self.session, &self.services.changes, &described)?;
        let row = |(table, size): (&Arc<ObjectDescription>, Option<TableSize>)| {
            let size = size?;
            let (schema, name) = (table.name.schema().to_owned(), table.name.name.clone());
            let bytes = size.bytes.map(|bytes| bytes.to_string());
            Some(vec![Some(schema), Some(name), Some(size.rows.to_string()), bytes])
        };
        Ok(tables.iter().zip(sizes).filter_map(row).collect())
    }

    pub fn file_formats(&self) -> Result<Vec<Row>, RunError> {
        const OPTIONS: [&str; 14] = [
            "RECORD_DELIMITER",
            "FIELD_DELIMITER",
            "SKIP_HEADER",
            "DATE_FORMAT",
            "TIME_FORMAT",
            "TIMESTAMP_FORMAT",
            "BINARY_FORMAT",
            "ESCAPE",
            "ESCAPE_UNENCLOSED_FIELD",
            "TRIM_SPACE",
            "FIELD_OPTIONALLY_ENCLOSED_BY",
            "NULL_IF",
            "COMPRESSION",
            "ERROR_ON_COLUMN_COUNT_MISMATCH",
        ];
        let mut rows = Vec::new();
        let authority = self.authority();
        for format in self.session.file_formats(self.database, None)? {
            if !authority.sees(Secured::file_format(&format))? {
                continue;
            }
            let options = FileFormat::of(&format.options)?;
            let properties = described(&options);
            let value =
                |name: &&str| properties.iter().find(|option| option.name == *name).map(|option| option.value.clone());
            let mut row = vec![
                Some(format.name.schema().to_owned()),
                Some(format.name.name.clone()),
                Some(format.owner),
                Some(options.format_type().name().to_owned()),
            ];
            row.extend(OPTIONS.iter().map(value));
            row.extend([Some(format.created_on_ms.to_string()), format.comment]);
            rows.push(row);
        }
        Ok(rows)
    }

    pub fn routines(&self, kind: RoutineKind) -> Result<Vec<Row>, RunError> {
        let mut rows = Vec::new();
        let authority = self.authority();
        for mut found in self.session.routines(self.database)? {
            if found.routine.kind == kind && authority.sees(Secured::routine(&found))? {
                hide_body(&mut found, &self.state.role);
                rows.push(routine_row(found));
            }
        }
        Ok(rows)
    }
}

fn routine_row(found: RoutineDescription) -> Row {
    let routine = found.routine;
    let parameter = |parameter: &Parameter| format!("{} {}", parameter.name, type_word(&parameter.data_type));
    let parameters: Vec<String> = routine.parameters.iter().map(parameter).collect();
    let data_type = match &routine.returns {
        Returns::Value(data_type) => type_word(data_type).to_owned(),
        Returns::Table(columns) => {
            let columns = columns.iter().map(|(name, data_type)| format!("{name} {}", type_word(data_type)));
            format!("TABLE ({})", columns.collect::<Vec<_>>().join(", "))
        }
    };
    let [length, octets, precision, radix, scale] = measures(&routine.returns);
    let yes_no = if routine.secure { "YES" } else { "NO" };
    vec![
        Some(routine.name.schema().to_owned()),
        Some(routine.name.name.clone()),
        Some(found.owner),
        Some(format!("({})", parameters.join(", "))),
        Some(data_type),
        length,
        octets,
        precision,
        radix,
        scale,
        Some(routine.body),
        Some(found.created_on_ms.to_string()),
        routine.comment,
        Some(yes_no.to_owned()),
    ]
}

/// The length in characters and bytes of a text, or the precision, radix and scale of a number.
fn measures(returns: &Returns) -> [Option<String>; 5] {
    const LONGEST: u64 = 16_777_216;
    let some = |number: u64| Some(number.to_string());
    match returns {
        Returns::Value(DataType::Varchar { length }) => {
            let length = length.unwrap_or(LONGEST);
            [some(length), some((length * 4).min(LONGEST)), None, None, None]
        }
        Returns::Value(DataType::Number { precision, scale }) => {
            [None, None, some((*precision).into()), some(10), some((*scale).into())]
        }
        Returns::Value(DataType::Integer) => [None, None, some(38), some(10), some(0)],
        _ => [None, None, None, None, None],
    }
}
