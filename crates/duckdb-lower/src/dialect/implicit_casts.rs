//! Implicit casts of the dialect. A text among numbers, dates or booleans is cast to their type; in arithmetic to a number
//! with five digits after the point, in sums and roots to a floating-point number. An implicit cast is inserted as if it
//! had been written; where the type of an operand is not known, a macro dispatches on it at run time.

mod calls;
mod literal_texts;
mod mixed_structures;
mod number_keys;
mod shifted;
mod truths;

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{
    BinaryOperator, CastKind, Expr, Query, Select, SetExpr, Statement, TableFactor, UnaryOperator, VisitorMut,
};
use firn_sql::command::DataType;
use firn_sql::declared_type;

use super::build::{call, null};
use super::casts::{is_plain_clock, is_plain_instant};
use super::columns::Columns;
use super::instants::{by_instant, compare_with_all, is_comparison};
use super::kinds::{Kind, Kinds, common_kind, dialect_cast, single_projection};
use super::null_texts::{is_null_text, joins_null, text_of_null};
use super::set_branches::{columns_of, shown_value};
use super::{type_checks, type_names};
use crate::wrong_arguments::invalid_argument_types;
use literal_texts::{fits_operand, number_in};
use truths::is_logical;

/// The type that a text is cast to in arithmetic.
const OPERAND: DataType = DataType::Number { precision: 18, scale: 5 };

pub(super) struct ImplicitCasts<'columns> {
    pub(super) kinds: Kinds,
    pub(super) columns: &'columns Columns,
}

impl VisitorMut for ImplicitCasts<'_> {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        match self.rewrite(expr) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => ControlFlow::Break(failure),
        }
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<Failure> {
        if matches!(*query.body, SetExpr::SetOperation { .. }) {
            for values in columns_of(&mut query.body) {
                if let Err(failure) = type_checks::branches(&self.kinds, self.columns, &values) {
                    return ControlFlow::Break(failure);
                }
                self.unify(values);
            }
        }
        ControlFlow::Continue(())
    }

    /// The rows of an INSERT are read as the columns they go to; those of a relation have one type.
    fn post_visit_table_factor(&mut self, table: &mut TableFactor) -> ControlFlow<Failure> {
        if let TableFactor::Derived { subquery, .. } = table
            && let SetExpr::Values(values) = &mut *subquery.body
        {
            for place in 0..values.rows.first().map_or(0, |row| row.content.len()) {
                self.unify(values.rows.iter_mut().filter_map(|row| row.content.get_mut(place)).collect());
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<Failure> {
        self.conditions_of_select(select)
    }

    fn post_visit_statement(&mut self, statement: &mut Statement) -> ControlFlow<Failure> {
        match statement {
            Statement::Update(update) => self.conditions(update.selection.iter_mut()),
            Statement::Delete(delete) => self.conditions(delete.selection.iter_mut()),
            Statement::Merge(merge) => self.conditions(std::iter::once(&mut *merge.on)),
            _ => ControlFlow::Continue(()),
        }
    }
}

impl ImplicitCasts<'_> {
    fn rewrite(&self, expr: &mut Expr) -> Result<(), Failure> {
        match expr {
            Expr::BinaryOp { left, op, right } if is_comparison(op) => self.compare(left, right),
            Expr::BinaryOp { left, op, right } if is_logical(op) => {
                [left, right].into_iter().for_each(|value| self.truth(value))
            }
            Expr::UnaryOp { op: UnaryOperator::Not, expr } => self.truth(expr),
            Expr::BinaryOp {
                left,
                op:
                    op @ (BinaryOperator::Plus
                    | BinaryOperator::Minus
                    | BinaryOperator::Multiply
                    | BinaryOperator::Divide
                    | BinaryOperator::Modulo),
                right,
            } => return self.compute(left, op, right),
            Expr::BinaryOp { left, op: BinaryOperator::StringConcat, right }
                if is_null_text(left) || is_null_text(right) =>
            {
                *expr = text_of_null();
            }
            Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => self.compare(left, right),
            Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus, expr }
                if self.kinds.kind(expr) == Some(Kind::Text) =>
            {
                read_as(expr, &OPERAND);
            }
            Expr::InList { expr, list, .. } => self.in_list(expr, list),
            Expr::InSubquery { expr, subquery, .. } => self.in_subquery(expr, subquery),
            Expr::AnyOp { left, right, .. } | Expr::AllOp { left, right, .. } => {
                compare_with_all(&self.kinds, left, right);
            }
            Expr::Between { expr, low, high, .. } => self.compare_with_each(expr, vec![&mut **low, &mut **high]),
            Expr::Case { operand, conditions, else_result, .. } => {
                let tested = conditions.iter_mut().map(|branch| &mut branch.condition);
                match operand {
                    Some(operand) => self.compare_with_each(operand, tested.collect()),
                    None => tested.for_each(|condition| self.truth(condition)),
                }
                let results = conditions.iter_mut().map(|branch| &mut branch.result);
                self.unify(results.chain(else_result.as_deref_mut()).collect());
            }
            Expr::Cast { kind: CastKind::TryCast, expr, data_type, .. } => {
                return type_checks::tried(&self.kinds, self.columns, expr, &declared_type(data_type)?);
            }
            Expr::Function(function) if joins_null(function) => *expr = text_of_null(),
            Expr::Function(function) => match type_names::constant(function, self.columns) {
                Some(type_name) => *expr = type_name,
                None => self.call(function),
            },
            _ => {}
        }
        Ok(())
    }

    fn compare(&self, left: &mut Expr, right: &mut Expr) {
        if self.compare_by_keys(&mut [left, right]) {
            return;
        }
        self.compare_by_kinds(left, right);
    }

    fn compare_by_kinds(&self, left: &mut Expr, right: &mut Expr) {
        match (self.kinds.kind(left), self.kinds.kind(right)) {
            (Some(Kind::TimestampTz), _) | (_, Some(Kind::TimestampTz)) => {
                by_instant(left);
                by_instant(right);
            }
            (Some(Kind::Text), Some(other)) => cast_to_kind_of(left, other),
            (Some(other), Some(Kind::Text)) => cast_to_kind_of(right, other),
            _ => {}
        }
    }

    /// As `compare`, where the first value is also the result and its type does not change.
    fn compare_keeping_first(&self, first: &mut Expr, other: &mut Expr) {
        match (self.kinds.kind(first), self.kinds.kind(other)) {
            (Some(Kind::TimestampTz), Some(Kind::TimestampTz | Kind::Null)) => {}
            (Some(Kind::TimestampTz), _) => read_as(other, &DataType::TimestampTz { scale: 9 }),
            (Some(kind), Some(Kind::TimestampTz)) => {
                read_as(other, &DataType::TimestampLtz { scale: 9 });
                // What has no zone is of the session's.
                if kind != Kind::TimestampLtz {
                    read_as(other, &DataType::TimestampNtz { scale: 9 });
                }
            }
            _ => self.compare_by_kinds(first, other),
        }
    }

    fn compute(&self, left: &mut Expr, op: &BinaryOperator, right: &mut Expr) -> Result<(), Failure> {
        if matches!(left, Expr::Interval(_)) || matches!(right, Expr::Interval(_)) {
            return Ok(());
        }
        let (left_kind, right_kind) = (self.kinds.kind(left), self.kinds.kind(right));
        let temporal = |kind: Option<Kind>| kind.filter(|kind| kind.is_temporal());
        match (temporal(left_kind), temporal(right_kind)) {
            (Some(Kind::Date), Some(Kind::Date)) => {}
            (Some(_), Some(_)) => return Err(self.invalid_types(&op.to_string(), &[left, right])),
            (Some(instant), None) => count_of_days(right, instant, right_kind),
            (None, Some(instant)) => count_of_days(left, instant, left_kind),
            (None, None) => {
                operand(left, left_kind, right_kind);
                operand(right, right_kind, left_kind);
            }
        }
        Ok(())
    }

    fn compare_with_each(&self, value: &mut Expr, others: Vec<&mut Expr>) {
        let mut all: Vec<&mut Expr> = std::iter::once(value).chain(others).collect();
        if !self.compare_by_keys(&mut all)
            && let Some((value, others)) = all.split_first_mut()
        {
            others.iter_mut().for_each(|other| self.compare_by_kinds(value, other));
        }
    }

    fn in_list(&self, expr: &mut Expr, list: &mut [Expr]) {
        let mut all: Vec<&mut Expr> = std::iter::once(&mut *expr).chain(list.iter_mut()).collect();
        if self.compare_by_keys(&mut all) {
            return;
        }
        if self.kinds.kind(expr) == Some(Kind::Text) {
            let kinds: Option<Vec<Kind>> = list.iter().map(|item| self.kinds.kind(item)).collect();
            match kinds.as_deref().and_then(common_kind) {
                Some(wanted) if wanted != Kind::SemiStructured => cast_to_kind_of(expr, wanted),
                _ => return,
            }
        }
        list.iter_mut().for_each(|item| self.compare_by_kinds(expr, item));
    }

    fn in_subquery(&self, expr: &mut Expr, subquery: &mut Query) {
        if self.compare_rows_by_keys(expr, subquery) {
            return;
        }
        let Some(shown) = single_projection(subquery).and_then(|shown| self.kinds.kind(shown)) else { return };
        match (self.kinds.kind(expr), shown) {
            // The engine has no implicit cast to our TIMESTAMP_TZ type.
            (Some(kind), Kind::TimestampTz) if !matches!(kind, Kind::TimestampTz | Kind::Null) => {
                read_as(expr, &DataType::TimestampTz { scale: 9 });
            }
            (Some(Kind::TimestampTz), other) if !matches!(other, Kind::Text | Kind::TimestampTz | Kind::Null) => {
                if let SetExpr::Select(select) = &mut *subquery.body {
                    let shown = select.projection.iter_mut().filter_map(shown_value);
                    shown.for_each(|value| read_as(value, &DataType::TimestampTz { scale: 9 }));
                }
            }
            (Some(Kind::Text), other) => cast_to_kind_of(expr, other),
            (Some(other), Kind::Text) => {
                if let SetExpr::Select(select) = &mut *subquery.body {
                    let shown = select.projection.iter_mut().filter_map(shown_value);
                    // A literal of a subquery is a text to the engine, whatever it is compared with.
                    match other.data_type().filter(|_| other.is_temporal()) {
                        Some(data_type) => shown.for_each(|value| read_as(value, &data_type)),
                        None => shown.for_each(|value| cast_to_kind_of(value, other)),
                    }
                }
            }
            _ => {}
        }
    }

    /// Values of one column: texts are cast to the type of the others.
    fn unify(&self, mut values: Vec<&mut Expr>) {
        mixed_structures::make_variants(self.columns, &mut values);
        let kinds: Option<Vec<Kind>> = values.iter().map(|value| self.kinds.kind(value)).collect();
        if let Some(kinds) = kinds {
            unify_kinds(values, &kinds);
        }
    }

    fn invalid_types(&self, function: &str, arguments: &[&Expr]) -> Failure {
        let bound = self.columns.bound();
        let types: Vec<String> = arguments.iter().map(|value| bound.type_of(value).data_type.to_string()).collect();
        invalid_argument_types(function, &format!(": ({})", types.join(", ")))
    }
}

/// As `unify`, of values that are known to be of these kinds.
pub(super) fn unify_kinds(values: Vec<&mut Expr>, kinds: &[Kind]) {
    let Some(wanted) = common_kind(kinds) else { return };
    for (value, kind) in values.into_iter().zip(kinds) {
        if *kind != Kind::Text {
            // The engine has no implicit cast to our TIMESTAMP_TZ type.
            if wanted == Kind::TimestampTz && !matches!(kind, Kind::TimestampTz | Kind::Null) {
                read_as(value, &DataType::TimestampTz { scale: 9 });
            }
            continue;
        }
        match wanted {
            Kind::Exact if number_in(value).is_none_or(|number| fits_operand(&number)) => read_as(value, &OPERAND),
            wanted if wanted.is_temporal() => {
                wanted.data_type().iter().for_each(|data_type| read_as(value, data_type));
            }
            wanted => cast_to_kind_of(value, wanted),
        }
    }
}

fn operand(value: &mut Expr, kind: Option<Kind>, other: Option<Kind>) {
    match (kind, other) {
        (Some(Kind::Text), Some(Kind::Float | Kind::SemiStructured)) => read_as(value, &DataType::Float),
        (Some(Kind::Text), _) => read_as(value, &OPERAND),
        (Some(_), _) => {}
        (None, _) => wrap(value, "firn_as_number"),
    }
}

/// A number of days that is added to a date may be a text.
fn count_of_days(value: &mut Expr, instant: Kind, kind: Option<Kind>) {
    if let Some(number) = number_in(value) {
        *value = number;
    } else if instant == Kind::Date && kind == Some(Kind::Exact) && !matches!(value, Expr::Value(_)) {
        // The engine adds only 32-bit integers to a date.
        wrap(value, "firn_day_count");
    }
}

/// Casts a text to the type of the other operand, where the engine would not.
fn cast_to_kind_of(text: &mut Expr, other: Kind) {
    let as_it_is = match other {
        Kind::Exact => match number_in(text) {
            Some(number) => {
                *text = number;
                true
            }
            None => false,
        },
        Kind::Time => is_plain_clock(text),
        Kind::Date | Kind::TimestampNtz | Kind::TimestampLtz => is_plain_instant(text),
        Kind::TimestampTz => true,
        _ => false,
    };
    if let Some(data_type) = other.data_type().filter(|_| !as_it_is) {
        read_as(text, &data_type);
    }
}

fn read_as(value: &mut Expr, data_type: &DataType) {
    *value = dialect_cast(std::mem::replace(value, null()), data_type);
}

fn wrap(value: &mut Expr, function: &str) {
    *value = call(function, vec![std::mem::replace(value, null())]);
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn texts_are_read_as_what_is_wanted() {
        check("SELECT '5' + 1", "SELECT CAST('5' AS DECIMAL(18,5)) + 1");
        check("SELECT '5' || 'a'", "SELECT '5' || 'a'");
        check("SELECT 1 = '5'", "SELECT 1 = 5");
        check("SELECT 1 < '-5'", "SELECT 1 < (-5)");
        check(
            "SELECT x::TIMESTAMP_TZ BETWEEN '2020-01-31' AND y",
            "SELECT firn_instant(firn_timestamp_tz(x)) BETWEEN firn_instant('2020-01-31') AND firn_instant(y)",
        );
        check("SELECT x::DATE = '2020-01-31'", "SELECT firn_date(x) = '2020-01-31'");
        check("SELECT x::DATE = '31-JAN-2020'", "SELECT firn_date(x) = firn_date('31-JAN-2020')");
        check("SELECT COALESCE(NULL, '5', 1)", "SELECT COALESCE(NULL, CAST('5' AS DECIMAL(18,5)), 1)");
        check("SELECT SUM(x)", "SELECT SUM(firn_as_float(x))");
        check(
            "SELECT SUM(TRUE)",
            "SQL compilation error: error line 1 at position 7\nInvalid argument types for function 'SUM': (BOOLEAN)",
        );
        check(
            "SELECT x::TIMESTAMP_NTZ - y::DATE",
            "SQL compilation error:\nInvalid argument types for function '-': (TIMESTAMP_NTZ(9), DATE)",
        );
    }
}
