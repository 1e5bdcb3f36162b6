//! What the databases hold as rows.

use std::collections::HashMap;

use firn_catalog::DatabaseRecord;
use firn_engine::{ColumnDescription, ObjectDescription, RoutineDescription, Session};
use firn_sql::command::{ConstraintKind, DataType, ObjectKind, Persistence};
use firn_sql::file_formats::FileFormat;
use firn_sql::names::quote_identifier;
use firn_sql::routines::{Returns, RoutineKind, type_word};
use firn_sql::secrets_in_text;
use serde_json::json;

use super::account_objects::{Granted, privilege};
use super::definitions::RECORDS;
use super::record_sql::{self, instant};
use super::record_sql::{Existing, Row, text};
use crate::authorise::within;
use crate::constraint_names::constraint_name;
use crate::grants::named_within;
use crate::run_error::RunError;
use crate::services::Services;
use firn_sql::privileges::SecurableKind;

pub const TABLES: [&str; 11] = [
    "DATABASES",
    "SCHEMATA",
    "TABLES",
    "COLUMNS",
    "STAGES",
    "ROUTINES",
    "SEQUENCES",
    "FILE_FORMATS",
    "TABLE_CONSTRAINTS",
    "GRANTS_TO_ROLES",
    "LOADS",
];

/// What a database holds.
pub struct Held {
    pub all: Vec<Existing>,
    /// Something in it has tags or policies, or is one.
    pub is_governed: bool,
}

/// The rows of all tables while they are collected.
struct Collected<'a> {
    database: &'a DatabaseRecord,
    schemas: HashMap<String, i64>,
    is_governed: bool,
    by_table: &'a mut HashMap<&'static str, Vec<(String, Row)>>,
}

pub fn existing(services: &Services, session: &mut dyn Session, database: &DatabaseRecord) -> Result<Held, RunError> {
    let mut by_table: HashMap<&'static str, Vec<(String, Row)>> = HashMap::new();
    let schemas = session.schemas(&database.name)?;
    let is_governed = schemas.iter().any(|schema| !schema.tags.is_empty());
    let schemas = schemas.into_iter().map(|schema| (schema.name, schema.id)).collect();
    let mut collected = Collected { database, schemas, is_governed, by_table: &mut by_table };
    collected.containers(session)?;
    collected.objects(services, session)?;
    collected.stages(session)?;
    collected.routines(session)?;
    if services.catalog.has_grants_within(database.id) {
        collected.grants(services, session)?;
    }
    collected.loads(session)?;
    let is_governed = collected.is_governed;
    let all = TABLES.map(|table| Existing { table, objects: by_table.remove(table).unwrap_or_default() }).into();
    Ok(Held { all, is_governed })
}

impl Collected<'_> {
    fn add(&mut self, table: &'static str, identity: impl std::fmt::Display, cells: Row) {
        self.by_table.entry(table).or_default().push((identity.to_string(), cells));
    }

    fn schema_id(&self, schema: &str) -> Option<String> {
        self.schemas.get(schema).map(i64::to_string)
    }

    /// Schema id, schema, database id, database.
    fn place(&self, schema: &str) -> [Option<String>; 4] {
        [self.schema_id(schema), text(schema), Some(self.database.id.to_string()), text(&self.database.name)]
    }

    fn containers(&mut self, session: &dyn Session) -> Result<(), RunError> {
        let database = self.database;
        let kind = if database.is_own() { "APPLICATION" } else { "STANDARD" };
        let cells = vec![
            Some(database.id.to_string()),
            text(&database.name),
            text(&database.owner),
            database.comment.clone(),
            Some(instant(database.created_on_ms)),
            Some(session.retention_days(&database.name, "")?.to_string()),
            text(kind),
        ];
        self.add("DATABASES", database.id, cells);
        for schema in session.schemas(&database.name)? {
            if database.is_own() && schema.name == RECORDS {
                continue;
            }
            let yes_no = |value: bool| text(if value { "YES" } else { "NO" });
            let cells = vec![
                Some(schema.id.to_string()),
                text(&schema.name),
                Some(database.id.to_string()),
                text(&database.name),
                text(&schema.owner),
                Some(session.retention_days(&database.name, &schema.name)?.to_string()),
                yes_no(schema.options.transient),
                yes_no(schema.options.managed_access),
                schema.comment.clone(),
                Some(instant(schema.created_on_ms)),
            ];
            self.add("SCHEMATA", format!("{}.{}", database.id, schema.id), cells);
        }
        Ok(())
    }

    fn objects(&mut self, services: &Services, session: &dyn Session) -> Result<(), RunError> {
        let objects = session.objects(&self.database.name, None)?;
        let is_shown = |object: &&std::sync::Arc<ObjectDescription>| {
            !self.database.is_own() && object.persistence != Persistence::Temporary
        };
        let shown: Vec<_> = objects.iter().filter(is_shown).collect();
        let tables: Vec<&ObjectDescription> =
            shown.iter().filter(|object| object.kind == ObjectKind::Table).map(|object| object.as_ref()).collect();
        let counts = services.table_sizes.of_tables(session, &services.changes, &tables)?;
        let counted = tables.iter().zip(counts).filter_map(|(table, count)| Some((table.id, count?.rows)));
        let counts: HashMap<i64, u64> = counted.collect();
        for object in shown {
            let governed = &object.options.policies;
            let has_tags = !governed.tags.is_empty() || !governed.column_tags.is_empty();
            self.is_governed |= has_tags || !governed.is_empty();
            match object.kind {
                ObjectKind::Sequence => self.sequence(object),
                _ => self.relation(object, counts.get(&object.id).copied()),
            }
        }
        Ok(())
    }

    fn relation(&mut self, object: &ObjectDescription, rows: Option<u64>) {
        let id = format!("{}.{}", self.database.id, object.id);
        let is_view = object.kind == ObjectKind::View;
        let mut cells = vec![Some(object.id.to_string()), text(&object.name.name)];
        cells.extend(self.place(object.name.schema()));
        cells.extend([
            text(&object.owner),
            text(if is_view { "VIEW" } else { "BASE TABLE" }),
            text(if object.persistence == Persistence::Transient { "YES" } else { "NO" }),
            object.options.cluster_by.clone(),
            rows.map(|rows| rows.to_string()),
            Some(instant(object.created_on_ms)),
            object.comment.clone(),
            object.view_text.clone().filter(|_| is_view && !object.options.secure),
            text(if object.options.secure { "YES" } else { "NO" }),
        ]);
        self.add("TABLES", &id, cells);
        for (position, column) in object.columns.iter().enumerate() {
            let cells = self.column(object, position + 1, column);
            self.add("COLUMNS", format!("{id} {}", column.id), cells);
        }
        for constraint in &object.constraints {
            let name = constraint_name(object, constraint);
            let (kind, referenced) = match &constraint.kind {
                ConstraintKind::PrimaryKey => ("PRIMARY KEY", None),
                ConstraintKind::Unique => ("UNIQUE", None),
                ConstraintKind::ForeignKey { table, .. } => ("FOREIGN KEY", Some(table)),
            };
            let mut cells = vec![text(&name), Some(object.id.to_string()), text(&object.name.name)];
            cells.extend(self.place(object.name.schema()));
            cells.extend([
                text(kind),
                referenced.map(|table| table.database().to_owned()),
                referenced.map(|table| table.schema().to_owned()),
                referenced.map(|table| table.name.clone()),
                Some(instant(object.created_on_ms)),
            ]);
            self.add("TABLE_CONSTRAINTS", format!("{id} {name}"), cells);
        }
    }

    fn column(&self, object: &ObjectDescription, position: usize, column: &ColumnDescription) -> Row {
        let [length, precision, scale, of_time] = measures(&column.data_type);
        let numbering = column.autoincrement;
        let mut cells = vec![text(&column.name), Some(object.id.to_string()), text(&object.name.name)];
        cells.extend(self.place(object.name.schema()));
        cells.extend([
            Some(position.to_string()),
            column.default.clone(),
            text(if column.not_null { "NO" } else { "YES" }),
            text(column_type(&column.data_type)),
            length,
            precision,
            scale,
            of_time,
            column.collation.clone(),
            text(if numbering.is_some() { "YES" } else { "NO" }),
            numbering.map(|numbering| numbering.start.to_string()),
            numbering.map(|numbering| numbering.increment.to_string()),
            column.comment.clone(),
            Some(column.id.to_string()),
        ]);
        cells
    }

    fn sequence(&mut self, object: &ObjectDescription) {
        let mut cells = vec![Some(object.id.to_string()), text(&object.name.name)];
        cells.extend(self.place(object.name.schema()));
        cells.extend([
            text(&object.owner),
            object.sequence.map(|numbering| numbering.start.to_string()),
            object.sequence.map(|numbering| numbering.increment.to_string()),
            object.comment.clone(),
            Some(instant(object.created_on_ms)),
        ]);
        self.add("SEQUENCES", format!("{}.{}", self.database.id, object.id), cells);
    }

    fn stages(&mut self, session: &dyn Session) -> Result<(), RunError> {
        for stage in session.stages(&self.database.name, None)? {
            if stage.persistence == Persistence::Temporary {
                continue;
            }
            let url = stage.definition.external.as_ref().map(|external| external.url.to_string());
            let kind = if url.is_some() { "External Named" } else { "Internal Named" };
            let mut cells = vec![Some(stage.id.to_string()), text(&stage.name.name)];
            cells.extend(self.place(stage.name.schema()));
            cells.extend([url, text(kind), text(&stage.owner), stage.comment, Some(instant(stage.created_on_ms))]);
            self.add("STAGES", format!("{}.{}", self.database.id, stage.id), cells);
        }
        for format in session.file_formats(&self.database.name, None)? {
            let kind = FileFormat::of(&format.options)?.format_type().name().to_owned();
            let mut cells = vec![Some(format.id.to_string()), text(&format.name.name)];
            cells.extend(self.place(format.name.schema()));
            cells.extend([text(&format.owner), Some(kind), format.comment, Some(instant(format.created_on_ms))]);
            self.add("FILE_FORMATS", format!("{}.{}", self.database.id, format.id), cells);
        }
        Ok(())
    }

    fn routines(&mut self, session: &dyn Session) -> Result<(), RunError> {
        for RoutineDescription { id, routine, owner, created_on_ms } in session.routines(&self.database.name)? {
            self.is_governed |= routine.kind.is_policy() || routine.kind == RoutineKind::Tag;
            let parameters = routine.parameters.iter();
            let parameters: Vec<String> =
                parameters.map(|found| format!("{} {}", found.name, type_word(&found.data_type))).collect();
            let returns = match &routine.returns {
                Returns::Value(data_type) => type_word(data_type).to_owned(),
                Returns::Table(_) => "TABLE".to_owned(),
            };
            let definition = match routine.kind {
                RoutineKind::Tag if routine.tag.allowed_values.is_empty() => None,
                RoutineKind::Tag => Some(json!(routine.tag.allowed_values).to_string()),
                _ => (!routine.hides_body()).then(|| secrets_in_text::hidden(&routine.body).into_owned()),
            };
            let kind = routine.kind.word().replace(' ', "_");
            let mut cells = vec![Some(kind), Some(id.to_string()), text(&routine.name.name)];
            cells.extend(self.place(routine.name.schema()));
            cells.extend([
                Some(owner),
                Some(format!("({})", parameters.join(", "))),
                Some(returns),
                text("SQL"),
                definition,
                routine.comment,
                Some(instant(created_on_ms)),
            ]);
            self.add("ROUTINES", format!("{}.{id}", self.database.id), cells);
        }
        Ok(())
    }

    /// The files that COPY has loaded; what the engine forgets later stays recorded.
    fn loads(&mut self, session: &mut dyn Session) -> Result<(), RunError> {
        const TIME: usize = 2;
        let sql = format!(
            "SELECT FILE_NAME, STAGE_LOCATION, DATE_PART('epoch_millisecond', LAST_LOAD_TIME), ROW_COUNT, ROW_PARSED, \
             FILE_SIZE, FIRST_ERROR_MESSAGE, FIRST_ERROR_LINE_NUMBER, FIRST_ERROR_CHARACTER_POS, FIRST_ERROR_COLUMN_NAME, \
             ERROR_COUNT, ERROR_LIMIT, STATUS, TABLE_NAME, TABLE_SCHEMA_NAME, TABLE_CATALOG_NAME \
             FROM {}.INFORMATION_SCHEMA.COPY_HISTORY",
            quote_identifier(&self.database.name)
        );
        for mut cells in record_sql::rows(session, &sql)? {
            let identity = format!("{cells:?}");
            let loaded_on_ms = cells.get(TIME).and_then(|cell| cell.as_deref()).and_then(|cell| cell.parse().ok());
            if let Some(cell) = cells.get_mut(TIME) {
                *cell = loaded_on_ms.map(instant);
            }
            self.add("LOADS", identity, cells);
        }
        Ok(())
    }

    /// The privileges on schemas and on what is in them.
    fn grants(&mut self, services: &Services, session: &dyn Session) -> Result<(), RunError> {
        let (catalog, database) = (&services.catalog, self.database);
        let mut found = Vec::new();
        for schema in session.schemas(&database.name)? {
            let on = Granted { kind: "SCHEMA", name: &schema.name, database: Some(&database.name), schema: None };
            let granted = catalog.grants_on(&within(SecurableKind::Schema, database, schema.id));
            found.extend(granted.iter().map(|grant| privilege(catalog, grant, &on)));
        }
        for named in named_within(services, session, database)?.into_values() {
            let kind = named.kind.label();
            let on = Granted {
                kind: &kind,
                name: &named.name.name,
                database: Some(&database.name),
                schema: Some(named.name.schema()),
            };
            let granted = catalog.grants_on(&within(named.kind, database, named.id));
            found.extend(granted.iter().map(|grant| privilege(catalog, grant, &on)));
        }
        self.by_table.entry("GRANTS_TO_ROLES").or_default().extend(found);
        Ok(())
    }
}

fn column_type(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Varchar { .. } => "TEXT",
        other => type_word(other),
    }
}

/// Length, precision, scale, and precision of times.
fn measures(data_type: &DataType) -> [Option<String>; 4] {
    const LONGEST: u64 = 16_777_216;
    let some = |number: u64| Some(number.to_string());
    match data_type {
        DataType::Varchar { length } => [some(length.unwrap_or(LONGEST)), None, None, None],
        DataType::Number { precision, scale } => [None, some((*precision).into()), some((*scale).into()), None],
        DataType::Integer => [None, some(38), some(0), None],
        DataType::Time { scale }
        | DataType::TimestampNtz { scale }
        | DataType::TimestampLtz { scale }
        | DataType::TimestampTz { scale } => [None, None, None, some((*scale).into())],
        _ => [None, None, None, None],
    }
}
