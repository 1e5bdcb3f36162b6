//! Overloaded macros whose arguments have no type yet when the engine chooses the overload: aggregates, window functions,
//! aliases of the same query and correlated columns. The call is put into a lambda, whose parameter has a type:
//! `f(max(x))` becomes `list_transform([max(x)], lambda v: f(v))[1]`.

use std::ops::ControlFlow;
use std::rc::Rc;

use firn_binder::{Bound, Reference};
use firn_sql::Failure;
use firn_sql::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, LambdaFunction, LambdaFunctionParameter,
    LambdaSyntax, ObjectNamePart, OneOrManyWithParens, Query, SelectItem, SetExpr, TableFactor, TableWithJoins,
    Visitor, VisitorMut,
};
use firn_sql::functions::{FunctionClass, find_in_any_case};
use firn_sql::tree::Tree;
use firn_sql::tree::Walk;
use foldhash::HashSet;

use super::build::{call, call_name, cast, number};
use super::columns::Columns;
use super::kinds::branches_of;
use crate::macros::is_overloaded;

const PARAMETER: &str = "firn_value";

/// Aggregates that the lowering calls by names the dialect does not have, in alphabetical order.
const AGGREGATES: &[&str] = &[
    "approx_quantile",
    "arg_max",
    "arg_max_null",
    "arg_min",
    "arg_min_null",
    "bit_and",
    "bit_or",
    "bit_xor",
    "bool_and",
    "bool_or",
    "firn_distinct_count",
    "first",
    "histogram",
    "last",
    "list",
    "max_by",
    "min_by",
    "quantile_cont",
    "quantile_disc",
    "skewness",
    "string_agg",
];

/// The aliases of the queries around the expression that is rewritten, innermost last.
pub(super) struct OverloadLambdas {
    bound: Rc<Bound>,
    scopes: Vec<Scope>,
}

struct Scope {
    aliases: HashSet<String>,
    /// The names columns may be qualified with.
    tables: HashSet<String>,
}

impl OverloadLambdas {
    /// `None` where a statement has nothing of the kind.
    pub(super) fn of(tree: &dyn Tree, columns: &Columns) -> Option<Self> {
        let mut counter = AliasCounter::default();
        // The counter never breaks.
        let _ = tree.walk(&mut counter);
        if !counter.has_aliases && !counter.computes && counter.queries < 2 && counter.has_tables {
            return None;
        }
        Some(Self { bound: columns.bound().clone(), scopes: Vec::new() })
    }

    fn rewrite(&self, expr: &mut Expr) {
        let Expr::Function(function) = expr else { return };
        if function.over.is_some() || !call_name(function).is_some_and(is_overloaded) {
            return;
        }
        if let Some(deferred) = self.deferred(function) {
            *expr = deferred;
        }
    }

    fn deferred(&self, function: &Function) -> Option<Expr> {
        let FunctionArguments::List(list) = &function.args else { return None };
        let arguments: Vec<&Expr> = list
            .args
            .iter()
            .map(|argument| match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value),
                _ => None,
            })
            .collect::<Option<_>>()?;
        if !arguments.iter().any(|argument| self.is_late(argument)) {
            return None;
        }
        let is_constant = |value: &Expr| matches!(value, Expr::Value(_));
        let mut fields = Vec::new();
        let mut inner = Vec::new();
        for argument in arguments {
            if is_constant(argument) {
                inner.push(argument.clone());
            } else {
                let field = Ident::new(format!("a{}", fields.len()));
                inner.push(Expr::CompoundIdentifier(vec![Ident::new(PARAMETER), field]));
                fields.push(argument.clone());
            }
        }
        let given = match &fields[..] {
            [_] => {
                for argument in inner.iter_mut().filter(|argument| !is_constant(argument)) {
                    *argument = Expr::Identifier(Ident::new(PARAMETER));
                }
                fields.remove(0)
            }
            _ => struct_of(fields),
        };
        let mut body = function.clone();
        body.args = super::build::function("", inner).args;
        let lambda = Expr::Lambda(LambdaFunction {
            params: OneOrManyWithParens::Many(vec![LambdaFunctionParameter {
                name: Ident::new(PARAMETER),
                data_type: None,
            }]),
            body: Box::new(Expr::Function(body)),
            syntax: LambdaSyntax::LambdaKeyword,
        });
        let values = call("list_transform", vec![call("list_value", vec![given]), lambda]);
        Some(call("list_extract", vec![values, cast(number(1), "BIGINT")]))
    }

    fn is_late(&self, expr: &Expr) -> bool {
        let mut finder = Finder { bound: &self.bound, scope: self.scopes.last(), queries: 0 };
        expr.inspect(&mut finder).is_break()
    }
}

impl VisitorMut for OverloadLambdas {
    type Break = Failure;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Failure> {
        self.scopes.push(Scope { aliases: aliases_of(query).into_iter().collect(), tables: tables_of(query) });
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Failure> {
        self.scopes.pop();
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        self.rewrite(expr);
        ControlFlow::Continue(())
    }
}

/// `#1`: a column by its place.
pub(super) fn is_place(ident: &Ident) -> bool {
    ident.quote_style.is_none() && ident.value.starts_with('#')
}

/// `struct_pack(a0 := …, a1 := …)`.
fn struct_of(fields: Vec<Expr>) -> Expr {
    let mut pack = super::build::function("struct_pack", Vec::new());
    if let FunctionArguments::List(list) = &mut pack.args {
        list.args = fields
            .into_iter()
            .enumerate()
            .map(|(place, value)| FunctionArg::Named {
                name: Ident::new(format!("a{place}")),
                arg: FunctionArgExpr::Expr(value),
                operator: firn_sql::ast::FunctionArgOperator::Assignment,
            })
            .collect();
    }
    Expr::Function(pack)
}

/// Breaks at the first part of an expression that has no type yet; subqueries have theirs.
struct Finder<'scope> {
    bound: &'scope Bound,
    scope: Option<&'scope Scope>,
    queries: usize,
}

impl Visitor for Finder<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.queries += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.queries -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        let is_late = self.queries == 0
            && match expr {
                Expr::Function(function) => function.over.is_some() || is_aggregate(function),
                Expr::Identifier(ident) if is_place(ident) => true,
                Expr::Identifier(ident) => {
                    let is_name = ident.quote_style.is_some();
                    let is_unknown = |scope: &Scope| scope.tables.is_empty() && is_name;
                    let refers_to_alias =
                        || self.bound.node(expr).is_some_and(|node| node.reference == Some(Reference::Alias));
                    let is_alias = |scope: &Scope| scope.aliases.contains(&ident.value) && refers_to_alias();
                    self.scope.is_some_and(|scope| is_unknown(scope) || is_alias(scope))
                }
                Expr::CompoundIdentifier(parts) => match &parts[..] {
                    [.., table, _] => self.scope.is_some_and(|scope| !scope.tables.contains(&table.value)),
                    _ => false,
                },
                _ => false,
            };
        if is_late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

pub(super) fn is_aggregate(function: &Function) -> bool {
    let Some(name) = call_name(function) else { return false };
    let bare = name.strip_prefix("firn_").unwrap_or(name);
    AGGREGATES.binary_search(&name).is_ok()
        || find_in_any_case(bare).is_some_and(|entry| {
            matches!(entry.class, FunctionClass::Aggregate | FunctionClass::Window | FunctionClass::OrderedWindow)
        })
}

fn aliases_of(query: &Query) -> Vec<String> {
    let mut branches = Vec::new();
    branches_of(&query.body, &mut branches);
    let items = branches.into_iter().flat_map(|select| &select.projection);
    let named = items.filter_map(|item| match item {
        SelectItem::ExprWithAlias { expr, alias } => match expr {
            Expr::Identifier(ident) if ident.value == alias.value => None,
            _ => Some(alias.value.clone()),
        },
        _ => None,
    });
    named.collect()
}

/// The names of a query's tables, and an empty one for each that has none.
fn tables_of(query: &Query) -> HashSet<String> {
    let mut branches = Vec::new();
    branches_of(&query.body, &mut branches);
    let mut tables = HashSet::default();
    for table in branches.into_iter().flat_map(|select| &select.from) {
        names_of(table, &mut tables);
    }
    tables
}

fn names_of(table: &TableWithJoins, tables: &mut HashSet<String>) {
    for factor in std::iter::once(&table.relation).chain(table.joins.iter().map(|join| &join.relation)) {
        let (alias, name) = match factor {
            TableFactor::NestedJoin { table_with_joins, alias: None } => {
                names_of(table_with_joins, tables);
                continue;
            }
            TableFactor::Table { alias, name, .. } => {
                (alias, name.0.last().and_then(ObjectNamePart::as_ident).map(|ident| ident.value.clone()))
            }
            TableFactor::Derived { alias, .. }
            | TableFactor::TableFunction { alias, .. }
            | TableFactor::Function { alias, .. }
            | TableFactor::UNNEST { alias, .. }
            | TableFactor::NestedJoin { alias, .. }
            | TableFactor::Pivot { alias, .. }
            | TableFactor::Unpivot { alias, .. } => (alias, None),
            _ => (&None, None),
        };
        tables.insert(alias.as_ref().map(|alias| alias.name.value.clone()).or(name).unwrap_or_default());
    }
}

#[derive(Default)]
struct AliasCounter {
    has_aliases: bool,
    /// Whether there is an aggregate, a window or a column by its place.
    computes: bool,
    queries: usize,
    has_tables: bool,
}

impl Visitor for AliasCounter {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        self.computes = self.computes
            || match expr {
                Expr::Function(function) => function.over.is_some() || is_aggregate(function),
                Expr::Identifier(ident) => is_place(ident),
                _ => false,
            };
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Failure> {
        if matches!(*query.body, SetExpr::Query(_)) {
            return ControlFlow::Continue(());
        }
        self.queries += 1;
        let mut branches = Vec::new();
        branches_of(&query.body, &mut branches);
        self.has_tables |= branches.iter().any(|select| !select.from.is_empty());
        self.has_aliases = self.has_aliases || !aliases_of(query).is_empty();
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::AGGREGATES;
    use crate::dialect::testing::check;

    #[test]
    fn the_table_is_sorted() {
        assert!(AGGREGATES.is_sorted());
    }

    #[test]
    fn what_has_no_type_yet_gets_one() {
        check(
            "SELECT UPPER(MAX(x))",
            "SELECT firn_upper(list_extract(list_transform(list_value(MAX(x)), lambda firn_value : firn_textual(firn_value)), CAST(1 AS BIGINT)))",
        );
        check("SELECT MAX(UPPER(x))", "SELECT MAX(firn_upper(firn_textual(x)))");
    }
}
