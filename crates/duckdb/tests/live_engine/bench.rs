//! An engine in a temporary folder with one session, and one `check` for the statements it runs.

use std::path::Path;

use firn_duckdb::{DuckDb, EngineSettings};
use firn_engine::{Engine, EngineError, ExecutionContext, Outcome, RowBudget, Session};
use firn_sql::{Namespace, ParseLimits, Statement, check_functions, parse_statement, resolve, split_script};
use tempfile::TempDir;

const LIMITS: ParseLimits = ParseLimits { text_bytes_max: 1 << 20, statements_max: 100, nesting_depth_max: 100 };

/// An engine with one database, `DB`, and one session in its schema `PUBLIC`.
pub(crate) struct Bench {
    pub(crate) session: Box<dyn Session>,
    pub(crate) engine: DuckDb,
    pub(crate) folder: TempDir,
    pub(crate) context: ExecutionContext,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with_settings(settings)
    }

    pub(crate) fn with_settings(settings: impl FnOnce(&Path) -> EngineSettings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = DuckDb::open(&settings(folder.path())).unwrap();
        engine.create_database("DB", &folder.path().join("db.firn"), "ACCOUNTADMIN", 1).unwrap();
        let session = engine.open_session().unwrap();
        Self { session, engine, folder, context: context() }
    }

    /// Runs a script and returns the outcome of its last statement as text.
    pub(crate) fn run(&mut self, script: &str) -> String {
        run(&mut *self.session, &self.context, script)
    }

    pub(crate) fn check(&mut self, script: &str, expected: &str) {
        assert_eq!(self.run(script), expected, "for {script}");
    }
}

pub(crate) fn settings(folder: &Path) -> EngineSettings {
    EngineSettings {
        data_dir: folder.to_owned(),
        stage_dir: folder.join("stages"),
        temp_dir: folder.join("spill"),
        threads: Some(2),
        memory_limit_bytes: None,
        stage_quotas: Default::default(),
        external: None,
    }
}

pub(crate) fn context() -> ExecutionContext {
    ExecutionContext { user_id: Some(1), ..ExecutionContext::of_role("ACCOUNTADMIN") }
}

pub(crate) fn prepare(text: &str) -> Result<Vec<Statement>, firn_sql::Failure> {
    let namespace = Namespace { database: Some("DB".to_owned()), schema: Some("PUBLIC".to_owned()) };
    let mut statements = Vec::new();
    for source in split_script(text, &LIMITS)? {
        let mut statement = parse_statement(&source, &LIMITS)?;
        resolve(&mut statement, &namespace)?;
        check_functions(&statement)?;
        statements.push(statement);
    }
    Ok(statements)
}

pub(crate) fn run(session: &mut dyn Session, context: &ExecutionContext, script: &str) -> String {
    let statements = match prepare(script) {
        Ok(statements) => statements,
        Err(failure) => return format!("{} {}", failure.code, failure.message),
    };
    let mut last = String::new();
    for statement in statements {
        last = match session.execute(&statement.command, context).and_then(outcome_text) {
            Ok(outcome) => outcome,
            Err(EngineError::Failed(failure)) => return format!("{} {}", failure.code, failure.message),
            Err(other) => return format!("{other:?}"),
        };
    }
    last
}

fn outcome_text(outcome: Outcome<'_>) -> Result<String, EngineError> {
    match outcome {
        Outcome::Done(status) => Ok(status),
        Outcome::Dml(counts) => {
            let parts = [("inserted", counts.inserted), ("updated", counts.updated), ("deleted", counts.deleted)];
            let counts: Vec<String> =
                parts.iter().filter_map(|(name, count)| count.map(|count| format!("{name} {count}"))).collect();
            Ok(counts.join(", "))
        }
        Outcome::Inserted(tables) => {
            let counts: Vec<String> = tables.iter().map(|(table, count)| format!("{} {count}", table.name)).collect();
            Ok(counts.join(", "))
        }
        Outcome::Table(table) => {
            let shown = |row: &Vec<Option<String>>| {
                row.iter().map(|cell| cell.as_deref().unwrap_or("NULL")).collect::<Vec<_>>().join("|")
            };
            Ok(table.rows.iter().map(shown).collect::<Vec<_>>().join("\n"))
        }
        Outcome::Rows(mut rows) => {
            let mut out = Vec::new();
            while !rows.encode(&mut out, RowBudget { bytes: usize::MAX, rows: u64::MAX })?.ended {}
            Ok(String::from_utf8(out).unwrap())
        }
    }
}
