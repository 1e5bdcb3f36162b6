//! Values that have to be fetched before a statement can run: the values of a pivot over ANY or a subquery, and the rows
//! of another statement's result. They are fetched and substituted one after the other.

use std::ops::ControlFlow;

use crate::ast::helpers::attached_token::AttachedToken;
use crate::ast::{
    Cte, Distinct, Expr, ExprWithAlias, FunctionArg, FunctionArgExpr, Ident, ObjectNamePart, OrderBy, OrderByExpr,
    OrderByKind, OrderByOptions, Parens, PivotValueSource, Query, SelectItem, SetExpr, TableFactor, Value, Values,
    Visitor, VisitorMut, With,
};
use crate::build::{call, cast, null, string};
use crate::cte_scopes::CteScopes;
use crate::data_types::{DataType, type_in_tree};
use crate::normalize::pivots;
use crate::query_parts::{derived, select_all, select_of, skeleton};
use crate::reader::name_from_tree;
use crate::tree::outcome;
use crate::{Constant, Failure, ObjectName, Statement};

/// The next value to fetch.
#[derive(Debug)]
pub enum Lookup {
    /// The values that a pivot makes columns of: the only column of this query.
    PivotValues(Box<Query>),
    /// The result of the statement with this handle, as the text names it.
    Result(String),
    /// The steps of a plan given as JSON.
    Plan(String),
    /// What the view of this name reads.
    References(ObjectName),
    /// The operators that the statement with this handle ran, as the text names it.
    Operators(String),
    /// The errors of a load into a table, by the handle of the statement that loaded.
    LoadErrors { table: ObjectName, job: String },
}

/// A result's columns and rows.
#[derive(Clone, Debug)]
pub struct Rows {
    pub columns: Vec<(String, DataType)>,
    /// Of the columns, by their places; a column past the last one has none.
    pub collations: Vec<Option<String>>,
    pub rows: Vec<Vec<Constant>>,
}

#[derive(Clone, Debug)]
pub enum Answer {
    PivotValues(Vec<Constant>),
    Result(Rows),
}

pub fn next(statement: &Statement) -> Result<Option<Lookup>, Failure> {
    let mut search = Search { found: None };
    outcome(statement.command.visit_tree(&mut search))?;
    match search.found {
        Some(Lookup::PivotValues(query)) => {
            let mut scope = PivotScope { ctes: CteScopes::default(), query: Some(query), in_scope: None };
            outcome(statement.command.visit_tree(&mut scope))?;
            Ok(scope.in_scope.map(Lookup::PivotValues))
        }
        found => Ok(found),
    }
}

pub fn fill(statement: &mut Statement, answer: Answer) -> Result<(), Failure> {
    outcome(statement.command.visit_tree_mut(&mut Filling { answer: Some(answer) }))
}

struct Search {
    found: Option<Lookup>,
}

impl Visitor for Search {
    type Break = Failure;

    fn post_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Failure> {
        if self.found.is_none() {
            match lookup_of(factor) {
                Ok(found) => self.found = found,
                Err(failure) => return ControlFlow::Break(failure),
            }
        }
        ControlFlow::Continue(())
    }
}

/// Gives the query for the values of the first dynamic pivot the CTEs that the pivot sees.
struct PivotScope {
    ctes: CteScopes<(Cte, Recursion)>,
    query: Option<Box<Query>>,
    in_scope: Option<Box<Query>>,
}

/// Whether the WITH clause of a CTE is RECURSIVE.
type Recursion = bool;

impl Visitor for PivotScope {
    type Break = Failure;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Failure> {
        let ctes = query.with.iter().flat_map(|with| with.cte_tables.iter().map(|cte| (cte.clone(), with.recursive)));
        self.ctes.enter_query(ctes.collect());
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _query: &Query) -> ControlFlow<Failure> {
        self.ctes.leave_query();
        ControlFlow::Continue(())
    }

    fn post_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Failure> {
        if pivots::is_dynamic(factor)
            && let Some(query) = self.query.take()
        {
            match self.visible_in(query) {
                Ok(query) => self.in_scope = Some(query),
                Err(failure) => return ControlFlow::Break(failure),
            }
        }
        ControlFlow::Continue(())
    }
}

impl PivotScope {
    /// Each query around the pivot is a level of nesting: its CTEs may hide those of the queries around it.
    fn visible_in(&self, query: Box<Query>) -> Result<Box<Query>, Failure> {
        self.ctes.visible().rev().filter(|ctes| !ctes.is_empty()).try_fold(query, |inner, ctes| {
            let mut outer = select_all(derived(inner, Ident::with_quote('"', "__VALUES")), None)?;
            outer.with = Some(With {
                with_token: AttachedToken::empty(),
                recursive: ctes.iter().any(|(_, recursive)| *recursive),
                cte_tables: ctes.iter().map(|(cte, _)| cte.clone()).collect(),
            });
            Ok(outer)
        })
    }
}

fn lookup_of(factor: &TableFactor) -> Result<Option<Lookup>, Failure> {
    match factor {
        TableFactor::Pivot { table, value_column, value_source, .. } if pivots::is_dynamic(factor) => {
            let [column] = value_column.as_slice() else {
                return Err(Failure::unsupported("PIVOT over several columns"));
            };
            match value_source {
                PivotValueSource::Subquery(query) => Ok(Some(Lookup::PivotValues(query.clone()))),
                PivotValueSource::Any(order) => {
                    let mut query = select_all(*table.clone(), None)?;
                    if let Some(select) = select_of(&mut query) {
                        select.distinct = Some(Distinct::Distinct);
                        select.projection = vec![SelectItem::UnnamedExpr(column.clone())];
                    }
                    let by = if order.is_empty() { vec![ascending(column)] } else { order.clone() };
                    query.order_by = Some(OrderBy { kind: OrderByKind::Expressions(by), interpolate: None });
                    Ok(Some(Lookup::PivotValues(query)))
                }
                PivotValueSource::List(_) => Ok(None),
            }
        }
        TableFactor::Function { name, args, .. } if is_called(name.0.as_slice(), "VALIDATE") => {
            validation(args).map(Some)
        }
        TableFactor::Function { name, args, .. } if is_called(name.0.as_slice(), "RESULT_SCAN") => {
            match texts_of(args).as_deref() {
                Some([handle]) => Ok(Some(Lookup::Result(handle.clone()))),
                _ => Err(not_a_handle("RESULT_SCAN")),
            }
        }
        TableFactor::Function { name, args, .. } if is_called(name.0.as_slice(), "GET_QUERY_OPERATOR_STATS") => {
            match texts_of(args).as_deref() {
                Some([handle]) => Ok(Some(Lookup::Operators(handle.clone()))),
                _ => Err(not_a_handle("GET_QUERY_OPERATOR_STATS")),
            }
        }
        TableFactor::Function { name, args, .. } if is_called(name.0.as_slice(), "EXPLAIN_JSON") => {
            match texts_of(args).as_deref() {
                Some([plan]) => Ok(Some(Lookup::Plan(plan.clone()))),
                _ => Err(Failure::invalid_value("EXPLAIN_JSON", "…", "give a plan as a text")),
            }
        }
        TableFactor::Function { name, args, .. } if is_called(name.0.as_slice(), "GET_OBJECT_REFERENCES") => {
            match texts_of(args).as_deref() {
                Some([database, schema, object]) => Ok(Some(Lookup::References(ObjectName {
                    database: Some(folded(database)),
                    schema: Some(folded(schema)),
                    name: folded(object),
                }))),
                _ => Err(Failure::invalid_value(
                    "GET_OBJECT_REFERENCES",
                    "…",
                    "give DATABASE_NAME, SCHEMA_NAME and OBJECT_NAME as texts",
                )),
            }
        }
        _ => Ok(None),
    }
}

/// A name in a text, folded as names are.
fn folded(text: &str) -> String {
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(quoted) => quoted.replace("\"\"", "\""),
        None => text.to_uppercase(),
    }
}

fn texts_of(args: &[FunctionArg]) -> Option<Vec<String>> {
    args.iter()
        .map(|argument| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value))) => match &value.value {
                Value::SingleQuotedString(text) => Some(text.clone()),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

fn ascending(expr: &Expr) -> OrderByExpr {
    OrderByExpr { expr: expr.clone(), options: OrderByOptions::default(), with_fill: None }
}

fn is_called(name: &[ObjectNamePart], wanted: &str) -> bool {
    matches!(name, [ObjectNamePart::Identifier(Ident { value, .. })] if value == wanted)
}

/// `VALIDATE(table, JOB_ID => 'handle')`.
fn validation(args: &[FunctionArg]) -> Result<Lookup, Failure> {
    let wrong = || Failure::invalid_value("VALIDATE", "…", "write VALIDATE(table, JOB_ID => 'handle' or '_last')");
    let [FunctionArg::Unnamed(FunctionArgExpr::Expr(table)), FunctionArg::Unnamed(FunctionArgExpr::Expr(job))] = args
    else {
        return Err(wrong());
    };
    let parts = match table {
        Expr::Identifier(name) => vec![name.clone()],
        Expr::CompoundIdentifier(parts) => parts.clone(),
        _ => return Err(wrong()),
    };
    let Expr::Value(job) = job else { return Err(wrong()) };
    match &job.value {
        Value::SingleQuotedString(job) => {
            Ok(Lookup::LoadErrors { table: name_from_tree(&parts.into())?, job: job.clone() })
        }
        _ => Err(wrong()),
    }
}

fn not_a_handle(function: &str) -> Failure {
    Failure::invalid_value(function, "…", "give LAST_QUERY_ID() or a statement's handle as a text")
}

struct Filling {
    answer: Option<Answer>,
}

impl VisitorMut for Filling {
    type Break = Failure;

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        let is_next = match lookup_of(factor) {
            Ok(lookup) => lookup.is_some(),
            Err(failure) => return ControlFlow::Break(failure),
        };
        match self.answer.take_if(|_| is_next).map(|answer| put(factor, answer)) {
            Some(Err(failure)) => ControlFlow::Break(failure),
            _ => ControlFlow::Continue(()),
        }
    }
}

fn put(factor: &mut TableFactor, answer: Answer) -> Result<(), Failure> {
    match (factor, answer) {
        (factor @ TableFactor::Pivot { .. }, Answer::PivotValues(values)) => {
            if let TableFactor::Pivot { value_source, .. } = factor {
                let values = values.iter().map(|value| Ok(ExprWithAlias { expr: value.expression()?, alias: None }));
                *value_source = PivotValueSource::List(values.collect::<Result<_, Failure>>()?);
            }
            pivots::rewrite(factor)
        }
        (factor, Answer::Result(rows)) => rows.put_in_place_of(factor),
        _ => Err(Failure::new("000603", "XX000", "an answer to another question")),
    }
}

impl Rows {
    /// Rows without collations.
    pub fn new(columns: Vec<(String, DataType)>, rows: Vec<Vec<Constant>>) -> Self {
        Self { columns, collations: Vec::new(), rows }
    }

    pub fn value(&self, row: usize, column: usize) -> Option<Constant> {
        self.rows.get(row)?.get(column).cloned()
    }

    /// Makes a function in FROM a relation of these rows.
    pub(crate) fn put_in_place_of(self, factor: &mut TableFactor) -> Result<(), Failure> {
        let alias = match factor {
            TableFactor::Function { alias, .. } => alias.take(),
            _ => None,
        };
        let mut relation = derived(self.into_query()?, Ident::with_quote('"', "RESULT_SCAN"));
        if let (TableFactor::Derived { alias: given, .. }, Some(alias)) = (&mut relation, alias) {
            *given = Some(alias);
        }
        *factor = relation;
        Ok(())
    }

    /// A query that gives these rows, each column in its type.
    pub fn into_query(self) -> Result<Box<Query>, Failure> {
        let hidden = |index: usize| Ident::with_quote('"', format!("C{index}"));
        let empty = self.rows.is_empty();
        let items = self.columns.iter().enumerate().map(|(index, (name, data_type))| {
            let value = if empty { null() } else { Expr::Identifier(hidden(index)) };
            let value = cast(value, type_in_tree(data_type));
            let expr = match self.collations.get(index) {
                Some(Some(collation)) => call("COLLATE", vec![value, string(collation)]),
                _ => value,
            };
            SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('"', name) }
        });
        let items: Vec<_> = items.collect();
        if empty {
            let mut query = skeleton("SELECT 1 WHERE FALSE")?;
            if let Some(select) = select_of(&mut query) {
                select.projection = items;
            }
            return Ok(query);
        }
        let mut values = skeleton("SELECT 1")?;
        let cells = self.rows.iter().map(|row| row.iter().map(Constant::expression).collect::<Result<Vec<_>, _>>());
        let rows = cells.map(|row| row.map(Parens::with_empty_span)).collect::<Result<Vec<_>, Failure>>()?;
        *values.body = SetExpr::Values(Values { explicit_row: false, value_keyword: false, rows });
        let mut table = derived(values, Ident::with_quote('"', "R"));
        if let TableFactor::Derived { alias: Some(alias), .. } = &mut table {
            let column = |index| crate::ast::TableAliasColumnDef { name: hidden(index), data_type: None };
            alias.columns = (0..self.columns.len()).map(column).collect();
        }
        let mut query = select_all(table, None)?;
        if let Some(select) = select_of(&mut query) {
            select.projection = items;
        }
        Ok(query)
    }
}
