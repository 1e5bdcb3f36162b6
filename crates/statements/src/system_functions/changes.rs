//! SYSTEM$LAST_CHANGE_COMMIT_TIME.

use firn_sql::command::ObjectKind;
use firn_sql::{Failure, ObjectName, names_in_text};

use super::CallContext;
use crate::authorise::Authority;
use crate::run_error::RunError;

impl CallContext<'_> {
    pub(super) fn last_change(&self, table: &str) -> Result<Option<String>, RunError> {
        let missing = || RunError::from(Failure::missing_object("Object", table));
        let mut parts = names_in_text(table)?.into_iter().rev();
        let name = parts.next().ok_or_else(missing)?;
        let mut name = ObjectName { schema: parts.next(), database: parts.next(), name };
        name.qualify(&self.state.namespace)?;
        let found = self.session.describe(&name)?.ok_or_else(missing)?;
        let authority = Authority::new(&self.services.catalog, &*self.session, &self.state.role);
        if !authority.sees(found.as_ref())? {
            return Err(missing());
        }
        let changes = &self.services.changes;
        let time = match found.kind {
            ObjectKind::View => changes.of_anything(),
            _ => changes.of_table(&name),
        };
        Ok(Some(time.to_string()))
    }
}
