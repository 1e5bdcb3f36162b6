//! GRANT OWNERSHIP.

use firn_catalog::{GrantEdit, Holder, LoginPolicyEdit, Securable};
use firn_engine::{Outcome, SchemaDescription, Session};
use firn_sql::command::{
    Command, CurrentGrants, Ddl, GrantTarget, GrantedKind, OwnershipChange, OwnershipTarget, Privileges,
};
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
        for target in &targets {
            self.transfer(target, &owner, change.current_grants)?;
        }
        Ok(())
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

    fn transfer(&mut self, target: &Target, owner: &str, current: CurrentGrants) -> Result<(), RunError> {
        let catalog = self.catalog();
        if let (CurrentGrants::Revoke, Some(on)) = (current, &target.securable) {
            catalog.edit_grants(&[GrantEdit::RevokeAll(on.clone())])?;
        }
        match &target.place {
            Place::OfAccount(name) => {
                catalog.set_account_owner(target.kind, name, owner)?;
                if target.kind == SecurableKind::Database {
                    self.transfer_first_schema(name, &target.owner, owner)?;
                }
            }
            place => set_owner(self.services, self.session, self.state, place, owner)?,
        }
        if let (CurrentGrants::Copy, Some(on)) = (current, &target.securable) {
            let granted_by = owner.to_owned();
            catalog.edit_grants(&[GrantEdit::SetGrantor { on: on.clone(), granted_by }])?;
        }
        Ok(())
    }
}

impl Grants<'_> {
    /// The schema PUBLIC, which was made with its database, goes with it unless it has another owner.
    fn transfer_first_schema(&mut self, database: &str, from: &str, to: &str) -> Result<(), RunError> {
        let is_first = |schema: &SchemaDescription| schema.name == "PUBLIC" && schema.owner == from;
        if self.session.schemas(database)?.iter().any(is_first) {
            let name = SchemaName { database: Some(database.to_owned()), schema: "PUBLIC".to_owned() };
            set_owner(self.services, self.session, self.state, &Place::InDatabase(OwnershipTarget::Schema(name)), to)?;
        }
        Ok(())
    }
}

/// Makes the role the owner of something inside a database.
pub(super) fn set_owner(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    place: &Place,
    owner: &str,
) -> Result<(), RunError> {
    let target = match place {
        Place::InDatabase(target) => target.clone(),
        Place::SemanticView(id) => return Ok(services.catalog.set_semantic_view_owner(*id, owner)?),
        Place::LoginPolicy(id) => {
            let edit = LoginPolicyEdit::SetOwner { id: *id, role: owner };
            return Ok(services.catalog.edit_login_policy(&state.caller, &edit)?);
        }
        Place::DatabaseRole(database, name) => {
            return Ok(services.catalog.set_database_role_owner(*database, name, owner)?);
        }
        Place::OfAccount(_) => return Err(RunError::Internal("an object of the account is in no database".to_owned())),
    };
    let ddl = Ddl::GrantOwnership { target, role: owner.to_owned() };
    let context = state.execution_context(&services.catalog, &Uses::default());
    match session.execute(&Command::Ddl(ddl), &context)? {
        Outcome::Done(_) => Ok(()),
        _ => Err(RunError::Internal("a change of the owner gave rows".to_owned())),
    }
}

fn word(target: &Target) -> String {
    target.kind.words().to_ascii_lowercase()
}
