//! Calls of users' functions: the overload that a call means gives it its type or its columns.

use std::sync::Arc;

use firn_sql::ast::{Function, FunctionArg, FunctionArguments, ObjectName, ObjectNamePart};
use firn_sql::command::DataType;
use firn_sql::routines::{Call, Returns, Routine};

use super::Binder;
use crate::bound::OutputColumn;
use crate::functions::Argument;
use crate::node::NodeId;
use crate::overloads::resolve_overload;
use crate::schema::SchemaError;
use crate::scope::Columns;
use crate::types::{Type, ValueType};

impl<'schemas> Binder<'schemas> {
    /// The type of a call; `None` if it is not one of a user's function.
    pub(super) fn user_function(&mut self, function: &Function, arguments: &[Argument<'_>]) -> Option<ValueType> {
        let overloads = self.schemas.overloads(&function.name);
        if overloads.is_empty() {
            return None;
        }
        let FunctionArguments::List(list) = &function.args else { return None };
        let routine = self.overload(&function.name, &list.args, arguments, &overloads);
        Some(match routine.map(|routine| &routine.returns) {
            Some(Returns::Value(data_type)) => ValueType::nullable(data_type.clone()),
            _ => ValueType::unknown(),
        })
    }

    /// The columns of a call in FROM.
    pub(super) fn user_table_function(
        &mut self,
        name: &ObjectName,
        args: &[FunctionArg],
    ) -> Result<Option<Columns>, SchemaError> {
        let overloads = self.schemas.overloads(name);
        if overloads.is_empty() {
            return Ok(None);
        }
        let arguments = args.iter().map(|argument| self.argument(argument)).collect::<Result<Vec<_>, _>>()?;
        let routine = self.overload(name, args, &arguments, &overloads);
        Ok(Some(match routine.map(|routine| &routine.returns) {
            Some(Returns::Table(columns)) => Columns::List(columns.iter().map(column).collect()),
            _ => Columns::Unknown,
        }))
    }

    /// Notes the overload of a call. `None` where none fits, or an argument is no expression.
    fn overload(
        &mut self,
        name: &ObjectName,
        written: &[FunctionArg],
        arguments: &[Argument<'_>],
        overloads: &[&'schemas Routine],
    ) -> Option<&'schemas Routine> {
        let call = Call::of(written)?;
        let types: Vec<Type> = arguments.iter().map(|argument| argument.value.data_type.clone()).collect();
        let start = name.0.first().and_then(ObjectNamePart::as_ident).map(|first| first.span.start);
        let chosen = resolve_overload(&call, &types, overloads).map_err(|failure| match start {
            Some(start) => failure.at(start.line, start.column.saturating_sub(1)),
            None => failure,
        });
        let routine = chosen.as_ref().ok().and_then(|place| overloads.get(*place).copied());
        if let Some(id) = NodeId::of_function(name) {
            self.bound.overloads.insert(id, chosen);
        }
        routine
    }
}

fn column((name, data_type): &(String, DataType)) -> OutputColumn {
    OutputColumn { name: Arc::from(name.as_str()), value: ValueType::nullable(data_type.clone()), origin: None }
}
