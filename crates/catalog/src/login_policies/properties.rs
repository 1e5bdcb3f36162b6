//! The properties of login policies: what each may be, and what it is without a value.

use std::ops::RangeInclusive;

use firn_sql::Failure;
use firn_sql::command::{LoginPolicyKind, Property};

use crate::properties::{Checked, Properties, check_list, check_number, check_text, invalid, unknown_property};

pub struct PolicyProperty {
    pub name: &'static str,
    pub default: &'static str,
    pub description: &'static str,
    values: Values,
}

enum Values {
    Number(RangeInclusive<u32>),
    Words(&'static [&'static str]),
}

const fn number(
    name: &'static str,
    default: &'static str,
    range: RangeInclusive<u32>,
    description: &'static str,
) -> PolicyProperty {
    PolicyProperty { name, default, description, values: Values::Number(range) }
}

const PASSWORD: &[PolicyProperty] = &[
    number("PASSWORD_MIN_LENGTH", "14", 8..=256, "Least number of characters"),
    number("PASSWORD_MAX_LENGTH", "256", 8..=256, "Largest number of characters"),
    number("PASSWORD_MIN_UPPER_CASE_CHARS", "1", 0..=256, "Least number of upper-case letters"),
    number("PASSWORD_MIN_LOWER_CASE_CHARS", "1", 0..=256, "Least number of lower-case letters"),
    number("PASSWORD_MIN_NUMERIC_CHARS", "1", 0..=256, "Least number of digits"),
    number("PASSWORD_MIN_SPECIAL_CHARS", "0", 0..=256, "Least number of other characters"),
    number("PASSWORD_MIN_AGE_DAYS", "0", 0..=999, "Days before users may change a password again"),
    number("PASSWORD_MAX_AGE_DAYS", "90", 0..=999, "Days after which a password must be changed; 0 for never"),
    number("PASSWORD_MAX_RETRIES", "5", 1..=10, "Wrong passwords in a row that lock the user"),
    number("PASSWORD_LOCKOUT_TIME_MINS", "15", 1..=999, "Minutes for which the user is locked then"),
    number("PASSWORD_HISTORY", "5", 0..=24, "Latest passwords that cannot be chosen again"),
];

const SESSION: &[PolicyProperty] = &[
    number("SESSION_IDLE_TIMEOUT_MINS", "240", 5..=240, "Minutes without a request that end a session"),
    number("SESSION_UI_IDLE_TIMEOUT_MINS", "1080", 5..=1080, "The same of sessions that a browser opened"),
];

const AUTHENTICATION: &[PolicyProperty] = &[
    PolicyProperty {
        name: "AUTHENTICATION_METHODS",
        default: "ALL",
        description: "How users may authenticate",
        values: Values::Words(&["ALL", "KEYPAIR", "OAUTH", "PASSWORD", "PROGRAMMATIC_ACCESS_TOKEN"]),
    },
    PolicyProperty {
        name: "CLIENT_TYPES",
        default: "ALL",
        description: "Clients that may be used, by what they say they are",
        values: Values::Words(&["ALL", "DRIVERS", "SNOWFLAKE_CLI", "SNOWFLAKE_UI", "SNOWSQL"]),
    },
];

pub fn properties_of(kind: LoginPolicyKind) -> &'static [PolicyProperty] {
    match kind {
        LoginPolicyKind::Password => PASSWORD,
        LoginPolicyKind::Session => SESSION,
        LoginPolicyKind::Authentication => AUTHENTICATION,
    }
}

impl PolicyProperty {
    pub fn is_list(&self) -> bool {
        matches!(self.values, Values::Words(_))
    }
}

pub(super) fn set(stored: &mut Properties, kind: LoginPolicyKind, given: &[Property]) -> Result<(), Failure> {
    for property in given {
        if property.name == "COMMENT" {
            stored.set("COMMENT", check_text(property)?);
            continue;
        }
        let checked = match &find(kind, &property.name)?.values {
            Values::Number(range) => check_number(property, range.clone())?,
            Values::Words(words) => check_words(property, words)?,
        };
        stored.set(&property.name, checked);
    }
    Ok(())
}

pub(super) fn unset(stored: &mut Properties, kind: LoginPolicyKind, names: &[String]) -> Result<(), Failure> {
    for name in names {
        if name != "COMMENT" {
            find(kind, name)?;
        }
        stored.set(name, None);
    }
    Ok(())
}

fn find(kind: LoginPolicyKind, name: &str) -> Result<&'static PolicyProperty, Failure> {
    let found = properties_of(kind).iter().find(|known| known.name == name);
    found.ok_or_else(|| unknown_property(name, kind.words()))
}

fn check_words(property: &Property, words: &[&str]) -> Result<Option<Checked>, Failure> {
    let Some(Checked::List(given)) = check_list(property)? else { return Ok(None) };
    let mut folded = Vec::new();
    for word in given {
        let known = words.iter().find(|known| known.eq_ignore_ascii_case(&word));
        let way_out = format!("{} is expected", words.join(" or "));
        folded.push((*known.ok_or_else(|| invalid(property, &word, &way_out))?).to_owned());
    }
    match folded.is_empty() {
        true => Err(invalid(property, "()", "one value at least is expected; 'ALL' stands for every one")),
        false => Ok(Some(Checked::List(folded))),
    }
}
