//! SHOW of kinds that cannot exist here.

use firn_sql::command::Scope;
use firn_sql::unsupported::SHOWN;

use super::listing::{Listing, Viewer};
use crate::run_error::RunError;

/// The kind's columns; the scope has to be one the caller may see.
pub fn nothing(viewer: &Viewer, scope: &Scope, words: &str) -> Result<Listing, RunError> {
    if let Scope::Object(_) = scope {
        viewer.objects_in(scope, &[])?;
    }
    for database in viewer.databases_in(scope)? {
        viewer.schema_in(scope, &database)?;
    }
    let columns = SHOWN.iter().find(|(known, _)| *known == words).map_or("name", |(_, columns)| columns);
    Ok(Listing::of(columns))
}
