//! Queries of semantic views as views store them: with complete names, and asked with `SEMANTIC_VIEW(…)` alone.

use std::ops::ControlFlow;

use firn_sql::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectName as TreeName, Query, TableFactor, Value,
    VisitorMut,
};
use firn_sql::names::quote_identifier;
use firn_sql::stored_views::READ_YAML;
use firn_sql::tree::{outcome, tree_name};
use firn_sql::{Failure, Namespace, ObjectName, Statement, names_in_text};

use super::aggregated::{self, Aggregated};

pub fn complete_names(statement: &mut Statement, namespace: &Namespace) -> Result<(), Failure> {
    outcome(statement.command.visit_tree_mut(&mut Completion { namespace }))
}

struct Completion<'a> {
    namespace: &'a Namespace,
}

impl Completion<'_> {
    fn object(&self, given: &str) -> Result<ObjectName, Failure> {
        let name = ObjectName::of_parts(names_in_text(given)?);
        let mut name = name.ok_or_else(|| Failure::missing_object("Semantic view", given))?;
        name.qualify(self.namespace)?;
        Ok(name)
    }

    fn name(&self, name: &mut TreeName) -> Result<(), Failure> {
        *name = tree_name(&self.object(&name.to_string())?);
        Ok(())
    }

    fn aggregated(&self, query: &mut Query) -> Result<(), Failure> {
        let Some(asked) = aggregated::taken_from(query)? else { return Ok(()) };
        let Aggregated { view: mut name, dimensions, metrics, condition: where_clause } = asked;
        self.name(&mut name)?;
        let view =
            TableFactor::SemanticView { name, dimensions, metrics, facts: Vec::new(), where_clause, alias: None };
        aggregated::put_in(query, view);
        Ok(())
    }

    fn yaml(&self, expr: &mut Expr) -> Result<(), Failure> {
        if let Expr::Function(function) = expr
            && function.name.to_string().eq_ignore_ascii_case(READ_YAML)
            && let FunctionArguments::List(list) = &mut function.args
            && let [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value)))] = list.args.as_mut_slice()
            && let Value::SingleQuotedString(given) = &mut value.value
        {
            let name = self.object(given)?;
            *given = [name.database(), name.schema(), &name.name].map(quote_identifier).join(".");
        }
        Ok(())
    }
}

fn flow(completed: Result<(), Failure>) -> ControlFlow<Failure> {
    completed.map_or_else(ControlFlow::Break, ControlFlow::Continue)
}

impl VisitorMut for Completion<'_> {
    type Break = Failure;

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<Failure> {
        flow(self.aggregated(query))
    }

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        match factor {
            TableFactor::SemanticView { name, .. } => flow(self.name(name)),
            _ => ControlFlow::Continue(()),
        }
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        flow(self.yaml(expr))
    }
}
