//! What an engine needs to know beside the command that it runs.

use std::time::Instant;

use firn_values::{CellFormats, InputFormats, WeekRules};

/// What a command needs to know of the request it belongs to.
#[derive(Clone, Debug)]
pub struct ExecutionContext {
    /// Owns what the command creates.
    pub role: String,
    /// Whom CURRENT_USER() names in views and columns' defaults.
    pub user: String,
    /// Whose own stage `@~` is. Nobody's in a procedure with its owner's rights: its owner decides what it does with files.
    pub user_id: Option<i64>,
    /// The statement's handle.
    pub query_id: String,
    /// As `DefinitionClock::now`, before the names of the command were looked up and it was authorised. If definitions change
    /// before they are bound, the command fails with `EngineError::Outdated`. `None` for work of the server itself, and in a
    /// transaction that was open before: names are looked up as it has them.
    pub authorised_at: Option<u64>,
    /// The identity of the function, procedure or stage that the command creates; a fresh one if it is not given.
    pub new_object_id: Option<i64>,
    /// From this moment on a change and its outcome are written in one transaction; `None` where nobody can ask for the
    /// outcome after a crash.
    pub outcome_recorded_from: Option<Instant>,
    /// The roles the caller holds, `role` among them; `None` means all (the account's administrator).
    /// INFORMATION_SCHEMA shows what these own or were granted a privilege on.
    pub visible_owners: Option<Vec<String>>,
    /// Ids of schemas on which a role of the caller has any privilege; only of the databases whose INFORMATION_SCHEMA the
    /// statement reads.
    pub granted_schemas: Vec<i64>,
    /// As `granted_schemas`, for the objects in schemas.
    pub granted_objects: Vec<i64>,
    /// Rows of the account for those views of INFORMATION_SCHEMA that are not about one database.
    pub account_rows: Vec<AccountRows>,
    /// What INFORMATION_SCHEMA shows inside of views and functions that the statement reads.
    pub views_of_owners: Vec<OwnersViews>,
    /// IANA name; decides how TIMESTAMP_LTZ is read and shown.
    pub timezone: String,
    pub weeks: WeekRules,
    pub inputs: InputFormats,
    pub repeated_matches: RepeatedMatches,
    pub integers: Integers,
    pub formats: CellFormats,
}

impl ExecutionContext {
    /// For work of the server itself: no user, default settings.
    pub fn of_role(role: impl Into<String>) -> Self {
        Self {
            role: role.into(),
            user: String::new(),
            user_id: None,
            query_id: String::new(),
            authorised_at: None,
            new_object_id: None,
            outcome_recorded_from: None,
            visible_owners: None,
            granted_schemas: Vec::new(),
            granted_objects: Vec::new(),
            account_rows: Vec::new(),
            views_of_owners: Vec::new(),
            timezone: "UTC".to_owned(),
            weeks: WeekRules::default(),
            inputs: InputFormats::default(),
            repeated_matches: RepeatedMatches::default(),
            integers: Integers::Narrow,
            formats: CellFormats::default(),
        }
    }
}

/// The width in which integers are computed and stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integers {
    /// In 64 bits, which is quick and nearly always enough.
    #[default]
    Narrow,
    /// With all 38 digits, for statements that failed for want of them.
    Wide,
}

/// What becomes of a row that several source rows of a MERGE or an UPDATE match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepeatedMatches {
    pub in_merge: RepeatedMatch,
    pub in_update: RepeatedMatch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatedMatch {
    Refused,
    /// Any one of the source rows decides.
    Any,
}

impl Default for RepeatedMatches {
    fn default() -> Self {
        Self { in_merge: RepeatedMatch::Refused, in_update: RepeatedMatch::Any }
    }
}

/// Ends a query whose conditions hide rows. An engine moves predicates of the statement below such conditions, where an error
/// would show values of hidden rows; it moves none below a LIMIT.
pub const PREDICATE_BARRIER: &str = "LIMIT 9223372036854775807";

/// What a view of INFORMATION_SCHEMA shows of the account.
#[derive(Clone, Debug)]
pub struct AccountRows {
    pub view: &'static str,
    /// The database whose view it is; `None` where all of them show the same.
    pub database: Option<String>,
    /// An array of rows, each an array of texts and nulls, as JSON.
    pub json: String,
}

/// What INFORMATION_SCHEMA shows to the owner of a view or a function; the fields are those of `ExecutionContext`.
#[derive(Clone, Debug)]
pub struct OwnersViews {
    pub owner: String,
    pub visible_owners: Option<Vec<String>>,
    pub granted_schemas: Vec<i64>,
    pub granted_objects: Vec<i64>,
    pub account_rows: Vec<AccountRows>,
}
