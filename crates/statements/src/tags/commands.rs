//! SET TAG and UNSET TAG of what is neither a database, a schema, a table nor a view: its values are in the catalog.

use firn_catalog::Tagged;
use firn_engine::Session;
use firn_sql::command::{AccountCommand, GrantedKind, GrantedName, IfMissing, TagChange, TagCommand, TagTarget};
use firn_sql::names::display_identifier;
use firn_sql::privileges::SecurableKind;
use firn_sql::{Command, Failure, Statement};

use super::{Assigning, Tags};
use crate::grants;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

const DONE: &str = "Statement executed successfully.";

/// What has the tags, and whether the role owns it.
struct Place {
    tagged: Tagged,
    not_owned: Option<(&'static str, String)>,
}

/// The command that creates the object first, and the one that gives it its tags then. What the catalog creates gets its tags in the
/// first command. `None` for any other command.
pub fn without_creation(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    statement: &Statement,
) -> Result<Option<(Statement, Option<Statement>)>, RunError> {
    let Command::Tags(command) = &statement.command else { return Ok(None) };
    let Some(create) = &command.create else { return Ok(None) };
    let mut tagging = TagCommand { create: None, ..TagCommand::clone(command) };
    let mut checked = tagging.changes.clone();
    checked.iter_mut().try_for_each(|change| change.tag.name.qualify(&state.namespace))?;
    let assigning = Assigning { tags: Tags::new(services, session), role: &state.role, not_owned: None };
    assigning.prepare(&mut checked)?;
    let mut assigned = Vec::new();
    TagChange::apply_all(&checked, &mut assigned);
    assigning.check_count(&assigned)?;
    tagging.changes = checked;
    if let Command::Account(create) = create.as_ref() {
        let create = AccountCommand::CreateTagged { create: Box::new(create.clone()), tags: assigned };
        return Ok(Some((Statement { command: Command::Account(create), ..statement.clone() }, None)));
    }
    let first = Statement { command: Command::clone(create), ..statement.clone() };
    let mut target = tagging.target.clone();
    if let TagTarget::Object { name, .. } = &mut target {
        qualify(name, state)?;
    }
    if command.skips_existing() && find(services, session, state, &target).is_ok() {
        return Ok(Some((first, None)));
    }
    let then = Statement { command: Command::Tags(Box::new(tagging)), ..statement.clone() };
    Ok(Some((first, Some(then))))
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
