//! Passwords of users, stored as argon2id hashes. A hash takes memory and time on purpose, so few are computed at a time.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Condvar, Mutex, PoisonError};

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use firn_sql::Failure;
use firn_sql::command::{AccountCommand, Property, PropertyValue, UserChange};

use crate::error::CatalogError;
use crate::login_policies::PasswordRules;
use crate::user::User;

pub(crate) const PASSWORD: &str = "PASSWORD";
/// The property of users that holds the passwords before.
pub(crate) const PASSWORD_HISTORY: &str = "PASSWORD_HISTORY";
pub(crate) const HISTORY_MAX: usize = 24;
/// Longer ones only cost time.
pub const PASSWORD_CHARACTERS_MAX: usize = 256;
const MEMORY_KIB: u32 = 19 << 10;
const PASSES: u32 = 2;
/// The memory of all hashes under way is bounded by this number of them.
const AT_A_TIME_MAX: usize = 4;
/// Has the form of a stored password and is the hash of none.
const NOBODYS: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$ZmlybmZpcm5maXJuZmlybg$Cm5vdCB0aGUgaGFzaCBvZiBhbnkgcGFzc3dvcmQuLi4";

/// The hash of a password with its salt and costs, as a PHC string. Never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredPassword(String);

impl fmt::Debug for StoredPassword {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("StoredPassword(****)")
    }
}

impl StoredPassword {
    pub(crate) fn new(hash: String) -> Self {
        Self(hash)
    }

    /// Blocks for as long as a hash takes.
    pub fn is(&self, given: &str) -> bool {
        let _turn = Turn::take();
        let Ok(stored) = PasswordHash::new(&self.0) else { return false };
        hasher().is_ok_and(|hasher| hasher.verify_password(given.as_bytes(), &stored).is_ok())
    }

    pub(crate) fn into_text(self) -> String {
        self.0
    }

    /// Takes as long to compare as one that somebody has.
    pub fn nobodys() -> Self {
        Self(NOBODYS.to_owned())
    }
}

/// The rules for the password of somebody, and those that it must differ from.
#[derive(Default)]
pub(crate) struct Expected {
    pub(crate) rules: PasswordRules,
    pub(crate) before: Vec<StoredPassword>,
}

impl Expected {
    /// The latest passwords of the user, of whom there may be none yet.
    pub(crate) fn of(rules: PasswordRules, user: Option<&User>) -> Self {
        let all = user.into_iter().flat_map(|user| user.password.iter().chain(&user.password_history));
        Self { rules, before: all.take(rules.history).cloned().collect() }
    }
}

/// The command with the hashes of the passwords in the place of these: a transaction must not wait for them.
pub(crate) fn hashed<'a>(
    command: &'a AccountCommand,
    expected_of: impl Fn(&str) -> Expected,
) -> Result<Cow<'a, AccountCommand>, CatalogError> {
    let mut command = Cow::Borrowed(command);
    let (name, properties) = match command.as_ref() {
        AccountCommand::CreateUser { name, properties, .. }
        | AccountCommand::AlterUser { name, change: UserChange::Set(properties), .. } => (name, properties),
        _ => return Ok(command),
    };
    if !properties.iter().any(|property| property.name == PASSWORD) {
        return Ok(command);
    }
    let expected = expected_of(name);
    let hashed = properties.iter().map(|property| hashed_property(name, property, &expected));
    let hashed = hashed.collect::<Result<Vec<_>, _>>()?;
    if let AccountCommand::CreateUser { properties, .. }
    | AccountCommand::AlterUser { change: UserChange::Set(properties), .. } = command.to_mut()
    {
        *properties = hashed;
    }
    Ok(command)
}

fn hashed_property(user: &str, property: &Property, expected: &Expected) -> Result<Property, CatalogError> {
    match &property.value {
        PropertyValue::Text(password) if property.name == PASSWORD => {
            Ok(Property { name: property.name.clone(), value: PropertyValue::Text(hash(user, password, expected)?.0) })
        }
        PropertyValue::List(_) if property.name == PASSWORD => {
            Err(Failure::invalid_value(PASSWORD, "…", "one text is expected").into())
        }
        _ => Ok(property.clone()),
    }
}

/// The hash of a password that is good enough for the user.
pub(crate) fn hash(user: &str, password: &str, expected: &Expected) -> Result<StoredPassword, CatalogError> {
    check(user, password, expected)?;
    let mut salt = [0_u8; 16];
    getrandom::fill(&mut salt).map_err(|error| std::io::Error::other(error.to_string()))?;
    let failed = |error: argon2::password_hash::Error| std::io::Error::other(error.to_string());
    let salt = SaltString::encode_b64(&salt).map_err(failed)?;
    let _turn = Turn::take();
    let hash = hasher()?.hash_password(password.as_bytes(), &salt).map_err(failed)?;
    Ok(StoredPassword(hash.to_string()))
}

fn check(user: &str, password: &str, expected: &Expected) -> Result<(), Failure> {
    if let Some(problem) = expected.rules.problem_of(user, password) {
        return Err(unusable(&problem));
    }
    match expected.before.iter().any(|before| before.is(password)) {
        true => Err(unusable("another one than the latest passwords is expected")),
        false => Ok(()),
    }
}

/// A password that the policy does not allow.
pub(crate) fn unusable(problem: &str) -> Failure {
    let message = format!("SQL execution error:\nThe password does not satisfy the password policy: {problem}.");
    Failure::new("003002", "28P01", message)
}

fn hasher() -> Result<Argon2<'static>, CatalogError> {
    let params = Params::new(MEMORY_KIB, PASSES, 1, None).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

static UNDER_WAY: Mutex<usize> = Mutex::new(0);
static ENDED: Condvar = Condvar::new();

/// The permission to compute a hash.
struct Turn;

impl Turn {
    fn take() -> Self {
        let under_way = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |count: &mut usize| *count >= AT_A_TIME_MAX;
        let mut free = ENDED.wait_while(under_way, is_full).unwrap_or_else(PoisonError::into_inner);
        *free += 1;
        Self
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        ENDED.notify_one();
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_password_is_found_by_its_hash_alone() {
        let stored = hash("ANN", "correct horse", &Expected::default()).unwrap();
        assert!(stored.0.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", stored.0);
        assert!(stored.is("correct horse") && !stored.is("correct horsE") && !stored.is(""));
        assert_ne!(stored, hash("ANN", "correct horse", &Expected::default()).unwrap(), "salted");
        assert_eq!(format!("{stored:?}"), "StoredPassword(****)");
    }

    #[test]
    fn what_stands_for_nobodys_password_costs_as_much_as_another() {
        let (nobodys, other) = (StoredPassword::nobodys(), hash("ANN", "correct horse", &Expected::default()).unwrap());
        let (nobodys_hash, other_hash) = (PasswordHash::new(&nobodys.0).unwrap(), PasswordHash::new(&other.0).unwrap());
        assert_eq!(nobodys_hash.params, other_hash.params);
        assert_eq!(nobodys_hash.hash.unwrap().len(), other_hash.hash.unwrap().len());
        assert!(!nobodys.is("correct horse"));
    }

    #[test]
    fn weak_passwords_are_refused_without_being_shown() {
        for weak in ["", "1234567", "  1234567  ", "annabella", &"x".repeat(257)] {
            let refused = hash("ANNABELLA", weak, &Expected::default()).unwrap_err().to_string();
            assert!(refused.contains("password policy"), "{refused}");
            assert!(weak.is_empty() || !refused.contains(weak), "{refused}");
        }
    }
}
