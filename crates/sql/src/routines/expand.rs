//! Inlines calls of SQL functions: the arguments become a relation of one row that is joined to the body, so that names of
//! the caller are not resolved in the body.

use std::ops::ControlFlow;

use sqlparser::tokenizer::{Span, Token, TokenWithSpan};

use super::{Call, Returns, Routine};
use crate::Failure;
use crate::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, LambdaFunction,
    LambdaFunctionParameter, LambdaSyntax, LimitClause, OneOrManyWithParens, Query, SelectItem, SetExpr, TableAlias,
    TableAliasColumnDef, TableFactor, TableWithJoins, Visitor, VisitorMut,
};
use crate::blocks;
use crate::build::{cast, number, select};
use crate::call_search::first_call;
use crate::command::Command;
use crate::data_types::{DataType, type_in_tree};
use crate::functions::is_aggregate;
use crate::query_parts::{derived, select_all, select_of};
use crate::script::{parse_statement, parse_tokens};
use crate::source::{ParseLimits, SourceStatement};
use crate::substitutes::Substitutes;
use crate::tokens::{self, is_word, tokenize};
use crate::tree::Tree;
use crate::{Statement, names, print};

const ARGUMENTS: &str = "__ARGUMENTS";

/// A body that was parsed, and has to be resolved in the function's own schema.
#[derive(Clone, Debug)]
pub struct Expansion {
    pub statement: Statement,
    /// How many bodies of functions are part of it, its own among them.
    pub bodies: usize,
}

impl Expansion {
    /// The body as a query: of a value, or of a table.
    pub fn of(routine: &Routine, limits: &ParseLimits) -> Result<Self, Failure> {
        let body = routine.body.trim().trim_end_matches(';');
        let begins =
            |text: &str, word: &str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        let in_brackets = body.strip_prefix('(').map(str::trim_start);
        let is_query = begins(body, "SELECT")
            || begins(body, "WITH")
            || in_brackets.is_some_and(|inner| begins(inner, "SELECT") && is_query_in_brackets(body));
        let of_text = |text: String| SourceStatement { text, line: 1, position: 0 };
        let statement = match (&routine.returns, is_query) {
            (Returns::Value(_), false) => {
                let block = blocks::of_routine(routine)?;
                let value = block.map(|block| blocks::expression_of(&block)).transpose()?;
                parse_value(&of_text(value.unwrap_or_else(|| body.to_owned())), limits)?
            }
            _ => parse_statement(&of_text(body.to_owned()), limits)?,
        };
        match &statement.command {
            Command::Query(_) => Ok(Self { statement, bodies: 1 }),
            _ => Err(Failure::unsupported("function whose body is no query or expression")),
        }
    }

    /// The engine moves no predicate below a LIMIT, where an error would show values of rows that the function leaves out.
    pub fn shut_out_predicates(&mut self) {
        if let Command::Query(query) = &mut self.statement.command
            && query.limit_clause.is_none()
        {
            let limit = Some(number("9223372036854775807"));
            query.limit_clause = Some(LimitClause::LimitOffset { limit, offset: None, limit_by: Vec::new() });
        }
    }

    fn query(self, routine: &Routine) -> Result<Box<Query>, Failure> {
        match self.statement.command {
            Command::Query(mut query) => {
                if matches!(*query.body, SetExpr::SetOperation { .. }) {
                    qualify_parameters(&mut query, &names_of(routine));
                }
                Ok(query)
            }
            _ => Err(Failure::unsupported("function whose body is no query or expression")),
        }
    }
}

/// The query of a body that is a value: places of errors are those of the body.
fn parse_value(source: &SourceStatement, limits: &ParseLimits) -> Result<Statement, Failure> {
    let mut tokens = tokenize(source)?;
    let span = tokens.first().map_or_else(Span::empty, |first| Span::new(first.span.start, first.span.start));
    tokens.insert(0, TokenWithSpan::new(Token::make_keyword("SELECT"), span));
    parse_tokens(tokens, source, limits, Substitutes::default())
}

/// Whether a text that begins with a query in brackets is a query as a whole, and not an expression: `(SELECT 1) || 'x'`.
fn is_query_in_brackets(text: &str) -> bool {
    let source = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
    let Ok(tokens) = tokenize(&source) else { return true };
    let end = tokens::next_code(&tokens, 0).and_then(|open| tokens::closing(&tokens, open));
    let next = end.and_then(|end| tokens::next_code(&tokens, end + 1)).map(|next| &tokens[next].token);
    let goes_on = ["UNION", "INTERSECT", "EXCEPT", "MINUS", "ORDER", "LIMIT", "OFFSET", "FETCH"];
    next.is_none_or(|next| *next == Token::EOF || goes_on.iter().any(|word| is_word(next, word)))
}

/// A call's value. Both the body and the arguments are resolved already.
pub fn expand_scalar(routine: &Routine, call: &Call, body: Expansion) -> Result<Expr, Failure> {
    let Returns::Value(data_type) = &routine.returns else {
        return Err(Failure::unsupported(&format!("table function {} outside of FROM", routine.name)));
    };
    let values = typed_arguments(routine, call)?;
    let query = body.query(routine)?;
    if let Some(expression) = plain_expression(&query) {
        let expression = inlined(routine, expression, values)?;
        return Ok(Expr::Nested(Box::new(cast(Expr::Nested(Box::new(expression)), type_in_tree(data_type)))));
    }
    let mut expression = match only_expression(&query).filter(|expr| !values.is_empty() && !is_over_rows(expr)) {
        // The engine finds the arguments from one subquery below, not always from deeper ones.
        Some(expr) => Expr::Nested(Box::new(expr.clone())),
        None => Expr::Subquery(query),
    };
    if routine.strict && !values.is_empty() {
        expression = unless_null(names_of(routine).into_iter().map(argument).collect(), expression)?;
    }
    if values.is_empty() {
        return Ok(Expr::Nested(Box::new(cast(expression, type_in_tree(data_type)))));
    }
    let mut outer = select(vec![cast(expression, type_in_tree(data_type))])?;
    if let Some(outer) = select_of(&mut outer) {
        outer.from = vec![TableWithJoins { relation: arguments_relation(routine, values)?, joins: Vec::new() }];
    }
    Ok(Expr::Subquery(outer))
}

/// The body with the arguments in the places of the parameters. What is computed and has several places is computed
/// once, and has a name there.
fn inlined(routine: &Routine, mut body: Expr, values: Vec<Expr>) -> Result<Expr, Failure> {
    let names = names_of(routine);
    let mut places = Places { names: &names, counts: vec![usize::from(routine.strict); names.len()] };
    // The visitor never breaks.
    let _ = body.walk(&mut places);
    let mut bound = Vec::new();
    let mut inside = Vec::new();
    for ((value, count), parameter) in values.into_iter().zip(places.counts).zip(&routine.parameters) {
        let is_needed = count == 0 && is_over_rows(&value);
        if is_at_hand(&value) || (count < 2 && !is_needed) {
            inside.push(value);
        } else {
            let name = quoted(&format!("__ARGUMENT {}", parameter.name));
            inside.push(cast(Expr::Identifier(name.clone()), type_in_tree(&parameter.data_type)));
            bound.push((name, value));
        }
    }
    let _ = body.walk_mut(&mut Inline { names: &names, values: &inside });
    if routine.strict && !inside.is_empty() {
        body = unless_null(inside, body)?;
    }
    Ok(if bound.is_empty() { body } else { with_bound(bound, body)? })
}

/// Whether a value is computed over several rows: a statement without it has other rows, even where the body does not use it.
fn is_over_rows(value: &Expr) -> bool {
    let is_over_rows =
        |function: &Function| function.over.is_some() || is_aggregate(&function.name.to_string().to_ascii_uppercase());
    first_call(value, is_over_rows).is_some()
}

/// A literal or a name, as a parameter's type.
fn is_at_hand(value: &Expr) -> bool {
    match value {
        Expr::Cast { expr, .. } => is_at_hand(expr),
        Expr::Value(_) | Expr::Identifier(_) | Expr::CompoundIdentifier(_) => true,
        _ => false,
    }
}

/// `__BOUND(value, …, (name, …) -> body)`.
fn with_bound(bound: Vec<(Ident, Expr)>, body: Expr) -> Result<Expr, Failure> {
    let mut call = print::read_expression("__BOUND()")?;
    let Expr::Function(Function { args: FunctionArguments::List(list), .. }) = &mut call else {
        return Err(Failure::unsupported("an argument that is used more than once"));
    };
    let (names, mut arguments): (Vec<Ident>, Vec<Expr>) = bound.into_iter().unzip();
    let params = names.into_iter().map(|name| LambdaFunctionParameter { name, data_type: None }).collect();
    arguments.push(Expr::Lambda(LambdaFunction {
        params: OneOrManyWithParens::Many(params),
        body: Box::new(body),
        syntax: LambdaSyntax::Arrow,
    }));
    list.args = arguments.into_iter().map(|argument| FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))).collect();
    Ok(call)
}

/// How often each parameter is named.
struct Places<'a> {
    names: &'a [&'a str],
    counts: Vec<usize>,
}

impl Visitor for Places<'_> {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        if let Expr::Identifier(name) = expr
            && let Some(index) = self.names.iter().position(|known| *known == name.value)
        {
            self.counts[index] += 1;
        }
        ControlFlow::Continue(())
    }
}

/// A call's rows, in the columns that the function declares.
pub fn expand_relation(
    routine: &Routine,
    call: &Call,
    body: Expansion,
    alias: Option<TableAlias>,
) -> Result<TableFactor, Failure> {
    let Returns::Table(columns) = &routine.returns else {
        return Err(Failure::unsupported(&format!("function {} in FROM, which returns no table", routine.name)));
    };
    let values = typed_arguments(routine, call)?;
    let mut rows = derived(body.query(routine)?, Ident::with_quote('"', "__BODY"));
    if let TableFactor::Derived { alias: Some(alias), lateral, .. } = &mut rows {
        *lateral = !values.is_empty();
        alias.columns = columns.iter().map(|(name, _)| column_alias(name)).collect();
    }
    let mut query = select_all(rows.clone(), None)?;
    if let Some(select) = select_of(&mut query) {
        select.projection = columns.iter().map(|(name, data_type)| item(name, data_type)).collect();
        if !values.is_empty() {
            let arguments = TableWithJoins { relation: arguments_relation(routine, values)?, joins: Vec::new() };
            select.from.insert(0, arguments);
            if routine.strict {
                let given = names_of(routine).into_iter().map(argument);
                select.selection = given.map(|expr| Expr::IsNotNull(Box::new(expr))).reduce(both);
            }
        }
    }
    let mut relation = derived(query, quoted(&routine.name.name));
    if let (TableFactor::Derived { alias: given, .. }, Some(alias)) = (&mut relation, alias) {
        *given = Some(alias);
    }
    Ok(relation)
}

/// `CASE WHEN a IS NOT NULL AND … THEN value END`.
fn unless_null(given: Vec<Expr>, value: Expr) -> Result<Expr, Failure> {
    let condition = given.into_iter().map(|expr| Expr::IsNotNull(Box::new(expr))).reduce(both);
    let mut case = print::read_expression("CASE WHEN TRUE THEN 1 END")?;
    if let (Expr::Case { conditions, .. }, Some(condition)) = (&mut case, condition)
        && let Some(only) = conditions.first_mut()
    {
        only.condition = condition;
        only.result = Expr::Nested(Box::new(value));
    }
    Ok(case)
}

fn both(left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op: BinaryOperator::And, right: Box::new(right) }
}

/// A parameter's value beside the body.
fn argument(name: &str) -> Expr {
    Expr::CompoundIdentifier(vec![quoted(ARGUMENTS), quoted(name)])
}

fn item(name: &str, data_type: &DataType) -> SelectItem {
    let column = Expr::CompoundIdentifier(vec![quoted("__BODY"), quoted(name)]);
    SelectItem::ExprWithAlias { expr: cast(column, type_in_tree(data_type)), alias: quoted(name) }
}

fn quoted(name: &str) -> Ident {
    Ident::with_quote('"', name)
}

fn names_of(routine: &Routine) -> Vec<&str> {
    routine.parameters.iter().map(|parameter| parameter.name.as_str()).collect()
}

pub fn typed_arguments(routine: &Routine, call: &Call) -> Result<Vec<Expr>, Failure> {
    let wrong = || {
        let message = format!(
            "SQL compilation error:\nInvalid argument types for function '{}'; it takes ({})",
            names::display_identifier(&routine.name.name),
            routine.signature()
        );
        Failure::new("001044", "42P13", message)
    };
    let values = call.values(&routine.parameters).ok_or_else(wrong)??;
    let typed = values.into_iter().zip(&routine.parameters);
    Ok(typed.map(|(value, parameter)| cast(value, type_in_tree(&parameter.data_type))).collect())
}

/// `(SELECT a AS "__X", b AS "__Y") AS "__ARGUMENTS" ("X", "Y")`. A column of the caller's row may be called like a parameter, which
/// the engine would take for the alias itself.
fn arguments_relation(routine: &Routine, values: Vec<Expr>) -> Result<TableFactor, Failure> {
    let mut query = select(Vec::new())?;
    if let Some(select) = select_of(&mut query) {
        let named = values.into_iter().zip(&routine.parameters);
        select.projection = named
            .map(|(expr, parameter)| SelectItem::ExprWithAlias {
                expr: without_text_cast(expr),
                alias: quoted(&format!("__{}", parameter.name)),
            })
            .collect();
    }
    let mut relation = derived(query, quoted(ARGUMENTS));
    if let TableFactor::Derived { alias: Some(alias), .. } = &mut relation {
        alias.columns = names_of(routine).into_iter().map(column_alias).collect();
    }
    Ok(relation)
}

fn column_alias(name: &str) -> TableAliasColumnDef {
    TableAliasColumnDef { name: quoted(name), data_type: None }
}

/// Texts stay as they come: an engine that takes a cast to text for a function of its own may not find
/// the caller's row from inside of a subquery.
fn without_text_cast(expr: Expr) -> Expr {
    match expr {
        Expr::Cast { expr, data_type: crate::ast::DataType::Varchar(None), .. } => *expr,
        other => other,
    }
}

/// The only expression of a query that reads nothing, not even by a subquery.
fn plain_expression(query: &Query) -> Option<Expr> {
    let expr = only_expression(query)?;
    let mut search = HasQuery(false);
    // The visitor never breaks.
    let _ = expr.walk(&mut search);
    (!search.0).then(|| expr.clone())
}

/// The only expression of a query without FROM.
fn only_expression(query: &Query) -> Option<&Expr> {
    let SetExpr::Select(select) = query.body.as_ref() else { return None };
    let plain = query.with.is_none()
        && select.from.is_empty()
        && select.selection.is_none()
        && select.having.is_none()
        && select.qualify.is_none()
        && query.limit_clause.is_none()
        && query.order_by.is_none();
    match select.projection.as_slice() {
        [SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }] if plain => Some(expr),
        _ => None,
    }
}

struct HasQuery(bool);

impl Visitor for HasQuery {
    type Break = Failure;

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<Failure> {
        self.0 = true;
        ControlFlow::Continue(())
    }
}

/// In a branch of a set operation the engine resolves `X AS X` to the alias itself instead of the parameter. In a branch
/// without FROM the name can only be a parameter, and is qualified; elsewhere it may be a column, and gets another alias
/// unless the alias is referenced.
fn qualify_parameters(query: &mut Query, names: &[&str]) {
    let aliases = if query.order_by.is_none() { Aliases::Unread } else { Aliases::Read };
    qualify_in_branch(&mut query.body, names, aliases);
}

/// Whether the columns of a branch may be referenced by name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aliases {
    Unread,
    Read,
}

fn qualify_in_branch(branch: &mut SetExpr, names: &[&str], aliases: Aliases) {
    match branch {
        SetExpr::SetOperation { left, right, set_quantifier, .. } => {
            let by_name = set_quantifier.to_string().contains("BY NAME");
            let aliases = if by_name { Aliases::Read } else { aliases };
            qualify_in_branch(left, names, aliases);
            qualify_in_branch(right, names, aliases);
        }
        SetExpr::Query(query) => {
            let aliases = if query.order_by.is_none() { aliases } else { Aliases::Read };
            qualify_in_branch(&mut query.body, names, aliases);
        }
        SetExpr::Select(select) if !select.from.is_empty() => {
            for item in select.projection.iter_mut().filter(|_| aliases == Aliases::Unread) {
                if let SelectItem::UnnamedExpr(expr @ Expr::Identifier(_)) = item
                    && let Expr::Identifier(name) = &*expr
                    && names.contains(&name.value.as_str())
                {
                    let alias = quoted(&format!("__{}", name.value));
                    *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
                }
            }
        }
        SetExpr::Select(select) => {
            let values: Vec<Expr> = names.iter().map(|name| argument(name)).collect();
            for item in &mut select.projection {
                qualify_in_item(item, &mut Inline { names, values: &values });
            }
        }
        _ => {}
    }
}

/// The column's name does not change. In an item with a subquery nothing is replaced, as the name may be a column there.
fn qualify_in_item(item: &mut SelectItem, inline: &mut Inline<'_>) {
    if let SelectItem::UnnamedExpr(expr @ Expr::Identifier(_)) = item
        && let Expr::Identifier(alias) = expr.clone()
    {
        *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
    }
    if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item {
        let mut search = HasQuery(false);
        // The visitors never break.
        let _ = expr.walk(&mut search);
        if !search.0 {
            let _ = expr.walk_mut(inline);
        }
    }
}

/// Puts arguments in the place of the parameters' names.
struct Inline<'a> {
    names: &'a [&'a str],
    values: &'a [Expr],
}

impl VisitorMut for Inline<'_> {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if let Expr::Identifier(name) = expr
            && let Some(index) = self.names.iter().position(|known| *known == name.value)
            && let Some(value) = self.values.get(index)
        {
            *expr = value.clone();
        }
        ControlFlow::Continue(())
    }
}
