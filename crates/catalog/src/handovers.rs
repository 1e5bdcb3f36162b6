//! Pending changes of ownership inside the database files after a role was renamed or dropped. They are written in the
//! same transaction as the change of the role, so that a crash loses nothing.

use rusqlite::Connection;

use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::store::Durability;

/// What `former_owner` made until then belongs to `owner`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handover {
    pub id: i64,
    pub former_owner: String,
    pub owner: String,
    pub created_on_ms: i64,
    /// The role was dropped: who might use its views and routines must not get the rights of the new owner by them.
    pub ends_grants: bool,
}

impl Catalog {
    /// In the order in which they have to be carried out.
    pub fn handovers(&self) -> Result<Vec<Handover>, CatalogError> {
        self.store().read(|connection| {
            let mut statement = connection
                .prepare("SELECT id, former_owner, owner, created_on_ms, ends_grants FROM handovers ORDER BY id")?;
            let rows = statement.query_map([], |row| {
                Ok(Handover {
                    id: row.get(0)?,
                    former_owner: row.get(1)?,
                    owner: row.get(2)?,
                    created_on_ms: row.get(3)?,
                    ends_grants: row.get(4)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    pub fn forget_handover(&self, id: i64) -> Result<(), CatalogError> {
        self.store().write(Durability::Process, |transaction| {
            transaction.execute("DELETE FROM handovers WHERE id = ?1", [id])?;
            Ok(())
        })
    }
}

pub(crate) fn note(connection: &Connection, handover: &Handover) -> Result<(), CatalogError> {
    connection.execute(
        "INSERT INTO handovers (former_owner, owner, created_on_ms, ends_grants) VALUES (?1, ?2, ?3, ?4)",
        rusqlite::params![handover.former_owner, handover.owner, handover.created_on_ms, handover.ends_grants],
    )?;
    Ok(())
}
