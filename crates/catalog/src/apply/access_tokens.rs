//! Programmatic access tokens: ADD, MODIFY, ROTATE and REMOVE.

use firn_sql::Failure;
use firn_sql::command::{AccessTokenChange, Property, TokenChange};
use rusqlite::params;

use super::{AccountOutcome, Change, missing};
use crate::caller::{AuthenticationMethod, TiedToken};
use crate::error::CatalogError;
use crate::principals::{ACCOUNT_ADMIN, AccessToken, Role};
use crate::properties::{Checked, check_flag, check_number, invalid, text_of, unknown_property};
use crate::secrets::{ACCESS_TOKEN_PREFIX, generate_secret, hash_secret};
use crate::user::User;

const TOKENS_PER_USER_MAX: usize = 15;
const DAYS_TO_EXPIRY_DEFAULT: u32 = 15;
const DAYS_TO_EXPIRY_MAX: u32 = 365;
const ROTATED_HOURS_DEFAULT: u32 = 24;
const ROTATED_HOURS_MAX: u32 = 24 * DAYS_TO_EXPIRY_MAX;
const MS_PER_HOUR: i64 = 3_600_000;
const MS_PER_DAY: i64 = 24 * MS_PER_HOUR;
/// How long an expired token is still listed.
const EXPIRED_LISTED_MS: i64 = 7 * MS_PER_DAY;
const KIND: &str = "Programmatic access token";

impl Change<'_> {
    /// Users manage their own tokens; roles that manage a user, or have the privilege for it, manage that user's. Those of
    /// administrators are left to administrators.
    pub(super) fn change_access_token(
        &self,
        user: Option<&str>,
        change: &AccessTokenChange,
    ) -> Result<AccountOutcome, CatalogError> {
        let name = user.unwrap_or(&self.caller.user.name);
        let user = self.visible_user(name).ok_or_else(|| missing("User", name))?;
        if user.id != self.caller.user.id && !self.before.may_manage_tokens(user, self.role) {
            return Err(Failure::insufficient_privileges("user", &user.name).into());
        }
        self.transaction.execute(
            "DELETE FROM access_tokens WHERE user_id = ?1 AND expires_on_ms < ?2",
            params![user.id, self.now_ms - EXPIRED_LISTED_MS],
        )?;
        match change {
            AccessTokenChange::Add { name, properties } => self.add_token(user, name, properties),
            AccessTokenChange::Modify { name, change } => self.modify_token(user, self.token(user, name)?, change),
            AccessTokenChange::Rotate { name, properties } => {
                self.rotate_token(user, self.token(user, name)?, properties)
            }
            AccessTokenChange::Remove { name } => {
                let token = self.token(user, name)?;
                self.remove_token(token)?;
                Ok(AccountOutcome::executed())
            }
        }
    }

    /// With all that were made with it.
    fn remove_token(&self, token: &AccessToken) -> Result<(), CatalogError> {
        self.transaction.execute(
            "WITH RECURSIVE ending (id) AS (SELECT ?1 UNION SELECT made.id FROM access_tokens made \
             JOIN ending ON made.made_with = ending.id) DELETE FROM access_tokens WHERE id IN (SELECT id FROM ending)",
            [token.id],
        )?;
        Ok(())
    }

    /// Tokens end with the role that they are tied to: a new role of that name is another one.
    pub(super) fn end_tokens_of(&self, role: &Role) -> Result<(), CatalogError> {
        self.transaction.execute(
            "UPDATE access_tokens SET expires_on_ms = MIN(expires_on_ms, ?2) WHERE role_restriction = ?1",
            params![role.name, self.now_ms],
        )?;
        Ok(())
    }

    fn token(&self, user: &User, name: &str) -> Result<&AccessToken, CatalogError> {
        let tokens = self.principals().access_tokens_of(user.id);
        let token = tokens.into_iter().find(|token| token.name == name);
        let token = token.ok_or_else(|| missing(KIND, name))?;
        self.refuse_wider_role(user, token.role_restriction.as_deref())?;
        Ok(token)
    }

    fn add_token(&self, user: &User, name: &str, properties: &[Property]) -> Result<AccountOutcome, CatalogError> {
        super::creation(name, firn_sql::command::CreateMode::New, self.has_token(user, name))?;
        self.refuse_too_many(user, |token| token.rotated_to.is_none())?;
        let mut role_restriction = None;
        let mut comment = None;
        let mut days = DAYS_TO_EXPIRY_DEFAULT;
        for property in properties {
            match property.name.as_str() {
                "ROLE_RESTRICTION" => {
                    role_restriction = text_of(property)?.map(|role| self.fold_unless_known_role(&role));
                }
                "DAYS_TO_EXPIRY" => days = number(property, 1, DAYS_TO_EXPIRY_MAX)?.unwrap_or(days),
                "COMMENT" => comment = text_of(property)?,
                "MINS_TO_BYPASS_NETWORK_POLICY_REQUIREMENT" => {
                    number(property, 0, 1_440)?;
                }
                other => return Err(unknown_property(other, "PROGRAMMATIC ACCESS TOKEN").into()),
            }
        }
        self.check_restriction(user, role_restriction.as_deref())?;
        self.refuse_oauth_for_administrator(user)?;
        let secret = generate_secret(ACCESS_TOKEN_PREFIX)?;
        self.transaction.execute(
            "INSERT INTO access_tokens (user_id, name, secret_hash, role_restriction, created_on_ms, expires_on_ms, \
             created_by, comment, made_with) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![
                user.id,
                name,
                hash_secret(&secret),
                role_restriction,
                self.now_ms,
                self.within_own_token(user, self.now_ms + i64::from(days) * MS_PER_DAY),
                self.caller.user.name,
                comment,
                self.own_token(user).map(|own| own.id)
            ],
        )?;
        Ok(AccountOutcome::TokenSecret { name: name.to_owned(), secret, rotated_token_name: None })
    }

    fn modify_token(
        &self,
        user: &User,
        token: &AccessToken,
        change: &TokenChange,
    ) -> Result<AccountOutcome, CatalogError> {
        match change {
            TokenChange::Rename(to) if *to == token.name => {}
            TokenChange::Rename(to) => {
                super::creation(to, firn_sql::command::CreateMode::New, self.has_token(user, to))?;
                self.transaction.execute("UPDATE access_tokens SET name = ?2 WHERE id = ?1", params![token.id, to])?;
                self.transaction.execute(
                    "UPDATE access_tokens SET rotated_to = ?3 WHERE user_id = ?1 AND rotated_to = ?2",
                    params![user.id, token.name, to],
                )?;
            }
            TokenChange::Set(properties) => {
                for property in properties {
                    self.set_token_property(token, property)?;
                }
            }
            TokenChange::Unset(names) => {
                for name in names {
                    self.unset_token_property(token, name)?;
                }
            }
        }
        Ok(AccountOutcome::executed())
    }

    fn set_token_property(&self, token: &AccessToken, property: &Property) -> Result<(), CatalogError> {
        match property.name.as_str() {
            "COMMENT" => self.transaction.execute(
                "UPDATE access_tokens SET comment = ?2 WHERE id = ?1",
                params![token.id, text_of(property)?],
            )?,
            "DISABLED" => {
                let disabled = check_flag(property)? == Some(Checked::Text("true".to_owned()));
                self.transaction
                    .execute("UPDATE access_tokens SET disabled = ?2 WHERE id = ?1", params![token.id, disabled])?
            }
            other => return Err(unknown_property(other, "PROGRAMMATIC ACCESS TOKEN").into()),
        };
        Ok(())
    }

    fn unset_token_property(&self, token: &AccessToken, name: &str) -> Result<(), CatalogError> {
        let sql = match name {
            "COMMENT" => "UPDATE access_tokens SET comment = NULL WHERE id = ?1",
            "DISABLED" => "UPDATE access_tokens SET disabled = 0 WHERE id = ?1",
            other => return Err(unknown_property(other, "PROGRAMMATIC ACCESS TOKEN").into()),
        };
        self.transaction.execute(sql, [token.id])?;
        Ok(())
    }

    /// The name gets a new secret with the same lifetime; the old secret stays valid for some hours under a name that marks
    /// it as rotated.
    fn rotate_token(
        &self,
        user: &User,
        token: &AccessToken,
        properties: &[Property],
    ) -> Result<AccountOutcome, CatalogError> {
        if token.rotated_to.is_some() || token.is_expired_at(self.now_ms) || token.disabled {
            let way_out = "only a token that is enabled, unexpired and not yet rotated can be rotated";
            return Err(Failure::invalid_value(KIND, &token.name, way_out).into());
        }
        self.check_restriction(user, token.role_restriction.as_deref())?;
        self.refuse_oauth_for_administrator(user)?;
        self.refuse_too_many(user, |token| token.rotated_to.is_some())?;
        let mut hours = ROTATED_HOURS_DEFAULT;
        for property in properties {
            match property.name.as_str() {
                "EXPIRE_ROTATED_TOKEN_AFTER_HOURS" => {
                    hours = number(property, 0, ROTATED_HOURS_MAX)?.unwrap_or(hours);
                }
                other => return Err(unknown_property(other, "PROGRAMMATIC ACCESS TOKEN").into()),
            }
        }
        let rotated_name = self.rotated_name(user, &token.name);
        let old_expires_on_ms = token.expires_on_ms.min(self.now_ms + i64::from(hours) * MS_PER_HOUR);
        self.transaction.execute(
            "UPDATE access_tokens SET name = ?2, rotated_to = ?3, expires_on_ms = ?4 WHERE id = ?1",
            params![token.id, rotated_name, token.name, old_expires_on_ms],
        )?;
        let secret = generate_secret(ACCESS_TOKEN_PREFIX)?;
        // A token that rotates itself makes its successor.
        let other = self.own_token(user).filter(|own| own.id != token.id);
        let made_with = other.map(|own| own.id).or(token.made_with);
        let lifetime_ms = (token.expires_on_ms - token.created_on_ms).min(i64::from(DAYS_TO_EXPIRY_MAX) * MS_PER_DAY);
        self.transaction.execute(
            "INSERT INTO access_tokens (user_id, name, secret_hash, role_restriction, created_on_ms, expires_on_ms, \
             created_by, comment, made_with) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![
                user.id,
                token.name,
                hash_secret(&secret),
                token.role_restriction,
                self.now_ms,
                self.within_own_token(user, self.now_ms + lifetime_ms),
                self.caller.user.name,
                token.comment,
                made_with
            ],
        )?;
        Ok(AccountOutcome::TokenSecret { name: token.name.clone(), secret, rotated_token_name: Some(rotated_name) })
    }

    fn rotated_name(&self, user: &User, name: &str) -> String {
        let mut stamp = self.now_ms;
        loop {
            let rotated = format!("{name}_ROTATED_{stamp}");
            if !self.has_token(user, &rotated) {
                return rotated;
            }
            stamp += 1;
        }
    }

    fn has_token(&self, user: &User, name: &str) -> bool {
        let expired_long_ago = self.now_ms - EXPIRED_LISTED_MS;
        let tokens = self.principals().access_tokens_of(user.id);
        tokens.iter().any(|token| token.name == name && token.expires_on_ms >= expired_long_ago)
    }

    fn refuse_too_many(&self, user: &User, counted: impl Fn(&AccessToken) -> bool) -> Result<(), Failure> {
        let tokens = self.principals().access_tokens_of(user.id);
        let live = tokens.into_iter().filter(|token| !token.is_expired_at(self.now_ms) && counted(token)).count();
        if live < TOKENS_PER_USER_MAX {
            return Ok(());
        }
        Err(Failure::new(
            "394402",
            "22023",
            format!(
                "SQL compilation error:\nUser '{}' has {TOKENS_PER_USER_MAX} access tokens already; REMOVE one first.",
                user.name
            ),
        ))
    }

    fn check_restriction(&self, user: &User, restriction: Option<&str>) -> Result<(), Failure> {
        if let Some(role) = restriction
            && !self.principals().may_take_role(user.id, role)
        {
            return Err(Failure::invalid_value(
                "ROLE_RESTRICTION",
                role,
                &format!("a role granted to user '{}' is expected", user.name),
            ));
        }
        self.refuse_wider_role(user, restriction)
    }

    /// The token that is tied to a role and that limits what the caller makes for the user.
    fn own_token(&self, user: &User) -> Option<TiedToken> {
        self.caller.tied_token.filter(|_| !self.may_manage_user(user))
    }

    /// A token that is tied to a role makes none that lives longer than itself.
    fn within_own_token(&self, user: &User, expires_on_ms: i64) -> i64 {
        self.own_token(user).map_or(expires_on_ms, |own| expires_on_ms.min(own.expires_on_ms))
    }

    /// Tokens of who can become ACCOUNTADMIN outlive those of the issuer: only that role makes them in sessions of these.
    fn refuse_oauth_for_administrator(&self, user: &User) -> Result<(), Failure> {
        let is_administrator = self.principals().may_take_role(user.id, ACCOUNT_ADMIN);
        let is_oauth = self.caller.method == Some(AuthenticationMethod::Oauth);
        match is_oauth && is_administrator && !self.role.is_account_admin() {
            true => Err(Failure::insufficient_privileges("user", &user.name)),
            false => Ok(()),
        }
    }

    /// Who was authenticated for some roles only must not make or change a token that gives more.
    fn refuse_wider_role(&self, user: &User, restriction: Option<&str>) -> Result<(), Failure> {
        let is_within = match (&self.caller.role_restriction, restriction) {
            (Some(own), Some(other)) => own == other,
            (Some(_), None) => false,
            (None, Some(role)) => self.principals().token_covers_role(self.caller, role),
            (None, None) => self.caller.has_all_roles(),
        };
        if is_within || self.may_manage_user(user) {
            return Ok(());
        }
        Err(Failure::insufficient_privileges("user", &user.name))
    }
}

fn number(property: &Property, least: u32, most: u32) -> Result<Option<u32>, Failure> {
    match check_number(property, least..=most)? {
        Some(Checked::Text(text)) => {
            text.parse().map(Some).map_err(|_| invalid(property, &text, "a number is expected"))
        }
        _ => Ok(None),
    }
}
