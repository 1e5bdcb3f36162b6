//! Names inside the syntax tree: relations, CTEs, sequences and all other identifiers.

use std::ops::ControlFlow;

use super::{Access, Resolution, UsedKind, file_functions, staged};
use crate::ast::{
    DataType, Expr, Ident, ObjectName as TreeName, ObjectNamePart, OneOrManyWithParens, Query, SetExpr, TableFactor,
    Visitor, VisitorMut,
};
use crate::build::{call, string};
use crate::command::{Command, Ddl};
use crate::cte_scopes::CteScopes;
use crate::names::{ObjectName, is_plain, quote_identifier};
use crate::naming::is_next_value;
use crate::reader::name_from_tree;
use crate::staged_relations::is_staged;
use crate::tree::{Tree, outcome, tree_name};
use crate::{Failure, dual};

pub(super) fn resolve(command: &mut Command, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    let target = match command {
        Command::Dml(dml) => Some(dml.target.clone()),
        _ => None,
    };
    let stages = match command {
        Command::Ddl(Ddl::CreateView(_)) => Stages::Refused,
        _ => Stages::Allowed,
    };
    let mut walk = Walk { resolution, scopes: CteScopes::default(), target, at_default: false, stages };
    outcome(command.visit_tree_mut(&mut walk))
}

struct Walk<'a, 'n> {
    resolution: &'a mut Resolution<'n>,
    scopes: CteScopes<String>,
    /// The table a DML statement changes: the first relation of its tree, noted already.
    target: Option<ObjectName>,
    /// The next identifier is the word DEFAULT, which stands for a value.
    at_default: bool,
    stages: Stages,
}

/// Whether a query may read staged files; one stored in a view may not.
#[derive(PartialEq)]
enum Stages {
    Allowed,
    Refused,
}

impl VisitorMut for Walk<'_, '_> {
    type Break = Failure;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Failure> {
        self.scopes.enter_body(|name| is_recursive(query, name));
        let mut names = Vec::new();
        if let Some(with) = &mut query.with {
            names = with.cte_tables.iter().map(|cte| folded(&cte.alias.name)).collect();
            with.recursive |= with.cte_tables.iter().zip(&names).any(|(cte, name)| is_recursive(&cte.query, name));
        }
        self.scopes.enter_query(names);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _query: &mut Query) -> ControlFlow<Failure> {
        self.scopes.leave_query();
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        let read = match factor {
            TableFactor::Table { name, args: Some(arguments), .. } if is_staged(name) => {
                staged::arguments(arguments, self.resolution)
            }
            _ if self.target.is_none() && dual::is_dual(factor) && !self.is_cte(dual::NAME) => dual::expand(factor),
            _ => Ok(()),
        };
        match read {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => ControlFlow::Break(failure),
        }
    }

    fn pre_visit_relation(&mut self, relation: &mut TreeName) -> ControlFlow<Failure> {
        match self.relation(relation) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => ControlFlow::Break(failure),
        }
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let result = match expr {
            Expr::CompoundIdentifier(parts) if is_next_value(parts) => self.next_value(parts).map(|call| *expr = call),
            Expr::Function(function) if function.name.to_string() == "NEXTVAL" => {
                Err(Failure::unknown_function("NEXTVAL"))
            }
            Expr::Function(function) if file_functions::is_one(function) => match self.stages {
                Stages::Allowed => file_functions::name_stage(function, self.resolution),
                Stages::Refused => Err(Failure::unsupported("stage in a view")),
            },
            Expr::Identifier(name) => {
                self.at_default = name.quote_style.is_none() && name.value.eq_ignore_ascii_case("DEFAULT");
                Ok(())
            }
            _ => Ok(()),
        };
        match result {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => ControlFlow::Break(failure),
        }
    }

    fn post_visit_ident(&mut self, identifier: &mut Ident) -> ControlFlow<Failure> {
        identifier.value = folded(identifier);
        identifier.quote_style = if std::mem::take(&mut self.at_default) { None } else { Some('"') };
        ControlFlow::Continue(())
    }

    /// Names of functions and types are no identifiers.
    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        match expr {
            Expr::Function(function) => unquote_function(&mut function.name),
            Expr::Cast { data_type: DataType::Custom(name, _), .. } => unquote(name),
            Expr::Lambda(lambda) => {
                let params = match &mut lambda.params {
                    OneOrManyWithParens::One(one) => std::slice::from_mut(one),
                    OneOrManyWithParens::Many(several) => several.as_mut_slice(),
                };
                for parameter in params {
                    if let Some(DataType::Custom(name, _)) = &mut parameter.data_type {
                        unquote(name);
                    }
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl Walk<'_, '_> {
    fn relation(&mut self, relation: &mut TreeName) -> Result<(), Failure> {
        if is_staged(relation) {
            if self.stages == Stages::Refused {
                return Err(Failure::unsupported("stage in a view"));
            }
            return staged::relation(relation, self.resolution);
        }
        let mut name = name_from_tree(relation)?;
        if let Some(target) = self.target.take() {
            *relation = tree_name(&target);
            return Ok(());
        }
        if name.database.is_none() && name.schema.is_none() && self.is_cte(&name.name) {
            *relation = TreeName::from(vec![Ident::with_quote('"', name.name)]);
            return Ok(());
        }
        self.resolution.object(&mut name, UsedKind::Relation, Access::Read)?;
        *relation = tree_name(&name);
        Ok(())
    }

    fn is_cte(&self, name: &str) -> bool {
        self.scopes.visible().flatten().any(|visible| visible == name)
    }

    fn next_value(&mut self, parts: &[Ident]) -> Result<Expr, Failure> {
        let sequence = TreeName::from(parts[..parts.len() - 1].to_vec());
        let mut name = name_from_tree(&sequence)?;
        self.resolution.object(&mut name, UsedKind::Sequence, Access::Read)?;
        let quoted = [name.database(), name.schema(), &name.name].map(quote_identifier).join(".");
        Ok(call("NEXTVAL", vec![string(quoted)]))
    }
}

/// A CTE is recursive when it is a UNION of which a branch after the first one reads it. The keyword RECURSIVE is optional
/// in the dialect.
fn is_recursive(body: &Query, name: &str) -> bool {
    let mut body = body.body.as_ref();
    let mut search = RelationSearch { name, found: false };
    while let SetExpr::SetOperation { left, right, .. } = body {
        // The visitor never breaks.
        let _ = right.walk(&mut search);
        body = left;
    }
    search.found
}

struct RelationSearch<'name> {
    name: &'name str,
    found: bool,
}

impl Visitor for RelationSearch<'_> {
    type Break = Failure;

    fn pre_visit_relation(&mut self, relation: &TreeName) -> ControlFlow<Failure> {
        self.found |= matches!(relation.0.as_slice(), [ObjectNamePart::Identifier(part)] if folded(part) == self.name);
        ControlFlow::Continue(())
    }
}

fn folded(identifier: &Ident) -> String {
    match identifier.quote_style {
        None => identifier.value.to_ascii_uppercase(),
        Some(_) => identifier.value.clone(),
    }
}

/// The names of users' functions, and of their databases and schemas, may need quotes.
fn unquote_function(name: &mut TreeName) {
    for part in &mut name.0 {
        if let ObjectNamePart::Identifier(identifier) = part
            && is_plain(&identifier.value)
        {
            identifier.quote_style = None;
        }
    }
}

fn unquote(name: &mut TreeName) {
    for part in &mut name.0 {
        if let ObjectNamePart::Identifier(identifier) = part {
            identifier.quote_style = None;
        }
    }
}
