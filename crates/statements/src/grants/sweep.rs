//! Removes the grants on objects that can no longer come back. A database with dropped objects that can is left for later.

use std::collections::HashSet;

use firn_catalog::{DatabaseRecord, GrantEdit, Securable};
use firn_engine::Session;
use firn_sql::privileges::SecurableKind;

use super::targets::named_within;
use crate::run_error::RunError;
use crate::services::Services;

pub fn sweep(services: &Services) -> Result<(), RunError> {
    let as_of = services.changes.of_definitions();
    if services.grant_sweep.is_complete(as_of) {
        return Ok(());
    }
    // Objects come before their grants: what is granted on and not found afterwards is gone.
    let granted = services.catalog.granted_in_databases();
    let definitions = services.engine.definitions();
    let then = definitions.now();
    // One that is brought back while they are read is in the first list, one that is dropped meanwhile in the second.
    let mut dropped: Vec<i64> = services.databases.dropped_ids(&services.catalog)?;
    let databases = services.catalog.databases();
    dropped.extend(services.databases.dropped_ids(&services.catalog)?);
    let are_databases_known = definitions.is_unchanged_since(then);
    let session = services.engine.open_session()?;
    let mut gone = Vec::new();
    let mut is_complete = dropped.is_empty() && are_databases_known;
    for (database, objects) in granted {
        match databases.iter().find(|record| record.id == database) {
            None if dropped.contains(&database) || !are_databases_known => {}
            None => gone.extend(objects.into_iter().map(|(kind, id)| Securable::Within { kind, database, id })),
            Some(record) if services.databases.set_aside.contains(&record.name) => is_complete = false,
            Some(record) => match existing(services, session.as_ref(), record)? {
                Some(existing) => gone.extend(
                    objects.into_iter().filter(|key| !existing.contains(key)).map(|(kind, id)| Securable::Within {
                        kind,
                        database,
                        id,
                    }),
                ),
                None => is_complete = false,
            },
        }
    }
    let edits: Vec<GrantEdit> = gone.into_iter().map(GrantEdit::RevokeAll).collect();
    services.catalog.edit_grants(&edits)?;
    services.grant_sweep.note(is_complete.then_some(as_of));
    Ok(())
}

type Keys = HashSet<(SecurableKind, i64)>;

/// The schemas and objects of a database; `None` while some may come back. What is dropped between two looks is in neither, so
/// that definitions have to stay as they are meanwhile.
fn existing(services: &Services, session: &dyn Session, database: &DatabaseRecord) -> Result<Option<Keys>, RunError> {
    // What is on a cluster comes and goes without notice, and privileges there are those of names.
    if services.catalog.link_of(database.id).is_some() {
        return Ok(None);
    }
    let definitions = services.engine.definitions();
    let then = definitions.now();
    if !session.dropped(&database.name)?.is_empty() {
        return Ok(None);
    }
    let mut keys: Keys = named_within(services, session, database)?.into_keys().collect();
    keys.extend(session.schemas(&database.name)?.iter().map(|schema| (SecurableKind::Schema, schema.id)));
    Ok(definitions.is_unchanged_since(then).then_some(keys))
}
