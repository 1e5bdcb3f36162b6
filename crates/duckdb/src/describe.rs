//! Descriptions of objects, read from the side tables and cached until DDL changes them. Every statement looks up every
//! table it names, so a cached description saves a query.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use firn_duckdb_lower::information_schema::NEXT_VALUE;
use firn_duckdb_lower::types;
use firn_engine::{ColumnDescription, EngineError, ObjectDescription, SchemaDescription};
use firn_sql::ObjectName;
use firn_sql::command::{Autoincrement, DataType, SchemaOptions};

use super::connection::Connection;
use super::side_tables::{ColumnRecord, StoredObject, read_kind, read_persistence, side_table, text};
use super::{constraints, side_tables};

pub(crate) use firn_duckdb_lower::lookup::Lookup;

/// In the order of the side table.
const OBJECT_FIELDS: &str = "schema_name, name, kind, owner, comment, created_on_ms, persistence, constraints, view_text, \
                             view_query, sequence_start, sequence_increment, options, id";

/// In the order of the side table.
const COLUMN_FIELDS: &str = "schema_name, table_name, position, name, declared_type, not_null, default_text, \
                             autoincrement_start, autoincrement_increment, sequence_name, comment, collation_name, id";

/// Of a side table.
pub(crate) type Row = Vec<Option<String>>;

/// Reads the side tables without the cache: for work on databases outside of sessions.
impl Lookup for Connection {
    fn find(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        Ok(read_attached(self, name)?.map(|stored| Arc::new(stored.described())))
    }

    fn find_view(&self, name: &ObjectName) -> Result<Option<StoredObject>, EngineError> {
        Ok(read_attached(self, name)?.filter(|stored| stored.view_query.is_some()))
    }
}

fn read_attached(connection: &Connection, name: &ObjectName) -> Result<Option<StoredObject>, EngineError> {
    let sql =
        format!("SELECT 1 FROM duckdb_databases() WHERE NOT internal AND database_name = {}", text(name.database()));
    if connection.rows(&sql)?.is_empty() { Ok(None) } else { read_object(connection, name) }
}

/// The size of the negative cache of each database: names of objects that do not exist.
const MISSING_MAX: usize = 1_000;

#[derive(Default)]
pub(crate) struct CatalogCache {
    databases: Mutex<HashMap<String, Remembered>>,
}

#[derive(Default)]
struct Remembered {
    /// Grows with every change, so that what was read before a change is not cached after it.
    epoch: u64,
    objects: HashMap<(String, String), Option<Arc<ObjectDescription>>>,
    /// How many of the objects are known not to exist.
    missing: usize,
    schemas: Option<Arc<Vec<SchemaDescription>>>,
    id: Option<i64>,
    listing: Option<Listing>,
}

/// The key of an object: its schema and name.
type Key = (String, String);

/// Every object of a database, in the order of names.
struct Listing {
    objects: Arc<Vec<Arc<ObjectDescription>>>,
    /// What has changed since, and is to be looked up again.
    changed: HashSet<Key>,
}

/// Past this number of changes, all objects are read again instead of one by one.
const CHANGED_MAX: usize = 50;

impl Remembered {
    /// Past the limit, the negative cache is cleared.
    fn insert(&mut self, key: (String, String), found: Option<Arc<ObjectDescription>>, missing_max: usize) {
        self.remove(&key);
        if found.is_none() {
            if self.missing >= missing_max {
                self.objects.retain(|_, known| known.is_some());
                self.missing = 0;
            }
            self.missing += 1;
        }
        self.objects.insert(key, found);
    }

    fn remove(&mut self, key: &(String, String)) {
        if matches!(self.objects.remove(key), Some(None)) {
            self.missing -= 1;
        }
    }
}

impl CatalogCache {
    pub(crate) fn object(
        &self,
        connection: &Connection,
        name: &ObjectName,
    ) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        let key = (name.schema().to_owned(), name.name.clone());
        let epoch = {
            let mut databases = self.databases();
            let remembered = databases.entry(name.database().to_owned()).or_default();
            if let Some(known) = remembered.objects.get(&key) {
                return Ok(known.clone());
            }
            remembered.epoch
        };
        let found = read_object(connection, name)?.map(|object| Arc::new(object.described()));
        self.remember(name.database(), epoch, |remembered| {
            remembered.insert(key, found.clone(), MISSING_MAX);
        });
        Ok(found)
    }

    /// Every object of a database, in the order of names; sequences with their first values.
    pub(crate) fn objects(
        &self,
        connection: &Connection,
        database: &str,
    ) -> Result<Arc<Vec<Arc<ObjectDescription>>>, EngineError> {
        let (epoch, listed) = {
            let mut databases = self.databases();
            let remembered = databases.entry(database.to_owned()).or_default();
            let listed = remembered.listing.as_ref().map(|listing| (listing.objects.clone(), listing.changed.clone()));
            (remembered.epoch, listed)
        };
        let objects = match listed {
            Some((objects, changed)) if changed.is_empty() => return Ok(objects),
            Some((objects, changed)) if changed.len() <= CHANGED_MAX => {
                self.with_changes(connection, database, &objects, changed)?
            }
            _ => {
                let stored = read_stored(connection, database, None)?;
                stored.iter().map(|object| Arc::new(object.described())).collect()
            }
        };
        let objects = Arc::new(objects);
        self.remember(database, epoch, |remembered| {
            remembered.listing = Some(Listing { objects: objects.clone(), changed: HashSet::new() });
        });
        Ok(objects)
    }

    fn with_changes(
        &self,
        connection: &Connection,
        database: &str,
        before: &[Arc<ObjectDescription>],
        changed: HashSet<Key>,
    ) -> Result<Vec<Arc<ObjectDescription>>, EngineError> {
        let changed: HashSet<ObjectName> =
            changed.iter().map(|(schema, name)| ObjectName::qualified(database, schema, name)).collect();
        let mut objects: Vec<Arc<ObjectDescription>> =
            before.iter().filter(|object| !changed.contains(&object.name)).cloned().collect();
        for name in &changed {
            objects.extend(self.object(connection, name)?);
        }
        objects.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(objects)
    }

    /// What is cached of an object, or of its absence.
    pub(crate) fn known(&self, name: &ObjectName) -> Option<Option<Arc<ObjectDescription>>> {
        let key = (name.schema().to_owned(), name.name.clone());
        self.databases().get(name.database())?.objects.get(&key).cloned()
    }

    pub(crate) fn schemas(
        &self,
        connection: &Connection,
        database: &str,
    ) -> Result<Arc<Vec<SchemaDescription>>, EngineError> {
        let epoch = {
            let mut databases = self.databases();
            let remembered = databases.entry(database.to_owned()).or_default();
            if let Some(known) = &remembered.schemas {
                return Ok(known.clone());
            }
            remembered.epoch
        };
        let found = Arc::new(read_schemas(connection, database)?);
        self.remember(database, epoch, |remembered| remembered.schemas = Some(found.clone()));
        Ok(found)
    }

    /// The id of the database that has the name.
    pub(crate) fn database_id(&self, connection: &Connection, database: &str) -> Result<i64, EngineError> {
        let epoch = {
            let mut databases = self.databases();
            let remembered = databases.entry(database.to_owned()).or_default();
            if let Some(known) = remembered.id {
                return Ok(known);
            }
            remembered.epoch
        };
        let ids = side_tables::read_ids(connection, database)?;
        let Some((id, _)) = ids.into_iter().next() else {
            return Err(EngineError::Internal(format!("the database {database} has no id")));
        };
        self.remember(database, epoch, |remembered| remembered.id = Some(id));
        Ok(id)
    }

    /// Caches what a committed DDL command has written and still holds the locks of.
    pub(crate) fn publish(&self, written: impl IntoIterator<Item = ObjectDescription>) {
        let mut databases = self.databases();
        for object in written {
            let remembered = databases.entry(object.name.database().to_owned()).or_default();
            let key = (object.name.schema().to_owned(), object.name.name.clone());
            remembered.insert(key, Some(Arc::new(object)), MISSING_MAX);
        }
    }

    /// Forgets the objects a committed DDL command changed.
    pub(crate) fn forget_objects<'names>(&self, names: impl IntoIterator<Item = &'names ObjectName>) {
        let mut databases = self.databases();
        for name in names {
            if let Some(remembered) = databases.get_mut(name.database()) {
                let key = (name.schema().to_owned(), name.name.clone());
                remembered.epoch += 1;
                remembered.remove(&key);
                if let Some(listing) = &mut remembered.listing {
                    listing.changed.insert(key);
                }
            }
        }
    }

    pub(crate) fn forget_database(&self, database: &str) {
        if let Some(remembered) = self.databases().get_mut(database) {
            remembered.epoch += 1;
            remembered.objects.clear();
            remembered.missing = 0;
            remembered.schemas = None;
            remembered.id = None;
            remembered.listing = None;
        }
    }

    fn remember(&self, database: &str, epoch: u64, store: impl FnOnce(&mut Remembered)) {
        if let Some(remembered) = self.databases().get_mut(database)
            && remembered.epoch == epoch
        {
            store(remembered);
        }
    }

    fn databases(&self) -> MutexGuard<'_, HashMap<String, Remembered>> {
        self.databases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An object and all that is stored about it.
pub(crate) fn read_object(connection: &Connection, name: &ObjectName) -> Result<Option<StoredObject>, EngineError> {
    let objects = connection.rows(&format!(
        "SELECT {OBJECT_FIELDS} FROM {} WHERE schema_name = {} AND name = {}",
        side_table(name.database(), "objects"),
        text(name.schema()),
        text(&name.name)
    ))?;
    let Some(object) = objects.first() else { return Ok(None) };
    let columns = connection.rows(&format!(
        "SELECT {COLUMN_FIELDS} FROM {} WHERE schema_name = {} AND table_name = {} ORDER BY position",
        side_table(name.database(), "columns"),
        text(name.schema()),
        text(&name.name)
    ))?;
    Ok(Some(stored_object(name.database(), object, &columns)))
}

/// An object by its rows in the side tables.
pub(crate) fn stored_object(database: &str, object: &Row, columns: &[Row]) -> StoredObject {
    StoredObject {
        description: object_of(database, object),
        columns: columns.iter().map(column_of).collect(),
        view_query: object[9].clone(),
    }
}

pub(crate) fn read_schemas(connection: &Connection, database: &str) -> Result<Vec<SchemaDescription>, EngineError> {
    let rows = connection.rows(&format!(
        "SELECT name, owner, comment, created_on_ms, transient, managed_access, id, tags FROM {} \
         LEFT JOIN {} ON schema_name = name ORDER BY name",
        side_table(database, "schemas"),
        side_table(database, "schema_options")
    ))?;
    let is_true = |cell: &Option<String>| cell.as_deref() == Some("true");
    Ok(rows
        .iter()
        .map(|row| SchemaDescription {
            id: number(row, 6).unwrap_or_default(),
            database: database.to_owned(),
            name: field(row, 0),
            owner: field(row, 1),
            comment: row[2].clone(),
            created_on_ms: number(row, 3).unwrap_or_default(),
            options: SchemaOptions { transient: is_true(&row[4]), managed_access: is_true(&row[5]) },
            tags: side_tables::read_tags(&serde_json::from_str(row[7].as_deref().unwrap_or("[]")).unwrap_or_default()),
        })
        .collect())
}

/// Every object of a database or of one schema with all that is stored about it.
pub(crate) fn read_stored(
    connection: &Connection,
    database: &str,
    schema: Option<&str>,
) -> Result<Vec<StoredObject>, EngineError> {
    let within = schema.map_or_else(String::new, |schema| format!("WHERE schema_name = {}", text(schema)));
    let objects = connection.rows(&format!(
        "SELECT {OBJECT_FIELDS} FROM {} {within} ORDER BY schema_name, name",
        side_table(database, "objects")
    ))?;
    let columns = connection.rows(&format!(
        "SELECT {COLUMN_FIELDS} FROM {} {within} ORDER BY schema_name, table_name, position",
        side_table(database, "columns")
    ))?;
    let mut columns_of: HashMap<(String, String), Vec<ColumnRecord>> = HashMap::new();
    for row in &columns {
        columns_of.entry((field(row, 0), field(row, 1))).or_default().push(column_of(row));
    }
    Ok(objects
        .iter()
        .map(|row| StoredObject {
            description: object_of(database, row),
            columns: columns_of.remove(&(field(row, 0), field(row, 1))).unwrap_or_default(),
            view_query: row[9].clone(),
        })
        .collect())
}

/// Every object of a database or of one schema, with the next values of sequences.
pub(crate) fn read_objects(
    connection: &Connection,
    database: &str,
    schema: Option<&str>,
) -> Result<Vec<Arc<ObjectDescription>>, EngineError> {
    let stored = read_stored(connection, database, schema)?;
    let objects = stored.iter().map(|object| Arc::new(object.described())).collect();
    with_next_values(connection, database, objects)
}

/// Gives sequences their next values.
pub(crate) fn with_next_values(
    connection: &Connection,
    database: &str,
    mut objects: Vec<Arc<ObjectDescription>>,
) -> Result<Vec<Arc<ObjectDescription>>, EngineError> {
    if objects.iter().all(|object| object.sequence.is_none()) {
        return Ok(objects);
    }
    let rows = connection.rows(&format!(
        "SELECT schema_name, sequence_name, {NEXT_VALUE} FROM duckdb_sequences() \
         WHERE database_name = {}",
        text(database)
    ))?;
    let nexts: HashMap<(String, String), i64> =
        rows.iter().map(|row| ((field(row, 0), field(row, 1)), number(row, 2).unwrap_or_default())).collect();
    for object in objects.iter_mut().filter(|object| object.sequence.is_some()) {
        let key = (object.name.schema().to_owned(), object.name.name.clone());
        if let (Some(sequence), Some(next)) = (&mut Arc::make_mut(object).sequence, nexts.get(&key)) {
            sequence.start = *next;
        }
    }
    Ok(objects)
}

fn object_of(database: &str, row: &Row) -> ObjectDescription {
    ObjectDescription {
        id: number(row, 13).unwrap_or_default(),
        name: ObjectName::qualified(database, &field(row, 0), &field(row, 1)),
        kind: read_kind(&field(row, 2)),
        owner: field(row, 3),
        comment: row[4].clone(),
        created_on_ms: number(row, 5).unwrap_or_default(),
        persistence: read_persistence(&field(row, 6)),
        columns: Vec::new(),
        constraints: constraints::read(&field(row, 7)),
        view_text: row[8].clone(),
        view_query: None,
        sequence: autoincrement(row, 10),
        options: side_tables::read_options(&field(row, 12)),
    }
}

fn column_of(row: &Row) -> ColumnRecord {
    ColumnRecord {
        description: ColumnDescription {
            id: number(row, 12).unwrap_or_default(),
            name: field(row, 3),
            data_type: types::read_declared(&field(row, 4)).unwrap_or(DataType::Varchar { length: None }),
            not_null: row[5].as_deref() == Some("true"),
            default: row[6].clone(),
            autoincrement: autoincrement(row, 7),
            comment: row[10].clone(),
            collation: row[11].clone(),
        },
        sequence_name: row[9].clone(),
    }
}

fn autoincrement(row: &Row, first: usize) -> Option<Autoincrement> {
    Some(Autoincrement { start: number(row, first)?, increment: number(row, first + 1)? })
}

fn field(row: &Row, index: usize) -> String {
    row[index].clone().unwrap_or_default()
}

fn number(row: &Row, index: usize) -> Option<i64> {
    row[index].as_deref().and_then(|text| text.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::Remembered;

    #[test]
    fn names_of_missing_objects_are_bounded() {
        let mut remembered = Remembered::default();
        let key = |number: usize| ("PUBLIC".to_owned(), number.to_string());
        for number in 0..25 {
            remembered.insert(key(number), None, 10);
            assert!(remembered.objects.len() <= 10 && remembered.missing == remembered.objects.len());
        }
        remembered.insert(key(24), None, 10);
        assert_eq!(remembered.missing, 5);
        remembered.remove(&key(24));
        assert_eq!((remembered.missing, remembered.objects.len()), (4, 4));
    }
}
