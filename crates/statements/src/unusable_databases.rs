//! Databases that cannot be used. One whose file cannot be opened is set aside: it stays in the catalog and its file is not
//! touched, statements on it are refused by name, and the others are served. One that the engine closed after a failed write
//! is opened again.

use std::collections::{BTreeMap, HashMap};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use firn_catalog::{ActiveRole, Catalog, DatabaseRecord, Securable};
use firn_engine::error::{CLOSED_STATES, IO_STATE, MEMORY_STATE};
use firn_engine::{Engine, EngineError};
use firn_sql::Failure;
use firn_sql::names::display_identifier;
use firn_sql::privileges::Privilege;
use firn_sql::resolve::{Access, Uses};

use crate::databases::DatabaseFiles;
use crate::mutex::lock;

/// A file that changed this long ago is no longer being copied.
const COPIED_WITHIN: Duration = Duration::from_secs(5);

/// Every statement that fails for it asks to open a database again.
const REOPEN_INTERVAL: Duration = Duration::from_millis(500);

#[derive(Default)]
pub struct SetAside {
    databases: Mutex<BTreeMap<String, Cause>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// The file could not be opened as it was then.
    Damaged(Option<FileState>),
    /// The disk failed or was full when it was to be opened, or at a write after which the engine closed it.
    Closed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileState {
    bytes: u64,
    modified: SystemTime,
}

impl FileState {
    fn of(file: &Path) -> Option<Self> {
        let metadata = file.metadata().ok()?;
        Some(Self { bytes: metadata.len(), modified: metadata.modified().ok()? })
    }

    fn is_settled(&self) -> bool {
        self.modified.elapsed().is_ok_and(|since| since > COPIED_WITHIN)
    }
}

/// Why a database cannot be used at this moment.
#[derive(Debug)]
pub struct DatabaseProblem {
    pub database: String,
    pub cause: String,
}

impl SetAside {
    pub fn contains(&self, database: &str) -> bool {
        lock(&self.databases).contains_key(database)
    }

    pub fn is_empty(&self) -> bool {
        lock(&self.databases).is_empty()
    }

    /// How many have a file that could not be opened.
    pub fn damaged(&self) -> usize {
        lock(&self.databases).values().filter(|cause| matches!(cause, Cause::Damaged(_))).count()
    }

    pub fn forget(&self, database: &str) {
        lock(&self.databases).remove(database);
    }

    fn note(&self, database: &str, cause: Cause) {
        lock(&self.databases).insert(database.to_owned(), cause);
    }

    fn is_worth_a_try(&self, database: &str, file: &Path) -> bool {
        match lock(&self.databases).get(database) {
            Some(Cause::Damaged(then)) => {
                let now = FileState::of(file);
                now != *then && now.is_some_and(|now| now.is_settled())
            }
            Some(Cause::Closed) => true,
            None => false,
        }
    }
}

fn refusal(record: &DatabaseRecord, cause: &Cause) -> Failure {
    let (database, file) = (display_identifier(&record.name), &record.file_name);
    let message = match cause {
        Cause::Closed => format!(
            "SQL execution error: database {database} is closed at the moment, as a write or a checkpoint failed for want of \
             room or memory. It is opened again as soon as that is possible; send the statement again then."
        ),
        Cause::Damaged(_) => format!(
            "SQL execution error: database {database} is set aside because its file {file} cannot be opened; the server's \
             log says why. Bring the file back from a backup, or give the database up with DROP DATABASE {database}."
        ),
    };
    Failure::new("000603", IO_STATE, message)
}

fn may_use(catalog: &Catalog, role: &ActiveRole, database: &DatabaseRecord) -> bool {
    role.may_use_what_is_owned_by(&database.owner)
        || catalog.privileges(role, &Securable::Database(database.id)).contains(Privilege::Usage)
}

/// A file whatever its name; another one in its place has another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    fn of(file: &Path) -> Option<Self> {
        file.metadata().ok().map(|found| Self { device: found.dev(), inode: found.ino() })
    }
}

/// The files that the engine has open, by the ids of their databases.
#[derive(Default)]
pub struct OpenFiles {
    by_database: Mutex<HashMap<i64, FileId>>,
}

impl OpenFiles {
    fn note(&self, record: &DatabaseRecord, file: &Path) {
        if let Some(id) = FileId::of(file) {
            lock(&self.by_database).insert(record.id, id);
        }
    }

    /// Whether the file in the place of an open one is that one. A file that is seen for the first time is taken for it.
    fn is_in_place(&self, record: &DatabaseRecord, file: &Path) -> bool {
        let Some(now) = FileId::of(file) else { return false };
        *lock(&self.by_database).entry(record.id).or_insert(now) == now
    }

    fn retain(&self, databases: &[DatabaseRecord]) {
        lock(&self.by_database).retain(|id, _| databases.iter().any(|record| record.id == *id));
    }
}

fn refusal_without_file(record: &DatabaseRecord) -> Failure {
    let (database, file) = (display_identifier(&record.name), &record.file_name);
    let message = format!(
        "SQL execution error: the file {file} of database {database} was removed or replaced while the server had it open; \
         changes would be lost and are refused. CREATE DATABASE … CLONE {database} rescues what can still be read. Put the \
         file back, or restart the server to open the one that is there."
    );
    Failure::new("000603", IO_STATE, message)
}

impl DatabaseFiles {
    /// Refuses changes of a database whose file the server would lose with its next stop.
    pub fn refuse_without_file(&self, catalog: &Catalog, role: &ActiveRole, uses: &Uses) -> Result<(), Failure> {
        let is_change = |access: Access| access != Access::Read;
        let schemas = uses.schemas.iter().filter(|used| is_change(used.access)).map(|used| used.name.database());
        let objects =
            uses.objects.iter().filter(|object| is_change(object.access)).map(|object| object.name.database());
        let mut last = "";
        for database in schemas.chain(objects) {
            if database == last {
                continue;
            }
            last = database;
            let Some(record) = catalog.database(database) else { continue };
            let is_in_place = self.open_files.is_in_place(&record, &self.folder.join(&record.file_name));
            if !is_in_place && may_use(catalog, role, &record) {
                return Err(refusal_without_file(&record));
            }
        }
        Ok(())
    }

    /// Refuses whatever needs a database that is set aside. To whoever may not use the database it is missing, which the
    /// authorisation reports.
    pub fn refuse_set_aside(&self, catalog: &Catalog, role: &ActiveRole, uses: &Uses) -> Result<(), Failure> {
        if self.set_aside.is_empty() {
            return Ok(());
        }
        // What drops or replaces a database does not need it.
        let needed = uses.databases.iter();
        let needed = needed.filter(|used| !matches!(used.access, Access::Drop | Access::Create | Access::Replace));
        let of_schemas = uses.schemas.iter().map(|used| used.name.database());
        let of_objects = uses.objects.iter().map(|object| object.name.database());
        for database in needed.map(|used| used.name.as_str()).chain(of_schemas).chain(of_objects) {
            self.refuse_if_set_aside(catalog, role, database)?;
        }
        Ok(())
    }

    pub fn refuse_if_set_aside(&self, catalog: &Catalog, role: &ActiveRole, database: &str) -> Result<(), Failure> {
        let set_aside = lock(&self.set_aside.databases);
        match (set_aside.get(database), catalog.database(database)) {
            (Some(cause), Some(record)) if may_use(catalog, role, &record) => Err(refusal(&record, cause)),
            _ => Ok(()),
        }
    }

    /// Attaches a database whose file is in its place, or sets it aside.
    pub fn attach_or_set_aside(&self, record: &DatabaseRecord, engine: &dyn Engine) {
        let file = self.folder.join(&record.file_name);
        let was_closed = lock(&self.set_aside.databases).get(&record.name) == Some(&Cause::Closed);
        match engine.attach_database(&record.name, &file, record.id) {
            Ok(()) => {
                self.open_files.note(record, &file);
                self.set_aside.forget(&record.name);
            }
            Err(error) if was_closed => {
                tracing::warn!(database = record.name, %error, "a closed database cannot be opened again yet");
            }
            Err(error) if is_disk_failure(&error) || is_out_of_memory(&error) => {
                tracing::error!(
                    database = record.name,
                    file = record.file_name,
                    %error,
                    "a database cannot be opened now; it is opened as soon as that is possible"
                );
                self.set_aside.note(&record.name, Cause::Closed);
            }
            Err(error) => {
                tracing::error!(
                    database = record.name,
                    file = record.file_name,
                    %error,
                    "a database cannot be opened and is set aside; its file stays as it is, the others are served"
                );
                self.set_aside.note(&record.name, Cause::Damaged(FileState::of(&file)));
            }
        }
    }

    /// The databases that are closed or whose file is gone, each with the reason.
    pub fn problems(&self, catalog: &Catalog, engine: &dyn Engine) -> Vec<DatabaseProblem> {
        let mut found = Vec::new();
        for record in catalog.databases() {
            let cause = match lock(&self.set_aside.databases).get(&record.name) {
                Some(Cause::Damaged(_)) => continue,
                Some(Cause::Closed) => Some("it is closed".to_owned()),
                None if self.folder.join(&record.file_name).exists() => None,
                None => Some("its file is missing".to_owned()),
            };
            let cause = cause.or_else(|| engine.check_database(&record.name).err().map(|error| error.to_string()));
            // It may have been dropped or renamed meanwhile.
            if let Some(cause) = cause.filter(|_| catalog.database(&record.name).as_ref() == Some(&record)) {
                found.push(DatabaseProblem { database: record.name, cause });
            }
        }
        found
    }

    /// Opens again what the engine has closed, and what is set aside and has another file now. Whether there was any.
    pub fn reopen(&self, catalog: &Catalog, engine: &dyn Engine) -> bool {
        {
            let mut last = lock(&self.looked_for_closed);
            if last.is_some_and(|last| last.elapsed() < REOPEN_INTERVAL) {
                return false;
            }
            *last = Some(Instant::now());
        }
        let _one_at_a_time = lock(&self.changing);
        let mut reopened = false;
        let databases = catalog.databases();
        self.open_files.retain(&databases);
        for record in databases {
            if self.set_aside.contains(&record.name) {
                if !self.set_aside.is_worth_a_try(&record.name, &self.folder.join(&record.file_name)) {
                    continue;
                }
            } else if !is_closed(engine.check_database(&record.name)) {
                continue;
            } else if let Err(error) = engine.detach_database(&record.name) {
                tracing::warn!(database = record.name, %error, "a closed database cannot be detached");
                continue;
            } else {
                self.set_aside.note(&record.name, Cause::Closed);
            }
            self.attach_or_set_aside(&record, engine);
            if !self.set_aside.contains(&record.name) {
                tracing::info!(database = record.name, "a database was opened again");
                reopened = true;
            }
        }
        reopened
    }
}

fn is_closed(checked: Result<(), EngineError>) -> bool {
    checked.is_err_and(|error| is_disk_failure(&error))
}

fn is_out_of_memory(error: &EngineError) -> bool {
    matches!(error, EngineError::Failed(failure) if failure.sql_state == MEMORY_STATE)
}

fn is_disk_failure(error: &EngineError) -> bool {
    matches!(error, EngineError::Failed(failure) if CLOSED_STATES.contains(&failure.sql_state))
}
