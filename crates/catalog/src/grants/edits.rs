//! Changes of grants. Those of one statement are made together or not at all.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError};

use firn_sql::privileges::{Privilege, SecurableKind};
use rusqlite::{Transaction, params};

use super::load::{load_future, load_on};
use super::{FuturePlace, Grants, Securable};
use crate::catalog::Catalog;
use crate::clock::now_ms;
use crate::error::CatalogError;
use crate::store::Durability;

#[derive(Clone, Debug)]
pub enum GrantEdit {
    Grant {
        on: Securable,
        privilege: Privilege,
        grantee: String,
        granted_by: String,
        grant_option: bool,
    },
    /// Without `granted_by`, whoever granted it.
    Revoke {
        on: Securable,
        privilege: Privilege,
        grantee: String,
        granted_by: Option<String>,
    },
    RevokeOption {
        on: Securable,
        privilege: Privilege,
        grantee: String,
        granted_by: Option<String>,
    },
    /// All that was granted on it.
    RevokeAll(Securable),
    /// All that was granted on it so far counts as granted by its new owner.
    SetGrantor {
        on: Securable,
        granted_by: String,
    },
    Copy {
        from: Securable,
        to: Securable,
    },
    GrantFuture {
        place: FuturePlace,
        kind: SecurableKind,
        privilege: Privilege,
        grantee: String,
        granted_by: String,
        grant_option: bool,
    },
    RevokeFuture {
        place: FuturePlace,
        kind: SecurableKind,
        privilege: Privilege,
        grantee: String,
    },
}

impl Catalog {
    pub fn edit_grants(&self, edits: &[GrantEdit]) -> Result<(), CatalogError> {
        if edits.is_empty() {
            return Ok(());
        }
        let work = |transaction: &Transaction<'_>| {
            let now_ms = now_ms();
            for edit in edits {
                write(transaction, edit, now_ms)?;
            }
            changed(transaction, edits)
        };
        let publish = |changed: &mut Changed| {
            let grants = self.look(|memory| Arc::clone(&memory.grants));
            let mut grants = grants.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(changed).publish(&mut grants);
        };
        self.store().write_then(Durability::Synced, work, publish)?;
        Ok(())
    }
}

fn write(transaction: &Transaction<'_>, edit: &GrantEdit, now_ms: i64) -> Result<(), CatalogError> {
    match edit {
        GrantEdit::Grant { on, privilege, grantee, granted_by, grant_option } => {
            let (database, object) = on.stored();
            transaction.prepare_cached(
                "INSERT INTO privilege_grants (database_id, object, kind, privilege, grantee, granted_by, grant_option, \
                 created_on_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
                 ON CONFLICT DO UPDATE SET grant_option = max(grant_option, excluded.grant_option)",
            )?.execute(params![
                database,
                object,
                on.kind().label(),
                privilege.words(),
                grantee,
                granted_by,
                grant_option,
                now_ms
            ])?;
        }
        GrantEdit::Revoke { on, privilege, grantee, granted_by } => {
            let (database, object) = on.stored();
            transaction.execute(
                "DELETE FROM privilege_grants WHERE database_id = ?1 AND object = ?2 AND kind = ?3 AND privilege = ?4 \
                 AND grantee = ?5 AND (?6 IS NULL OR granted_by = ?6)",
                params![database, object, on.kind().label(), privilege.words(), grantee, granted_by],
            )?;
        }
        GrantEdit::RevokeOption { on, privilege, grantee, granted_by } => {
            let (database, object) = on.stored();
            transaction.execute(
                "UPDATE privilege_grants SET grant_option = 0 WHERE database_id = ?1 AND object = ?2 AND kind = ?3 \
                 AND privilege = ?4 AND grantee = ?5 AND (?6 IS NULL OR granted_by = ?6)",
                params![database, object, on.kind().label(), privilege.words(), grantee, granted_by],
            )?;
        }
        GrantEdit::RevokeAll(on) => {
            let (database, object) = on.stored();
            transaction.execute(
                "DELETE FROM privilege_grants WHERE database_id = ?1 AND object = ?2 AND kind = ?3",
                params![database, object, on.kind().label()],
            )?;
        }
        GrantEdit::SetGrantor { on, granted_by } => {
            let (database, object) = on.stored();
            transaction.execute(
                "UPDATE OR REPLACE privilege_grants SET granted_by = ?4 WHERE database_id = ?1 AND object = ?2 AND kind = ?3",
                params![database, object, on.kind().label(), granted_by],
            )?;
        }
        GrantEdit::Copy { from, to } => copy(transaction, from, to)?,
        GrantEdit::GrantFuture { .. } | GrantEdit::RevokeFuture { .. } => write_future(transaction, edit, now_ms)?,
    }
    Ok(())
}

fn copy(transaction: &Transaction<'_>, from: &Securable, to: &Securable) -> Result<(), CatalogError> {
    let ((from_database, from_object), (to_database, to_object)) = (from.stored(), to.stored());
    transaction.execute(
        "INSERT OR IGNORE INTO privilege_grants (database_id, object, kind, privilege, grantee, granted_by, grant_option, \
         created_on_ms) SELECT ?4, ?5, ?6, privilege, grantee, granted_by, grant_option, created_on_ms \
         FROM privilege_grants WHERE database_id = ?1 AND object = ?2 AND kind = ?3",
        params![from_database, from_object, from.kind().label(), to_database, to_object, to.kind().label()],
    )?;
    Ok(())
}

fn write_future(transaction: &Transaction<'_>, edit: &GrantEdit, now_ms: i64) -> Result<(), CatalogError> {
    match edit {
        GrantEdit::GrantFuture { place, kind, privilege, grantee, granted_by, grant_option } => {
            transaction.execute(
                "INSERT INTO future_grants (database_id, schema_id, kind, privilege, grantee, granted_by, grant_option, \
                 created_on_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
                 ON CONFLICT DO UPDATE SET grant_option = max(grant_option, excluded.grant_option)",
                params![
                    place.database,
                    place.schema.unwrap_or_default(),
                    kind.label(),
                    privilege.words(),
                    grantee,
                    granted_by,
                    grant_option,
                    now_ms
                ],
            )?;
        }
        GrantEdit::RevokeFuture { place, kind, privilege, grantee } => {
            transaction.execute(
                "DELETE FROM future_grants WHERE database_id = ?1 AND schema_id = ?2 AND kind = ?3 AND privilege = ?4 \
                 AND grantee = ?5",
                params![place.database, place.schema.unwrap_or_default(), kind.label(), privilege.words(), grantee],
            )?;
        }
        _ => {}
    }
    Ok(())
}

/// What the index gets once the edits are committed.
#[derive(Default)]
struct Changed {
    parts: Grants,
}

fn changed(transaction: &Transaction<'_>, edits: &[GrantEdit]) -> Result<Changed, CatalogError> {
    let mut changed = Changed::default();
    let mut read = HashSet::new();
    for edit in edits {
        match edit {
            GrantEdit::Grant { on, .. }
            | GrantEdit::Revoke { on, .. }
            | GrantEdit::RevokeOption { on, .. }
            | GrantEdit::RevokeAll(on)
            | GrantEdit::SetGrantor { on, .. }
            | GrantEdit::Copy { to: on, .. } => {
                if read.insert(on) {
                    changed.parts.on.insert(on.clone(), load_on(transaction, on)?);
                }
            }
            GrantEdit::GrantFuture { place, .. } | GrantEdit::RevokeFuture { place, .. } => {
                changed.parts.future.insert(*place, load_future(transaction, *place)?);
            }
        }
    }
    Ok(changed)
}

impl Changed {
    fn publish(self, grants: &mut Grants) {
        for (on, granted) in self.parts.on {
            match granted.is_empty() {
                true => drop(grants.on.remove(&on)),
                false => drop(grants.on.insert(on, granted)),
            }
        }
        for (place, granted) in self.parts.future {
            match granted.is_empty() {
                true => drop(grants.future.remove(&place)),
                false => drop(grants.future.insert(place, granted)),
            }
        }
    }
}
