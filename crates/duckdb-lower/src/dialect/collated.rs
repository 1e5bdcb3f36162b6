//! Columns with a collation: COLLATION, which returns it, and DISTINCT inside an aggregate, where the engine does not
//! apply a collation that ignores case.

use std::ops::ControlFlow;
use std::rc::Rc;

use firn_binder::Bound;
use firn_sql::Failure;
use firn_sql::ast::{
    DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Visit, Visitor,
};

use super::build::{call, cast, null, only_part, plain_arguments, text};
use super::columns::Columns;
use crate::collations::Collation;

pub(super) struct Collated {
    bound: Rc<Bound>,
}

impl Collated {
    pub(super) fn of(columns: &Columns) -> Self {
        Self { bound: columns.bound().clone() }
    }

    /// COUNT(DISTINCT) counts the normalized values; for other aggregates it would matter which of the equal values is used,
    /// so they are refused.
    pub(super) fn rewrite(&self, expr: &mut Expr) -> Result<(), Failure> {
        let Expr::Function(function) = expr else { return Ok(()) };
        let Some(name) = only_part(&function.name) else { return Ok(()) };
        if name == "COLLATION" {
            let collation = self.collation_function(function)?;
            *expr = collation;
            return Ok(());
        }
        let FunctionArguments::List(list) = &mut function.args else { return Ok(()) };
        if list.duplicate_treatment != Some(DuplicateTreatment::Distinct) {
            return Ok(());
        }
        for argument in &mut list.args {
            let FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) = argument else { continue };
            let Some(collation) = self.collation_of(value) else { continue };
            let collation = Collation::parse(collation)?;
            let ignores = collation.ignores_case || collation.ignores_accents;
            if name != "COUNT" && ignores {
                return Err(Failure::unsupported(&format!("{name}(DISTINCT …) of a column with a collation")));
            }
            for (function, wanted) in [("lower", collation.ignores_case), ("strip_accents", collation.ignores_accents)]
            {
                if wanted {
                    *value = call(function, vec![std::mem::replace(value, null())]);
                }
            }
        }
        Ok(())
    }

    /// COLLATION(column): the name of the collation, or NULL.
    fn collation_function(&self, function: &Function) -> Result<Expr, Failure> {
        let Some([value]) = plain_arguments(function).and_then(|arguments| <[&Expr; 1]>::try_from(arguments).ok())
        else {
            return Err(Failure::unsupported("COLLATION without one text"));
        };
        match (self.collation_of(value), value) {
            (Some(collation), _) => Ok(text(collation)),
            (None, Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_)) => Ok(cast(null(), "VARCHAR")),
            (None, expr) if expr.visit(&mut CollatedColumn(self)).is_break() => {
                Err(Failure::unsupported("COLLATION of an expression of columns with a collation"))
            }
            _ => Ok(cast(null(), "VARCHAR")),
        }
    }

    fn collation_of(&self, expr: &Expr) -> Option<&str> {
        self.bound.node(expr)?.value.collation.as_deref()
    }
}

/// Breaks at the first column with a collation.
struct CollatedColumn<'bound>(&'bound Collated);

impl Visitor for CollatedColumn<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if self.0.collation_of(expr).is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
