//! GROUP BY and DISTINCT of semi-structured values: rows are grouped by the equality keys of these values, and what the
//! select shows of them is the value of the first row. `SELECT v … GROUP BY v` becomes
//! `SELECT first(v) … GROUP BY firn_equality_key(v)`.

use std::ops::ControlFlow;

use firn_binder::{Bound, Reference};
use firn_sql::Failure;
use firn_sql::ast::{
    BinaryOperator, Distinct, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Ident,
    OrderBy, Query, Select, SelectItem, TableFactor, Value, VisitorMut,
};
use firn_sql::tree::{Walk, each_expr, each_expr_mut};

use super::build::{call, call_name, case, number, quoted};
use super::overload_lambdas::is_aggregate;
use super::set_branches::shown_value;
use super::using_join_columns::{reads_by_itself, with_value};
use super::variant_equality::{VariantEquality, key_of};

/// The keys of a select that are semi-structured, each with the text by which an occurrence of it is recognised.
#[derive(Default)]
pub(super) struct VariantKeys {
    keys: Vec<(Expr, String)>,
    /// A row of a ROLLUP, a CUBE or GROUPING SETS has no value of the keys that it is not grouped by.
    has_sets: bool,
    shown: Shown,
}

/// What stands for a key outside of GROUP BY.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Shown {
    /// The value of the first row of a group.
    #[default]
    First,
    /// The value that the rows of a group have in common.
    Canonical,
}

impl VariantKeys {
    fn find(&self, expr: &Expr, bound: &Bound) -> Option<&Expr> {
        let text = text_of(expr, bound);
        self.keys.iter().find(|(_, known)| *known == text).map(|(key, _)| key)
    }
}

impl VariantEquality {
    /// Rewrites the groups of a select, and returns the keys for its ORDER BY.
    pub(super) fn group(&self, select: &mut Select) -> Result<VariantKeys, Failure> {
        let keys = self.group_keys(select)?;
        if !keys.keys.is_empty() {
            self.show(select, &keys);
        }
        if matches!(select.distinct, Some(Distinct::Distinct)) {
            self.distinct(select);
        }
        Ok(keys)
    }

    pub(super) fn order_groups(&self, order_by: &mut OrderBy, keys: &VariantKeys) {
        if !keys.keys.is_empty() {
            self.show_in(order_by, keys);
        }
    }

    fn group_keys(&self, select: &mut Select) -> Result<VariantKeys, Failure> {
        let mut found = VariantKeys::default();
        self.list_all_keys(select);
        let (group_by, projection) = (&mut select.group_by, &select.projection);
        let GroupByExpr::Expressions(written, modifiers) = group_by else { return Ok(found) };
        found.has_sets = !modifiers.is_empty();
        let mut keyed = written.clone();
        for key in &mut keyed {
            self.add_key(key, projection, &mut found);
        }
        if found.keys.iter().any(|(key, _)| self.is_read_in_subquery(key, select)) {
            return self.make_canonical(found, select);
        }
        select.group_by = match std::mem::replace(&mut select.group_by, GroupByExpr::All(Vec::new())) {
            GroupByExpr::Expressions(_, modifiers) => GroupByExpr::Expressions(keyed, modifiers),
            all => all,
        };
        Ok(found)
    }

    /// GROUP BY ALL with a semi-structured key becomes the list of its keys.
    fn list_all_keys(&self, select: &mut Select) {
        if !matches!(&select.group_by, GroupByExpr::All(_)) {
            return;
        }
        let items = (1..).zip(&select.projection);
        let keys = items.filter(|(_, item)| value_of(item).is_none_or(|value| !has_aggregate(value)));
        let keys: Vec<(i64, Option<&Expr>)> = keys.map(|(place, item)| (place, value_of(item))).collect();
        let are_written_out = keys.iter().all(|(_, value)| value.is_some());
        if are_written_out && keys.iter().any(|(_, value)| value.is_some_and(|value| self.is_variant(value))) {
            let keys = keys.into_iter().map(|(place, _)| number(place)).collect();
            select.group_by = GroupByExpr::Expressions(keys, Vec::new());
        }
    }

    fn add_key(&self, key: &mut Expr, projection: &[SelectItem], found: &mut VariantKeys) {
        match key {
            Expr::GroupingSets(sets) | Expr::Cube(sets) | Expr::Rollup(sets) => {
                found.has_sets = true;
                sets.iter_mut().flatten().for_each(|key| self.add_key(key, projection, found));
            }
            Expr::Tuple(parts) => parts.iter_mut().for_each(|key| self.add_key(key, projection, found)),
            _ => {
                let value = self.item_of(key, projection).unwrap_or(key);
                if self.is_variant(value) && !has_aggregate(value) {
                    let value = value.clone();
                    found.keys.push((value.clone(), text_of(&value, self.types().bound())));
                    *key = key_of(value);
                }
            }
        }
    }

    /// The item of the select list that a position or an alias means.
    fn item_of<'select>(&self, key: &Expr, projection: &'select [SelectItem]) -> Option<&'select Expr> {
        match key {
            Expr::Value(value) => {
                let Value::Number(digits, _) = &value.value else { return None };
                value_of(projection.get(digits.parse::<usize>().ok()?.checked_sub(1)?)?)
            }
            Expr::Identifier(name) => {
                let node = self.types().bound().node(key)?;
                if node.reference != Some(Reference::Alias) {
                    return None;
                }
                projection.iter().find_map(|item| match item {
                    SelectItem::ExprWithAlias { expr, alias } if alias.value == name.value => Some(expr),
                    _ => None,
                })
            }
            _ => None,
        }
    }

    /// True for a key that a correlated subquery reads: the engine takes no aggregate there.
    fn is_read_in_subquery(&self, key: &Expr, select: &Select) -> bool {
        let bound = self.types().bound();
        let columns = columns_of(key, bound);
        let values = select.projection.iter().filter_map(value_of).chain(&select.having).chain(&select.qualify);
        let mut reads = false;
        for value in values {
            let _ = each_expr(value, &mut |part| {
                if let Expr::Subquery(query)
                | Expr::InSubquery { subquery: query, .. }
                | Expr::Exists { subquery: query, .. } = part
                {
                    reads |= query_columns(query, bound).iter().any(|column| columns.contains(column));
                }
                ControlFlow::<()>::Continue(())
            });
        }
        reads
    }

    /// Where a subquery reads a key, the groups are those of the engine: equal values have to be the same. Columns get
    /// canonical values in their relation; a key that is computed from other types becomes canonical wherever it is.
    fn make_canonical(&self, found: VariantKeys, select: &mut Select) -> Result<VariantKeys, Failure> {
        let (of_columns, computed): (Vec<_>, Vec<_>) =
            found.keys.into_iter().partition(|(key, _)| !self.variant_columns(key).is_empty());
        for column in of_columns.iter().flat_map(|(key, _)| self.variant_columns(key)) {
            self.make_source_canonical(&column, select)?;
        }
        let keys = VariantKeys { keys: computed, shown: Shown::Canonical, ..found };
        if let GroupByExpr::Expressions(written, _) = &mut select.group_by {
            for key in written {
                if let Some(item) = self.item_of(key, &select.projection) {
                    *key = item.clone();
                }
                // The visitor never breaks.
                let _ = key.rewrite(&mut CanonicalValues { equality: self, keys: &keys });
            }
        }
        Ok(keys)
    }

    fn variant_columns(&self, key: &Expr) -> Vec<Expr> {
        let mut columns = Vec::new();
        let _ = each_expr(key, &mut |part| {
            if column_of(part, self.types().bound()).is_some() && self.is_variant(part) {
                columns.push(part.clone());
            }
            ControlFlow::<()>::Continue(())
        });
        columns
    }

    /// Groups of a column that a subquery reads are those of the column itself, whose relation gets canonical values.
    fn make_source_canonical(&self, column: &Expr, select: &mut Select) -> Result<(), Failure> {
        let bound = self.types().bound();
        let Some(Reference::Column { relation, .. }) = bound.node(column).and_then(|node| node.reference) else {
            return Ok(());
        };
        let Some(source) = bound.relation(relation) else { return Ok(()) };
        let name = match column {
            Expr::Identifier(name) => Some(name),
            Expr::CompoundIdentifier(parts) => parts.last(),
            _ => None,
        };
        let tables = select.from.iter_mut();
        let mut factors = tables.flat_map(|table| {
            std::iter::once(&mut table.relation).chain(table.joins.iter_mut().map(|join| &mut join.relation))
        });
        let factor = factors.find(|factor| reads_by_itself(factor) && qualifier(factor) == Some(&source.name));
        if let (Some(name), Some(factor)) = (name, factor) {
            let value = call(self.canonical_call(column), vec![Expr::Identifier(quoted(&name.value))]);
            *factor = with_value(factor, &source.name, &name.value, &value)?;
        }
        Ok(())
    }

    fn show(&self, select: &mut Select, keys: &VariantKeys) {
        select.projection.iter_mut().filter_map(shown_value).for_each(|value| self.show_in(value, keys));
        select.having.iter_mut().chain(&mut select.qualify).for_each(|condition| self.show_in(condition, keys));
    }

    fn show_in(&self, node: &mut impl Walk, keys: &VariantKeys) {
        // The visitors never break.
        let _ = match keys.shown {
            Shown::First => {
                node.rewrite(&mut FirstValues { bound: self.types().bound(), keys, covered: 0, queries: 0 })
            }
            Shown::Canonical => node.rewrite(&mut CanonicalValues { equality: self, keys }),
        };
    }

    /// `DISTINCT ON` the keys of the semi-structured columns and the places of the others.
    fn distinct(&self, select: &mut Select) {
        let values: Option<Vec<&Expr>> = select.projection.iter().map(value_of).collect();
        let Some(values) = values else { return };
        let is_variant: Vec<bool> = values.iter().map(|value| self.is_variant(value)).collect();
        if !is_variant.contains(&true) {
            return;
        }
        let columns = (1..).zip(values).zip(is_variant);
        let keys = columns.map(|((place, value), is_variant)| match is_variant {
            true => key_of(value.clone()),
            false => number(place),
        });
        select.distinct = Some(Distinct::On(keys.collect()));
    }
}

/// The name that the columns of a relation are qualified with.
fn qualifier(factor: &TableFactor) -> Option<&str> {
    match factor {
        TableFactor::Table { alias: Some(alias), .. } | TableFactor::Derived { alias: Some(alias), .. } => {
            Some(&alias.name.value)
        }
        TableFactor::Table { name, .. } => Some(&name.0.last()?.as_ident()?.value),
        _ => None,
    }
}

pub(super) fn value_of(item: &SelectItem) -> Option<&Expr> {
    match item {
        SelectItem::UnnamedExpr(value) | SelectItem::ExprWithAlias { expr: value, .. } => Some(value),
        _ => None,
    }
}

fn has_aggregate(expr: &Expr) -> bool {
    let found = each_expr(expr, &mut |part| match part {
        Expr::Function(function) if function.over.is_some() || is_aggregate(function) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    found.is_break()
}

/// An expression with its columns written in one way, however they are qualified.
fn text_of(expr: &Expr, bound: &Bound) -> String {
    let mut copy = expr.clone();
    let _ = each_expr_mut(&mut copy, &mut |part| {
        if let Some((relation, column)) = column_of(part, bound) {
            *part = Expr::Identifier(Ident::new(format!("{relation}.{column}")));
        }
        ControlFlow::<()>::Continue(())
    });
    copy.to_string()
}

fn column_of(expr: &Expr, bound: &Bound) -> Option<(String, u32)> {
    if !matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
        return None;
    }
    match bound.node(expr)?.reference? {
        Reference::Column { relation, column } => Some((format!("{relation:?}"), column)),
        _ => None,
    }
}

fn columns_of(expr: &Expr, bound: &Bound) -> Vec<(String, u32)> {
    let mut columns = Vec::new();
    let _ = each_expr(expr, &mut |part| {
        columns.extend(column_of(part, bound));
        ControlFlow::<()>::Continue(())
    });
    columns
}

fn query_columns(query: &Query, bound: &Bound) -> Vec<(String, u32)> {
    let mut columns = Vec::new();
    let _ = each_expr(query, &mut |part| {
        columns.extend(column_of(part, bound));
        ControlFlow::<()>::Continue(())
    });
    columns
}

/// Replaces the keys outside of aggregates and subqueries by the value of the first row of their group.
struct FirstValues<'select> {
    bound: &'select Bound,
    keys: &'select VariantKeys,
    /// How many aggregates there are around the expression.
    covered: usize,
    queries: usize,
}

impl FirstValues<'_> {
    fn key(&self, expr: &Expr) -> Option<&Expr> {
        self.keys.find(expr, self.bound)
    }

    fn first(&self, key: &Expr) -> Expr {
        let first = call("first", vec![key.clone()]);
        if !self.keys.has_sets {
            return first;
        }
        let is_grouped = Expr::BinaryOp {
            left: Box::new(call("grouping", vec![key_of(key.clone())])),
            op: BinaryOperator::Eq,
            right: Box::new(number(0)),
        };
        case(vec![(is_grouped, first)], None)
    }

    /// GROUPING has the keys as they are grouped by.
    fn group_arguments(&self, function: &mut Function) {
        let FunctionArguments::List(list) = &mut function.args else { return };
        for argument in &mut list.args {
            if let FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) = argument
                && let Some(key) = self.key(value)
            {
                *value = key_of(key.clone());
            }
        }
    }
}

/// Makes the keys canonical, also in aggregates and subqueries.
struct CanonicalValues<'select> {
    equality: &'select VariantEquality,
    keys: &'select VariantKeys,
}

impl VisitorMut for CanonicalValues<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if self.keys.find(expr, self.equality.types().bound()).is_some() {
            *expr = self.equality.canonical(expr);
        }
        ControlFlow::Continue(())
    }
}

fn covers(expr: &Expr) -> bool {
    match expr {
        Expr::Function(function) => function.over.is_none() && (is_aggregate(function) || is_grouping(function)),
        _ => false,
    }
}

fn is_grouping(function: &Function) -> bool {
    call_name(function)
        .is_some_and(|name| name.eq_ignore_ascii_case("grouping") || name.eq_ignore_ascii_case("grouping_id"))
}

impl VisitorMut for FirstValues<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.queries += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.queries -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if self.covered == 0 && self.queries == 0 {
            if let Expr::Function(function) = expr
                && is_grouping(function)
            {
                self.group_arguments(function);
            } else if let Some(key) = self.key(expr) {
                *expr = self.first(&key.clone());
            }
        }
        self.covered += usize::from(covers(expr));
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        self.covered -= usize::from(covers(expr));
        ControlFlow::Continue(())
    }
}
