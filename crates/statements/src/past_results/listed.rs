//! Whether what a listing has shown is still visible. What was dropped since does not count.

use firn_catalog::{ActiveRole, DatabaseRecord};
use firn_engine::Session;

use crate::authorise::{Authority, Secured};
use crate::reads::{Seen, SeenPlace};
use crate::run_error::RunError;
use crate::services::Services;

/// For roles one of which has to see it.
pub(super) fn are_visible(
    services: &Services,
    session: &dyn Session,
    roles: &[&ActiveRole],
    (seen, database): (&Seen, &DatabaseRecord),
) -> Result<bool, RunError> {
    let authorities = roles.iter().map(|role| Authority::new(&services.catalog, session, role)).collect();
    let viewers = Viewers { session, authorities, seen, database };
    match seen.place {
        SeenPlace::SemanticViews => {
            let views = services.catalog.semantic_views(&database.name, None)?;
            viewers.see_all(views.iter().map(Secured::semantic_view))
        }
        SeenPlace::Database => Ok(viewers.see_containers()? && viewers.see_objects()?),
    }
}

struct Viewers<'a> {
    session: &'a dyn Session,
    authorities: Vec<Authority<'a>>,
    seen: &'a Seen,
    database: &'a DatabaseRecord,
}

impl Viewers<'_> {
    fn see_containers(&self) -> Result<bool, RunError> {
        let name = &self.database.name;
        let see_database = || self.authorities.iter().any(|authority| authority.sees_database(name));
        if self.seen.contains(Seen::DATABASE_ITSELF) && !see_database() {
            return Ok(false);
        }
        for schema in self.session.schemas(name)?.into_iter().filter(|schema| self.seen.contains(schema.id)) {
            let mut is_seen = false;
            for authority in &self.authorities {
                is_seen |= !authority.schema(name, &schema.name)?.is_empty();
            }
            if !is_seen {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn see_objects(&self) -> Result<bool, RunError> {
        let name = &self.database.name;
        let objects = self.session.permanent_objects(name, None)?;
        let stages = self.session.permanent_stages(name, None)?;
        let formats = self.session.permanent_file_formats(name, None)?;
        let routines = self.session.routines(name)?;
        Ok(self.see_all(objects.iter().map(|object| Secured::from(&**object)))?
            && self.see_all(stages.iter().map(Secured::stage))?
            && self.see_all(formats.iter().map(Secured::file_format))?
            && self.see_all(routines.iter().map(Secured::routine))?)
    }

    fn see_all<'object>(&self, objects: impl Iterator<Item = Secured<'object>>) -> Result<bool, RunError> {
        for object in objects.filter(|object| self.seen.contains(object.id)) {
            let mut is_seen = false;
            for authority in &self.authorities {
                is_seen |= authority.sees(object)?;
            }
            if !is_seen {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
