//! PIVOT: one aggregate per value of the pivot column, grouped by every column that it does not name.
//! Pivots over ANY or a subquery wait until their values are known.

use std::ops::ControlFlow;

use super::refusals::refuse;
use crate::Failure;
use crate::ast::helpers::attached_token::AttachedToken;
use crate::ast::{
    BinaryOperator, CaseWhen, ExcludeSelectItem, Expr, ExprWithAlias, Function, FunctionArg, FunctionArgExpr,
    FunctionArguments, GroupByExpr, Ident, ObjectName, PivotValueSource, SelectItem, TableFactor, Value, Visitor,
    WildcardAdditionalOptions,
};
use crate::build::call;
use crate::nesting::COLUMNS_MAX;
use crate::query_parts::{derived, placeholder, select_all, select_of};
use crate::tree::Tree;

/// A pivot's parts, once its values are listed.
struct Pivot {
    aggregate: Expr,
    /// What the names of its columns end in.
    suffix: Option<Ident>,
    column: Expr,
    values: Vec<ExprWithAlias>,
    default_on_null: Option<Expr>,
}

/// Whether the values of a pivot have to be looked up before it can run.
pub(crate) fn is_dynamic(factor: &TableFactor) -> bool {
    matches!(factor, TableFactor::Pivot { value_source: PivotValueSource::Any(_) | PivotValueSource::Subquery(_), .. })
}

/// Makes a pivot over a list a subquery.
pub(crate) fn rewrite(factor: &mut TableFactor) -> Result<(), Failure> {
    let TableFactor::Pivot {
        table,
        aggregate_functions,
        value_column,
        value_source: PivotValueSource::List(values),
        default_on_null,
        alias,
    } = factor
    else {
        return Ok(());
    };
    let ([ExprWithAlias { expr: aggregate, alias: suffix }], [column]) =
        (aggregate_functions.as_slice(), value_column.as_slice())
    else {
        return Err(Failure::unsupported("PIVOT with several aggregates or columns"));
    };
    // Before they are made: each column is an aggregate.
    if values.len() > COLUMNS_MAX {
        return Err(Failure::limit_exceeded("number of columns of a relation", COLUMNS_MAX));
    }
    let pivot = Pivot {
        aggregate: aggregate.clone(),
        suffix: suffix.clone(),
        column: column.clone(),
        values: std::mem::take(values),
        default_on_null: default_on_null.take(),
    };
    let mut query = select_all(*table.clone(), None)?;
    let items = pivot.items()?;
    if let Some(select) = select_of(&mut query) {
        select.projection = items;
        select.group_by = GroupByExpr::All(Vec::new());
    }
    let mut pivoted = derived(query, Ident::with_quote('"', "PIVOT"));
    if let (TableFactor::Derived { alias: given, .. }, Some(alias)) = (&mut pivoted, alias.take()) {
        *given = Some(alias);
    }
    *factor = pivoted;
    Ok(())
}

impl Pivot {
    fn items(&self) -> Result<Vec<SelectItem>, Failure> {
        let mut named = Columns(Vec::new());
        // The visitor never breaks.
        let _ = self.aggregate.walk(&mut named);
        let _ = self.column.walk(&mut named);
        // COUNT(k) FOR k: the same column may not be left out twice.
        named.0.sort_by_key(folded);
        named.0.dedup_by_key(|name| folded(name));
        let excluded = named.0.into_iter().map(|name| ObjectName::from(vec![name])).collect();
        let options = WildcardAdditionalOptions {
            opt_exclude: Some(ExcludeSelectItem::Multiple(excluded)),
            ..WildcardAdditionalOptions::default()
        };
        let mut items = vec![SelectItem::Wildcard(options)];
        for value in &self.values {
            let alias = self.name_of(value);
            items.push(SelectItem::ExprWithAlias { expr: self.aggregate_of(&value.expr)?, alias });
        }
        Ok(items)
    }

    /// A column with an alias is `X`, or `X_TOTAL` where the aggregate has the alias TOTAL.
    fn name_of(&self, value: &ExprWithAlias) -> Ident {
        let suffix = self.suffix.as_ref().map(folded);
        let name = match (&value.alias, suffix) {
            (Some(alias), None) => return alias.clone(),
            (Some(alias), Some(suffix)) => format!("{}_{suffix}", folded(alias)),
            (None, suffix) => match placeholder_in(&value.expr) {
                Some(placeholder) => format!("{UNBOUND}{placeholder} {}", suffix.unwrap_or_default()),
                None => name_of_value(&value.expr, suffix.as_deref()),
            },
        };
        Ident::with_quote('"', name)
    }

    /// `SUM(CASE WHEN k = 'x' THEN v END)`.
    fn aggregate_of(&self, value: &Expr) -> Result<Expr, Failure> {
        let Expr::Function(function) = &self.aggregate else {
            return Err(Failure::unsupported("PIVOT of what is no aggregate"));
        };
        let mut function: Function = function.clone();
        let FunctionArguments::List(list) = &mut function.args else {
            return Err(Failure::unsupported("PIVOT of an aggregate without an argument"));
        };
        let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))) = list.args.first_mut() else {
            return Err(Failure::unsupported("PIVOT of an aggregate without a column"));
        };
        let operand = std::mem::replace(argument, Expr::value(Value::Null));
        *argument = Expr::Case {
            case_token: AttachedToken::empty(),
            end_token: AttachedToken::empty(),
            operand: None,
            conditions: vec![CaseWhen { condition: self.holds(value), result: operand }],
            else_result: None,
        };
        let aggregate = Expr::Function(function);
        Ok(match &self.default_on_null {
            Some(default) => call("COALESCE", vec![aggregate, default.clone()]),
            None => aggregate,
        })
    }

    fn holds(&self, value: &Expr) -> Expr {
        let is_null = matches!(value, Expr::Value(value) if value.value == Value::Null);
        let column = Box::new(self.column.clone());
        if is_null {
            return Expr::IsNull(column);
        }
        Expr::BinaryOp { left: column, op: BinaryOperator::Eq, right: Box::new(value.clone()) }
    }
}

/// Before the name of a column whose value is bound later: behind it stand the placeholder, a space, and the suffix.
const UNBOUND: &str = "__PIVOT OF ";

/// The placeholder whose value is to name a column.
pub(crate) fn unbound(name: &Ident) -> Option<&str> {
    Some(name.value.strip_prefix(UNBOUND)?.split_once(' ')?.0)
}

/// Names a column by the value that is bound to its placeholder.
pub(crate) fn name_bound(name: &mut Ident, value: &Expr) {
    if let Some((_, suffix)) = name.value.strip_prefix(UNBOUND).and_then(|rest| rest.split_once(' ')) {
        name.value = name_of_value(value, Some(suffix).filter(|suffix| !suffix.is_empty()));
    }
}

/// `'x'`, or `'x_TOTAL'`.
fn name_of_value(value: &Expr, suffix: Option<&str>) -> String {
    let name = column_name(value);
    let Some(suffix) = suffix else { return name };
    match name.strip_suffix('\'').filter(|name| name.starts_with('\'')) {
        Some(open) => format!("{open}_{suffix}'"),
        None => format!("{name}_{suffix}"),
    }
}

fn placeholder_in(value: &Expr) -> Option<&str> {
    match value {
        Expr::Cast { expr, .. } | Expr::Nested(expr) => placeholder_in(expr),
        other => placeholder(other),
    }
}

fn folded(name: &Ident) -> String {
    if name.quote_style.is_none() { name.value.to_ascii_uppercase() } else { name.value.clone() }
}

/// A value's column carries the value as it is written, quotes and all.
fn column_name(value: &Expr) -> String {
    match value {
        Expr::Cast { expr, .. } => column_name(expr),
        Expr::Nested(inside) => column_name(inside),
        other => other.to_string(),
    }
}

/// The columns an expression names.
struct Columns(Vec<Ident>);

impl Visitor for Columns {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        match expr {
            Expr::Identifier(name) => self.0.push(name.clone()),
            Expr::CompoundIdentifier(parts) => self.0.extend(parts.last().cloned()),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// The engine has UNPIVOT with the same syntax.
pub(super) fn admit_unpivot(value: &Expr, columns: &[ExprWithAlias]) -> Result<(), Failure> {
    refuse(!matches!(value, Expr::Identifier(_)), "UNPIVOT into several columns")?;
    let plain = columns.iter().all(|column| matches!(column.expr, Expr::Identifier(_)));
    refuse(!plain, "UNPIVOT of several columns at once")
}
