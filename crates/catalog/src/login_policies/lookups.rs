//! The policies that hold for the account and for users.

use firn_sql::command::LoginPolicyKind;

use super::{LoginPolicy, PasswordRules, PolicyOwner, reference};
use crate::caller::{AuthenticationMethod, Caller};
use crate::catalog::Catalog;
use crate::memory::Memory;
use crate::user::User;

impl Memory {
    fn account_policy(&self, kind: LoginPolicyKind) -> Option<&LoginPolicy> {
        self.login_policies.get(&self.parameters.get(&reference(kind))?.parse().ok()?)
    }

    fn user_policy(&self, kind: LoginPolicyKind, user: &User) -> Option<&LoginPolicy> {
        self.login_policies.get(user.login_policies.get(&kind)?)
    }

    /// The policy that holds for a user; without one, for those who have none of their own.
    fn effective_policy(&self, kind: LoginPolicyKind, user: Option<&User>) -> Option<&LoginPolicy> {
        user.and_then(|user| self.user_policy(kind, user)).or_else(|| self.account_policy(kind))
    }

    pub(crate) fn password_rules(&self, user: Option<&User>) -> PasswordRules {
        let policy = self.effective_policy(LoginPolicyKind::Password, user);
        policy.map_or_else(PasswordRules::default, PasswordRules::of)
    }

    /// Whether the authentication policy lets the caller in. The token that the server was started with always does: it is the
    /// way back for administrators whom a policy has shut out.
    pub(crate) fn admits_method(&self, caller: &Caller) -> bool {
        let Some(policy) = self.effective_policy(LoginPolicyKind::Authentication, Some(&caller.user)) else {
            return true;
        };
        if caller.method == Some(AuthenticationMethod::StartToken) {
            return true;
        }
        let by_method = caller.method.is_none_or(|method| policy.lists("AUTHENTICATION_METHODS", method.word()));
        let by_client = caller.client.is_none_or(|client| policy.lists("CLIENT_TYPES", client.word()));
        by_method && by_client
    }

    /// After how long without a request a session ends, if a policy says so.
    pub(crate) fn idle_timeout_ms(&self, user: &User, is_of_browser: bool) -> Option<i64> {
        let property = if is_of_browser { "SESSION_UI_IDLE_TIMEOUT_MINS" } else { "SESSION_IDLE_TIMEOUT_MINS" };
        let policy = self.effective_policy(LoginPolicyKind::Session, Some(user))?;
        Some(i64::from(policy.number(property)) * 60_000)
    }
}

impl Catalog {
    /// Those of a database or of one of its schemas, in the order of their names.
    pub fn login_policies(&self, database: &str, schema: Option<&str>) -> Vec<LoginPolicy> {
        let is_meant =
            |policy: &&LoginPolicy| policy.database == database && schema.is_none_or(|schema| policy.schema == schema);
        let mut found: Vec<LoginPolicy> =
            self.look(|memory| memory.login_policies.values().filter(is_meant).cloned().collect());
        found.sort_by(|a, b| (&a.schema, &a.name, a.kind).cmp(&(&b.schema, &b.name, b.kind)));
        found
    }

    /// The policy that is set on the account, or on a user.
    pub fn login_policy_of(&self, kind: LoginPolicyKind, owner: &PolicyOwner) -> Option<LoginPolicy> {
        self.look(|memory| match owner {
            PolicyOwner::Account => memory.account_policy(kind).cloned(),
            PolicyOwner::User(id) => memory.user_policy(kind, memory.principals.user_by_id(*id)?).cloned(),
        })
    }

    /// What the policy is set on.
    pub fn owners_of_login_policy(&self, id: i64) -> Vec<PolicyOwner> {
        self.look(|memory| {
            let of_account = LoginPolicyKind::EVERY.into_iter().filter_map(|kind| memory.account_policy(kind));
            let on_account = of_account.filter(|policy| policy.id == id).map(|_| PolicyOwner::Account);
            let has = |user: &User| user.login_policies.values().any(|found| *found == id);
            let users = memory.principals.users().filter(|user| has(user)).map(|user| PolicyOwner::User(user.id));
            on_account.chain(users).collect()
        })
    }

    /// What passwords of the user, or of users to come, have to be like.
    pub fn password_rules(&self, user: Option<&User>) -> PasswordRules {
        self.look(|memory| memory.password_rules(user))
    }

    /// Whether the authentication policy of the user, else that of the account, lets the caller in.
    pub fn admits_method(&self, caller: &Caller) -> bool {
        self.look(|memory| memory.admits_method(caller))
    }
}
