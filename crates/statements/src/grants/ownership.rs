//! GRANT OWNERSHIP.

use firn_catalog::{GrantEdit, Holder, LoginPolicyEdit, Securable};
use firn_engine::{SchemaDescription, Session};
use firn_sql::command::{CurrentGrants, Ddl, GrantTarget, GrantedKind, OwnershipChange, OwnershipTarget, Privileges};
use firn_sql::names::SchemaName;
use firn_sql::privileges::{Privilege, SecurableKind};
use firn_sql::{Failure, Uses};

use super::Grants;
use super::targets::{Place, Target};
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// Kinds whose objects read or run with the rights of their owners.
pub(super) const WITH_OWNERS_RIGHTS: &[SecurableKind] = &[
    SecurableKind::View,
    SecurableKind::SemanticView,
    SecurableKind::Function,
    SecurableKind::Procedure,
    SecurableKind::MaskingPolicy,
    SecurableKind::RowAccessPolicy,
];

impl Grants<'_> {
    pub(super) fn change_owner(&mut self, change: &OwnershipChange) -> Result<(), RunError> {
        if let GrantTarget::Future { kind, container } = &change.target {
            let place = self.future_place(container)?;
            let owner = self.new_owner(change)?;
            self.check_rights_of(&owner)?;
            let GrantedKind::Of(kind) = *kind else { return Ok(()) };
            return Ok(self.catalog().edit_grants(&[GrantEdit::GrantFuture {
                place,
                kind,
                privilege: Privilege::Ownership,
                grantee: owner,
                granted_by: self.state.role.name.clone(),
                grant_option: false,
            }])?);
        }
        let targets = self.targets().all(&change.target)?;
        targets.iter().try_for_each(|target| self.refuse_own(target, &Privileges::All))?;
        for target in &targets {
            self.check_current_owner(target)?;
        }
        let owner = self.new_owner(change)?;
        for target in &targets {
            self.check_transfer(target, &owner, change.current_grants)?;
        }
        self.transfer(&targets, &owner, change.current_grants)
    }

    fn new_owner(&self, change: &OwnershipChange) -> Result<String, RunError> {
        match self.holder(&change.grantee)? {
            Holder::Role(name) => Ok(name),
            Holder::DatabaseRole { .. } => Err(Failure::unsupported("GRANT OWNERSHIP TO DATABASE ROLE").into()),
            Holder::User(_) => Err(Failure::unsupported("GRANT OWNERSHIP TO USER").into()),
        }
    }

    /// Who manages grants stands in the place of owners, but not of an integration's: with it, tokens of any user can be made.
    fn check_current_owner(&self, target: &Target) -> Result<(), RunError> {
        let manages = self.manages_grants() && target.kind != SecurableKind::Integration;
        // In a managed schema, its owner grants.
        let owner = target.manager.as_ref().unwrap_or(&target.owner);
        match manages || self.state.role.may_use_what_is_owned_by(owner) {
            true => Ok(()),
            false => Err(Failure::insufficient_privileges(&word(target), &target.shown).into()),
        }
    }

    fn check_transfer(&self, target: &Target, owner: &str, current: CurrentGrants) -> Result<(), RunError> {
        if matches!(target.kind, SecurableKind::Role | SecurableKind::Account) {
            self.check_role_transfer(target)?;
        }
        self.refuse_above(target)?;
        let granted = |on: &Securable| self.catalog().grants_on(on);
        let remaining = target.securable.as_ref().map(granted).unwrap_or_default();
        if current == CurrentGrants::Refuse
            && let Some(grant) = remaining.first()
        {
            let message = format!(
                "SQL execution error:\nDependent grant of privilege '{}' on securable '{}' exists. It must be revoked \
                 first; GRANT OWNERSHIP … REVOKE CURRENT GRANTS revokes all of them, and COPY CURRENT GRANTS leaves them \
                 as they are.",
                grant.privilege.words(),
                target.shown
            );
            return Err(Failure::new("003036", "42501", message).into());
        }
        match WITH_OWNERS_RIGHTS.contains(&target.kind) {
            true => self.check_rights_of(owner),
            false => Ok(()),
        }
    }

    /// What reads or runs with its owner's rights is given to roles that the caller has: with those of another one, whoever
    /// may use it would act as that role.
    fn check_rights_of(&self, owner: &str) -> Result<(), RunError> {
        let role = &self.state.role;
        if role.may_use_what_is_owned_by(owner) {
            return Ok(());
        }
        let message = format!(
            "SQL access control error:\nInsufficient privileges to give the rights of role '{owner}', which role '{}' does not \
             have. Act as a role that inherits it.",
            role.name
        );
        Err(Failure::new("003001", "42501", message).into())
    }

    /// A role that leads to ACCOUNTADMIN is handed over by ACCOUNTADMIN alone, and built-in roles not at all.
    fn check_role_transfer(&self, target: &Target) -> Result<(), RunError> {
        let Place::OfAccount(name) = &target.place else { return Ok(()) };
        let principals = self.catalog().principals();
        let leads_to_admin = principals.role_with_inherited(name).is_some_and(|role| role.is_account_admin());
        let is_built_in = principals.role(name).is_some_and(|role| role.is_built_in());
        match is_built_in || name.is_empty() || (leads_to_admin && !self.state.role.is_account_admin()) {
            true => Err(Failure::insufficient_privileges(&word(target), &target.shown).into()),
            false => Ok(()),
        }
    }

    /// The owners of what is in databases change in one transaction; nothing interrupts what follows it.
    fn transfer(&mut self, targets: &[Target], owner: &str, current: CurrentGrants) -> Result<(), RunError> {
        let mut places = Vec::new();
        for target in targets {
            match &target.place {
                Place::OfAccount(name) if target.kind == SecurableKind::Database => {
                    places.extend(self.first_schema(name, &target.owner)?);
                }
                Place::OfAccount(_) => {}
                place => places.push(place.clone()),
            }
        }
        let owned: Vec<(Place, &str)> = places.into_iter().map(|place| (place, owner)).collect();
        set_owners(self.services, self.session, self.state, &owned)?;
        let catalog = self.catalog();
        for target in targets {
            if let Place::OfAccount(name) = &target.place {
                catalog.set_account_owner(target.kind, name, owner)?;
            }
        }
        let securables = targets.iter().filter_map(|target| target.securable.clone());
        let edits: Vec<GrantEdit> = match current {
            CurrentGrants::Revoke => securables.map(GrantEdit::RevokeAll).collect(),
            CurrentGrants::Copy => {
                securables.map(|on| GrantEdit::SetGrantor { on, granted_by: owner.to_owned() }).collect()
            }
            CurrentGrants::Refuse => Vec::new(),
        };
        Ok(catalog.edit_grants(&edits)?)
    }

    /// The schema PUBLIC, which was made with its database, goes with it unless it has another owner.
    fn first_schema(&self, database: &str, owner: &str) -> Result<Option<Place>, RunError> {
        let is_first = |schema: &SchemaDescription| schema.name == "PUBLIC" && schema.owner == owner;
        let name = || SchemaName { database: Some(database.to_owned()), schema: "PUBLIC".to_owned() };
        let first = self.session.schemas(database)?.into_iter().find(is_first);
        Ok(first.map(|schema| Place::InDatabase(OwnershipTarget::Schema(name()), schema.id)))
    }
}

/// Gives what is inside of databases its owners, all or none of those that the engine knows.
pub(super) fn set_owners(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    places: &[(Place, &str)],
) -> Result<(), RunError> {
    let in_databases = places.iter().filter_map(|(place, owner)| match place {
        Place::InDatabase(target, id) => {
            Some(Ddl::GrantOwnership { target: target.clone(), id: *id, role: (*owner).to_owned() })
        }
        _ => None,
    });
    let commands: Vec<Ddl> = in_databases.collect();
    if !commands.is_empty() {
        let context = state.execution_context(&services.catalog, &Uses::default());
        session.define(&commands, &context)?;
    }
    let catalog = &services.catalog;
    for (place, owner) in places {
        match place {
            Place::InDatabase(..) => {}
            Place::SemanticView(id) => catalog.set_semantic_view_owner(*id, owner)?,
            Place::LoginPolicy(id) => {
                catalog.edit_login_policy(&state.caller, &LoginPolicyEdit::SetOwner { id: *id, role: owner })?;
            }
            Place::DatabaseRole(database, name) => catalog.set_database_role_owner(*database, name, owner)?,
            Place::OfAccount(_) => {
                return Err(RunError::Internal("an object of the account is in no database".to_owned()));
            }
        }
    }
    Ok(())
}

fn word(target: &Target) -> String {
    target.kind.words().to_ascii_lowercase()
}
