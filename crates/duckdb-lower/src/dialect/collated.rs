//! Columns with a collation: COLLATION, which tells it, and DISTINCT inside an aggregate, where the engine overlooks
//! that a collation ignores case.

use firn_sql::Failure;
use firn_sql::ast::{DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments};
use foldhash::HashMap;

use super::build::{call, cast, null, only_part, plain_arguments, text};
use super::columns::Columns;
use crate::collations::Collation;

/// The names of a statement's columns that have a collation.
pub(super) struct Collated {
    names: HashMap<String, Option<String>>,
}

impl Collated {
    pub(super) fn of(columns: &Columns) -> Self {
        Self { names: columns.collations().clone() }
    }

    /// How often differs from which: the count is of the values without what the collation ignores, all else is refused.
    pub(super) fn rewrite(&self, expr: &mut Expr) -> Result<(), Failure> {
        let Expr::Function(function) = expr else { return Ok(()) };
        let Some(name) = only_part(&function.name) else { return Ok(()) };
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
            let Some(collation) = self.collation_of(value) else { continue };
            let Some(collation) = collation else {
                return Err(Failure::unsupported(
                    "DISTINCT of a column whose name others have too, with other collations",
                ));
            };
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

    /// The collation of a column, or that there is none.
    fn told(&self, function: &Function) -> Result<Expr, Failure> {
        let Some([value]) = plain_arguments(function).and_then(|arguments| <[&Expr; 1]>::try_from(arguments).ok())
        else {
            return Err(Failure::unsupported("COLLATION without one text"));
        };
        let known = match value {
            Expr::Identifier(name) => self.names.get(&name.value),
            Expr::CompoundIdentifier(parts) => parts.last().and_then(|last| self.names.get(&last.value)),
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

    /// What a column's name stands for, if for anything with a collation; `None` within where it has two.
    fn collation_of(&self, expr: &Expr) -> Option<Option<&str>> {
        let name = match expr {
            Expr::Identifier(ident) => ident,
            Expr::CompoundIdentifier(parts) => parts.last()?,
            _ => return None,
        };
        self.names.get(&name.value).map(Option::as_deref)
    }
}
