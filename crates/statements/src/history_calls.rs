//! Which statements of the history a statement asks for. A call of QUERY_HISTORY is a select over its view by now, with the
//! arguments as conditions. They are evaluated before the statement runs, so that no more of the history is read than they
//! let through; the select still has them, and decides.

mod conditions;

use std::ops::ControlFlow;

use firn_catalog::registry::Sender;
use firn_engine::Session;
use firn_sql::ast::{Expr, ObjectName, Query, Select, SetExpr, Value, Visitor, VisitorMut};
use firn_sql::command::{Command, DataType, Ddl};
use firn_sql::resolve::Uses;
use firn_sql::tree::complete_name;
use firn_sql::{Failure, Statement, cast_expression, print, select_values, type_in_tree};

use conditions::{
    Conditions, INSTANT_FUNCTION, Parameter, boolean_of, instant_of, is_constant, is_null, is_over_history, is_value,
    is_view, limit_of, read_conditions, text_of,
};

use crate::evaluate::table_of;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// The last millisecond of the year 9999.
const INSTANT_MS_MAX: i128 = 253_402_300_799_999;
const NANOSECONDS_IN_SECOND: i128 = 1_000_000_000;
const NANOSECONDS_IN_MILLISECOND: i128 = 1_000_000;

/// The statements that one select over the view lets through, or more; `None` stands for any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryCall {
    pub user: Option<String>,
    pub warehouse: Option<String>,
    pub sender: Option<Sender>,
    pub session: Option<u64>,
    pub ended_from_ms: Option<i64>,
    pub ended_until_ms: Option<i64>,
    /// So many of these, the latest, are enough.
    pub limit: Option<usize>,
}

/// Puts the values of arguments in their places.
pub fn evaluate_arguments(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    statement: &mut Statement,
    uses: &Uses,
) -> Result<(), RunError> {
    if !uses.objects.iter().any(|used| is_view(&used.name)) || is_stored(&statement.command) {
        return Ok(());
    }
    let mut taking = Arguments { step: Step::Take(Vec::new()) };
    // The visitor never breaks.
    let _ = statement.command.visit_tree_mut(&mut taking);
    let Step::Take(arguments) = taking.step else { return Ok(()) };
    if arguments.is_empty() {
        return Ok(());
    }
    let parameters: Vec<Parameter> = arguments.iter().map(|(parameter, _)| *parameter).collect();
    let cast = |(parameter, expr): (Parameter, Expr)| cast_expression(expr, type_in_tree(&type_of(parameter)));
    let query = Command::Query(select_values(arguments.into_iter().map(cast).collect())?);
    let context = state.execution_context(&services.catalog, &Uses::default());
    let values = table_of(session, &query, &context, 1)?.rows.into_iter().next().unwrap_or_default();
    let value = |(parameter, cell): (Parameter, Option<String>)| value_of(parameter, cell.as_deref());
    let mut values: Vec<Expr> = parameters.into_iter().zip(values).map(value).collect::<Result<_, Failure>>()?;
    values.reverse();
    let _ = statement.command.visit_tree_mut(&mut Arguments { step: Step::Fill(values) });
    Ok(())
}

/// What a command asks for, each select for itself.
pub fn calls(command: &Command, uses: &Uses) -> Vec<HistoryCall> {
    if !uses.objects.iter().any(|used| is_view(&used.name)) || is_stored(command) {
        return Vec::new();
    }
    let mut search = Search::default();
    // The visitor never breaks.
    let _ = command.visit_tree(&mut search);
    if search.relations > search.selects {
        search.calls.push(HistoryCall::default());
    }
    search.calls
}

/// Of a view that is made nothing is read yet.
fn is_stored(command: &Command) -> bool {
    matches!(command, Command::Ddl(ddl) if !matches!(ddl, Ddl::CreateTable(_)))
}

fn type_of(parameter: Parameter) -> DataType {
    match parameter {
        Parameter::EndedFrom | Parameter::EndedUntil => DataType::TimestampLtz { scale: 9 },
        Parameter::Session | Parameter::User | Parameter::Warehouse => DataType::Varchar { length: None },
        Parameter::WithClients => DataType::Boolean,
    }
}

/// A value as a condition has it. The times of statements are whole milliseconds.
fn value_of(parameter: Parameter, cell: Option<&str>) -> Result<Expr, Failure> {
    let Some(cell) = cell else { return Ok(Expr::value(Value::Null)) };
    match parameter {
        Parameter::EndedFrom => instant(cell, NANOSECONDS_IN_MILLISECOND - 1),
        Parameter::EndedUntil => instant(cell, 0),
        Parameter::Session | Parameter::User | Parameter::Warehouse => {
            Ok(Expr::value(Value::SingleQuotedString(cell.to_owned())))
        }
        Parameter::WithClients => Ok(Expr::value(Value::Boolean(["true", "TRUE", "1"].contains(&cell)))),
    }
}

/// From a cell in the contract's encoding: seconds with up to nine digits behind the point.
fn instant(cell: &str, added_nanoseconds: i128) -> Result<Expr, Failure> {
    let unreadable = || Failure::new("000603", "XX000", "an instant cannot be read");
    let (is_negative, digits) = cell.strip_prefix('-').map_or((false, cell), |digits| (true, digits));
    let (seconds, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let seconds: i128 = seconds.parse().map_err(|_| unreadable())?;
    let fraction: i128 = format!("{fraction:0<9}").parse().map_err(|_| unreadable())?;
    let nanoseconds = seconds * NANOSECONDS_IN_SECOND + fraction;
    let nanoseconds = if is_negative { -nanoseconds } else { nanoseconds };
    let milliseconds = (nanoseconds + added_nanoseconds).div_euclid(NANOSECONDS_IN_MILLISECOND);
    print::read_expression(&format!("{INSTANT_FUNCTION}({}, 3)", milliseconds.clamp(0, INSTANT_MS_MAX)))
}

/// Takes the arguments that are to be evaluated, or fills in their values, the last of which is the first.
struct Arguments {
    step: Step,
}

enum Step {
    Take(Vec<(Parameter, Expr)>),
    Fill(Vec<Expr>),
}

impl VisitorMut for Arguments {
    type Break = Failure;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Failure> {
        if !is_over_history(select) {
            return ControlFlow::Continue(());
        }
        let mut found = Vec::new();
        if let Some(condition) = &mut select.selection {
            read_conditions(condition, &mut found);
        }
        for (parameter, expr) in found {
            if is_value(parameter, expr) || !is_constant(expr) {
                continue;
            }
            match &mut self.step {
                Step::Take(taken) => taken.push((parameter, expr.clone())),
                Step::Fill(values) => {
                    if let Some(value) = values.pop() {
                        *expr = value;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

#[derive(Default)]
struct Search {
    calls: Vec<HistoryCall>,
    /// How often the view is read, and by how many of the selects that were understood.
    relations: usize,
    selects: usize,
}

impl Visitor for Search {
    type Break = Failure;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Failure> {
        let SetExpr::Select(select) = query.body.as_ref() else { return ControlFlow::Continue(()) };
        if is_over_history(select) {
            self.selects += 1;
            self.calls.extend(call_of(query, select));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<Failure> {
        self.relations += usize::from(complete_name(relation).is_some_and(|name| is_view(&name)));
        ControlFlow::Continue(())
    }
}

/// `None` if it lets nothing through.
fn call_of(query: &Query, select: &Select) -> Option<HistoryCall> {
    let mut call = HistoryCall::default();
    let mut condition = select.selection.clone();
    let mut found = Vec::new();
    let mut conditions = match &mut condition {
        Some(condition) => read_conditions(condition, &mut found),
        None => Conditions::Known,
    };
    for (parameter, expr) in found {
        let is_null = is_null(expr);
        let known = match parameter {
            // What runs has no end that could be compared.
            Parameter::EndedFrom if is_null => call.ended_from_ms.replace(i64::MAX).is_none(),
            Parameter::WithClients if is_null => call.sender.replace(Sender::User).is_none(),
            _ if is_null => return None,
            Parameter::EndedFrom => set(&mut call.ended_from_ms, instant_of(expr)),
            Parameter::EndedUntil => set(&mut call.ended_until_ms, instant_of(expr)),
            Parameter::Session => set(&mut call.session, text_of(expr).and_then(|text| text.parse().ok())),
            Parameter::User => set(&mut call.user, text_of(expr)),
            Parameter::Warehouse => set(&mut call.warehouse, text_of(expr)),
            Parameter::WithClients => match boolean_of(expr) {
                Some(true) => true,
                Some(false) => call.sender.replace(Sender::User).is_none(),
                None => false,
            },
        };
        if !known {
            conditions = Conditions::Others;
        }
    }
    call.limit = limit_of(query).filter(|_| conditions == Conditions::Known);
    Some(call)
}

/// Whether the value is known and the only one.
fn set<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    value.is_some_and(|value| place.replace(value).is_none())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use firn_sql::{Namespace, ParseLimits, SourceStatement, parse_statement, resolve};

    use super::*;

    fn calls_of(sql: &str) -> Vec<HistoryCall> {
        let source = SourceStatement { text: sql.to_owned(), line: 1, position: 0 };
        let limits = ParseLimits { text_bytes_max: 10_000, statements_max: 1, nesting_depth_max: 100 };
        let mut statement = parse_statement(&source, &limits).unwrap();
        let namespace = Namespace { database: Some("DB".to_owned()), schema: Some("PUBLIC".to_owned()) };
        let uses = resolve(&mut statement, &namespace).unwrap();
        calls(&statement.command, &uses)
    }

    #[test]
    fn the_arguments_of_a_call_are_known() {
        let of_users = HistoryCall { sender: Some(Sender::User), ..HistoryCall::default() };
        let history = "DB.INFORMATION_SCHEMA.QUERY_HISTORY";
        for (from, expected) in [
            (format!("TABLE({history}())"), HistoryCall { limit: Some(100), ..of_users.clone() }),
            (
                format!("TABLE({history}_BY_USER('ada', RESULT_LIMIT => 7))"),
                HistoryCall { user: Some("ADA".to_owned()), limit: Some(7), ..of_users.clone() },
            ),
            (
                format!("TABLE({history}_BY_WAREHOUSE('\"w\"', INCLUDE_CLIENT_GENERATED_STATEMENT => TRUE))"),
                HistoryCall { warehouse: Some("w".to_owned()), limit: Some(100), ..HistoryCall::default() },
            ),
            (
                format!("TABLE({history}_BY_SESSION(12))"),
                HistoryCall { session: Some(12), limit: Some(100), ..of_users.clone() },
            ),
            (
                format!(
                    "TABLE({history}(END_TIME_RANGE_START => TO_TIMESTAMP_LTZ(5, 3), \
                     END_TIME_RANGE_END => TO_TIMESTAMP_LTZ(6, 3)))"
                ),
                HistoryCall { ended_from_ms: Some(5), ended_until_ms: Some(6), limit: Some(100), ..of_users.clone() },
            ),
            // What is not a value yet limits nothing.
            (
                format!("TABLE({history}(END_TIME_RANGE_END => CURRENT_TIMESTAMP()))"),
                HistoryCall { limit: None, ..of_users.clone() },
            ),
            (history.to_owned(), HistoryCall::default()),
        ] {
            assert_eq!(calls_of(&format!("SELECT QUERY_ID FROM {from} WHERE QUERY_ID <> 'x'")), [expected], "{from}");
        }
        let nothing = format!("SELECT 1 FROM TABLE({history}(END_TIME_RANGE_END => NULL))");
        assert!(calls_of(&nothing).is_empty());
        let several = format!("SELECT 1 FROM TABLE({history}()), {history} AS H");
        assert_eq!(calls_of(&several).len(), 2);
        assert!(calls_of(&format!("CREATE VIEW V AS SELECT * FROM TABLE({history}())")).is_empty());
    }

    #[test]
    fn instants_are_rounded_to_the_times_of_statements() {
        let shown = |parameter: Parameter, cell: &str| value_of(parameter, Some(cell)).unwrap().to_string();
        assert_eq!(shown(Parameter::EndedFrom, "1.000000001"), "TO_TIMESTAMP_LTZ(1001, 3)");
        assert_eq!(shown(Parameter::EndedFrom, "1.000"), "TO_TIMESTAMP_LTZ(1000, 3)");
        assert_eq!(shown(Parameter::EndedUntil, "1.001999999"), "TO_TIMESTAMP_LTZ(1001, 3)");
        assert_eq!(shown(Parameter::EndedUntil, "-5.5"), "TO_TIMESTAMP_LTZ(0, 3)");
        assert!(value_of(Parameter::EndedFrom, Some("soon")).is_err());
    }
}
