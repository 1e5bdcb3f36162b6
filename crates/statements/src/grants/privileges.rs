//! GRANT and REVOKE of privileges.

use firn_catalog::{DatabaseRecord, FuturePlace, GrantEdit, Holder, PrivilegeGrant, Securable};
use firn_sql::Failure;
use firn_sql::command::{Container, GrantTarget, GrantVerb, GrantedKind, PrivilegeChange, Privileges, RevokeMode};
use firn_sql::names::{OWN_DATABASE, SchemaName, display_identifier};
use firn_sql::privileges::{Privilege, SecurableKind};

use super::Grants;
use super::dependents::dependents;
use super::targets::{Place, Target};
use crate::run_error::RunError;

/// As whom a role grants.
enum Grantor {
    /// As the owner of the object, whoever of those who may.
    Owner(String),
    /// With a grant option: the key of who has it, the role itself or one that it inherits.
    Holder(String),
}

/// One privilege on one object for one grantee.
struct Asked<'a> {
    on: &'a Securable,
    privilege: Privilege,
    grantee: &'a str,
    owner: &'a str,
    shown: &'a str,
}

impl Grants<'_> {
    pub(super) fn change_privileges(&mut self, change: &PrivilegeChange) -> Result<(), RunError> {
        if let GrantTarget::Future { kind, container } = &change.target {
            return self.change_future(change, *kind, container);
        }
        let targets = self.targets().all(&change.target)?;
        targets.iter().try_for_each(|target| self.refuse_own(target, &change.privileges))?;
        // Who may not grant learns nothing of the grantee.
        let is_all = matches!(change.target, GrantTarget::All { .. });
        for target in targets.iter().filter(|_| !is_all) {
            self.check_grantor(target, &change.privileges)?;
        }
        let holder = self.holder(&change.grantee)?;
        for target in &targets {
            check_database_role(&holder, target.securable.as_ref().and_then(Securable::database), &target.shown)?;
        }
        let grantee = holder.key();
        let mut edits = Vec::new();
        let mut refused = None;
        for target in &targets {
            match self.edits_on(target, change, &grantee) {
                Ok(more) => edits.extend(more),
                // What the role may not grant of ALL is left out.
                Err(RunError::Failed(failure)) if is_all => refused = Some(failure),
                Err(error) => return Err(error),
            }
        }
        if let Some(failure) = refused.filter(|_| edits.is_empty()) {
            return Err(failure.into());
        }
        Ok(self.catalog().edit_grants(&edits)?)
    }

    /// Of the server's own database, imported privileges are granted as a whole.
    pub(super) fn refuse_own(&self, target: &Target, privileges: &Privileges) -> Result<(), Failure> {
        let own = self.catalog().database(OWN_DATABASE).filter(DatabaseRecord::is_own);
        let within = match &target.place {
            Place::DatabaseRole(database, _) => Some(*database),
            _ => target.securable.as_ref().and_then(Securable::database),
        };
        let is_own = own.is_some_and(|own| within == Some(own.id));
        let imported = Privileges::Listed(vec![Privilege::ImportedPrivileges]);
        let is_imported = *privileges == imported;
        match (is_own, target.kind == SecurableKind::Database && is_imported) {
            (true, false) => Err(Failure::read_only_database(OWN_DATABASE)),
            (false, true) => Err(Failure::unsupported("IMPORTED PRIVILEGES on a database that is not shared")),
            _ => Ok(()),
        }
    }

    fn edits_on(&self, target: &Target, change: &PrivilegeChange, grantee: &str) -> Result<Vec<GrantEdit>, RunError> {
        let mut edits = Vec::new();
        let mut refused = None;
        let privileges = listed(target.kind, &change.privileges)?;
        let Some(on) = &target.securable else { return Ok(edits) };
        for privilege in privileges {
            let grantor = match self.grantor(target, on, privilege) {
                Ok(grantor) => grantor,
                Err(failure) if change.privileges == Privileges::All => {
                    refused = Some(failure);
                    continue;
                }
                Err(failure) => return Err(failure.into()),
            };
            let asked = Asked { on, privilege, grantee, owner: &target.owner, shown: &target.shown };
            self.edit(&asked, change.verb, &grantor, &mut edits)?;
        }
        match refused.filter(|_| edits.is_empty()) {
            Some(failure) => Err(failure.into()),
            None => Ok(edits),
        }
    }

    /// Fails if the role may grant none of the privileges.
    fn check_grantor(&self, target: &Target, privileges: &Privileges) -> Result<(), RunError> {
        let Some(on) = &target.securable else { return Ok(()) };
        let mut refused = None;
        for privilege in listed(target.kind, privileges)? {
            match self.grantor(target, on, privilege) {
                Ok(_) => return Ok(()),
                Err(failure) => refused = Some(failure),
            }
        }
        refused.map_or(Ok(()), |failure| Err(failure.into()))
    }

    /// Owners grant, roles that manage grants do so in their place, and others with a grant option. In a schema with managed
    /// access its owner stands in the place of theirs.
    fn grantor(&self, target: &Target, on: &Securable, privilege: Privilege) -> Result<Grantor, Failure> {
        let role = &self.state.role;
        self.refuse_above(target)?;
        let owner = target.manager.as_ref().unwrap_or(&target.owner);
        // With privileges on the account, who manages grants could become anybody.
        let manages = self.manages_grants() && target.kind != SecurableKind::Account;
        if manages || role.may_use_what_is_owned_by(owner) {
            return Ok(Grantor::Owner(owner.clone()));
        }
        if let Some(holder) = self.option_holder(on, privilege).filter(|_| target.manager.is_none()) {
            return Ok(Grantor::Holder(holder));
        }
        let kind = target.kind.words().to_ascii_lowercase();
        Err(Failure::insufficient_privileges(&kind, &target.shown))
    }

    fn edit(
        &self,
        asked: &Asked<'_>,
        verb: GrantVerb,
        grantor: &Grantor,
        edits: &mut Vec<GrantEdit>,
    ) -> Result<(), RunError> {
        let Asked { on, privilege, grantee, shown, .. } = *asked;
        let (mode, only_option) = match verb {
            GrantVerb::Grant | GrantVerb::GrantWithOption => {
                let granted_by = match grantor {
                    Grantor::Owner(name) | Grantor::Holder(name) => name.clone(),
                };
                let grant_option = verb == GrantVerb::GrantWithOption;
                let (on, grantee) = (on.clone(), grantee.to_owned());
                edits.push(GrantEdit::Grant { on, privilege, grantee, granted_by, grant_option });
                return Ok(());
            }
            GrantVerb::Revoke(mode) => (mode, false),
            GrantVerb::RevokeOption(mode) => (mode, true),
        };
        let all = self.grants_of(on, privilege);
        // A holder of a grant option revokes what was granted with the options that the role has.
        let is_revoked = |grant: &PrivilegeGrant| {
            *grant.grantee == *grantee
                && match grantor {
                    Grantor::Owner(_) => true,
                    Grantor::Holder(_) => self.state.role.held.contains(&*grant.granted_by),
                }
        };
        let dependents = dependents(&all, asked.owner, is_revoked, |grantor| self.inherited_by(grantor));
        if !dependents.is_empty() && mode == RevokeMode::Restrict {
            return Err(dependent_grants(privilege, shown).into());
        }
        let revoke = |grant: &PrivilegeGrant| GrantEdit::Revoke {
            on: on.clone(),
            privilege,
            grantee: grant.grantee.to_string(),
            granted_by: Some(grant.granted_by.to_string()),
        };
        edits.extend(dependents.into_iter().map(revoke));
        edits.extend(all.iter().filter(|grant| is_revoked(grant)).map(|grant| match only_option {
            true => GrantEdit::RevokeOption {
                on: on.clone(),
                privilege,
                grantee: grantee.to_owned(),
                granted_by: Some(grant.granted_by.to_string()),
            },
            false => revoke(grant),
        }));
        Ok(())
    }

    fn change_future(
        &self,
        change: &PrivilegeChange,
        kind: GrantedKind,
        container: &Container,
    ) -> Result<(), RunError> {
        let place = self.future_place(container)?;
        let holder = self.holder(&change.grantee)?;
        check_database_role(&holder, Some(place.database), "FUTURE")?;
        let grantee = holder.key();
        let GrantedKind::Of(kind) = kind else { return Ok(()) };
        let privileges = match &change.privileges {
            Privileges::Listed(privileges) if privileges.contains(&Privilege::Ownership) => privileges.clone(),
            privileges => listed(kind, privileges)?,
        };
        let edit = |privilege: Privilege| match change.verb {
            GrantVerb::Grant | GrantVerb::GrantWithOption => GrantEdit::GrantFuture {
                place,
                kind,
                privilege,
                grantee: grantee.clone(),
                granted_by: self.state.role.name.clone(),
                grant_option: change.verb == GrantVerb::GrantWithOption,
            },
            GrantVerb::Revoke(_) | GrantVerb::RevokeOption(_) => {
                GrantEdit::RevokeFuture { place, kind, privilege, grantee: grantee.clone() }
            }
        };
        let edits: Vec<GrantEdit> = privileges.into_iter().map(edit).collect();
        Ok(self.catalog().edit_grants(&edits)?)
    }

    /// Where future objects lie. The owner of a schema decides about it; about a whole database who manages grants.
    pub(super) fn future_place(&self, container: &Container) -> Result<FuturePlace, RunError> {
        let (database, schema) = self.targets().visible_container(container)?;
        let record =
            self.catalog().database(&database).ok_or_else(|| Failure::missing_object("Database", &database))?;
        if record.is_own() {
            return Err(Failure::read_only_database(&database).into());
        }
        let Some(schema) = schema else {
            return match self.manages_grants() {
                true => Ok(FuturePlace { database: record.id, schema: None }),
                false => Err(Failure::insufficient_privileges("database", &display_identifier(&database)).into()),
            };
        };
        let schemas = self.session.schemas(&database)?;
        let name = SchemaName { database: Some(database.clone()), schema: schema.clone() };
        let found = schemas.into_iter().find(|found| found.name == schema);
        let found = found.ok_or_else(|| Failure::missing_object("Schema", &name.to_string()))?;
        match self.manages_grants() || self.state.role.may_use_what_is_owned_by(&found.owner) {
            true => Ok(FuturePlace { database: record.id, schema: Some(found.id) }),
            false => Err(Failure::insufficient_privileges("schema", &name.to_string()).into()),
        }
    }
}

/// The privileges that a statement names; each has to be one of the kind of object.
fn listed(kind: SecurableKind, privileges: &Privileges) -> Result<Vec<Privilege>, Failure> {
    let Privileges::Listed(privileges) = privileges else { return Ok(kind.privileges().to_vec()) };
    match privileges.iter().find(|privilege| !kind.privileges().contains(privilege)) {
        None => Ok(privileges.clone()),
        Some(Privilege::Ownership) => Err(Failure::unsupported("REVOKE OWNERSHIP; grant it to another role")),
        Some(privilege) => Err(Failure::new(
            "003011",
            "42601",
            format!(
                "SQL access control error:\nInvalid privilege '{}' for an object of the kind {}.",
                privilege.words(),
                kind.words()
            ),
        )),
    }
}

fn dependent_grants(privilege: Privilege, name: &str) -> Failure {
    let message = format!(
        "SQL access control error:\nDependent grants of privilege '{}' on '{name}' exist. Revoke them first, or revoke with \
         CASCADE; SHOW GRANTS lists them.",
        privilege.words()
    );
    Failure::new("003036", "42501", message)
}

/// A database role has privileges on its database and what is in it only.
fn check_database_role(holder: &Holder, database: Option<i64>, name: &str) -> Result<(), Failure> {
    match holder {
        Holder::DatabaseRole { database: own, .. } if database != Some(*own) => Err(Failure::invalid_value(
            "the grantee",
            name,
            "a database role has privileges on its own database and what is in it only; grant to a role of the account",
        )),
        _ => Ok(()),
    }
}
