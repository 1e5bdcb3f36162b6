//! DISTINCT inside an aggregate of a column whose collation ignores case, which the engine overlooks there.

use std::collections::HashSet;

use firn_sql::Failure;
use firn_sql::ast::{DuplicateTreatment, Expr, FunctionArg, FunctionArgExpr, FunctionArguments};

use super::build::{call, call_name, null};
use super::columns::Columns;

/// The names of a statement's columns that have a collation.
pub(super) struct Collated {
    names: HashSet<String>,
}

impl Collated {
    pub(super) fn of(columns: &Columns) -> Self {
        Self { names: columns.collated().clone() }
    }

    /// How often differs from which: the count is of the values in lower case, all else is refused.
    pub(super) fn rewrite(&self, expr: &mut Expr) -> Result<(), Failure> {
        if self.names.is_empty() {
            return Ok(());
        }
        let Expr::Function(function) = expr else { return Ok(()) };
        let Some(name) = call_name(function) else { return Ok(()) };
        let FunctionArguments::List(list) = &mut function.args else { return Ok(()) };
        if list.duplicate_treatment != Some(DuplicateTreatment::Distinct) {
            return Ok(());
        }
        for argument in &mut list.args {
            let FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) = argument else { continue };
            if !self.holds(value) {
                continue;
            }
            if name != "COUNT" {
                return Err(Failure::unsupported(&format!("{name}(DISTINCT …) of a column with a collation")));
            }
            *value = call("lower", vec![std::mem::replace(value, null())]);
        }
        Ok(())
    }

    fn holds(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Identifier(ident) => self.names.contains(&ident.value),
            Expr::CompoundIdentifier(parts) => parts.last().is_some_and(|last| self.names.contains(&last.value)),
            _ => false,
        }
    }
}
