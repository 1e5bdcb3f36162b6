//! The engine where databases may be linked to clusters: whatever is about a linked database goes to its cluster, everything else to
//! the embedded engine. A linked database has a file like any other, which says that it exists and holds no tables.

mod links;
mod session;

use std::io;
use std::path::Path;
use std::sync::Arc;

use firn_engine::{
    DefinitionClock, Engine, EngineError, FormerOwner, LockDescription, MemoryReservation, RecordedOutcome, Session,
    StageFiles,
};
use firn_sql::Failure;

pub use links::Links;
use session::RoutedSession;

pub struct LinkedEngine {
    embedded: Arc<dyn Engine>,
    links: Arc<Links>,
}

impl LinkedEngine {
    pub fn new(embedded: Arc<dyn Engine>, links: Arc<Links>) -> Self {
        Self { embedded, links }
    }
}

impl Engine for LinkedEngine {
    fn file_extension(&self) -> &'static str {
        self.embedded.file_extension()
    }

    fn create_database(&self, name: &str, file: &Path, owner: &str, id: i64) -> Result<(), EngineError> {
        self.embedded.create_database(name, file, owner, id)
    }

    fn attach_database(&self, name: &str, file: &Path, id: i64) -> Result<(), EngineError> {
        self.embedded.attach_database(name, file, id)
    }

    fn is_lost(&self) -> bool {
        self.embedded.is_lost()
    }

    fn check_database(&self, name: &str) -> Result<(), EngineError> {
        self.embedded.check_database(name)
    }

    fn detach_database(&self, name: &str) -> Result<(), EngineError> {
        self.embedded.detach_database(name)
    }

    fn remove_database_file(&self, file: &Path) -> io::Result<()> {
        self.embedded.remove_database_file(file)
    }

    fn rename_database(&self, from: &str, to: &str) -> Result<(), EngineError> {
        self.embedded.rename_database(from, to)
    }

    fn replace_database(&self, name: &str, by: &str) -> Result<String, EngineError> {
        self.embedded.replace_database(name, by)
    }

    fn swap_databases(&self, first: &str, second: &str) -> Result<(), EngineError> {
        self.embedded.swap_databases(first, second)
    }

    fn clone_database(
        &self,
        from: &str,
        to: &str,
        file: &Path,
        owner: &str,
        ids: (i64, i64),
    ) -> Result<(), EngineError> {
        self.embedded.clone_database(from, to, file, owner, ids)
    }

    fn hand_over(&self, from: FormerOwner<'_>, to: &str, made_until_ms: i64) -> Result<(), EngineError> {
        self.embedded.hand_over(from, to, made_until_ms)
    }

    fn open_session(&self) -> Result<Box<dyn Session>, EngineError> {
        Ok(Box::new(RoutedSession::new(self.embedded.open_session()?, self.links.clone())))
    }

    fn definitions(&self) -> &Arc<DefinitionClock> {
        self.embedded.definitions()
    }

    fn reserve_memory(&self, bytes: u64) -> Result<MemoryReservation, Failure> {
        self.embedded.reserve_memory(bytes)
    }

    fn seal_secret(&self, secret: &str) -> Result<String, EngineError> {
        self.links.seal(secret)
    }

    fn check_catalog_address(&self, uri: &str) -> Result<(), EngineError> {
        Ok(self.links.endpoint(uri).map(drop)?)
    }

    fn verify_catalog_integration(&self, name: &str) -> Result<String, EngineError> {
        self.links.verify(name)
    }

    fn locks(&self) -> Vec<LockDescription> {
        self.embedded.locks()
    }

    fn stage_files(&self) -> Arc<StageFiles> {
        self.embedded.stage_files()
    }

    fn sweep_stages(&self, retained: &[String]) -> Result<(), EngineError> {
        self.embedded.sweep_stages(retained)
    }

    fn stage_folders(&self, database: &str) -> Result<Vec<String>, EngineError> {
        self.embedded.stage_folders(database)
    }

    fn retention_days(&self, database: &str) -> Result<u8, EngineError> {
        self.embedded.retention_days(database)
    }

    fn set_retention_days(&self, database: &str, days: Option<u8>) -> Result<(), EngineError> {
        self.embedded.set_retention_days(database, days)
    }

    fn purge_dropped(&self, now_ms: i64) -> Result<(), EngineError> {
        self.embedded.purge_dropped(now_ms)
    }

    fn recorded_outcomes(&self) -> Result<Vec<RecordedOutcome>, EngineError> {
        self.embedded.recorded_outcomes()
    }

    fn settle_outcome(&self, query_id: &str) {
        self.embedded.settle_outcome(query_id);
    }

    fn checkpoint(&self) -> Result<(), EngineError> {
        self.embedded.checkpoint()
    }

    fn without_checkpoints(&self, work: &mut dyn FnMut()) -> Result<(), EngineError> {
        self.embedded.without_checkpoints(work)
    }
}
