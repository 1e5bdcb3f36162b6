//! Constructors of syntax-tree nodes, so that passes read like the SQL they produce.

use firn_sql::ast::helpers::attached_token::AttachedToken;
use firn_sql::ast::{
    CaseWhen, CastKind, DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList,
    FunctionArguments, Ident, LambdaFunction, LambdaFunctionParameter, LambdaSyntax, ObjectName, ObjectNamePart,
    OneOrManyWithParens, Query, TableAlias, TableFactor, TableWithJoins, Value,
};

use super::literal_values::integer_of;

/// A double-quoted identifier.
pub fn quoted(name: &str) -> Ident {
    Ident::with_quote('"', name)
}

/// `name(arguments)` with a plain, unquoted name.
pub fn call(name: &str, arguments: Vec<Expr>) -> Expr {
    Expr::Function(function(name, arguments))
}

pub fn function(name: &str, arguments: Vec<Expr>) -> Function {
    Function {
        name: plain_name(name),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args: arguments.into_iter().map(|argument| FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))).collect(),
            clauses: Vec::new(),
        }),
        within_group: Vec::new(),
        filter: None,
        null_treatment: None,
        over: None,
    }
}

pub fn plain_name(name: &str) -> ObjectName {
    ObjectName(vec![ObjectNamePart::Identifier(Ident::new(name))])
}

/// Calls a function by the engine's name; the node id is preserved, and with it the type.
pub(super) fn rename(function: &mut Function, engine_name: &str) {
    if let Some(ObjectNamePart::Identifier(name)) = function.name.0.last_mut() {
        engine_name.clone_into(&mut name.value);
    }
}

/// `(query) AS name` in FROM.
pub(super) fn derived_table(query: Query, name: &str) -> TableWithJoins {
    let alias = TableAlias { explicit: true, name: quoted(name), columns: Vec::new(), at: None };
    let relation = TableFactor::Derived { lateral: false, subquery: Box::new(query), alias: Some(alias), sample: None };
    TableWithJoins { relation, joins: Vec::new() }
}

pub fn text(value: &str) -> Expr {
    Expr::value(Value::SingleQuotedString(value.to_owned()))
}

pub fn number(value: i64) -> Expr {
    Expr::value(Value::Number(value.to_string(), false))
}

pub(super) fn boolean(value: bool) -> Expr {
    Expr::value(Value::Boolean(value))
}

pub fn null() -> Expr {
    Expr::value(Value::Null)
}

pub fn is_null(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if value.value == Value::Null)
}

pub fn nested(expr: Expr) -> Expr {
    Expr::Nested(Box::new(expr))
}

/// `CAST(expr AS type)` with the engine's own type name.
pub fn cast(expr: Expr, engine_type: &str) -> Expr {
    cast_as(CastKind::Cast, expr, engine_type)
}

pub fn cast_as(kind: CastKind, expr: Expr, engine_type: &str) -> Expr {
    Expr::Cast { kind, expr: Box::new(expr), data_type: engine_data_type(engine_type), format: None }
}

pub fn engine_data_type(engine_type: &str) -> DataType {
    DataType::Custom(plain_name(engine_type), Vec::new())
}

pub fn case(conditions: Vec<(Expr, Expr)>, otherwise: Option<Expr>) -> Expr {
    Expr::Case {
        case_token: AttachedToken::empty(),
        end_token: AttachedToken::empty(),
        operand: None,
        conditions: conditions.into_iter().map(|(condition, result)| CaseWhen { condition, result }).collect(),
        else_result: otherwise.map(Box::new),
    }
}

const BOUND: &str = "firn_arguments";

/// An expression over values that are computed once: `bound_value` names them in it, counting from 1. The values are
/// the one element of a list, and the expression is a lambda over it.
pub fn with_bound(values: Vec<Expr>, body: Expr) -> Expr {
    let lambda = Expr::Lambda(LambdaFunction {
        params: OneOrManyWithParens::Many(vec![LambdaFunctionParameter { name: Ident::new(BOUND), data_type: None }]),
        body: Box::new(body),
        syntax: LambdaSyntax::LambdaKeyword,
    });
    let list = call("list_value", vec![call("row", values)]);
    call("list_extract", vec![call("list_transform", vec![list, lambda]), number(1)])
}

pub fn bound_value(place: usize) -> Expr {
    call("struct_extract", vec![Expr::Identifier(Ident::new(BOUND)), number(place as i64)])
}

/// The place in a call that `bound_value` made.
pub fn bound_place(function: &Function) -> Option<usize> {
    match &arguments_of(function, "struct_extract")?[..] {
        [Expr::Identifier(name), place] if name.value == BOUND => usize::try_from(integer_of(place)?).ok(),
        _ => None,
    }
}

/// The values and the body of an expression that `with_bound` made.
pub fn bound_parts(function: &Function) -> Option<(Vec<&Expr>, &Expr)> {
    let &[Expr::Function(transform), _] = &arguments_of(function, "list_extract")?[..] else { return None };
    let &[Expr::Function(list), Expr::Lambda(lambda)] = &arguments_of(transform, "list_transform")?[..] else {
        return None;
    };
    let &[Expr::Function(row)] = &arguments_of(list, "list_value")?[..] else { return None };
    let is_bound =
        matches!(&lambda.params, OneOrManyWithParens::Many(names) if names.iter().any(|one| one.name.value == BOUND));
    Some((arguments_of(row, "row").filter(|_| is_bound)?, &lambda.body))
}

fn arguments_of<'call>(function: &'call Function, name: &str) -> Option<Vec<&'call Expr>> {
    call_name(function).filter(|called| *called == name)?;
    plain_arguments(function)
}

/// Copies of the arguments of a call, when all of them are plain expressions.
pub fn copied_arguments(function: &Function) -> Option<Vec<Expr>> {
    plain_arguments(function).map(|arguments| arguments.into_iter().cloned().collect())
}

/// The arguments of a call, when all of them are plain expressions.
pub fn plain_arguments(function: &Function) -> Option<Vec<&Expr>> {
    let FunctionArguments::List(list) = &function.args else { return None };
    if list.duplicate_treatment.is_some() || !list.clauses.is_empty() {
        return None;
    }
    list.args
        .iter()
        .map(|argument| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
            _ => None,
        })
        .collect()
}

/// The name of a call, when it has one part: the dialect's in upper case, the engine's in lower case.
pub fn call_name(function: &Function) -> Option<&str> {
    only_part(&function.name)
}

/// A name that has one part.
pub(super) fn only_part(name: &ObjectName) -> Option<&str> {
    match &name.0[..] {
        [ObjectNamePart::Identifier(ident)] => Some(&ident.value),
        _ => None,
    }
}

/// A literal as errors show it; other expressions may contain lowered calls.
pub(super) fn literal_shown(expr: &Expr) -> String {
    match expr {
        Expr::Value(_) => expr.to_string(),
        _ => "…".to_owned(),
    }
}
