//! What roles own inside of databases goes to others when they are renamed or dropped.

use firn_catalog::semantic_views::SchemaOwner;
use firn_catalog::{Catalog, DatabaseRecord, GrantEdit, Handover};
use firn_engine::{Engine, FormerOwner};
use firn_sql::command::ObjectKind;
use firn_sql::privileges::SecurableKind;

use super::DatabaseFiles;
use crate::authorise::authority::{Secured, within};
use crate::mutex::lock;
use crate::run_error::RunError;

impl DatabaseFiles {
    /// Gives what renamed and dropped roles own inside the databases to those it belongs to now.
    pub fn settle_handovers(&self, catalog: &Catalog, engine: &dyn Engine) -> Result<(), RunError> {
        let _one_at_a_time = lock(&self.changing);
        for handover in catalog.handovers()? {
            if handover.ends_grants {
                end_grants(catalog, engine, &handover)?;
            }
            let former_owner = match handover.ends_grants {
                true => FormerOwner::Dropped(&handover.former_owner),
                false => FormerOwner::Renamed(&handover.former_owner),
            };
            engine.hand_over(former_owner, &handover.owner, handover.created_on_ms)?;
            if handover.ends_grants {
                catalog.hand_over_semantic_views(&handover, &managed_schemas(catalog, engine)?)?;
            }
            // A database that is set aside gets it when it is opened again.
            if self.set_aside.is_empty() {
                catalog.forget_handover(handover.id)?;
            }
        }
        Ok(())
    }
}

/// Those whose objects are not on a cluster.
fn embedded_databases(catalog: &Catalog) -> impl Iterator<Item = DatabaseRecord> {
    catalog.databases().into_iter().filter(|database| catalog.link_of(database.id).is_none())
}

/// The schemas with managed access, each with its owner.
fn managed_schemas(catalog: &Catalog, engine: &dyn Engine) -> Result<Vec<SchemaOwner>, RunError> {
    let session = engine.open_session()?;
    let mut found = Vec::new();
    for database in embedded_databases(catalog) {
        let schemas = session.schemas(&database.name)?;
        found.extend(schemas.into_iter().filter(|schema| schema.options.managed_access).map(|schema| SchemaOwner {
            database: database.name.clone(),
            schema: schema.name,
            owner: schema.owner,
        }));
    }
    Ok(found)
}

/// Revokes what was granted on the views and routines of a role that was dropped.
fn end_grants(catalog: &Catalog, engine: &dyn Engine, handover: &Handover) -> Result<(), RunError> {
    let session = engine.open_session()?;
    let is_of_role =
        |owner: &str, created_on_ms: i64| owner == handover.former_owner && created_on_ms <= handover.created_on_ms;
    let mut edits = Vec::new();
    for database in embedded_databases(catalog) {
        for object in session.objects(&database.name, None)? {
            if object.kind == ObjectKind::View && is_of_role(&object.owner, object.created_on_ms) {
                edits.push(GrantEdit::RevokeAll(within(SecurableKind::View, &database, object.id)));
            }
        }
        for routine in session.routines(&database.name)? {
            if is_of_role(&routine.owner, routine.created_on_ms) {
                edits.push(GrantEdit::RevokeAll(within(Secured::routine(&routine).kind, &database, routine.id)));
            }
        }
    }
    Ok(catalog.edit_grants(&edits)?)
}
