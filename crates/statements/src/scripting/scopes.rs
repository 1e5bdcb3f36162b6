//! The names of a block and those around it.

use std::collections::HashMap;

use firn_sql::Constant;
use firn_sql::blocks::Source;
use firn_sql::command::DataType;
use firn_sql::routines::Routine;

use super::errors::Raised;
use firn_sql::lookups::Rows;

#[derive(Default)]
pub struct Scopes {
    inner_last: Vec<Scope>,
    /// What the last statement did: SQLROWCOUNT and its kin.
    built_in: HashMap<&'static str, Constant>,
}

#[derive(Default)]
struct Scope {
    named: HashMap<String, Named>,
    built_in: HashMap<&'static str, Constant>,
    raised: Option<Raised>,
}

pub enum Named {
    Variable {
        data_type: Option<DataType>,
        value: Constant,
    },
    Cursor(Cursor),
    ResultSet(Option<Rows>),
    Exception {
        code: i64,
        message: String,
    },
    Procedure(Box<Routine>),
    /// The row a loop stands at.
    Row {
        columns: Vec<(String, DataType)>,
        values: Vec<Constant>,
    },
}

pub struct Cursor {
    pub source: Source,
    /// The rows while it is open, and the next one to be fetched.
    pub rows: Option<(Rows, usize)>,
}

impl Scopes {
    pub fn enter(&mut self) {
        self.inner_last.push(Scope::default());
    }

    pub fn leave(&mut self) {
        self.inner_last.pop();
    }

    pub fn declare(&mut self, name: &str, named: Named) {
        if let Some(scope) = self.inner_last.last_mut() {
            scope.named.insert(name.to_owned(), named);
        }
    }

    pub fn find(&self, name: &str) -> Option<&Named> {
        self.inner_last.iter().rev().find_map(|scope| scope.named.get(name))
    }

    pub fn find_mut(&mut self, name: &str) -> Option<&mut Named> {
        self.inner_last.iter_mut().rev().find_map(|scope| scope.named.get_mut(name))
    }

    /// Of the handler that runs.
    pub fn set_built_in(&mut self, name: &'static str, value: Constant) {
        if let Some(scope) = self.inner_last.last_mut() {
            scope.built_in.insert(name, value);
        }
    }

    /// Of the last statement, wherever it ran.
    pub fn set_statement_built_in(&mut self, name: &'static str, value: Constant) {
        self.built_in.insert(name, value);
    }

    pub fn set_raised(&mut self, raised: Raised) {
        if let Some(scope) = self.inner_last.last_mut() {
            scope.raised = Some(raised);
        }
    }

    /// What RAISE without a name raises again.
    pub fn raised(&self) -> Option<&Raised> {
        self.inner_last.iter().rev().find_map(|scope| scope.raised.as_ref())
    }

    /// The value of a variable, of `ROW.COLUMN`, or of a built-in name.
    pub fn value(&self, name: &str) -> Option<Constant> {
        match self.find(name) {
            Some(Named::Variable { value, .. }) => return Some(value.clone()),
            Some(_) => return None,
            None => {}
        }
        if let Some((row, column)) = name.split_once('.')
            && let Some(Named::Row { columns, values }) = self.find(row)
        {
            let index = columns.iter().position(|(name, _)| name == column)?;
            return values.get(index).cloned();
        }
        let of_handler = self.inner_last.iter().rev().find_map(|scope| scope.built_in.get(name));
        of_handler.or_else(|| self.built_in.get(name)).cloned().or_else(|| before_any_statement(name))
    }
}

/// What a built-in name stands for before the block's first statement.
fn before_any_statement(name: &str) -> Option<Constant> {
    match name {
        "SQLROWCOUNT" => Some(Constant::null(DataType::Integer)),
        "SQLFOUND" | "SQLNOTFOUND" => Some(Constant::null(DataType::Boolean)),
        "SQLID" => Some(Constant::null(DataType::Varchar { length: None })),
        _ => None,
    }
}
