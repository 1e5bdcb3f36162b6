//! What a rewrite is given besides the tree.

use firn_engine::{
    AccountRows, CellFormats, ExecutionContext, InputFormats, Integers, OwnersViews, RepeatedMatches, WeekRules,
};

use crate::lookup::Lookup;
use crate::temporary::TemporaryTables;

/// What a rewrite needs to know besides the tree.
pub struct RewriteContext<'session> {
    pub temporary: &'session TemporaryTables,
    pub visibility: Visibility<'session>,
    /// What INFORMATION_SCHEMA shows of the account.
    pub account_rows: &'session [AccountRows],
    pub views_of_owners: &'session [OwnersViews],
    pub lookup: &'session dyn Lookup,
    pub formats: &'session CellFormats,
    pub weeks: WeekRules,
    pub inputs: &'session InputFormats,
    pub repeated_matches: RepeatedMatches,
    pub integers: Integers,
}

/// What INFORMATION_SCHEMA shows.
#[derive(Clone, Copy)]
pub enum Visibility<'session> {
    /// Everything: the account's administrator asks.
    All,
    /// What is visible to the holder of these roles, who has privileges on schemas and objects of these ids.
    Granted { roles: &'session [String], schemas: &'session [i64], objects: &'session [i64] },
    /// Nothing: a stored definition would show its readers what its creator may see.
    Refused,
}

impl<'session> Visibility<'session> {
    pub fn of(context: &'session ExecutionContext) -> Self {
        match &context.visible_owners {
            None => Self::All,
            Some(roles) => {
                Self::Granted { roles, schemas: &context.granted_schemas, objects: &context.granted_objects }
            }
        }
    }

    pub fn of_owner(views: &'session OwnersViews) -> Self {
        match &views.visible_owners {
            None => Self::All,
            Some(roles) => Self::Granted { roles, schemas: &views.granted_schemas, objects: &views.granted_objects },
        }
    }
}
