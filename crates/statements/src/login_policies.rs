//! Password, session and authentication policies: created, changed, dropped, and set on the account and on users.

use std::sync::Arc;

use firn_catalog::{LoginPolicy, LoginPolicyEdit, PolicyOwner, User};
use firn_engine::Session;
use firn_sql::command::{
    CreateMode, Ddl, IfMissing, LoginPolicyChange, LoginPolicyCommand, LoginPolicyKind, PolicyHolder, Property,
    Replacing,
};
use firn_sql::names::display_identifier;
use firn_sql::privileges::Privilege;
use firn_sql::{Failure, ObjectName};

use crate::authorise::{Authority, Secured};
use crate::local_rows::LocalRows;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// What a command on login policies works with.
pub struct LoginPolicies<'a> {
    pub services: &'a Services,
    pub session: &'a dyn Session,
    pub state: &'a SessionState,
}

impl LoginPolicies<'_> {
    pub fn apply(&self, command: &LoginPolicyCommand) -> Result<LocalRows, RunError> {
        match command {
            LoginPolicyCommand::Create { kind, name, mode, properties } => self.create(*kind, name, *mode, properties),
            LoginPolicyCommand::Alter { kind, name, if_missing, change } => {
                let Some(policy) = self.owned(*kind, name, *if_missing)? else { return Ok(executed()) };
                self.alter(&policy, change)?;
                Ok(executed())
            }
            LoginPolicyCommand::Drop { kind, name, if_missing } => {
                let shown = display_identifier(&name.name);
                let Some(policy) = self.owned(*kind, name, *if_missing)? else {
                    let text = format!("Drop statement executed successfully ({shown} already dropped).");
                    return Ok(LocalRows::status(&text));
                };
                self.refuse_use(&policy)?;
                self.edit(&LoginPolicyEdit::Drop(&policy))?;
                Ok(LocalRows::status(&format!("{shown} successfully dropped.")))
            }
            LoginPolicyCommand::Attach { kind, holder, policy, replacing } => {
                let policy = self.find(*kind, policy)?;
                let Some(owner) = self.holder(*kind, holder, Some(&policy))? else { return Ok(executed()) };
                self.attach(&policy, owner, *replacing)?;
                Ok(executed())
            }
            LoginPolicyCommand::Detach { kind, holder } => {
                let Some(owner) = self.holder(*kind, holder, None)? else { return Ok(executed()) };
                if self.services.catalog.login_policy_of(*kind, &owner).is_none() {
                    let message = format!(
                        "SQL compilation error:\nAny policy of kind {} is not attached to {}.",
                        kind.label(),
                        word(owner)
                    );
                    return Err(Failure::new("003551", "02000", message).into());
                }
                self.edit(&LoginPolicyEdit::Detach(owner, *kind))?;
                Ok(executed())
            }
        }
    }

    fn edit(&self, edit: &LoginPolicyEdit<'_>) -> Result<(), RunError> {
        self.services.catalog.edit_login_policy(&self.state.caller, edit)?;
        self.services.changes.note_definitions();
        Ok(())
    }

    fn create(
        &self,
        kind: LoginPolicyKind,
        name: &ObjectName,
        mode: CreateMode,
        properties: &[Property],
    ) -> Result<LocalRows, RunError> {
        let existing = self.existing(kind, name);
        let shown = display_identifier(&name.name);
        match (&existing, mode) {
            (Some(_), CreateMode::IfNotExists) => {
                return Ok(LocalRows::status(&format!("{shown} already exists, statement succeeded.")));
            }
            (Some(policy), CreateMode::OrReplace) => {
                if !self.state.role.may_use_what_is_owned_by(&policy.owner) {
                    return Err(Failure::insufficient_privileges(&word_of(kind), &shown).into());
                }
                self.refuse_use(policy)?;
            }
            (Some(_), CreateMode::New) => return Err(Failure::already_exists(&name.name).into()),
            (None, _) => {}
        }
        self.edit(&LoginPolicyEdit::Create {
            id: firn_engine::fresh_object_id(),
            kind,
            place: place(name),
            owner: &self.state.role.name,
            properties,
            replaces: existing.map(|policy| policy.id),
        })?;
        let words = word_of(kind);
        let words = format!("{}{}", words[..1].to_ascii_uppercase(), &words[1..]);
        Ok(LocalRows::status(&format!("{words} {shown} successfully created.")))
    }

    fn alter(&self, policy: &LoginPolicy, change: &LoginPolicyChange) -> Result<(), RunError> {
        match change {
            LoginPolicyChange::Rename(to) => {
                if self.existing(policy.kind, to).is_some_and(|taken| taken.id != policy.id) {
                    return Err(Failure::already_exists(&to.name).into());
                }
                self.edit(&LoginPolicyEdit::Rename(policy, place(to)))
            }
            LoginPolicyChange::Set(properties) => self.edit(&LoginPolicyEdit::Set(policy, properties)),
            LoginPolicyChange::Unset(names) => self.edit(&LoginPolicyEdit::Unset(policy, names)),
        }
    }

    fn attach(&self, policy: &LoginPolicy, owner: PolicyOwner, replacing: Replacing) -> Result<(), RunError> {
        let before = self.services.catalog.login_policy_of(policy.kind, &owner).filter(|before| before.id != policy.id);
        if before.is_some() && replacing == Replacing::Refused {
            let label = policy.kind.label();
            let message = format!(
                "SQL compilation error:\nObject {} already has a {label}. Only one {label} is allowed at a time; FORCE \
                 replaces it.",
                word(owner)
            );
            return Err(Failure::new("003550", "42710", message).into());
        }
        if let Some(before) = before
            && !self.may_take_off(&before)?
        {
            return Err(Failure::insufficient_privileges(&word_of(policy.kind), &before.name).into());
        }
        self.edit(&LoginPolicyEdit::Attach(owner, policy))
    }

    /// A policy that something has is neither dropped nor replaced.
    fn refuse_use(&self, policy: &LoginPolicy) -> Result<(), RunError> {
        match self.services.catalog.owners_of_login_policy(policy.id).is_empty() {
            true => Ok(()),
            false => Err(in_use(policy).into()),
        }
    }

    fn existing(&self, kind: LoginPolicyKind, name: &ObjectName) -> Option<LoginPolicy> {
        let all = self.services.catalog.login_policies(name.database(), Some(name.schema()));
        all.into_iter().find(|policy| policy.kind == kind && policy.name == name.name)
    }

    /// A policy by its full name; one that the role may not know of looks like none.
    pub fn find(&self, kind: LoginPolicyKind, name: &ObjectName) -> Result<LoginPolicy, RunError> {
        let missing = || {
            let words = word_of(kind);
            let words = format!("{}{}", words[..1].to_ascii_uppercase(), &words[1..]);
            Failure::missing_object(&words, &name.to_string())
        };
        let policy = self.existing(kind, name).ok_or_else(missing)?;
        match self.sees(&policy)? {
            true => Ok(policy),
            false => Err(missing().into()),
        }
    }

    /// Who may set all policies of a kind may know of them.
    pub fn sees(&self, policy: &LoginPolicy) -> Result<bool, RunError> {
        let catalog = &self.services.catalog;
        let authority = Authority::new(catalog, self.session, &self.state.role);
        let name = &policy.schema;
        let uses_schema = authority.schema(&policy.database, name)?.contains(Privilege::Usage);
        let applies_all = uses_schema && catalog.has_account_privilege(&self.state.role, policy.kind.application());
        Ok(applies_all || authority.sees(Secured::login_policy(policy))?)
    }

    /// A policy that the role may change; `None` where it may be missing and is.
    fn owned(
        &self,
        kind: LoginPolicyKind,
        name: &ObjectName,
        if_missing: IfMissing,
    ) -> Result<Option<LoginPolicy>, RunError> {
        match (self.find(kind, name), if_missing) {
            (Ok(policy), _) if self.state.role.may_use_what_is_owned_by(&policy.owner) => Ok(Some(policy)),
            (Ok(policy), _) => Err(Failure::insufficient_privileges(&word_of(kind), &policy.name).into()),
            (Err(RunError::Failed(_)), IfMissing::Skip) => Ok(None),
            (Err(error), _) => Err(error),
        }
    }

    /// What a policy is set on or taken off, if the role may. On a user, APPLY on the policy is enough; administrators are
    /// left to administrators.
    fn holder(
        &self,
        kind: LoginPolicyKind,
        holder: &PolicyHolder,
        policy: Option<&LoginPolicy>,
    ) -> Result<Option<PolicyOwner>, RunError> {
        let (catalog, role) = (&self.services.catalog, &self.state.role);
        let applies_all = catalog.has_account_privilege(role, kind.application());
        let PolicyHolder::User { name, if_missing } = holder else {
            return match applies_all {
                true => Ok(Some(PolicyOwner::Account)),
                false => Err(Failure::insufficient_privileges("account", &catalog.account()).into()),
            };
        };
        let principals = catalog.principals();
        let user = principals.user(name).filter(|user| self.state.visibility(catalog).user(user));
        let Some(user) = user else {
            return match if_missing {
                IfMissing::Skip => Ok(None),
                IfMissing::Fail => Err(Failure::missing_object("User", &display_identifier(name)).into()),
            };
        };
        let is_admin = principals.may_take_role(user.id, "ACCOUNTADMIN");
        let may = (applies_all || self.applies_to(user, policy)?) && (!is_admin || role.is_account_admin());
        match may {
            true => Ok(Some(PolicyOwner::User(user.id))),
            false => Err(Failure::insufficient_privileges("user", &display_identifier(name)).into()),
        }
    }

    /// Replacing a policy takes it off.
    fn may_take_off(&self, policy: &LoginPolicy) -> Result<bool, RunError> {
        let catalog = &self.services.catalog;
        let authority = Authority::new(catalog, self.session, &self.state.role);
        Ok(catalog.has_account_privilege(&self.state.role, policy.kind.application())
            || authority.has(Secured::login_policy(policy), Privilege::Apply)?)
    }

    fn applies_to(&self, user: &Arc<User>, policy: Option<&LoginPolicy>) -> Result<bool, RunError> {
        let owns_user = self.state.role.may_use_what_is_owned_by(&user.owner);
        let Some(policy) = policy.filter(|_| owns_user) else { return Ok(false) };
        let authority = Authority::new(&self.services.catalog, self.session, &self.state.role);
        authority.has(Secured::login_policy(policy), Privilege::Apply)
    }
}

/// A schema or database with policies that are set on something stays.
pub fn refuse_drop_in_use(services: &Services, ddl: &Ddl) -> Result<(), RunError> {
    let (database, schema) = match ddl {
        Ddl::DropDatabase { name, .. } | Ddl::CreateDatabase { name, mode: CreateMode::OrReplace, .. } => {
            (name.as_str(), None)
        }
        Ddl::DropSchema { name, .. } | Ddl::CreateSchema { name, mode: CreateMode::OrReplace, .. } => {
            (name.database(), Some(name.schema.as_str()))
        }
        _ => return Ok(()),
    };
    let mut policies = services.catalog.login_policies(database, schema).into_iter();
    match policies.find(|policy| !services.catalog.owners_of_login_policy(policy.id).is_empty()) {
        Some(policy) => Err(in_use(&policy).into()),
        None => Ok(()),
    }
}

fn in_use(policy: &LoginPolicy) -> Failure {
    let name = ObjectName::qualified(&policy.database, &policy.schema, &policy.name);
    Failure::new(
        "001132",
        "23001",
        format!(
            "SQL compilation error:\nPolicy {name} cannot be dropped/replaced as it is associated with one or more entities; \
             ALTER ACCOUNT | USER … UNSET {} takes it off.",
            policy.kind.words()
        ),
    )
}

fn place(name: &ObjectName) -> [&str; 3] {
    [name.database(), name.schema(), &name.name]
}

fn word(owner: PolicyOwner) -> &'static str {
    match owner {
        PolicyOwner::Account => "ACCOUNT",
        PolicyOwner::User(_) => "USER",
    }
}

fn word_of(kind: LoginPolicyKind) -> String {
    kind.words().to_ascii_lowercase()
}

fn executed() -> LocalRows {
    LocalRows::status("Statement executed successfully.")
}
