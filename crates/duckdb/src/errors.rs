//! Translates the engine's structured error messages to the contract's codes. A user error is a `Failure`; only internal
//! errors of the engine are `Internal`, and no message contains a path of the host.

mod arguments;
mod conversions;
mod function_names;
mod numbers;
mod patterns;
mod queries;
mod report;

use firn_sql::Failure;
use firn_sql::names::display_identifier;
use firn_sql::tree::Tree;

use conversions::conversion;
use firn_engine::EngineError;
use firn_engine::error::{DAMAGED_STATE, DISK_FULL_STATE, IO_STATE, MEMORY_STATE, disk_failed, no_space_left};
use report::{Report, compilation, without_paths};

use super::database_names::{changed, is_between_names};

use firn_duckdb_lower::dialect;
pub(crate) use firn_duckdb_lower::identifiers::invalid_identifier;
use firn_duckdb_lower::identifiers::locate_identifier;
use firn_duckdb_lower::wrong_arguments::lacks_types;
use firn_duckdb_lower::wrong_arguments::locate_call;

/// Macros of ours raise errors as this mark, a code and the message: `firn:100051:Division by zero`.
const OWN_MARK: &str = "firn:";

/// The codes macros may raise, each with its SQL state.
const OWN_CODES: &[(&str, &str)] = &[
    ("100035", "22007"),
    ("100037", "22018"),
    ("100038", "22018"),
    ("100039", "22003"),
    ("100040", "22007"),
    ("100046", "22003"),
    ("100048", "22023"),
    ("100051", "22012"),
    ("100069", "22P02"),
    ("100071", "22000"),
    ("100078", "22000"),
    ("100082", "22000"),
    ("100096", "22007"),
    ("100100", "22P02"),
    ("100104", "22000"),
    ("100107", "22000"),
    ("100108", "22007"),
    ("100115", "22000"),
    ("100116", "22000"),
    ("100139", "22000"),
    ("100140", "22000"),
    ("100145", "22000"),
    ("100544", "22026"),
    ("100205", "22000"),
    ("100252", "22000"),
    ("100217", "22000"),
    ("100311", "22023"),
    ("100343", "22000"),
    ("215001", "22000"),
    ("215002", "22000"),
    ("001007", "22023"),
    ("001035", "42601"),
    ("001173", "22023"),
    ("002003", "42S02"),
    ("002037", "42601"),
    ("002140", "42601"),
    ("001044", "42P13"),
    ("000002", "0A000"),
    ("000603", "XX000"),
    ("300010", MEMORY_STATE),
];

/// What the engine reports when a sync or a rollback fails, and from then on.
const LOST: [&str; 2] = ["fsync failed!", "must be restarted prior to being used again"];

const OUT_OF_MEMORY: &str = "300010";
const NEEDS_MEMORY: &str = "SQL execution error: the statement needs more memory than the server may use.";

pub(crate) fn out_of_memory() -> Failure {
    Failure::new(OUT_OF_MEMORY, MEMORY_STATE, NEEDS_MEMORY)
}

/// The text with which a statement of the engine raises a failure; its code is one of `OWN_CODES`.
pub(crate) fn raised(failure: &Failure) -> String {
    format!("{OWN_MARK}{}:{}", failure.code, failure.message)
}

/// The error of a statement that the engine was planning; `sql` is its text for the engine.
pub(crate) fn while_planning(error: EngineError, sql: &str) -> EngineError {
    match error {
        EngineError::Failed(failure) if failure.code == OUT_OF_MEMORY && failure.message == NEEDS_MEMORY => {
            let message = format!(
                "SQL compilation error:\nthe plan of the statement needs more memory than the server may use. {}",
                advice_for(sql)
            );
            EngineError::Failed(Failure::new(OUT_OF_MEMORY, MEMORY_STATE, message))
        }
        other => other,
    }
}

/// What makes the plan of the statement smaller.
fn advice_for(sql: &str) -> &'static str {
    /// From here on the constants of a statement are what its plan consists of.
    const TEXT_BYTES_LONG: usize = 200_000;
    let is_insert = sql.get(..6).is_some_and(|verb| verb.eq_ignore_ascii_case("INSERT"));
    match () {
        () if is_insert && sql.contains("VALUES") => {
            "Insert fewer rows with one statement, or load them from a file with COPY INTO."
        }
        () if sql.len() > TEXT_BYTES_LONG => {
            "Make the statement shorter: put its constants into a table, and its columns into several statements."
        }
        () => {
            "A query that uses a column of a subquery several times doubles the column's expression; put the subquery's rows \
             into a temporary table."
        }
    }
}

/// What a message of the engine (`errors_as_json` is on) means for the statement's caller.
pub(crate) fn translate(message: &str) -> EngineError {
    let report = Report::read(message);
    if missing_database(&report).is_some_and(is_between_names) {
        return changed();
    }
    if LOST.iter().any(|words| report.message.contains(words)) {
        return EngineError::Lost;
    }
    match report.exception.as_str() {
        _ if is_spill_refused(&report) => EngineError::Failed(no_space_left()),
        _ if is_out_of_memory(&report) => EngineError::Failed(out_of_memory()),
        "Interrupt" => EngineError::Interrupted,
        _ if report.message.starts_with("Expression with depth > 1 detected") => EngineError::Failed(too_far_out()),
        "INTERNAL" | "Internal" | "FATAL" | "Fatal" | "Serialization" | "IO" | "Permission" => {
            failed_disk(&report).unwrap_or_else(|| EngineError::Internal(without_paths(&report.message)))
        }
        "TransactionContext" | "TransactionException" => transaction(&report),
        "Parser" | "Syntax" => EngineError::Failed(syntax(&report)),
        _ => EngineError::Failed(failure(&report)),
    }
}

/// The engine's planner finds no column that is two queries around a subquery inside of calls of its functions.
fn too_far_out() -> Failure {
    Failure::unsupported(
        "a column of a query two levels around this subquery; select it in the query between them first",
    )
}

/// The engine writes what has no room in memory to the disk, up to most of the room that was free there.
fn is_spill_refused(report: &Report) -> bool {
    report.message.contains(SPILL_REFUSED) && !report.message.contains(INVALIDATED)
}

/// The engine's own limit, or an allocation that was refused: by `engine_memory.rs`, or by the system.
fn is_out_of_memory(report: &Report) -> bool {
    let is_refused = |words: &str| report.message.contains(words);
    report.exception == "Out of Memory" || is_refused("(bad allocation)") || is_refused("std::bad_alloc")
}

/// A database whose log could not be checkpointed is closed until it is attached again; nothing that was committed is
/// lost.
fn failed_disk(report: &Report) -> Option<EngineError> {
    let is_full =
        ["No space left on device", "disk is full", SPILL_REFUSED].iter().any(|words| report.message.contains(words));
    let is_closed = report.message.contains(INVALIDATED);
    let needed_memory = is_closed && LACKS_OF_MEMORY.iter().any(|words| report.message.contains(words));
    let failure = match (report.quoted('"').filter(|_| is_closed), is_full) {
        (Some(database), true) => closed(database, DISK_FULL_STATE, "the server's disk was full"),
        (Some(database), false) if needed_memory => closed(database, IO_STATE, "its checkpoint got no memory"),
        (Some(database), false) => {
            tracing::error!(database, cause = without_paths(&report.message), "the engine closed a database");
            closed(database, IO_STATE, "a write to its file failed")
        }
        (None, true) => no_space_left(),
        (None, false) => failed_file(&report.message)?,
    };
    Some(EngineError::Failed(failure))
}

/// The system's words for a disk that does not work; what else the engine reports of files is not the disk's fault.
const DISK_FAILURES: [&str; 7] = [
    "Input/output error",
    "Read-only file system",
    "Permission denied",
    "Structure needs cleaning",
    "Stale file handle",
    "Operation not permitted",
    "Too many open files",
];

fn failed_file(message: &str) -> Option<Failure> {
    if message.contains("does not match stored checksum") {
        let message =
            "SQL execution error: a block of the database's file is damaged; bring the file back from a backup.";
        return Some(Failure::new("000603", DAMAGED_STATE, message));
    }
    DISK_FAILURES.iter().find(|words| message.contains(**words)).map(|words| disk_failed(words))
}

fn closed(database: &str, sql_state: &'static str, cause: &str) -> Failure {
    let database = display_identifier(database);
    let message = format!(
        "SQL execution error: database {database} was closed because {cause}. It is opened again as soon as that is \
         possible. What the statement changed may have been committed: look before you send it again."
    );
    Failure::new("000603", sql_state, message)
}

/// The engine's own limit, when a commit meets it.
const REFUSED_BLOCKS: [&str; 3] = ["could not allocate block", "failed to allocate data", "failed to pin block"];

/// What a checkpoint that got no memory reports.
const LACKS_OF_MEMORY: [&str; 6] = [
    "Allocation failure",
    "could not allocate",
    "failed to allocate",
    "failed to pin block",
    "std::bad_alloc",
    "Out of Memory",
];

const SPILL_REFUSED: &str = "failed to offload data block";

/// The engine closed the database.
const INVALIDATED: &str = "has been invalidated";

fn transaction(report: &Report) -> EngineError {
    let message = report.message.as_str();
    if let Some(error) = failed_disk(report) {
        return error;
    }
    if REFUSED_BLOCKS.iter().any(|words| message.contains(words)) {
        return EngineError::Failed(out_of_memory());
    }
    if message.contains("Could not write")
        || message.contains("Could not sync")
        || message.contains("Could not truncate")
    {
        return EngineError::Internal(without_paths(message));
    }
    if message.contains("transaction is aborted") {
        return EngineError::Failed(aborted_transaction());
    }
    if message.contains("single transaction can only write to a single attached database") {
        return EngineError::Failed(Failure::new(
            "000002",
            "0A000",
            "Unsupported feature 'a transaction that writes to two databases'; commit between the two.",
        ));
    }
    EngineError::Conflict(
        "Another transaction changed the same rows or objects at the same time, so that nothing was changed by this one. \
         Send the statement again, or repeat the transaction that it belongs to."
            .to_owned(),
    )
}

/// Whether a number had more digits than 64 bits hold.
pub(crate) fn is_integer_overflow(failure: &Failure) -> bool {
    matches!(failure.code, "100039" | "100046")
}

pub(crate) fn aborted_transaction() -> Failure {
    Failure::new(
        "000603",
        "25P02",
        "SQL execution error: a statement of this transaction failed, so it cannot be committed; ROLLBACK ends it.",
    )
}

fn syntax(report: &Report) -> Failure {
    if let Some(failure) = queries::query(report) {
        return failure;
    }
    if let Some(failure) = too_deep(report) {
        return failure;
    }
    match report.quoted('"') {
        Some(unexpected) => Failure::syntax(1, 0, unexpected),
        None => Failure::new("001003", "42000", format!("SQL compilation error:\n{}", report.message)),
    }
}

fn too_deep(report: &Report) -> Option<Failure> {
    let message = "SQL compilation error: the query is deeper than the engine takes; join fewer tables, or nest less.";
    let is_deep = report.message.contains("Max expression depth limit");
    is_deep.then(|| Failure::new("000603", "54001", message))
}

fn failure(report: &Report) -> Failure {
    own(report)
        .or_else(|| too_deep(report))
        .or_else(|| missing(report))
        .or_else(|| column(report))
        .or_else(|| queries::query(report))
        .or_else(|| arguments::function(report))
        .or_else(|| patterns::pattern(report))
        .or_else(|| conversion(report))
        .or_else(|| constraint(report))
        .unwrap_or_else(|| {
            let first = report.message.lines().next().unwrap_or_default();
            Failure::new("000603", "XX000", format!("SQL execution error: {}", without_paths(first)))
        })
}

fn own(report: &Report) -> Option<Failure> {
    if report.after("Duplicate struct entry name").is_some() {
        let key = report.quoted('"').unwrap_or_default();
        return Some(Failure::new("100104", "22000", format!("Duplicate field key '{key}'")));
    }
    let (code, message) = report.message.strip_prefix(OWN_MARK)?.split_once(':')?;
    let (code, sql_state) = OWN_CODES.iter().find(|(known, _)| *known == code)?;
    Some(Failure::new(code, sql_state, message))
}

fn missing(report: &Report) -> Option<Failure> {
    if report.subtype == "ENTRY_ALREADY_EXISTS" {
        return Some(Failure::already_exists(&display_identifier(&report.name)));
    }
    if report.subtype == "MISSING_ENTRY" {
        return Some(match report.kind.as_str() {
            kind if kind.contains("Function") => queries::without_window(&report.name)
                .unwrap_or_else(|| Failure::unknown_function(&report.name.to_uppercase())),
            "Table" | "View" => Failure::missing_object("Object", &display_identifier(&report.name)),
            kind => Failure::missing_object(kind, &display_identifier(&report.name)),
        });
    }
    if report.message.contains("does not exist because schema") {
        let name = report.quoted('"')?;
        return Some(Failure::missing_object("Object", name));
    }
    missing_database(report).map(|database| Failure::missing_object("Database", &display_identifier(database)))
}

/// The database that a statement needs and that is not attached.
fn missing_database(report: &Report) -> Option<&str> {
    // Dropped between planning and running.
    if let Some(rest) = report.after("Prepared statement requires database ") {
        return rest.split(' ').next();
    }
    let is_missing = report.exception == "Binder" && report.message.starts_with("Catalog \"");
    report.quoted('"').filter(|_| is_missing)
}

fn column(report: &Report) -> Option<Failure> {
    let message = report.message.as_str();
    if report.subtype == "COLUMN_NOT_FOUND" {
        return Some(invalid_identifier(&display_identifier(&report.name)));
    }
    let quoted: Vec<&str> = message.split('"').skip(1).step_by(2).collect();
    if message.contains("does not have a column named \"") {
        let parts: Vec<String> = quoted.iter().take(2).map(|part| display_identifier(part)).collect();
        return Some(invalid_identifier(&parts.join(".")));
    }
    if message.contains("does not have a column with name \"") {
        return Some(invalid_identifier(&display_identifier(quoted.get(1)?)));
    }
    if let Some(rest) = report.after("Referenced column ")
        && let Some((name, _)) = rest.split_once(" not found in FROM clause")
    {
        return Some(invalid_identifier(&display_identifier(name.trim_matches('"'))));
    }
    if message.starts_with("Referenced table \"") || message.ends_with("list not found in FROM clause") {
        return Some(invalid_identifier(&display_identifier(quoted.first()?)));
    }
    if let Some(rest) = report.after("Referenced update column ") {
        return Some(invalid_identifier(&display_identifier(rest.split(" not found in table").next()?)));
    }
    if message.starts_with("Ambiguous reference to column name") {
        let name = display_identifier(quoted.first()?);
        return Some(compilation("002028", "42601", &format!("ambiguous column name '{name}'")));
    }
    if message.contains("must appear in the GROUP BY clause") && !quoted.is_empty() {
        let name = display_identifier(quoted.first()?);
        return Some(compilation("000979", "42601", &format!("[{name}] is not a valid group by expression")));
    }
    if message.contains("aggregate function calls cannot be nested") {
        return Some(compilation("002076", "42601", "Invalid aggregate function in aggregate function call"));
    }
    if message.contains("clause cannot contain aggregates") {
        return Some(compilation("002035", "42601", "Invalid aggregate function in where clause"));
    }
    if message.contains("referenced that exists in the SELECT clause") {
        return Some(invalid_identifier(&display_identifier(quoted.first()?)));
    }
    if message.starts_with("Set operations can only apply") {
        return Some(compilation(
            "001789",
            "42601",
            "invalid number of result columns for set operator input branches",
        ));
    }
    if message.starts_with("More than one row returned by a subquery") {
        return Some(Failure::new("090150", "22000", "Single-row subquery returns more than one row."));
    }
    None
}

/// An unknown column and a call with the wrong arguments get their place in the statement's text.
pub(crate) fn located(error: EngineError, node: &dyn Tree) -> EngineError {
    match error {
        EngineError::Failed(failure) => {
            let failure = locate_identifier(failure, |name| dialect::find_identifier(node, name));
            EngineError::Failed(locate_call(failure, node))
        }
        other => other,
    }
}

/// Whether a failure is about the arguments of a macro: the engine reports the same if one of them is a column that does
/// not exist.
pub(crate) fn blames_arguments(error: &EngineError) -> bool {
    matches!(error, EngineError::Failed(failure) if lacks_types(failure))
}

/// Whether a failure is the cause that an error about arguments hides: an unknown or ambiguous name, or a misplaced
/// aggregate or column.
pub(crate) fn blames_missing_object(error: &EngineError) -> bool {
    matches!(error, EngineError::Failed(failure) if failure.code == "002003")
}

pub(crate) fn blames_name(error: &EngineError) -> bool {
    const CODES: [&str; 6] = ["000904", "000979", "002025", "002035", "002076", "002262"];
    matches!(error, EngineError::Failed(failure) if CODES.contains(&failure.code))
}

fn constraint(report: &Report) -> Option<Failure> {
    if report.message.starts_with("NOT NULL constraint failed") {
        return Some(Failure::new("100072", "22000", "NULL result in a non-nullable column"));
    }
    None
}
