//! Databases as files. The catalog's row is the moment a database begins or ceases to exist; the
//! file comes before the row and goes after it, so that a crash leaves at most an unused file.

mod handovers;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use firn_catalog::{Catalog, DatabaseRecord, FIRST_DATABASE, Tagged};
use firn_engine::{Engine, EngineError, Interrupt};
use firn_sql::Failure;
use firn_sql::command::{CommentTarget, ContainerChange, CreateMode, Ddl, IfMissing, OwnershipTarget, TagChange};
use firn_sql::names::{OWN_DATABASE, display_identifier};

use crate::authorise::authority::missing_database;
use crate::clock::now_ms;
use crate::dropped_databases::{self, DroppedDatabase};
use crate::error::StartError;
use crate::mutex::lock;
use crate::rename_gate::RenameGate;
use crate::run_error::RunError;
use crate::unsettled_files;
use crate::unusable_databases::{OpenFiles, SetAside};

const NAME_CHARACTERS_MAX: usize = 255;

const MILLISECONDS_IN_DAY: i64 = 86_400_000;
/// How long a database can be brought back that was dropped while it was set aside.
const DAYS_SET_ASIDE: u8 = 1;
const DONE: &str = "Statement executed successfully.";

pub struct DatabaseFiles {
    pub(crate) folder: PathBuf,
    /// One change of databases at a time.
    pub(crate) changing: Mutex<()>,
    /// Closed while databases are exchanged or renamed.
    pub(crate) renaming: RenameGate,
    pub(crate) set_aside: SetAside,
    pub(crate) open_files: OpenFiles,
    /// When closed databases were last looked for.
    pub(crate) looked_for_closed: Mutex<Option<Instant>>,
    /// Files of databases that the state file has lost.
    unknown: Vec<String>,
}

impl DatabaseFiles {
    /// Attaches every database of the catalog, or sets it aside; makes the first one where there is none.
    pub fn open(data_dir: &Path, catalog: &Catalog, engine: &dyn Engine) -> Result<Self, StartError> {
        let folder = data_dir.join("databases");
        fs::create_dir_all(&folder)?;
        let mut files = Self {
            folder,
            renaming: RenameGate::default(),
            changing: Mutex::new(()),
            set_aside: SetAside::default(),
            open_files: OpenFiles::default(),
            looked_for_closed: Mutex::default(),
            unknown: Vec::new(),
        };
        files.settle_files(catalog, engine)?;
        for record in catalog.databases() {
            files.attach_or_set_aside(&record, engine);
        }
        files.unknown = files.find_unknown(catalog, engine)?;
        if catalog.databases().is_empty() {
            files.make_first(catalog, engine)?;
        }
        files.settle_handovers(catalog, engine).map_err(|cause| StartError::Handover(cause.to_string()))?;
        Ok(files)
    }

    /// There is always a database to begin in.
    fn make_first(&self, catalog: &Catalog, engine: &dyn Engine) -> Result<(), StartError> {
        let change = Change { files: self, catalog, engine, role: "ACCOUNTADMIN", interrupt: None };
        let made = change.create(FIRST_DATABASE, CreateMode::New, DatabaseOrigin::default(), None, &[]);
        made.map(drop).map_err(|cause| StartError::FirstDatabase(cause.to_string()))
    }

    /// Runs a DDL command on a database and returns its status text; `None` when `ddl` is about an object inside one.
    pub fn apply(
        &self,
        catalog: &Catalog,
        engine: &dyn Engine,
        role: &str,
        ddl: &Ddl,
        interrupt: &dyn Interrupt,
    ) -> Result<Option<String>, RunError> {
        if !is_about_database(ddl) {
            return Ok(None);
        }
        let change = Change { files: self, catalog, engine, role, interrupt: Some(interrupt) };
        let _one_at_a_time = lock(&self.changing);
        change.refuse_interrupted()?;
        match ddl {
            Ddl::CreateDatabase { name, mode, clone_of, link, comment, retention_days, tags } => {
                let origin = DatabaseOrigin { clone_of: clone_of.as_deref(), link: link.as_deref() };
                let status = change.create(name, *mode, origin, comment.clone(), tags)?;
                if retention_days.is_some() && status.ends_with("created.") {
                    engine.set_retention_days(name, *retention_days)?;
                }
                Ok(Some(status))
            }
            Ddl::Undrop(OwnershipTarget::Database(name)) => change.undrop(name).map(Some),
            Ddl::DropDatabase { name, if_missing } => change.drop_database(name, *if_missing).map(Some),
            Ddl::AlterDatabase { name, if_missing, change: what } => change.alter(name, *if_missing, what).map(Some),
            Ddl::Comment { target: CommentTarget::Database(name), if_missing, comment } => {
                change.alter(name, *if_missing, &ContainerChange::SetComment(Some(comment.clone()))).map(Some)
            }
            Ddl::GrantOwnership { target: OwnershipTarget::Database(name), role, .. } => {
                change.hand_over(name, role).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Removes the files of databases that can no longer come back.
    pub fn purge_dropped(&self, catalog: &Catalog, engine: &dyn Engine) -> Result<(), RunError> {
        let _one_at_a_time = lock(&self.changing);
        let expired: Vec<_> =
            self.all_dropped(catalog)?.into_iter().filter(|dropped| dropped.expires_on_ms <= now_ms()).collect();
        for dropped in &expired {
            self.delete(engine, &dropped.file_name);
            dropped_databases::forget(&self.folder, &dropped.file_name);
        }
        if expired.is_empty() { Ok(()) } else { self.sweep_stages(catalog, engine) }
    }

    /// Removes files of stages that belong to no database, living or dropped. Which ones those of a database are that is set
    /// aside or unknown, nobody knows.
    pub fn sweep_stages(&self, catalog: &Catalog, engine: &dyn Engine) -> Result<(), RunError> {
        if !self.set_aside.is_empty() || !self.unknown.is_empty() {
            return Ok(());
        }
        let retained: Vec<String> =
            self.all_dropped(catalog)?.into_iter().flat_map(|dropped| dropped.folders).collect();
        Ok(engine.sweep_stages(&retained)?)
    }

    /// The name itself where it is plain, so that a person finds the file; never one that exists or that a database has whose
    /// file is missing.
    fn fresh_file_name(&self, catalog: &Catalog, database: &str, extension: &str) -> String {
        let taken: Vec<String> = catalog.databases().into_iter().map(|record| record.file_name).collect();
        let plain: String =
            database.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).take(100).collect();
        let numbered = (1_u32..).map(|number| match number {
            1 => format!("{plain}.{extension}"),
            _ => format!("{plain}-{number}.{extension}"),
        });
        let mut unused = numbered.filter(|name| !taken.contains(name) && !self.folder.join(name).exists());
        unused.next().unwrap_or(plain)
    }
}

fn is_about_database(ddl: &Ddl) -> bool {
    matches!(
        ddl,
        Ddl::CreateDatabase { .. }
            | Ddl::DropDatabase { .. }
            | Ddl::AlterDatabase { .. }
            | Ddl::Undrop(OwnershipTarget::Database(_))
            | Ddl::Comment { target: CommentTarget::Database(_), .. }
            | Ddl::GrantOwnership { target: OwnershipTarget::Database(_), .. }
    )
}

/// What a database is made of.
#[derive(Clone, Copy, Default)]
struct DatabaseOrigin<'a> {
    clone_of: Option<&'a str>,
    /// The catalog integration that it is linked to.
    link: Option<&'a str>,
}

struct NewDatabase<'a> {
    record: &'a DatabaseRecord,
    source: Option<&'a DatabaseRecord>,
    tags: &'a [TagChange],
}

struct Change<'a> {
    files: &'a DatabaseFiles,
    catalog: &'a Catalog,
    engine: &'a dyn Engine,
    role: &'a str,
    /// None for what the server does by itself.
    interrupt: Option<&'a dyn Interrupt>,
}

impl Change<'_> {
    /// To be asked before a database is entered into the catalog; after that the statement is not interrupted.
    fn refuse_interrupted(&self) -> Result<(), RunError> {
        match self.interrupt.is_some_and(|interrupt| interrupt.is_interrupted()) {
            true => Err(EngineError::Interrupted.into()),
            false => Ok(()),
        }
    }

    fn create(
        &self,
        name: &str,
        mode: CreateMode,
        DatabaseOrigin { clone_of, link }: DatabaseOrigin<'_>,
        comment: Option<String>,
        tags: &[TagChange],
    ) -> Result<String, RunError> {
        let shown = display_identifier(name);
        let existing = self.catalog.databases().into_iter().find(|found| found.name.eq_ignore_ascii_case(name));
        match (&existing, mode) {
            (Some(_), CreateMode::New) => return Err(Failure::already_exists(&shown).into()),
            (Some(_), CreateMode::IfNotExists) => return Ok(format!("{shown} already exists, statement succeeded.")),
            _ => {}
        }
        check_name(name)?;
        let source = clone_of.map(|source| self.find(source)).transpose()?;
        if source.as_ref().is_some_and(DatabaseRecord::is_own) {
            return Err(Failure::read_only_database(&shown).into());
        }
        if let Some(source) = source.as_ref().filter(|source| self.catalog.link_of(source.id).is_some()) {
            return Err(Failure::unsupported(&format!("CLONE of the linked database {}", source.name)).into());
        }
        let is_retained = existing.as_ref().map(|old| self.retain(old)).transpose()?.unwrap_or(false);
        let record = DatabaseRecord {
            id: firn_engine::fresh_object_id(),
            name: name.to_owned(),
            file_name: self.files.fresh_file_name(self.catalog, name, self.engine.file_extension()),
            owner: self.role.to_owned(),
            comment,
            created_on_ms: now_ms(),
        };
        if let Some(integration) = link {
            self.catalog.link_database(record.id, integration)?;
        }
        let new = NewDatabase { record: &record, source: source.as_ref(), tags };
        let leaving = existing.as_ref().filter(|_| !is_retained);
        for unsettled in leaving.into_iter().chain([&record]) {
            unsettled_files::mark(&self.files.folder, &unsettled.file_name)?;
        }
        let attached = existing.as_ref().filter(|old| !self.files.set_aside.contains(&old.name));
        let made = match attached {
            Some(old) => self.replace(old, &new),
            None => self.make(&new),
        };
        made.inspect_err(|_| {
            self.files.delete(self.engine, &record.file_name);
            leaving.iter().for_each(|old| unsettled_files::unmark(&self.files.folder, &old.file_name));
        })?;
        unsettled_files::unmark(&self.files.folder, &record.file_name);
        self.files.set_aside.forget(name);
        leaving.iter().for_each(|old| self.files.delete(self.engine, &old.file_name));
        self.sweep_stages();
        Ok(format!("Database {shown} successfully created."))
    }

    fn make(&self, new: &NewDatabase<'_>) -> Result<(), RunError> {
        let name = &new.record.name;
        self.make_file(name, new).inspect_err(|_| self.discard(name))?;
        self.enter(new).inspect_err(|_| self.discard(name))
    }

    /// Enters a database into the catalog, in the place of one with its name.
    fn enter(&self, new: &NewDatabase<'_>) -> Result<(), RunError> {
        let clone_of = new.source.map(|source| source.id);
        Ok(self.catalog.replace_database(new.record, clone_of, new.tags).map(drop)?)
    }

    /// The new database is made under another name, so that there is one with the name at any time.
    fn replace(&self, old: &DatabaseRecord, new: &NewDatabase<'_>) -> Result<(), RunError> {
        let name = format!("~{}", new.record.id);
        self.make_file(&name, new).inspect_err(|_| self.discard(&name))?;
        let _renaming = self.files.renaming.close();
        let _change = self.engine.definitions().begin_change();
        let replaced = self.engine.replace_database(&old.name, &name).inspect_err(|_| self.discard(&name))?;
        if let Err(error) = self.enter(new) {
            self.restore(|| self.engine.replace_database(&old.name, &replaced).map(|name| self.discard(&name)));
            return Err(error);
        }
        self.discard(&replaced);
        Ok(())
    }

    fn make_file(&self, name: &str, new: &NewDatabase<'_>) -> Result<(), RunError> {
        let file = self.path(&new.record.file_name);
        match new.source {
            Some(source) => {
                let ids = (source.id, new.record.id);
                self.engine.clone_database(&source.name, name, &file, self.role, ids)?;
            }
            None => self.engine.create_database(name, &file, self.role, new.record.id)?,
        }
        self.refuse_interrupted()
    }

    /// Detaches a database that is not, or no longer, in the catalog.
    fn discard(&self, name: &str) {
        if let Err(error) = self.engine.detach_database(name) {
            tracing::debug!(%error, "a database to be discarded was not attached");
        }
    }

    fn drop_database(&self, name: &str, if_missing: IfMissing) -> Result<String, RunError> {
        let shown = display_identifier(name);
        let Some(record) = self.catalog.database(name) else {
            return match if_missing {
                IfMissing::Fail => Err(missing_database(name).into()),
                IfMissing::Skip => Ok(format!("Drop statement executed successfully ({shown} already dropped).")),
            };
        };
        let is_retained = self.retain(&record)?;
        if !is_retained {
            unsettled_files::mark(&self.files.folder, &record.file_name)?;
        }
        let change = self.engine.definitions().begin_change();
        self.catalog.remove_database(name)?;
        self.detach(name)?;
        drop(change);
        self.files.set_aside.forget(name);
        if !is_retained {
            self.files.delete(self.engine, &record.file_name);
        }
        self.sweep_stages();
        Ok(format!("{shown} successfully dropped."))
    }

    /// Records a database that is about to be dropped, if it has a retention time.
    fn retain(&self, record: &DatabaseRecord) -> Result<bool, RunError> {
        let is_set_aside = self.files.set_aside.contains(&record.name);
        let days = match is_set_aside {
            // What it says itself cannot be read. A file that is missing is nothing to bring back.
            true if self.path(&record.file_name).exists() => DAYS_SET_ASIDE,
            true => 0,
            false => self.engine.retention_days(&record.name)?,
        };
        if days == 0 {
            return Ok(false);
        }
        let folders = if is_set_aside { Vec::new() } else { self.engine.stage_folders(&record.name)? };
        let dropped = DroppedDatabase {
            id: record.id,
            name: record.name.clone(),
            file_name: record.file_name.clone(),
            owner: record.owner.clone(),
            comment: record.comment.clone(),
            created_on_ms: record.created_on_ms,
            dropped_on_ms: now_ms(),
            expires_on_ms: now_ms() + i64::from(days) * MILLISECONDS_IN_DAY,
            retention_days: days,
            folders,
        };
        dropped_databases::note(&self.files.folder, &dropped)?;
        Ok(true)
    }

    /// One that is set aside is not attached.
    fn detach(&self, name: &str) -> Result<(), RunError> {
        if self.files.set_aside.contains(name) {
            return Ok(());
        }
        Ok(self.engine.detach_database(name)?)
    }

    fn undrop(&self, name: &str) -> Result<String, RunError> {
        let shown = display_identifier(name);
        // First, as a database of the name may be hidden from the role.
        let found = self.files.find_dropped(self.catalog, self.role, name)?;
        let dropped = found.ok_or_else(|| {
            let message = format!("SQL compilation error:\nDatabase '{shown}' did not exist or was purged.");
            Failure::new("002003", "02000", message)
        })?;
        if self.catalog.databases().iter().any(|found| found.name.eq_ignore_ascii_case(name)) {
            return Err(Failure::already_exists(&shown).into());
        }
        self.engine.attach_database(name, &self.path(&dropped.file_name), dropped.id)?;
        self.catalog.add_database(&dropped.record())?;
        dropped_databases::forget(&self.files.folder, &dropped.file_name);
        Ok(format!("Database {shown} successfully restored."))
    }

    fn alter(&self, name: &str, if_missing: IfMissing, change: &ContainerChange) -> Result<String, RunError> {
        let Some(record) = self.catalog.database(name) else {
            return match if_missing {
                IfMissing::Fail => Err(missing_database(name).into()),
                IfMissing::Skip => Ok(DONE.to_owned()),
            };
        };
        match change {
            ContainerChange::SetComment(comment) => {
                self.catalog.set_database_comment(name, comment.as_deref())?;
            }
            ContainerChange::SetManagedAccess(_) => {
                return Err(Failure::unsupported("ALTER DATABASE MANAGED ACCESS").into());
            }
            ContainerChange::SetRetention(days) => self.engine.set_retention_days(name, *days)?,
            ContainerChange::SetTags(changes) => {
                let tagged = Tagged::database(record.id);
                let mut tags = self.catalog.tags_of(&tagged);
                TagChange::apply_all(changes, &mut tags);
                self.catalog.set_tags(&tagged, &tags)?;
            }
            ContainerChange::SwapWith(other) => self.swap(&record, &self.find(other)?)?,
            ContainerChange::Rename(to) => {
                check_name(to)?;
                if self.catalog.databases().iter().any(|found| found.name.eq_ignore_ascii_case(to)) {
                    return Err(Failure::already_exists(&display_identifier(to)).into());
                }
                self.rename(&record, to)?;
            }
        }
        Ok(DONE.to_owned())
    }

    fn swap(&self, first: &DatabaseRecord, second: &DatabaseRecord) -> Result<(), RunError> {
        if first.name == second.name {
            return Ok(());
        }
        let _renaming = self.files.renaming.close();
        let _change = self.engine.definitions().begin_change();
        self.engine.swap_databases(&first.name, &second.name)?;
        let swapped = self.catalog.swap_databases(&first.name, &second.name);
        Ok(swapped.inspect_err(|_| self.restore(|| self.engine.swap_databases(&first.name, &second.name)))?)
    }

    /// The row is the moment of the change: the next start attaches each file under the name that its row has.
    fn rename(&self, database: &DatabaseRecord, to: &str) -> Result<(), RunError> {
        let _renaming = self.files.renaming.close();
        let _change = self.engine.definitions().begin_change();
        self.engine.rename_database(&database.name, to)?;
        let renamed = self.catalog.rename_database(&database.name, to).map(drop);
        Ok(renamed.inspect_err(|_| self.restore(|| self.engine.rename_database(to, &database.name)))?)
    }

    /// Gives databases the names that the catalog has for them.
    fn restore(&self, names: impl FnOnce() -> Result<(), EngineError>) {
        if let Err(error) = names() {
            tracing::error!(%error, "a database that could not be renamed has another name until the next start");
        }
    }

    fn hand_over(&self, name: &str, role: &str) -> Result<String, RunError> {
        self.find(name)?;
        if self.catalog.principals().role(role).is_none() {
            return Err(Failure::missing_object("Role", &display_identifier(role)).into());
        }
        self.catalog.set_database_owner(name, role)?;
        Ok(DONE.to_owned())
    }

    /// The files of a dropped database's stages go too, now or when the server starts again.
    fn sweep_stages(&self) {
        if let Err(error) = self.files.sweep_stages(self.catalog, self.engine) {
            tracing::warn!(%error, "files of dropped stages cannot be removed");
        }
    }

    fn find(&self, name: &str) -> Result<DatabaseRecord, RunError> {
        Ok(self.catalog.database(name).ok_or_else(|| missing_database(name))?)
    }

    fn path(&self, file_name: &str) -> PathBuf {
        self.files.folder.join(file_name)
    }
}

/// Some names the engine and the server have for themselves.
fn check_name(name: &str) -> Result<(), Failure> {
    if name.chars().count() > NAME_CHARACTERS_MAX {
        let way_out = format!("at most {NAME_CHARACTERS_MAX} characters are expected");
        return Err(Failure::invalid_value("database name", "…", &way_out));
    }
    match ["memory", "system", "temp", "main", OWN_DATABASE].iter().any(|reserved| name.eq_ignore_ascii_case(reserved))
    {
        true => Err(Failure::invalid_value("database name", name, "choose another; the server uses this one")),
        false => Ok(()),
    }
}
