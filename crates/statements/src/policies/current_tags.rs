//! SYSTEM$GET_TAG_ON_CURRENT_COLUMN and SYSTEM$GET_TAG_ON_CURRENT_TABLE in the bodies of policies: each call becomes the value
//! that the column or table has.

use std::ops::ControlFlow;

use firn_engine::ObjectDescription;
use firn_sql::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Value, VisitorMut};
use firn_sql::command::DataType;
use firn_sql::names::quote_literal;
use firn_sql::routines::Called;
use firn_sql::{Failure, Namespace, ObjectName, cast_expression, names_in_text, print, type_in_tree};

use crate::run_error::RunError;
use crate::tags::Tags;

const OF_COLUMN: &str = "SYSTEM$GET_TAG_ON_CURRENT_COLUMN";
const OF_TABLE: &str = "SYSTEM$GET_TAG_ON_CURRENT_TABLE";

/// The values are those of a column of a relation, or NULL where a policy is not attached yet.
pub(super) fn substitute(
    tags: &Tags<'_>,
    current: Option<(&ObjectDescription, Option<&str>)>,
    called: &mut Called,
) -> Result<(), RunError> {
    let statement = &mut called.body.statement;
    if !statement.mentions("SYSTEM$GET_TAG_ON_CURRENT_") {
        return Ok(());
    }
    let name = &called.routine.name;
    let namespace = Namespace { database: name.database.clone(), schema: name.schema.clone() };
    let mut calls = Calls { tags, current, namespace, error: None };
    // An error stops the walk.
    let _ = statement.command.visit_tree_mut(&mut calls);
    calls.error.map_or(Ok(()), Err)
}

struct Calls<'a> {
    tags: &'a Tags<'a>,
    current: Option<(&'a ObjectDescription, Option<&'a str>)>,
    /// The schema of the policy, by which the names of tags are completed.
    namespace: Namespace,
    error: Option<RunError>,
}

impl Calls<'_> {
    fn value(&self, name: &str, function: &Function) -> Result<Expr, RunError> {
        let tag = self.tag_name(name, function)?;
        let levels = match self.current {
            Some((object, Some(column))) if name == OF_COLUMN => self.tags.of_column(object, column)?,
            Some((object, _)) if name == OF_TABLE => self.tags.of_relation(object)?,
            Some(_) => return Err(Failure::unsupported(&format!("{name} in a row access policy")).into()),
            None => Vec::new(),
        };
        for known in levels.iter().flat_map(|inherited| &inherited.tags) {
            if self.tags.find(known.tag)?.is_some_and(|found| found.routine.name == tag) {
                return Ok(print::read_expression(&quote_literal(&known.value))?);
            }
        }
        Ok(cast_expression(print::read_expression("NULL")?, type_in_tree(&DataType::Varchar { length: None })))
    }

    fn tag_name(&self, name: &str, function: &Function) -> Result<ObjectName, RunError> {
        let literal = match &function.args {
            FunctionArguments::List(list) => match list.args.as_slice() {
                [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value)))] => match &value.value {
                    Value::SingleQuotedString(text) => Some(text),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        let text = literal.ok_or_else(|| Failure::invalid_value(name, "", "give the name of a tag as a text"))?;
        let parts = names_in_text(text)?;
        let mut tag = ObjectName::of_parts(parts).ok_or_else(|| Failure::missing_object("Tag", text))?;
        tag.qualify(&self.namespace)?;
        Ok(tag)
    }
}

impl VisitorMut for Calls<'_> {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let Expr::Function(function) = &*expr else { return ControlFlow::Continue(()) };
        let name = function.name.to_string().to_ascii_uppercase();
        if name != OF_COLUMN && name != OF_TABLE {
            return ControlFlow::Continue(());
        }
        match self.value(&name, function) {
            Ok(value) => {
                *expr = value;
                ControlFlow::Continue(())
            }
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(Failure::unsupported("a tag"))
            }
        }
    }
}
