//! Functions in FROM. Their arguments see the relations before them.

use std::sync::Arc;

use firn_sql::ast::{FunctionArg, FunctionArgExpr, ObjectName, ObjectNamePart};
use firn_sql::command::DataType;
use firn_sql::functions::{Returns, find};

use super::Binder;
use crate::bound::OutputColumn;
use crate::schema::SchemaError;
use crate::scope::Columns;
use crate::types::ValueType;

impl Binder<'_> {
    pub(super) fn table_function(&mut self, name: &ObjectName, args: &[FunctionArg]) -> Result<Columns, SchemaError> {
        if let Some(columns) = self.user_table_function(name, args)? {
            return Ok(columns);
        }
        let name = name.0.last().and_then(ObjectNamePart::as_ident).map(|last| last.value.as_str()).unwrap_or_default();
        let Some(Returns::Rows(columns)) = find(name).map(|entry| &entry.returns) else {
            // An argument may be the name of a table.
            return Ok(Columns::Unknown);
        };
        for argument in args {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr))
                | FunctionArg::Named { arg: FunctionArgExpr::Expr(expr), .. } => {
                    self.expression(expr)?;
                }
                _ => {}
            }
        }
        Ok(Columns::List(columns.iter().map(column).collect()))
    }
}

fn column((name, data_type): &(&str, DataType)) -> OutputColumn {
    OutputColumn { name: Arc::from(*name), value: ValueType::nullable(data_type.clone()), origin: None }
}
