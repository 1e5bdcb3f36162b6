//! Databases as files: created, attached, detached, renamed and cloned. A database file records the name it was last
//! attached under; when it changes, the engine's views and the defaults that contain the name are recreated.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use firn_engine::disk_room::require_room;
use firn_engine::error::no_space_left;
use firn_engine::regular_files::kind_of;
use firn_engine::{EngineError, FormerOwner, SchemaDescription, fresh_object_id};
use firn_sql::command::{ObjectKind, SchemaOptions};
use firn_sql::names::{SchemaName, quote_identifier, quote_literal};

use super::connection::Connection;
use super::database_names::between_names;
use super::ddl::{self, Renamed};
use super::room_watch::StopAt;
use super::shared::Shared;
use super::side_tables::{self, side_table};
use super::{describe, log_check, staging, transaction};

/// How long a detached file may still be held by a statement that began before.
const RELEASE_WAIT: Duration = Duration::from_secs(30);

/// How long the renaming of a database waits for others to commit changes of its objects. All statements wait meanwhile.
const RENAMED_OBJECTS_WAIT: Duration = Duration::from_secs(2);

pub(crate) fn create(
    connection: &Connection,
    shared: &Shared,
    name: &str,
    file: &Path,
    (owner, id): (&str, i64),
) -> Result<(), EngineError> {
    attach_file(connection, name, file)?;
    let made = transaction::within(connection, || {
        make_side_tables(connection, name, id)?;
        connection.execute(&format!("CREATE SCHEMA {}.\"PUBLIC\"", quote_identifier(name)))?;
        side_tables::write_schema(
            connection,
            &SchemaDescription {
                id: fresh_object_id(),
                database: name.to_owned(),
                name: "PUBLIC".to_owned(),
                owner: owner.to_owned(),
                comment: None,
                created_on_ms: chrono::Utc::now().timestamp_millis(),
                options: SchemaOptions::default(),
                tags: Vec::new(),
            },
        )
    });
    finish(connection, shared, name, made)
}

/// What precedes the blocks of a database file.
const FILE_HEADERS_BYTES: u64 = 3 * 4096;

/// A file that is longer than its blocks by less is left as it is.
const SURPLUS_BYTES_MIN: u64 = 8 << 20;

pub(crate) fn attach(
    connection: &Connection,
    shared: &Shared,
    name: &str,
    file: &Path,
    id: i64,
) -> Result<(), EngineError> {
    // The engine would make an empty one.
    if !file.exists() {
        return Err(EngineError::Internal("the file is missing; bring it back from a backup".to_owned()));
    }
    for place in [file.to_owned(), log_of(file)] {
        refuse_special_file(&place)?;
    }
    log_check::check(&log_of(file))?;
    attach_file(connection, name, file)?;
    let followed = refuse_other_database(connection, name, id).and_then(|()| {
        shorten(connection, name, file);
        side_tables::renew(connection, name)?;
        staging::create_tables(connection, name)?;
        side_tables::write_id(connection, name, id)?;
        follow_name(connection, name)
    });
    finish(connection, shared, name, followed)
}

/// The engine would wait for somebody to write into a FIFO.
fn refuse_special_file(place: &Path) -> Result<(), EngineError> {
    match fs::metadata(place) {
        Ok(metadata) if !metadata.is_file() => {
            let file = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Err(EngineError::Internal(format!("{file} is no file but {}", kind_of(metadata.file_type()))))
        }
        _ => Ok(()),
    }
}

/// Before anything is written into the file. One of an older version has no id yet.
fn refuse_other_database(connection: &Connection, name: &str, id: i64) -> Result<(), EngineError> {
    let ids = side_tables::read_ids(connection, name)?;
    match ids.iter().find(|(known, _)| *known != id) {
        Some((_, former)) => Err(EngineError::Internal(format!(
            "the file is that of another database, which was called {former}; put every file back to its own name"
        ))),
        None => Ok(()),
    }
}

/// Cuts off the blocks past the last one that the engine knows. A statement that failed on a full disk leaves them, and the
/// engine takes them for free room without returning it. Nothing else uses the file yet.
fn shorten(connection: &Connection, name: &str, file: &Path) {
    let sizes = format!(
        "SELECT total_blocks * block_size FROM pragma_database_size() WHERE database_name = {}",
        quote_literal(name)
    );
    let Ok(rows) = connection.rows(&sizes) else { return };
    let Some(blocks) = rows.into_iter().flatten().flatten().find_map(|bytes| bytes.parse::<u64>().ok()) else { return };
    let end = FILE_HEADERS_BYTES + blocks;
    if file.metadata().is_ok_and(|metadata| metadata.len() > end + SURPLUS_BYTES_MIN) {
        // Without it the file is longer than it needs to be, as before.
        let _ = fs::OpenOptions::new().write(true).open(file).and_then(|file| file.set_len(end));
    }
}

/// The engine refuses every statement on a database that it had to close.
pub(crate) fn check(connection: &Connection, name: &str) -> Result<(), EngineError> {
    connection.rows(&format!("SELECT name FROM {}", side_table(name, "database"))).map(drop)
}

pub(crate) fn detach(connection: &Connection, shared: &Shared, name: &str) -> Result<(), EngineError> {
    shared.detached(name);
    let detach = || connection.execute(&format!("DETACH {}", quote_identifier(name)));
    shared.checkpoint_policy.detach(detach).map(drop)
}

pub(crate) fn rename(connection: &Connection, shared: &Shared, from: &str, to: &str) -> Result<(), EngineError> {
    rename_all(connection, shared, &[(from, to)], &[to])
}

/// Gives `by` the name of another database, and returns the name that the other one has now.
pub(crate) fn replace(connection: &Connection, shared: &Shared, name: &str, by: &str) -> Result<String, EngineError> {
    let replaced = unused_name(shared);
    let names = [(name, replaced.as_str()), (by, name)];
    rename_all(connection, shared, &names, &[name])?;
    Ok(replaced)
}

pub(crate) fn swap(connection: &Connection, shared: &Shared, first: &str, second: &str) -> Result<(), EngineError> {
    let between = unused_name(shared);
    let names = [(first, between.as_str()), (second, first), (&between, second)];
    rename_all(connection, shared, &names, &[first, second])
}

/// Renames databases one after the other, or none of them; no statement binds in between. What is in those of `followed` refers
/// to their new names then.
fn rename_all(
    connection: &Connection,
    shared: &Shared,
    names: &[(&str, &str)],
    followed: &[&str],
) -> Result<(), EngineError> {
    change_names(connection, shared, names)?;
    let Err(error) = followed.iter().try_for_each(|name| follow_name_when_free(connection, name)) else {
        return Ok(());
    };
    let back: Vec<(&str, &str)> = names.iter().rev().map(|(from, to)| (*to, *from)).collect();
    let restored = change_names(connection, shared, &back);
    let mut former = names.iter().map(|(from, _)| *from).filter(|name| shared.has_database(name));
    let restored = restored.and_then(|()| former.try_for_each(|name| follow_name(connection, name)));
    Err(match restored {
        Ok(()) => error,
        Err(cause) => {
            EngineError::Internal(format!("{error}; databases get their names back at the next start only: {cause}"))
        }
    })
}

fn change_names(connection: &Connection, shared: &Shared, names: &[(&str, &str)]) -> Result<(), EngineError> {
    let change = connection.database_names().change()?;
    for (done, (from, to)) in names.iter().enumerate() {
        if let Err(error) = connection.rename_database(&change, from, to) {
            for (from, to) in names[..done].iter().rev() {
                connection.rename_database(&change, to, from)?;
            }
            return Err(error);
        }
    }
    for (from, to) in names {
        shared.detached(from);
        shared.attached(to);
    }
    Ok(())
}

fn unused_name(shared: &Shared) -> String {
    let mut names = (0_u32..).map(between_names);
    names.find(|name| !shared.has_database(name)).unwrap_or_default()
}

/// A transaction that has changed the same objects is waited for.
fn follow_name_when_free(connection: &Connection, name: &str) -> Result<(), EngineError> {
    let deadline = Instant::now() + RENAMED_OBJECTS_WAIT;
    loop {
        match follow_name(connection, name) {
            Err(EngineError::Conflict(_)) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
            outcome => return outcome,
        }
    }
}

pub(crate) fn clone(
    connection: &Connection,
    shared: &Shared,
    (from, to): (&str, &str),
    file: &Path,
    owner: &str,
    ids: (i64, i64),
) -> Result<(), EngineError> {
    require_room(file.parent().unwrap_or(file), file_bytes(connection, from)?).map_err(|_| no_space_left())?;
    attach_file(connection, to, file)?;
    shared.attached(to);
    let copied = transaction::within(connection, || {
        let writing = shared.room.begin([to.to_owned()].into(), StopAt::LowRoom, connection.stop_signal());
        // Ended in the transaction, which could not be rolled back on a connection that is still interrupted.
        writing.end(copy_schemas(connection, shared, (from, to), owner, ids))
    });
    finish(connection, shared, to, copied)
}

/// What a database takes on the disk: its rows are in its file, or in its log until that is written back.
fn file_bytes(connection: &Connection, name: &str) -> Result<u64, EngineError> {
    let paths = format!("SELECT path FROM duckdb_databases() WHERE database_name = {}", quote_literal(name));
    let rows = connection.rows(&paths)?;
    let files = rows.into_iter().flatten().flatten().flat_map(|path| [log_of(Path::new(&path)), PathBuf::from(path)]);
    Ok(files.filter_map(|file| file.metadata().ok()).map(|metadata| metadata.len()).sum())
}

fn copy_schemas(
    connection: &Connection,
    shared: &Shared,
    (from, to): (&str, &str),
    owner: &str,
    ids: (i64, i64),
) -> Result<(), EngineError> {
    make_side_tables(connection, to, ids.1)?;
    let named =
        |database: &str, schema: &str| SchemaName { database: Some(database.to_owned()), schema: schema.to_owned() };
    let schemas = describe::read_schemas(connection, from)?;
    let pairs: Vec<_> = schemas.iter().map(|schema| (named(from, &schema.name), named(to, &schema.name))).collect();
    ddl::clone_schemas(connection, shared, owner, &pairs, ids)
}

/// Makes `to` the owner of what `from` owned in a database. Someone who changes the same object at this
/// moment is waited for.
pub(crate) fn hand_over(
    connection: &Connection,
    shared: &Shared,
    name: &str,
    from: FormerOwner<'_>,
    to: &str,
    made_until_ms: i64,
) -> Result<(), EngineError> {
    let deadline = Instant::now() + RELEASE_WAIT;
    let (FormerOwner::Renamed(role) | FormerOwner::Dropped(role)) = from;
    let change = |(table, schemas): (&str, &[&str])| {
        let managers = schemas.iter().filter(|_| matches!(from, FormerOwner::Dropped(_)));
        let owners = managers.map(|schema| manager_of(name, schema)).chain([quote_literal(to)]);
        connection.execute(&format!(
            "UPDATE {} AS owned SET owner = coalesce({}) WHERE owner = {} AND created_on_ms <= {made_until_ms}",
            side_table(name, table),
            owners.collect::<Vec<_>>().join(", "),
            quote_literal(role)
        ))
    };
    // The owners of schemas first: who manages what is in them is looked up there.
    let tables: [(&str, &[&str]); 6] = [
        ("schemas", &[]),
        ("drops", &[]),
        ("objects", &["schema_name"]),
        ("routines", &["schema_name"]),
        ("staging", &["schema_name"]),
        ("dropped_objects", &["drop_id", "schema_name"]),
    ];
    loop {
        match transaction::within(connection, || tables.into_iter().try_for_each(|table| change(table).map(drop))) {
            Err(EngineError::Conflict(_)) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
            Err(_) if !shared.has_database(name) => return Ok(()),
            outcome => {
                shared.catalog.forget_database(name);
                return outcome.map(drop);
            }
        }
    }
}

/// The owner of the schema that a row of `owned` names in this column, if access to what is in it is managed. A dropped schema
/// goes by the id of its drop.
fn manager_of(database: &str, column: &str) -> String {
    format!(
        "(SELECT any_value(known.owner) FROM (SELECT name, owner FROM {} UNION ALL SELECT id, owner FROM {} WHERE kind = 'SCHEMA') \
         AS known JOIN {} AS options ON options.schema_name = known.name \
         WHERE options.managed_access AND known.name = owned.{column})",
        side_table(database, "schemas"),
        side_table(database, "drops"),
        side_table(database, "schema_options")
    )
}

/// Removes the folders of stages that neither an attached database nor `retained` names.
pub(crate) fn sweep_stages(connection: &Connection, shared: &Shared, retained: &[String]) -> Result<(), EngineError> {
    let mut unknown = Ok(());
    let swept = shared.stage_files().sweep(|found| {
        let mut known = retained.to_vec();
        for database in shared.database_names() {
            match staging::folders(connection, &database) {
                Ok(folders) => known.extend(folders),
                Err(error) => {
                    unknown = Err(error);
                    return found.to_vec();
                }
            }
        }
        known
    });
    unknown?;
    swept.map_err(|error| EngineError::Internal(format!("left-over files of stages cannot be removed: {error}")))
}

/// Waits for a file that a statement of the same server still holds under its former name.
fn attach_file(connection: &Connection, name: &str, file: &Path) -> Result<(), EngineError> {
    let path = file.to_str().ok_or_else(|| {
        EngineError::Internal(format!("the file {} is not valid UTF-8; choose another name", file.display()))
    })?;
    let sql = format!("ATTACH {} AS {}", quote_literal(path), quote_identifier(name));
    let deadline = Instant::now() + RELEASE_WAIT;
    connection.database_names().note_attached();
    loop {
        match connection.execute(&sql) {
            Ok(_) => return Ok(()),
            Err(EngineError::Interrupted) => return Err(EngineError::Interrupted),
            Err(error) if Instant::now() > deadline || !is_held(&error) => return Err(error),
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    }
}

fn is_held(error: &EngineError) -> bool {
    let text = error.to_string();
    text.contains("already attached")
        || text.contains("Unique file handle conflict")
        || text.contains("Could not set lock")
}

fn finish(
    connection: &Connection,
    shared: &Shared,
    name: &str,
    outcome: Result<(), EngineError>,
) -> Result<(), EngineError> {
    match outcome {
        Ok(()) => {
            shared.attached(name);
            Ok(())
        }
        Err(error) => {
            detach(connection, shared, name)?;
            Err(error)
        }
    }
}

fn make_side_tables(connection: &Connection, name: &str, id: i64) -> Result<(), EngineError> {
    side_tables::create(connection, name)?;
    staging::create_tables(connection, name)?;
    side_tables::write_name(connection, name, id)
}

/// Makes numbering columns refer to the name the file is attached under now, and the engine's views read what that name completes.
fn follow_name(connection: &Connection, name: &str) -> Result<(), EngineError> {
    let known = connection.rows(&format!("SELECT name FROM {}", side_table(name, "database")))?;
    let known = known.into_iter().next().and_then(|row| row.into_iter().next().flatten());
    let Some(former) = known else {
        return Err(EngineError::Internal(format!("the file of database {name} is not one of firn's")));
    };
    if former == name {
        return Ok(());
    }
    transaction::within(connection, || {
        let renamed = [Renamed::Database { from: &former, to: name }];
        let mut views = Vec::new();
        for stored in describe::read_stored(connection, name, None)? {
            match stored.description.kind {
                ObjectKind::View => views.push(stored),
                ObjectKind::Table => ddl::remake_record(connection, stored, &renamed)?,
                _ => {}
            }
        }
        ddl::make_views(connection, &views.iter().collect::<Vec<_>>())?;
        connection.execute(&format!("UPDATE {} SET name = {}", side_table(name, "database"), quote_literal(name)))?;
        Ok(())
    })
}

/// The write-ahead log of a database file.
fn log_of(file: &Path) -> PathBuf {
    let mut log = file.as_os_str().to_owned();
    log.push(".wal");
    PathBuf::from(log)
}

/// Removes a database's file and its write-ahead log.
pub(super) fn remove_file(file: &Path) -> io::Result<()> {
    for file in [file, &log_of(file)] {
        match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
