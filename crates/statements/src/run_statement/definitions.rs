//! Changes of definitions: what has to hold before, and what lies in schemas but not in the engine follows them after.

use firn_engine::Session;
use firn_sql::command::{AccessCommand, Command, Container, Ddl, GrantTarget, GrantedName, OwnershipTarget};
use firn_sql::resolve::Uses;

use super::Run;
use crate::local_rows::LocalRows;
use crate::partitions::WrittenResult;
use crate::run_error::RunError;
use crate::{grants, login_policies, policies, routines, semantic_views, tags};

impl Run<'_> {
    pub(super) fn ddl(
        &self,
        session: &mut dyn Session,
        command: &Command,
        ddl: &Ddl,
        uses: &Uses,
    ) -> Result<WrittenResult, RunError> {
        if let Some(answer) = routines::skipped(self.services, session, self.state, ddl)? {
            return self.local(LocalRows::status(&answer));
        }
        let clone_source = grants::check_clone(self.services, session, self.state, ddl)?;
        grants::check_managed_access(self.services, self.state, ddl)?;
        grants::check_undrop(session, self.state, ddl)?;
        routines::check_body(self.services, session, self.state, ddl)?;
        policies::refuse_change_in_use(self.services, session, ddl)?;
        login_policies::refuse_drop_in_use(self.services, ddl)?;
        tags::refuse_drop_of_masking_tag(session, ddl)?;
        tags::refuse_drop_in_use(self.services, session, &self.state.role, ddl)?;
        let cloned = grants::cloned_schema(self.services, session, ddl)?;
        let of_source = cloned.as_ref().map(|clone| {
            let views = semantic_views::in_clone_source(self.services, clone)?;
            Ok::<_, RunError>((clone, views, tags::tags_of_clone_source(self.services, session, clone)?))
        });
        let of_source = of_source.transpose()?;
        let (catalog, engine, role) = (&self.services.catalog, self.services.engine.as_ref(), &self.state.role.name);
        let interrupter = session.interrupter();
        let message = self.services.databases.apply(catalog, engine, role, ddl, interrupter.as_ref())?;
        let written = match message {
            Some(message) => {
                session.shield();
                self.note_change(command, uses);
                self.local(LocalRows::status(&message))
            }
            None => self.change(session, command, uses),
        }?;
        semantic_views::follow(self.services, ddl)?;
        if let Some((clone, views, tagged)) = of_source {
            semantic_views::copy_into_clone(self.services, clone, &views, role)?;
            if let Some(tagged) = tagged {
                tags::follow_clone(self.services, session, clone, tagged)?;
            }
        }
        if let Some(source) = clone_source {
            grants::grant_on_clone(self.services, session, self.state, ddl, &source)?;
        }
        Ok(written)
    }
}

/// The databases that a statement changes something in, or reads.
pub(super) fn databases_of(uses: &Uses) -> Vec<&str> {
    let objects = uses.objects.iter().map(|used| used.name.database());
    let schemas = uses.schemas.iter().map(|used| used.name.database());
    objects.chain(schemas).chain(uses.databases.iter().map(|used| used.name.as_str())).collect()
}

/// Whether databases have other names after the statement.
pub(super) fn names_databases(command: &Command) -> bool {
    matches!(command, Command::Ddl(Ddl::AlterDatabase { .. } | Ddl::Undrop(OwnershipTarget::Database(_))))
}

/// The databases on which, or on whose objects, something is granted.
pub(super) fn databases_of_grant(command: &AccessCommand) -> Vec<&str> {
    let target = match command {
        AccessCommand::Privileges(change) => &change.target,
        AccessCommand::Ownership(change) => &change.target,
    };
    match target {
        GrantTarget::Account => Vec::new(),
        GrantTarget::Objects { names, .. } => names.iter().map(database_of_granted).collect(),
        GrantTarget::All { container, .. } | GrantTarget::Future { container, .. } => vec![match container {
            Container::Database(name) => name,
            Container::Schema(name) => name.database(),
        }],
    }
}

fn database_of_granted(name: &GrantedName) -> &str {
    match name {
        // If it is no database, there may be one of its name.
        GrantedName::OfAccount(name) => name,
        GrantedName::DatabaseRole(name) => name.database(),
        GrantedName::Schema(name) => name.database(),
        GrantedName::Object(name) | GrantedName::Routine { name, .. } => name.database(),
    }
}
