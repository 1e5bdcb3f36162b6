//! Functions in FROM. Their arguments see the relations before them.

use std::sync::Arc;

use firn_sql::ast::{FunctionArg, FunctionArgExpr, ObjectName, ObjectNamePart};
use firn_sql::command::DataType;

use super::Binder;
use crate::bound::OutputColumn;
use crate::schema::SchemaError;
use crate::scope::Columns;
use crate::types::{INTEGER, TEXT, ValueType};

/// Table functions whose columns are always the same.
const TABLE_FUNCTIONS: &[(&str, &[(&str, DataType)])] = &[
    (
        "FLATTEN",
        &[
            ("SEQ", INTEGER),
            ("KEY", TEXT),
            ("PATH", TEXT),
            ("INDEX", INTEGER),
            ("VALUE", DataType::Variant),
            ("THIS", DataType::Variant),
        ],
    ),
    ("GENERATOR", &[("__ROW", INTEGER)]),
    ("SPLIT_TO_TABLE", &[("SEQ", INTEGER), ("INDEX", INTEGER), ("VALUE", TEXT)]),
    ("STRTOK_SPLIT_TO_TABLE", &[("SEQ", INTEGER), ("INDEX", INTEGER), ("VALUE", TEXT)]),
];

impl Binder<'_> {
    pub(super) fn table_function(&mut self, name: &ObjectName, args: &[FunctionArg]) -> Result<Columns, SchemaError> {
        let name = name.0.last().and_then(ObjectNamePart::as_ident).map(|last| last.value.as_str()).unwrap_or_default();
        let Some((_, columns)) = TABLE_FUNCTIONS.iter().find(|(known, _)| *known == name) else {
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
