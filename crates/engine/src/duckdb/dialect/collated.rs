//! Columns with a collation: COLLATION, which tells it, and DISTINCT inside an aggregate, where the engine overlooks
//! that a collation ignores case.

use std::collections::HashMap;

use firn_sql::Failure;
use firn_sql::ast::{DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments};

use super::build::{call, call_name, cast, null, plain_arguments, text};
use super::columns::Columns;
use crate::duckdb::collations::engine_collation;

/// The names of a statement's columns that have a collation.
pub(super) struct Collated {
    names: HashMap<String, Option<String>>,
}

impl Collated {
    pub(super) fn of(columns: &Columns) -> Self {
        Self { names: columns.collations().clone() }
    }

    /// How often differs from which: the count is of the values in lower case, all else is refused.
    pub(super) fn rewrite(&self, expr: &mut Expr) -> Result<(), Failure> {
        let Expr::Function(function) = expr else { return Ok(()) };
        let Some(name) = call_name(function) else { return Ok(()) };
        if name == "COLLATION" {
            let told = self.told(function)?;
            *expr = told;
            return Ok(());
        }
        if self.names.is_empty() {
            return Ok(());
        }
        let FunctionArguments::List(list) = &mut function.args else { return Ok(()) };
        if list.duplicate_treatment != Some(DuplicateTreatment::Distinct) {
            return Ok(());
        }
        for argument in &mut list.args {
            let FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) = argument else { continue };
            let Some(collation) = self.collation(value) else { continue };
            let collation = match collation {
                Some(collation) => engine_collation(collation)?.unwrap_or_default(),
                None => return Err(Failure::unsupported("DISTINCT of a column whose name others have too")),
            };
            let ignores = |what: &str| collation.contains(what);
            if !ignores("NOCASE") && !ignores("NOACCENT") {
                continue;
            }
            if name != "COUNT" {
                return Err(Failure::unsupported(&format!("{name}(DISTINCT …) of a column with a collation")));
            }
            if ignores("NOCASE") {
                *value = call("lower", vec![std::mem::replace(value, null())]);
            }
            if ignores("NOACCENT") {
                *value = call("strip_accents", vec![std::mem::replace(value, null())]);
            }
        }
        Ok(())
    }

    /// The collation of a column, or that there is none.
    fn told(&self, function: &Function) -> Result<Expr, Failure> {
        let Some([value]) = plain_arguments(function).and_then(|arguments| <[Expr; 1]>::try_from(arguments).ok())
        else {
            return Err(Failure::unsupported("COLLATION without one text"));
        };
        let known = match &value {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => self.collation(&value),
            Expr::Value(_) => None,
            _ if self.names.is_empty() => None,
            _ => return Err(Failure::unsupported("COLLATION of an expression beside columns with a collation")),
        };
        match known {
            None => Ok(cast(null(), "VARCHAR")),
            Some(Some(collation)) => Ok(text(collation)),
            Some(None) => Err(Failure::unsupported("COLLATION of a column whose name others have too")),
        }
    }

    /// The collation of a column that has one; `None` inside where columns of its name have several.
    fn collation(&self, expr: &Expr) -> Option<&Option<String>> {
        match expr {
            Expr::Identifier(ident) => self.names.get(&ident.value),
            Expr::CompoundIdentifier(parts) => self.names.get(&parts.last()?.value),
            _ => None,
        }
    }
}
