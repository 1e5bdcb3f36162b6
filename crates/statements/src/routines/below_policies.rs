//! The functions and views that decide what a policy shows: those that its body calls and reads, and those below them in turn.

use std::collections::BTreeSet;

use firn_engine::{ObjectDescription, RoutineDescription, Session};
use firn_sql::command::ObjectKind;
use firn_sql::print::read_query;
use firn_sql::resolve::resolve;
use firn_sql::routines::{Expansion, RoutineKind, called, called_in_query};
use firn_sql::{Namespace, ObjectName};

use super::named_for_owner;
use crate::authorise::{reads_of_view, role_of_owner};
use crate::limits::parse_limits;
use crate::run_error::RunError;
use crate::services::Services;

/// What is called and read below a policy.
#[derive(Default)]
pub struct BelowPolicy {
    /// Complete names, whether there are functions of them or not.
    pub names: BTreeSet<ObjectName>,
    /// All overloads that the calls may mean.
    pub functions: Vec<RoutineDescription>,
    /// Complete names of tables and views, whether there are any or not.
    pub relations: BTreeSet<ObjectName>,
    pub views: Vec<ObjectDescription>,
}

/// What cannot be parsed any more, or has no owner, calls and reads nothing: a statement that reads it fails.
pub fn below_policy(
    services: &Services,
    session: &dyn Session,
    policy: &RoutineDescription,
) -> Result<BelowPolicy, RunError> {
    let mut search = Search { services, session, below: BelowPolicy::default(), waiting: Vec::new() };
    search.routine(policy)?;
    while let Some(next) = search.waiting.pop() {
        match next {
            Definition::Function(function) => search.routine(&function)?,
            Definition::View(view) => search.view(&view)?,
        }
    }
    Ok(search.below)
}

enum Definition {
    Function(RoutineDescription),
    View(ObjectDescription),
}

struct Search<'a> {
    services: &'a Services,
    session: &'a dyn Session,
    below: BelowPolicy,
    waiting: Vec<Definition>,
}

impl Search<'_> {
    fn routine(&mut self, RoutineDescription { routine, owner, .. }: &RoutineDescription) -> Result<(), RunError> {
        let Ok(mut body) = Expansion::of(routine, &parse_limits(&self.services.limits)) else { return Ok(()) };
        let namespace = Namespace { database: routine.name.database.clone(), schema: routine.name.schema.clone() };
        self.calls(called(&body.statement, &namespace)?, owner)?;
        match resolve(&mut body.statement, &namespace) {
            Ok(uses) => self.reads(uses.objects.into_iter().map(|used| used.name)),
            Err(_) => Ok(()),
        }
    }

    fn view(&mut self, view: &ObjectDescription) -> Result<(), RunError> {
        let Some(query) = &view.view_query else { return Ok(()) };
        let namespace = Namespace { database: view.name.database.clone(), schema: view.name.schema.clone() };
        self.calls(called_in_query(&read_query(query)?, &namespace)?, &view.owner)?;
        match reads_of_view(self.services, view)? {
            Some(reads) => self.reads(reads.uses.objects.iter().map(|used| used.name.clone())),
            None => Ok(()),
        }
    }

    fn calls(&mut self, names: Vec<ObjectName>, owner: &str) -> Result<(), RunError> {
        let Ok(owner) = role_of_owner(&self.services.catalog, owner) else { return Ok(()) };
        for name in names {
            if !self.below.names.insert(name.clone()) {
                continue;
            }
            let (catalog, session) = (&self.services.catalog, self.session);
            let found = named_for_owner(catalog, session, &owner, RoutineKind::Function, &name)?;
            self.waiting.extend(found.iter().cloned().map(Definition::Function));
            self.below.functions.extend(found);
        }
        Ok(())
    }

    fn reads(&mut self, names: impl Iterator<Item = ObjectName>) -> Result<(), RunError> {
        for name in names {
            if !self.below.relations.insert(name.clone()) || self.services.catalog.database(name.database()).is_none() {
                continue;
            }
            if let Some(found) = self.session.describe_permanent(&name)?
                && found.kind == ObjectKind::View
            {
                let view = ObjectDescription::clone(&found);
                self.waiting.push(Definition::View(view.clone()));
                self.below.views.push(view);
            }
        }
        Ok(())
    }
}

/// Names that mean another definition by now, or none.
pub enum Redefined<'a> {
    Functions(Vec<&'a ObjectName>),
    Relations(Vec<&'a ObjectName>),
}

impl Redefined<'_> {
    fn is_among(&self, below: &BelowPolicy) -> bool {
        match self {
            Self::Functions(names) => names.iter().any(|name| below.names.contains(*name)),
            Self::Relations(names) => names.iter().any(|name| below.relations.contains(*name)),
        }
    }
}

/// Whether some policy calls or reads what has one of these names, itself or below other definitions.
pub fn is_below_a_policy(
    services: &Services,
    session: &dyn Session,
    redefined: &Redefined<'_>,
) -> Result<bool, RunError> {
    for database in services.catalog.databases() {
        let routines = session.routines(&database.name)?;
        for policy in routines.iter().filter(|described| described.routine.kind.is_policy()) {
            if redefined.is_among(&below_policy(services, session, policy)?) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
