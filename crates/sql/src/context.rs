//! Replaces context functions (CURRENT_USER, CURRENT_DATABASE …) by the session's values.

use std::net::{IpAddr, SocketAddr};
use std::ops::ControlFlow;

use crate::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Select, SelectItem, Value, VisitorMut,
};
use crate::build::{call, cast, null, string};
use crate::command::{Command, CreateView, Ddl, TableSource};
use crate::data_types::{DataType, type_in_tree};
use crate::functions::{Evaluation, FunctionEntry, arity, find};
use crate::names::quote_identifier;
use crate::tree::Tree;
use crate::{Failure, Statement, Variables};

#[derive(Clone, Debug, Default)]
pub struct SessionContext {
    pub user: String,
    pub role: String,
    pub database: Option<String>,
    pub schema: Option<String>,
    pub warehouse: Option<String>,
    pub account: String,
    pub session_id: String,
    /// The program that has the session, with its version.
    pub client: String,
    pub version: String,
    /// The session's statements so far, oldest first.
    pub query_ids: Vec<String>,
    /// The account's roles that are active: the session's role, secondary roles, and what these inherit.
    pub session_roles: Vec<String>,
    /// The account's roles that the user may take.
    pub available_roles: Vec<String>,
    /// Those of databases that the session has: `DATABASE.ROLE`, and those of its own database by their names alone too.
    pub database_roles: Vec<String>,
    /// For whom a policy is evaluated, where that is not the session: the owner of the view that reads the table.
    pub invoker: Option<Invoker>,
    /// Those beside the session's own role; `None` without secondary roles.
    pub secondary_roles: Option<Vec<String>>,
    /// The users the session may know of.
    pub users: Vec<String>,
    pub client_address: Option<IpAddr>,
    /// Where the server listens.
    pub server_address: Option<SocketAddr>,
    pub variables: Variables,
    /// The open transaction, and the last one that ended.
    pub transaction: Option<String>,
    pub last_transaction: Option<String>,
}

/// A role and those that it inherits, itself among them.
#[derive(Clone, Debug)]
pub struct Invoker {
    pub role: String,
    pub roles: Vec<String>,
}

/// Refuses a call with arguments it may not have.
pub(crate) fn check_call(entry: &FunctionEntry, function: &Function) -> Result<(), Failure> {
    arity::check(entry, function)?;
    let name = entry.name;
    let is_known = match only_argument(function) {
        _ if has_no_arguments(function) => true,
        Some(argument) if name == "LAST_QUERY_ID" => match integer_argument(function) {
            Some(_) => true,
            None => return Err(no_number(argument)),
        },
        argument => argument.is_some(),
    };
    if is_known { Ok(()) } else { Err(Failure::unsupported(&format!("{name} with such an argument"))) }
}

fn no_number(argument: &Expr) -> Failure {
    match argument {
        Expr::Value(value) => {
            let shown = value.value.to_string();
            let message = format!("Numeric value '{}' is not recognized", shown.trim_matches('\''));
            Failure::new("100038", "22018", message)
        }
        _ => Failure::unsupported("LAST_QUERY_ID of something else than a whole number"),
    }
}

/// Does not replace functions in views and columns' defaults, which other sessions evaluate later.
pub fn substitute_context(statement: &mut Statement, context: &SessionContext) {
    let mut substitution = Substitution { context, text: &statement.text };
    // The visitor never breaks.
    let _ = match &mut statement.command {
        Command::Ddl(Ddl::CreateTable(table)) => match &mut table.source {
            TableSource::Query(query) | TableSource::Template(query) => query.walk_mut(&mut substitution),
            _ => ControlFlow::Continue(()),
        },
        Command::Ddl(_) => ControlFlow::Continue(()),
        command => command.visit_tree_mut(&mut substitution),
    };
}

/// As `substitute_context`, for the query of a view that the statements that read it expand: what it gives now.
pub fn substitute_in_view(view: &mut CreateView, context: &SessionContext) {
    // The visitor never breaks.
    let _ = view.query.walk_mut(&mut Substitution { context, text: &view.text });
}

/// Puts a text in the place of CURRENT_STATEMENT, where the statement that runs is not the one of this tree.
pub fn substitute_current_statement(statement: &mut Statement, text: &str) {
    // The visitor never breaks.
    let _ = statement.command.visit_tree_mut(&mut CurrentStatement { text });
}

struct CurrentStatement<'a> {
    text: &'a str,
}

impl VisitorMut for CurrentStatement<'_> {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if let Expr::Function(function) = expr
            && has_no_arguments(function)
            && function.name.to_string().eq_ignore_ascii_case("CURRENT_STATEMENT")
        {
            *expr = string(self.text);
        }
        ControlFlow::Continue(())
    }
}

struct Substitution<'a> {
    context: &'a SessionContext,
    text: &'a str,
}

impl VisitorMut for Substitution<'_> {
    type Break = Failure;

    /// A context function that is a select item itself is cast to VARCHAR without a length: its type must not depend on the
    /// value.
    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Failure> {
        for item in &mut select.projection {
            if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item
                && let Expr::Function(function) = expr
                && has_no_arguments(function)
                && let Some(value) = self.value_of(&function.name.to_string().to_ascii_uppercase())
            {
                *expr = a_text(value.map_or_else(null, string));
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let name = match expr {
            Expr::Function(function) if has_no_arguments(function) => function.name.to_string().to_ascii_uppercase(),
            Expr::Function(function) if asks_of_argument(function) => {
                if let Some(argument) = only_argument(function) {
                    let name = function.name.to_string();
                    *expr = self.value_for(&name, argument.clone());
                }
                return ControlFlow::Continue(());
            }
            Expr::Function(function) if function.name.to_string() == "LAST_QUERY_ID" => {
                if let Some(place) = integer_argument(function) {
                    *expr = text_or_null(self.query_id(place));
                }
                return ControlFlow::Continue(());
            }
            _ => return ControlFlow::Continue(()),
        };
        if name == "ALL_USER_NAMES" {
            let names = json_list(self.context.users.iter().cloned());
            *expr = call("TO_ARRAY", vec![call("PARSE_JSON", vec![string(names)])]);
        } else if let Some(value) = self.value_of(&name) {
            *expr = text_or_null(value);
        }
        ControlFlow::Continue(())
    }
}

/// Whether a call asks the session something of its argument.
fn asks_of_argument(function: &Function) -> bool {
    find(&function.name.to_string()).is_some_and(|entry| entry.evaluation == Evaluation::Session && entry.arity.0 == 1)
}

fn text_or_null(value: Option<String>) -> Expr {
    match value {
        Some(text) => string(text),
        None => a_text(null()),
    }
}

fn a_text(value: Expr) -> Expr {
    cast(value, type_in_tree(&DataType::Varchar { length: None }))
}

fn only_argument(function: &Function) -> Option<&Expr> {
    let FunctionArguments::List(list) = &function.args else { return None };
    match list.args.as_slice() {
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(expr))] => Some(expr),
        _ => None,
    }
}

/// The only argument of a call, where it is a whole number.
fn integer_argument(function: &Function) -> Option<i64> {
    let FunctionArguments::List(list) = &function.args else { return None };
    match list.args.as_slice() {
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(expr))] => expr.to_string().parse().ok(),
        _ => None,
    }
}

pub(crate) fn has_no_arguments(function: &Function) -> bool {
    match &function.args {
        FunctionArguments::None => true,
        FunctionArguments::List(list) => list.args.is_empty(),
        FunctionArguments::Subquery(_) => false,
    }
}

impl Substitution<'_> {
    /// `None` for any other function; `Some(None)` for a fact the session does not have.
    fn value_of(&self, name: &str) -> Option<Option<String>> {
        let context = self.context;
        Some(match name {
            "CURRENT_USER" => Some(context.user.clone()),
            "CURRENT_ROLE" => Some(context.role.clone()),
            "INVOKER_ROLE" => {
                Some(context.invoker.as_ref().map_or_else(|| context.role.clone(), |invoker| invoker.role.clone()))
            }
            "CURRENT_ROLE_TYPE" => Some("ROLE".to_owned()),
            "INVOKER_SHARE" => None,
            "CURRENT_DATABASE" => context.database.clone(),
            "CURRENT_SCHEMA" => context.schema.clone(),
            "CURRENT_SCHEMAS" => Some(json_list(self.search_path())),
            "CURRENT_WAREHOUSE" => context.warehouse.clone(),
            "CURRENT_IP_ADDRESS" => context.client_address.map(|address| address.to_string()),
            "CURRENT_ORGANIZATION_USER" | "SYSTEM$CURRENT_USER_TASK_NAME" => None,
            "CURRENT_TRANSACTION" => context.transaction.clone(),
            "LAST_TRANSACTION" => context.last_transaction.clone(),
            "SYSTEM$ALLOWLIST" | "SYSTEM$WHITELIST" => self.allowlist(),
            // No version of any client is refused.
            "SYSTEM$CLIENT_VERSION_INFO" | "SYSTEM$SHOW_ACTIVE_BEHAVIOR_CHANGE_BUNDLES" => Some("[]".to_owned()),
            "CURRENT_ACCOUNT" | "CURRENT_ACCOUNT_NAME" | "CURRENT_ORGANIZATION_NAME" => Some(context.account.clone()),
            "CURRENT_SESSION" => Some(context.session_id.clone()),
            "CURRENT_REGION" => Some("LOCAL".to_owned()),
            "CURRENT_VERSION" => Some(context.version.clone()),
            "CURRENT_CLIENT" => Some(context.client.clone()),
            "CURRENT_STATEMENT" => Some(self.text.to_owned()),
            "LAST_QUERY_ID" => self.query_id(-1),
            "CURRENT_AVAILABLE_ROLES" => Some(json_list(context.available_roles.iter().cloned())),
            "CURRENT_SECONDARY_ROLES" => Some(secondary_roles(context.secondary_roles.as_deref())),
            _ => return None,
        })
    }

    /// What a function says of its argument.
    fn value_for(&self, name: &str, argument: Expr) -> Expr {
        match name {
            "GETVARIABLE" => {
                let value = match &argument {
                    Expr::Value(value) => match &value.value {
                        Value::SingleQuotedString(name) => self.context.variables.get(name),
                        _ => None,
                    },
                    _ => None,
                };
                text_or_null(value.and_then(|value| value.text.clone()))
            }
            "IS_ROLE_IN_SESSION" => is_one_of(argument, &self.context.session_roles),
            "IS_GRANTED_TO_INVOKER_ROLE" => {
                let invoker = self.context.invoker.as_ref();
                is_one_of(argument, invoker.map_or(&self.context.session_roles, |invoker| &invoker.roles))
            }
            "IS_DATABASE_ROLE_IN_SESSION" => is_one_of(argument, &self.context.database_roles),
            // There are no roles of applications or instances, so none is in the session.
            _ => is_one_of(argument, &[]),
        }
    }

    fn allowlist(&self) -> Option<String> {
        let address = self.context.server_address?;
        Some(format!(r#"[{{"type":"SNOWFLAKE_DEPLOYMENT","host":"{}","port":{}}}]"#, address.ip(), address.port()))
    }

    /// From the first one on with a positive place, from the latest one back with a negative one.
    fn query_id(&self, place: i64) -> Option<String> {
        let ids = &self.context.query_ids;
        let distance = usize::try_from(place.unsigned_abs()).ok()?.checked_sub(1)?;
        let found = if place > 0 { ids.get(distance) } else { ids.iter().rev().nth(distance) };
        found.cloned()
    }

    fn search_path(&self) -> Option<String> {
        let (database, schema) = (self.context.database.as_ref()?, self.context.schema.as_ref()?);
        Some(format!("{}.{}", quote_identifier(database), quote_identifier(schema)))
    }
}

/// Whether the value is one of these names. A list must not be empty; no name is. A number is compared as a text, so that no
/// error names the roles.
fn is_one_of(value: Expr, names: &[String]) -> Expr {
    let is_text = matches!(&value, Expr::Value(value) if matches!(value.value, Value::SingleQuotedString(_)));
    let value = match is_text {
        true => value,
        false => cast(value, type_in_tree(&DataType::Varchar { length: None })),
    };
    let mut list: Vec<Expr> = names.iter().map(|name| string(name.clone())).collect();
    if list.is_empty() {
        list.push(string(String::new()));
    }
    Expr::InList { expr: Box::new(Expr::Nested(Box::new(value))), list, negated: false }
}

fn json_list(items: impl IntoIterator<Item = String>) -> String {
    let quoted: Vec<_> = items.into_iter().map(|item| json_text(&item)).collect();
    format!("[{}]", quoted.join(","))
}

fn json_text(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn secondary_roles(roles: Option<&[String]>) -> String {
    let (roles, value) = match roles {
        Some(roles) => (roles.join(","), "ALL"),
        None => (String::new(), ""),
    };
    format!(r#"{{"roles":{},"value":"{value}"}}"#, json_text(&roles))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;
    use crate::testing::parse;

    fn check(text: &str, expected: &str) {
        let mut statement = parse(text).unwrap();
        let context = SessionContext {
            user: "ADA".into(),
            role: "R\"1".into(),
            database: Some("DB".into()),
            schema: Some("S".into()),
            session_id: "7".into(),
            client: "SQL API".into(),
            available_roles: vec!["R\"1".into(), "PUBLIC".into()],
            secondary_roles: Some(vec!["R2".into()]),
            ..SessionContext::default()
        };
        substitute_context(&mut statement, &context);
        let Command::Query(query) = &statement.command else { panic!("{text}") };
        assert_eq!(query.to_string(), expected);
    }

    #[test]
    fn facts_replace_functions() {
        check(
            "select current_user as a, Current_User() as b",
            "SELECT CAST('ADA' AS VARCHAR) AS a, CAST('ADA' AS VARCHAR) AS b",
        );
        check("select current_role() as a", "SELECT CAST('R\"1' AS VARCHAR) AS a");
        check(
            "select current_schema() as a from t where x = current_database()",
            "SELECT CAST('S' AS VARCHAR) AS a FROM t WHERE x = 'DB'",
        );
        check("select current_warehouse() as a", "SELECT CAST(NULL AS VARCHAR) AS a");
        check("select current_statement() as a", "SELECT CAST('select current_statement() as a' AS VARCHAR) AS a");
        check(
            "select current_secondary_roles() as a",
            r#"SELECT CAST('{"roles":"R2","value":"ALL"}' AS VARCHAR) AS a"#,
        );
        check("select current_available_roles() as a", "SELECT CAST('[\"R\\\"1\",\"PUBLIC\"]' AS VARCHAR) AS a");
        check("select current_schemas() as a", "SELECT CAST('[\"\\\"DB\\\".\\\"S\\\"\"]' AS VARCHAR) AS a");
        check("select \"CURRENT_USER\" from t", "SELECT \"CURRENT_USER\" FROM t");
        check(
            "select current_user() as a union select 'x'",
            "SELECT CAST('ADA' AS VARCHAR) AS a UNION SELECT 'x' AS \"'X'\"",
        );
    }
}
