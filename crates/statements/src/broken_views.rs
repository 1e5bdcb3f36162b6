//! Reports a missing table or column below a view as an error of the view: the objects that the statement itself names
//! were found before it reached the engine.

use std::sync::Arc;

use firn_catalog::ActiveRole;
use firn_engine::{ObjectDescription, Session};
use firn_sql::{Access, Failure, ObjectName, Uses};

use crate::authorise::{expansion_failed, reads_of_view};
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;
use crate::unnamed_column::{names, unnamed_column};
use crate::view_columns;

const MISSING_OBJECT: &str = "002003";
const UNKNOWN_COLUMN: &str = "000904";
const WRONG_ARGUMENTS: &str = "001044";

/// Views of views, and so on.
const DEPTH_MAX: usize = 16;

/// Adds the views that lead to a missing object to its error.
pub fn with_views_to_missing(
    services: &Services,
    session: &dyn Session,
    role: &ActiveRole,
    uses: &Uses,
    failure: Failure,
) -> Failure {
    if failure.code != MISSING_OBJECT || failure.message.contains("expansion of view") {
        return failure;
    }
    let search = Search { services, session };
    let broken = read_objects(uses).find_map(|name| search.views_to_missing(name, 0).ok().flatten());
    match broken {
        Some(views) if !views.is_empty() => {
            views.iter().rfold(failure, |failure, view| expansion_failed(view, role, &failure))
        }
        _ => failure,
    }
}

/// Adds the view to the error about a column that the statement does not name.
pub fn with_view_of_column(
    session: &dyn Session,
    role: &ActiveRole,
    uses: &Uses,
    text: &str,
    failure: Failure,
) -> Failure {
    let Some(column) = unnamed_column(text, &failure).filter(|_| failure.code == UNKNOWN_COLUMN) else {
        return failure;
    };
    let described = |name: &ObjectName| session.describe(name).ok().flatten();
    let view = read_objects(uses).filter_map(described).find(|found| {
        let gives = found.columns.iter().any(|known| known.name.eq_ignore_ascii_case(&column));
        found.view_text.as_deref().is_some_and(|text| gives || names(text, &column))
    });
    match view {
        Some(view) => expansion_failed(&view, role, &failure),
        None => failure,
    }
}

/// Adds the view whose query takes a value of another type by now. Where it stands in the expanded statement is of no use.
pub fn with_view_of_types(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    uses: &Uses,
    failure: Failure,
) -> Failure {
    if failure.code != WRONG_ARGUMENTS {
        return failure;
    }
    let read: Vec<ObjectName> = read_objects(uses).cloned().collect();
    for name in &read {
        let found = session.describe(name).ok().flatten().filter(|found| found.view_query.is_some());
        let Some(view) = found else { continue };
        if let Err(RunError::Failed(of_view)) = view_columns::bound(services, session, state, &view) {
            return of_view;
        }
    }
    failure
}

fn read_objects(uses: &Uses) -> impl Iterator<Item = &ObjectName> {
    uses.objects.iter().filter(|object| object.access == Access::Read).map(|object| &object.name)
}

struct Search<'a> {
    services: &'a Services,
    session: &'a dyn Session,
}

impl Search<'_> {
    /// The views from this one to the one that names what is missing; none if this itself is missing.
    fn views_to_missing(
        &self,
        name: &ObjectName,
        depth: usize,
    ) -> Result<Option<Vec<Arc<ObjectDescription>>>, RunError> {
        let Some(found) = self.session.describe(name)? else { return Ok(Some(Vec::new())) };
        let Some(reads) = reads_of_view(self.services, &found)?.filter(|_| depth < DEPTH_MAX) else { return Ok(None) };
        for inner in read_objects(&reads.uses) {
            if let Some(mut views) = self.views_to_missing(inner, depth + 1)? {
                views.insert(0, Arc::clone(&found));
                return Ok(Some(views));
            }
        }
        Ok(None)
    }
}
