//! Databases that cannot be used. One whose file cannot be opened is set aside: it stays in the catalog and its file is not
//! touched, statements on it are refused by name, and the others are served. One that the engine closed after a failed write
//! is opened again.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use firn_catalog::{ActiveRole, Catalog, DatabaseRecord, Securable};
use firn_engine::error::{DISK_FULL_STATE, IO_STATE};
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
    /// The engine closed it after a failed write and could not open it again yet.
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

fn refusal(record: &DatabaseRecord) -> Failure {
    let (database, file) = (display_identifier(&record.name), &record.file_name);
    let message = format!(
        "SQL execution error: database {database} is set aside because its file {file} cannot be opened; the server's log \
         says why. Bring the file back from a backup, or give the database up with DROP DATABASE {database}."
    );
    Failure::new("000603", IO_STATE, message)
}

fn may_use(catalog: &Catalog, role: &ActiveRole, database: &DatabaseRecord) -> bool {
    role.may_use_what_is_owned_by(&database.owner)
        || catalog.privileges(role, &Securable::Database(database.id)).contains(Privilege::Usage)
}

impl DatabaseFiles {
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
        match catalog.database(database) {
            Some(record) if self.set_aside.contains(database) && may_use(catalog, role, &record) => {
                Err(refusal(&record))
            }
            _ => Ok(()),
        }
    }

    /// Attaches a database whose file is in its place, or sets it aside.
    pub fn attach_or_set_aside(&self, record: &DatabaseRecord, engine: &dyn Engine) {
        let file = self.folder.join(&record.file_name);
        let was_closed = lock(&self.set_aside.databases).get(&record.name) == Some(&Cause::Closed);
        match engine.attach_database(&record.name, &file) {
            Ok(()) => self.set_aside.forget(&record.name),
            Err(error) if was_closed => {
                tracing::warn!(database = record.name, %error, "a closed database cannot be opened again yet");
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
        for record in catalog.databases() {
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
    matches!(checked, Err(EngineError::Failed(failure)) if [DISK_FULL_STATE, IO_STATE].contains(&failure.sql_state))
}
