//! LEFT JOIN to the rows of a list. The engine would reverse the rows and supports few conditions, so the list is
//! filtered by the condition first, gets one row of NULLs if it is empty then, and is joined like any other.

use std::ops::ControlFlow;

use firn_sql::ast::{
    BinaryOperator, Expr, Join, JoinConstraint, JoinOperator, LambdaFunction, LambdaFunctionParameter, LambdaSyntax,
    OneOrManyWithParens, Query, TableFactor, Visitor, VisitorMut,
};
use firn_sql::tree::Walk;

use super::conditions::{Elements, Rows};
use super::expanded::is_expanded;
use crate::dialect::build::{call, cast, nested, null, number, quoted, text};

const ELEMENT: &str = "firn element";

/// Which rows of a list are joined.
pub(super) enum JoinedRows {
    All,
    /// Those that satisfy the condition, or else one row of NULLs.
    OrNulls(Option<Box<Expr>>),
}

/// Takes the condition of a LEFT JOIN, which is an inner join from then on.
pub(super) fn take_condition(join: &mut Join) -> JoinedRows {
    let (JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint)) = &mut join.join_operator else {
        return JoinedRows::All;
    };
    let condition = match constraint {
        _ if !is_expanded(&join.relation) => return JoinedRows::All,
        JoinConstraint::None => None,
        // The engine finds no column of the left side that is named in a lambda alone.
        JoinConstraint::On(condition) if !has_query(condition) && names_columns(&join.relation) => {
            Some(Box::new(std::mem::replace(condition, null())))
        }
        _ => return JoinedRows::All,
    };
    join.join_operator = JoinOperator::Inner(JoinConstraint::None);
    JoinedRows::OrNulls(condition)
}

/// `coalesce(nullif(list_filter(rows, lambda element : …), []), [NULL])`.
pub(super) fn filtered(list: Expr, joined_rows: JoinedRows, rows: &Rows) -> Expr {
    let list = match joined_rows {
        JoinedRows::All => return list,
        JoinedRows::OrNulls(None) => list,
        JoinedRows::OrNulls(Some(mut condition)) => {
            // The visitor never breaks.
            let _ = condition.rewrite(&mut OfElement(rows));
            let element = LambdaFunctionParameter { name: quoted(ELEMENT), data_type: None };
            let lambda = LambdaFunction {
                params: OneOrManyWithParens::Many(vec![element]),
                body: Box::new(cast(call("firn_truth", vec![*condition]), "BOOLEAN")),
                syntax: LambdaSyntax::LambdaKeyword,
            };
            call("list_filter", vec![list, Expr::Lambda(lambda)])
        }
    };
    let some = call("nullif", vec![list, call("list_value", Vec::new())]);
    call("coalesce", vec![some, call("list_value", vec![null()])])
}

fn has_query(condition: &Expr) -> bool {
    struct Finder;
    impl Visitor for Finder {
        type Break = ();

        fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
            ControlFlow::Break(())
        }
    }
    condition.inspect(&mut Finder).is_break()
}

fn names_columns(list: &TableFactor) -> bool {
    struct Finder;
    impl Visitor for Finder {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            match expr {
                Expr::Identifier(_) | Expr::CompoundIdentifier(_) => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        }
    }
    list.inspect(&mut Finder).is_break()
}

/// Columns of the rows become fields of an element.
struct OfElement<'rows>(&'rows Rows);

impl VisitorMut for OfElement<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Some(field) = field_of(expr, self.0, || Expr::Identifier(quoted(ELEMENT))) {
            *expr = field;
        }
        ControlFlow::Continue(())
    }
}

/// What a column of the rows is as a field of an element, if the expression is one.
pub(super) fn field_of(expr: &Expr, rows: &Rows, element: impl Fn() -> Expr) -> Option<Expr> {
    let name = rows.place_of(expr).and_then(|place| rows.elements.columns().get(place))?;
    let field = call("struct_extract", vec![element(), text(name)]);
    Some(match (rows.elements, *name) {
        (Elements::Pieces, "INDEX") => {
            nested(Expr::BinaryOp { left: Box::new(field), op: BinaryOperator::Plus, right: Box::new(number(1)) })
        }
        (Elements::Pieces, "VALUE") => cast(field, "VARCHAR"),
        _ => field,
    })
}
