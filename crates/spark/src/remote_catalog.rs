//! What a catalog on a cluster holds, as descriptions of the dialect. Names are in upper case; of names that differ in letter case
//! only, the first one counts. Nothing is remembered beyond a statement: others change the same tables.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use firn_arrow::{ForeignColumn, ForeignReader, ForeignType};
use firn_engine::{ColumnDescription, EngineError, ObjectDescription, ObjectOptions, SchemaDescription};
use firn_sql::ObjectName;
use firn_sql::command::{ObjectKind, Persistence, SchemaOptions};

use crate::clusters::LinkTarget;
use crate::connect::{Cluster, Control, Operation};
use crate::lower::{RemoteTable, quoted};
use crate::types::column_type;

/// A database whose tables are on a cluster.
#[derive(Clone, Debug)]
pub struct LinkedDatabase {
    pub name: String,
    pub owner: String,
    pub created_on_ms: i64,
    pub target: LinkTarget,
}

/// How many tables are described at a time.
const DESCRIBED_AT_ONCE: usize = 16;

/// What a statement has looked up.
#[derive(Default)]
pub(crate) struct RemoteCatalog {
    /// The names of schemas by the name of the database, and of tables by the names of the database and the schema: in the
    /// dialect and on the cluster.
    names: Mutex<HashMap<Place, Arc<Names>>>,
    tables: Mutex<HashMap<ObjectName, Option<Described>>>,
}

type Names = Vec<(String, String)>;

/// A database, or a schema of it.
type Place = (String, Option<String>);

#[derive(Clone)]
pub(crate) struct Described {
    pub(crate) object: Arc<ObjectDescription>,
    pub(crate) remote: Arc<RemoteTable>,
}

/// Whom a look-up asks.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) database: &'a LinkedDatabase,
    pub(crate) cluster: &'a Cluster,
    pub(crate) control: &'a Control,
}

impl RemoteCatalog {
    pub(crate) fn forget(&self) {
        locked(&self.names).clear();
        locked(&self.tables).clear();
    }

    pub(crate) fn schemas(&self, asked: Asked<'_>) -> Result<Vec<SchemaDescription>, EngineError> {
        let database = asked.database;
        let describe = |(name, _): &(String, String)| SchemaDescription {
            id: id_of(&[name]),
            database: database.name.clone(),
            name: name.clone(),
            owner: database.owner.clone(),
            comment: None,
            created_on_ms: database.created_on_ms,
            options: SchemaOptions::default(),
            tags: Vec::new(),
        };
        Ok(self.schema_names(asked)?.iter().map(describe).collect())
    }

    pub(crate) fn objects(
        &self,
        asked: Asked<'_>,
        schema: Option<&str>,
    ) -> Result<Vec<Arc<ObjectDescription>>, EngineError> {
        let mut names = Vec::new();
        for (name, remote) in
            self.schema_names(asked)?.iter().filter(|(name, _)| schema.is_none_or(|schema| schema == name))
        {
            let tables = self.table_names(asked, name, remote)?;
            let full = |(table, own): &(String, String)| {
                (ObjectName::qualified(&asked.database.name, name, table), vec![remote.clone(), own.clone()])
            };
            names.extend(tables.iter().map(full));
        }
        let mut found = Vec::new();
        for some in names.chunks(DESCRIBED_AT_ONCE) {
            let begun = some.iter().map(|(name, path)| Ok((name, path, begin_description(asked, path)?)));
            let begun: Vec<_> = begun.collect::<Result<_, EngineError>>()?;
            for (name, path, operation) in begun {
                match described(asked.database, name, path, operation) {
                    Ok(described) => {
                        found.push(described.object.clone());
                        locked(&self.tables).insert(name.clone(), Some(described));
                    }
                    Err(EngineError::Interrupted) => return Err(EngineError::Interrupted),
                    // One that the cluster cannot read itself, or that is gone.
                    Err(error) => tracing::debug!(%error, "a table of a cluster cannot be described"),
                }
            }
        }
        Ok(found)
    }

    pub(crate) fn table(&self, asked: Asked<'_>, name: &ObjectName) -> Result<Option<Described>, EngineError> {
        if let Some(known) = locked(&self.tables).get(name) {
            return Ok(known.clone());
        }
        let found = self.look_up(asked, name)?;
        locked(&self.tables).insert(name.clone(), found.clone());
        Ok(found)
    }

    fn look_up(&self, asked: Asked<'_>, name: &ObjectName) -> Result<Option<Described>, EngineError> {
        let schemas = self.schema_names(asked)?;
        let Some((_, schema)) = schemas.iter().find(|(schema, _)| schema == name.schema()) else { return Ok(None) };
        let tables = self.table_names(asked, name.schema(), schema)?;
        let Some((_, table)) = tables.iter().find(|(table, _)| *table == name.name) else { return Ok(None) };
        let path = vec![schema.clone(), table.clone()];
        described(asked.database, name, &path, begin_description(asked, &path)?).map(Some)
    }

    fn schema_names(&self, asked: Asked<'_>) -> Result<Arc<Names>, EngineError> {
        let sql = format!("SHOW SCHEMAS IN {}", quoted(&asked.database.target.catalog));
        self.named(asked, None, &sql, 0)
    }

    fn table_names(&self, asked: Asked<'_>, schema: &str, remote: &str) -> Result<Arc<Names>, EngineError> {
        let sql = format!("SHOW TABLES IN {}.{}", quoted(&asked.database.target.catalog), quoted(remote));
        self.named(asked, Some(schema), &sql, 1)
    }

    /// The names in a column of what a statement shows.
    fn named(
        &self,
        asked: Asked<'_>,
        schema: Option<&str>,
        sql: &str,
        column: usize,
    ) -> Result<Arc<Names>, EngineError> {
        let key = (asked.database.name.clone(), schema.map(str::to_owned));
        if let Some(known) = locked(&self.names).get(&key) {
            return Ok(known.clone());
        }
        let rows = texts(asked.cluster.query(sql, "UTC", asked.control)?)?;
        let mut own: Vec<String> = rows.into_iter().filter_map(|mut row| row.get_mut(column)?.take()).collect();
        own.sort_unstable();
        let mut names = Names::new();
        for name in own {
            let shown = name.to_uppercase();
            if !names.iter().any(|(known, _)| *known == shown) {
                names.push((shown, name));
            }
        }
        let names = Arc::new(names);
        locked(&self.names).insert(key, names.clone());
        Ok(names)
    }
}

fn begin_description(asked: Asked<'_>, path: &[String]) -> Result<Operation, EngineError> {
    let path: Vec<String> = path.iter().map(|part| quoted(part)).collect();
    let sql = format!("DESCRIBE TABLE {}.{}", quoted(&asked.database.target.catalog), path.join("."));
    Ok(asked.cluster.query(&sql, "UTC", asked.control)?)
}

fn described(
    database: &LinkedDatabase,
    name: &ObjectName,
    path: &[String],
    operation: Operation,
) -> Result<Described, EngineError> {
    let mut columns = Vec::new();
    let mut own = Vec::new();
    for row in texts(operation)? {
        let [Some(column), Some(shown_type), ..] = &row[..] else { break };
        // What follows describes partitions.
        if column.is_empty() || column.starts_with('#') {
            break;
        }
        let column_type = column_type(shown_type);
        let shown = column.to_uppercase();
        own.push((shown.clone(), column.clone(), column_type.reading));
        columns.push(ColumnDescription {
            id: columns.len() as i64 + 1,
            name: shown,
            data_type: column_type.data_type,
            not_null: false,
            default: None,
            autoincrement: None,
            comment: row.get(2).cloned().flatten().filter(|comment| !comment.is_empty()),
            collation: None,
        });
    }
    let object = ObjectDescription {
        id: id_of(&[name.schema(), &name.name]),
        name: name.clone(),
        kind: ObjectKind::Table,
        owner: database.owner.clone(),
        comment: None,
        created_on_ms: database.created_on_ms,
        persistence: Persistence::Permanent,
        columns,
        constraints: Vec::new(),
        view_text: None,
        view_query: None,
        sequence: None,
        options: ObjectOptions::default(),
    };
    let path = [database.target.catalog.clone()].into_iter().chain(path.iter().cloned()).collect();
    Ok(Described { object: Arc::new(object), remote: Arc::new(RemoteTable { path, columns: own }) })
}

/// The rows of a short result whose columns are texts; other values are absent.
pub(crate) fn texts(mut operation: Operation) -> Result<Vec<Vec<Option<String>>>, EngineError> {
    let unreadable =
        |error: std::io::Error| EngineError::Internal(format!("the cluster's list cannot be read: {error}"));
    let mut rows = Vec::new();
    while let Some(stream) = operation.next()? {
        let mut reader = ForeignReader::new(stream.into()).map_err(unreadable)?;
        while let Some(batch) = reader.next_batch().map_err(unreadable)? {
            let columns = batch.columns().map_err(unreadable)?;
            let text = |column: &ForeignColumn<'_>, row: usize| {
                let is_text = column.field.data_type == ForeignType::Text && !column.is_null(row);
                is_text.then(|| String::from_utf8_lossy(column.bytes(row)).into_owned())
            };
            rows.extend((0..batch.rows()).map(|row| columns.iter().map(|column| text(column, row)).collect()));
        }
    }
    Ok(rows)
}

/// Privileges are stored for ids. Of a table that others make and drop only its name lasts, so the id is made of that.
fn id_of(names: &[&str]) -> i64 {
    // FNV-1a, which is the same in every version.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in names.join("\u{0}").bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (hash >> 1).cast_signed().max(1)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
