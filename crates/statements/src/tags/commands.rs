//! SET TAG and UNSET TAG of what is neither a database, a schema, a table nor a view: its values are in the catalog.

use firn_catalog::{Securable, Tagged};
use firn_engine::{Session, fresh_object_id};
use firn_sql::command::{
    AccountCommand, AssignedTag, GrantedKind, GrantedName, IfMissing, TagChange, TagCommand, TagTarget,
};
use firn_sql::names::display_identifier;
use firn_sql::privileges::SecurableKind;
use firn_sql::{Command, Failure, Statement};

use super::{Assigning, Tags};
use crate::grants::{self, named_within};
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

const DONE: &str = "Statement executed successfully.";

/// What has the tags, and whether the role owns it.
struct Place {
    tagged: Tagged,
    not_owned: Option<(&'static str, String)>,
}

/// A command that creates an object with tags.
pub struct TaggedCreation {
    pub create: Statement,
    /// `None` where the command has the tags in it, or leaves an object alone that is there.
    pub tags: Option<TagsOfNew>,
}

/// The tags of an object that is about to be created. They are assigned first, so that the object has them from its first moment.
pub struct TagsOfNew {
    /// The identity that the object is to get.
    pub id: i64,
    pub tagged: Tagged,
    pub assigned: Vec<AssignedTag>,
}

impl TagsOfNew {
    /// Whether the object exists, whoever may know of it.
    pub fn is_created(&self, services: &Services, session: &dyn Session) -> Result<bool, RunError> {
        let databases = services.catalog.databases();
        match databases.iter().find(|database| database.id == self.tagged.database) {
            Some(database) => Ok(named_within(services, session, database)?.keys().any(|(_, id)| *id == self.id)),
            None => Ok(false),
        }
    }
}

/// `None` for any command that creates no object with tags.
pub fn tagged_creation(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    statement: &Statement,
) -> Result<Option<TaggedCreation>, RunError> {
    let Command::Tags(command) = &statement.command else { return Ok(None) };
    let Some(create) = &command.create else { return Ok(None) };
    let mut changes = command.changes.clone();
    changes.iter_mut().try_for_each(|change| change.tag.name.qualify(&state.namespace))?;
    let assigning = Assigning { tags: Tags::new(services, session), role: &state.role, not_owned: None };
    assigning.prepare(&mut changes)?;
    let mut assigned = Vec::new();
    TagChange::apply_all(&changes, &mut assigned);
    assigning.check_count(&assigned)?;
    if let Command::Account(create) = create.as_ref() {
        let create = AccountCommand::CreateTagged { create: Box::new(create.clone()), tags: assigned };
        let create = Statement { command: Command::Account(create), ..statement.clone() };
        return Ok(Some(TaggedCreation { create, tags: None }));
    }
    let create = Statement { command: Command::clone(create), ..statement.clone() };
    let mut target = command.target.clone();
    if let TagTarget::Object { name, .. } = &mut target {
        qualify(name, state)?;
    }
    let is_skipped = command.skips_existing() && find(services, session, state, &target).is_ok();
    let tagged = if is_skipped { None } else { tagged_anew(services, &target) };
    let tags = tagged.map(|(id, tagged)| TagsOfNew { id, tagged, assigned });
    Ok(Some(TaggedCreation { create, tags }))
}

/// A new object in a schema; `None` where creating it fails for want of its database.
fn tagged_anew(services: &Services, target: &TagTarget) -> Option<(i64, Tagged)> {
    let TagTarget::Object { kind, name: GrantedName::Object(name) | GrantedName::Routine { name, .. } } = target else {
        return None;
    };
    let database = services.catalog.database(name.database())?.id;
    let id = fresh_object_id();
    Some((id, Tagged::from(&Securable::Within { kind: *kind, database, id })))
}

fn qualify(name: &mut GrantedName, state: &SessionState) -> Result<(), Failure> {
    match name {
        GrantedName::OfAccount(_) => Ok(()),
        GrantedName::DatabaseRole(role) => role.qualify(&state.namespace),
        GrantedName::Schema(schema) => schema.qualify(&state.namespace),
        GrantedName::Object(object) | GrantedName::Routine { name: object, .. } => object.qualify(&state.namespace),
    }
}

/// The status of the command.
pub fn run(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    command: &TagCommand,
) -> Result<String, RunError> {
    let place = match find(services, session, state, &command.target) {
        Err(RunError::Failed(failure)) if command.if_missing == IfMissing::Skip && failure.code == "002003" => {
            return Ok(DONE.to_owned());
        }
        place => place?,
    };
    let assigning = Assigning { tags: Tags::new(services, session), role: &state.role, not_owned: place.not_owned };
    let mut changes = command.changes.clone();
    assigning.prepare(&mut changes)?;
    let mut assigned = services.catalog.tags_of(&place.tagged);
    TagChange::apply_all(&changes, &mut assigned);
    assigning.check_count(&assigned)?;
    services.catalog.set_tags(&place.tagged, &assigned)?;
    services.changes.note_definitions();
    Ok(DONE.to_owned())
}

fn find(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    target: &TagTarget,
) -> Result<Place, RunError> {
    let owns = |owner: &str| state.role.may_use_what_is_owned_by(owner);
    match target {
        TagTarget::Account => Ok(Place {
            tagged: Tagged::of_account("ACCOUNT", ""),
            not_owned: (!state.role.is_account_admin()).then(|| ("account", services.catalog.account())),
        }),
        TagTarget::NetworkPolicy(name) => {
            let found =
                services.catalog.network_policies().into_iter().find(|found| found.name == *name && owns(&found.owner));
            found.ok_or_else(|| Failure::missing_object("Network policy", &display_identifier(name)))?;
            Ok(Place { tagged: Tagged::of_account("NETWORK_POLICY", name), not_owned: None })
        }
        TagTarget::Object { kind, name } => {
            let found = grants::named_target(services, session, state, GrantedKind::Of(*kind), name)?;
            let tagged = match (&found.securable, &found.place) {
                (Some(securable), _) => Tagged::from(securable),
                (None, grants::Place::DatabaseRole(database, role)) => {
                    Tagged { kind: kind.label(), database: *database, object: role.clone() }
                }
                (None, _) => {
                    let GrantedName::OfAccount(name) = name else {
                        return Err(Failure::unsupported("tags of this kind of object").into());
                    };
                    Tagged::of_account(&kind.label(), name)
                }
            };
            let not_owned = (!owns(&found.owner)).then(|| (word(*kind), found.shown));
            Ok(Place { tagged, not_owned })
        }
    }
}

fn word(kind: SecurableKind) -> &'static str {
    match kind {
        SecurableKind::User => "user",
        SecurableKind::Role => "role",
        SecurableKind::DatabaseRole => "database role",
        SecurableKind::Warehouse => "warehouse",
        SecurableKind::Integration => "integration",
        SecurableKind::Stage => "stage",
        SecurableKind::Function => "function",
        SecurableKind::Procedure => "procedure",
        SecurableKind::MaskingPolicy => "masking policy",
        SecurableKind::RowAccessPolicy => "row access policy",
        SecurableKind::SemanticView => "semantic view",
        _ => "object",
    }
}
