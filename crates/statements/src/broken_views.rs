//! Tells a failure of the tables below a view as one of the view: what the statement itself names is there, or it
//! would not have come to the engine.

use firn_engine::Session;
use firn_sql::names::display_identifier;
use firn_sql::resolve::resolve;
use firn_sql::{Access, Failure, Namespace, ObjectName, SourceStatement, Uses, parse_statement};

use crate::limits::Limits;
use crate::run::RunError;
use crate::submit::parse_limits;

const MISSING_OBJECT: &str = "002003";

/// Views of views, and so on.
const DEPTH_MAX: usize = 16;

/// The same failure, told with the views that lead to what is missing.
pub fn told(session: &dyn Session, limits: &Limits, uses: &Uses, failure: Failure) -> Failure {
    if failure.code != MISSING_OBJECT || failure.message.contains("expansion of view") {
        return failure;
    }
    let search = Search { session, limits };
    let broken = read_objects(uses).find_map(|name| search.views_to_missing(name, 0).ok().flatten());
    match broken {
        Some(views) if !views.is_empty() => {
            views.iter().rfold(failure, |failure, view| expansion_failed(view, &failure))
        }
        _ => failure,
    }
}

fn read_objects(uses: &Uses) -> impl Iterator<Item = &ObjectName> {
    uses.objects.iter().filter(|object| object.access == Access::Read).map(|object| &object.name)
}

fn expansion_failed(view: &str, failure: &Failure) -> Failure {
    let reason = failure.message.strip_prefix("SQL compilation error:\n").unwrap_or(&failure.message);
    let message =
        format!("SQL compilation error:\nFailure during expansion of view '{view}': SQL compilation error:\n{reason}");
    Failure::new("002037", "42601", message)
}

struct Search<'a> {
    session: &'a dyn Session,
    limits: &'a Limits,
}

impl Search<'_> {
    /// The views from this one to the one that names what is missing; none if this itself is missing.
    fn views_to_missing(&self, name: &ObjectName, depth: usize) -> Result<Option<Vec<String>>, RunError> {
        let Some(found) = self.session.describe(name)? else { return Ok(Some(Vec::new())) };
        let Some(text) = found.view_text.clone().filter(|_| depth < DEPTH_MAX) else { return Ok(None) };
        let source = SourceStatement { text, line: 1, position: 0 };
        let mut definition = parse_statement(&source, &parse_limits(self.limits))?;
        let namespace = Namespace { database: name.database.clone(), schema: name.schema.clone() };
        let uses = resolve(&mut definition, &namespace)?;
        for inner in read_objects(&uses) {
            if let Some(mut views) = self.views_to_missing(inner, depth + 1)? {
                views.insert(0, display_identifier(&name.name));
                return Ok(Some(views));
            }
        }
        Ok(None)
    }
}
