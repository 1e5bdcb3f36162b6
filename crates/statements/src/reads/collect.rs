//! Collects what a statement reads after it was authorised: what it names, what is below views and in functions, and the routines.

use std::collections::HashSet;

use firn_engine::{ObjectDescription, RoutineDescription, Session};
use firn_sql::command::{CalledFunction, Command, Ddl, ObjectKind, Persistence, TableSource};
use firn_sql::names::INFORMATION_SCHEMA;
use firn_sql::privileges::{Privilege, PrivilegeSet};
use firn_sql::resolve::{Access, UsedKind, Uses};
use firn_sql::{ObjectName, Statement};

use super::sources::take_over_variables;
use super::{ReadKind, ReadObject, Shown, information_schema, policy_checksum, reader_of_session, words_of};
use crate::authorise::reads_of_view;
use crate::own_database;
use crate::read_only;
use crate::run_error::RunError;
use crate::semantic_views::OwnersReads;
use crate::services::Services;
use crate::session_state::SessionState;

const SELECT: PrivilegeSet = PrivilegeSet::NONE.with(Privilege::Select);
const USAGE: PrivilegeSet = PrivilegeSet::NONE.with(Privilege::Usage);

/// Adds the reads of a statement to those of the session's.
pub fn note(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    statement: &Statement,
    (uses, by_owners): (&Uses, &OwnersReads),
) -> Result<(), RunError> {
    state.reads.borrow_mut().has_listings |= is_checked_by_text(&statement.command);
    let shown = if state.in_block { Shown::InResult } else { shown_by(&statement.command) };
    let has_policies = statement.has_policies || clones_policies(&statement.command);
    let mut collector = Collector::new(services, session, state);
    (collector.shown, collector.has_policies) = (shown, has_policies);
    collector.refuses_values = read_only::refuses_values(state.changes, &statement.command);
    collector.statement(statement, uses, by_owners)?;
    // Their bodies may call GETVARIABLE.
    let reads_definitions = !(collector.views.is_empty() && statement.called.is_empty() && by_owners.is_empty());
    if reads_definitions || statement.has_policies {
        take_over_variables(state);
    }
    Ok(())
}

/// Adds a procedure that is called.
pub fn note_procedure(services: &Services, state: &SessionState, called: &RoutineDescription) {
    let Some(record) = services.catalog.database(called.routine.name.database()) else { return };
    let name = &called.routine.name;
    state.reads.borrow_mut().note(ReadObject {
        kind: ReadKind::Procedure,
        database: record.id,
        id: called.id,
        schema: name.schema().to_owned(),
        name: name.name.clone(),
        needs: words_of(USAGE),
        reader: reader_of_session(state),
        policies: None,
        shown: Shown::InResult,
    });
}

/// Adds a stage whose file is run.
pub fn note_stage(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    name: &ObjectName,
) -> Result<(), RunError> {
    let collector = Collector::new(services, session, state);
    collector.stage(name, PrivilegeSet::NONE.with(Privilege::Read), reader_of_session(state))
}

/// Listings of what is not in a database. Of others, the objects that they show are recorded.
fn is_checked_by_text(command: &Command) -> bool {
    match command {
        Command::Show(show) => show.history || !shows_objects(show.kind),
        Command::Describe { kind, .. } => *kind == ObjectKind::FileFormat || !shows_objects(*kind),
        _ => false,
    }
}

fn shows_objects(kind: ObjectKind) -> bool {
    matches!(
        kind,
        ObjectKind::Database
            | ObjectKind::Schema
            | ObjectKind::Table
            | ObjectKind::View
            | ObjectKind::MaterializedView
            | ObjectKind::SemanticView
            | ObjectKind::SemanticItem(_)
            | ObjectKind::Object
            | ObjectKind::Column
            | ObjectKind::Stage
            | ObjectKind::FileFormat
            | ObjectKind::Sequence
            | ObjectKind::PrimaryKey
            | ObjectKind::UniqueKey
            | ObjectKind::ImportedKey
            | ObjectKind::ExportedKey
            | ObjectKind::Function
            | ObjectKind::Procedure
            | ObjectKind::MaskingPolicy
            | ObjectKind::RowAccessPolicy
            | ObjectKind::Tag
    )
}

/// What changes data or definitions answers with counts and names of its own; only a failure shows what it read.
fn shown_by(command: &Command) -> Shown {
    match command {
        Command::Query(_)
        | Command::Stages(_)
        | Command::Transfer(_)
        | Command::Explain(_)
        | Command::Show(_)
        | Command::Describe { .. }
        | Command::DescribeRoutine { .. }
        | Command::Block(_) => Shown::InResult,
        _ => Shown::InFailure,
    }
}

/// The policies of a table are copied with it, and applied when the copy is read.
fn clones_policies(command: &Command) -> bool {
    matches!(command, Command::Ddl(Ddl::CreateTable(table)) if matches!(table.source, TableSource::Clone(_)))
}

struct Collector<'a> {
    services: &'a Services,
    session: &'a dyn Session,
    state: &'a SessionState,
    shown: Shown,
    has_policies: bool,
    /// Views that take values of sequences are refused.
    refuses_values: bool,
    /// The views that were followed, by their ids.
    views: HashSet<(i64, ObjectName)>,
}

/// How a relation is read.
#[derive(Clone)]
struct Reading {
    needs: PrivilegeSet,
    reader: Option<String>,
    /// The name is one of a stored definition: it means no temporary object.
    is_stored: bool,
}

impl<'a> Collector<'a> {
    fn new(services: &'a Services, session: &'a dyn Session, state: &'a SessionState) -> Self {
        let (shown, views) = (Shown::InResult, HashSet::new());
        Self { services, session, state, shown, has_policies: false, refuses_values: false, views }
    }

    fn statement(&mut self, statement: &Statement, uses: &Uses, by_owners: &OwnersReads) -> Result<(), RunError> {
        let shown = self.shown;
        for used in &uses.objects {
            if matches!(used.access, Access::Create | Access::Replace | Access::Drop) {
                continue;
            }
            // Which rows of its target a statement of a block has changed, the block can count.
            let counts_rows = self.state.in_block && used.needs.contains(Privilege::Select);
            self.shown = if used.access == Access::Read || counts_rows { shown } else { Shown::InFailure };
            let owner = by_owners.owner_of(&used.name);
            let reader = match owner {
                Some(owner) => self.reader(owner),
                None => reader_of_session(self.state),
            };
            let is_stored = owner.is_some();
            match used.kind {
                UsedKind::FileFormat => {}
                UsedKind::Stage => self.stage(&used.name, used.needs, reader)?,
                _ => self.relation(&used.name, Reading { needs: used.needs, reader, is_stored })?,
            }
        }
        self.shown = shown;
        for (name, id) in by_owners.views() {
            self.note(ReadKind::SemanticView, name, *id, (SELECT, reader_of_session(self.state), None));
        }
        let of_views = by_owners.owner_of_first();
        for called in &statement.called {
            self.function(called, of_views.unwrap_or(&called.called_by))?;
        }
        for called in &statement.called_in_views {
            self.function(called, &called.called_by)?;
        }
        Ok(())
    }

    /// Who reads what is read with an owner's rights. An owner's role that the session has is one of the user's.
    fn reader(&self, owner: &str) -> Option<String> {
        match self.state.role.held.contains(owner) {
            true => reader_of_session(self.state),
            false => Some(owner.to_owned()),
        }
    }

    fn function(&mut self, called: &CalledFunction, called_by: &str) -> Result<(), RunError> {
        self.note(ReadKind::Function, &called.name, called.id, (USAGE, self.reader(called_by), None));
        let reader = self.reader(&called.owner);
        for name in &called.reads {
            self.relation(name, Reading { needs: SELECT, reader: reader.clone(), is_stored: true })?;
        }
        Ok(())
    }

    fn stage(&self, name: &ObjectName, needs: PrivilegeSet, reader: Option<String>) -> Result<(), RunError> {
        if let Some(found) = self.session.stage(name)? {
            self.note(ReadKind::Stage, &found.name, found.id, (needs, reader, None));
            if found.persistence == Persistence::Temporary {
                self.filled_from(found.id);
            }
        }
        Ok(())
    }

    fn relation(&mut self, name: &ObjectName, reading: Reading) -> Result<(), RunError> {
        if own_database::is_open_to_all(&self.services.catalog, name) {
            return Ok(());
        }
        if name.schema() == INFORMATION_SCHEMA {
            self.note(ReadKind::Database, name, 0, (USAGE, reading.reader.clone(), None));
            return information_schema::note(
                self.services,
                self.session,
                self.state,
                (name, reading.reader.as_deref()),
            );
        }
        let found = match reading.is_stored {
            true => self.session.describe_permanent(name)?,
            false => self.session.describe(name)?,
        };
        let Some(found) = found else { return Ok(()) };
        // A temporary object is the session's alone, but not what it was filled from.
        if found.persistence == Persistence::Temporary {
            self.filled_from(found.id);
        } else {
            let needs = match found.kind {
                ObjectKind::Sequence => USAGE,
                _ => reading.needs,
            };
            let policies = match self.has_policies {
                true => policy_checksum(self.services, self.session, &found)?,
                false => None,
            };
            self.note(ReadKind::Relation, &found.name, found.id, (needs, reading.reader.clone(), policies));
        }
        let is_own = own_database::is_own(&self.services.catalog, name);
        match found.kind == ObjectKind::View && !is_own {
            true => self.view(&found, reading),
            false => Ok(()),
        }
    }

    /// Adds what a temporary table or stage was filled from.
    fn filled_from(&self, id: i64) {
        if let Some(sources) = self.state.temporary_reads.get(&id) {
            self.state.reads.borrow_mut().take_over_as(sources, self.shown);
        }
    }

    /// What is below a view is read for its owner.
    fn view(&mut self, view: &ObjectDescription, reading: Reading) -> Result<(), RunError> {
        if !self.views.insert((view.id, view.name.clone())) {
            return Ok(());
        }
        let Some(reads) = reads_of_view(self.services, view)? else { return Ok(()) };
        if self.refuses_values && !reads.sequences.objects.is_empty() {
            return Err(read_only::taken().into());
        }
        let (reader, is_stored) = match view.persistence {
            Persistence::Temporary => (reading.reader, false),
            _ => (self.reader(&view.owner), true),
        };
        for used in reads.uses.objects.iter().chain(&reads.sequences.objects) {
            self.relation(&used.name, Reading { needs: used.needs, reader: reader.clone(), is_stored })?;
        }
        Ok(())
    }

    fn note(
        &self,
        kind: ReadKind,
        name: &ObjectName,
        id: i64,
        (needs, reader, policies): (PrivilegeSet, Option<String>, Option<u64>),
    ) {
        let Some(record) = self.services.catalog.database(name.database()) else { return };
        let mut reads = self.state.reads.borrow_mut();
        if policies.is_some() && !self.state.has_owners_rights {
            reads.roles.extend(self.state.role.held.iter().cloned());
        }
        reads.note(ReadObject {
            kind,
            database: record.id,
            id,
            schema: name.schema().to_owned(),
            name: name.name.clone(),
            needs: words_of(needs),
            reader,
            policies,
            shown: self.shown,
        });
    }
}
