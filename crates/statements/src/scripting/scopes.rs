//! The names of a block and those around it.

use std::borrow::Cow;
use std::collections::HashMap;

use firn_sql::blocks::Source;
use firn_sql::command::DataType;
use firn_sql::lookups::Rows;
use firn_sql::routines::Routine;
use firn_sql::{Constant, Failure};

use super::errors::Raised;
use super::memory::StatementMemory;

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
        data_type: VariableType,
        value: Constant,
    },
    Cursor(Cursor),
    ResultSet(Option<Rows>),
    Exception {
        code: i64,
        message: String,
    },
    Procedure(Box<Routine>),
    /// The current row of a loop.
    Row {
        columns: Vec<(String, DataType)>,
        values: Vec<Constant>,
    },
}

/// A variable keeps the type it began with.
#[derive(Clone, Debug)]
pub enum VariableType {
    Declared(DataType),
    /// Of its first value; a number takes numbers of any precision and scale.
    Inferred(DataType),
    /// Its first value was NULL.
    Unknown,
}

impl VariableType {
    pub fn of_first_value(value: &Constant) -> Self {
        match (&value.text, &value.data_type) {
            (None, _) => Self::Unknown,
            (_, DataType::Varchar { .. }) => Self::Inferred(DataType::Varchar { length: None }),
            (_, DataType::Number { scale, .. }) => Self::Inferred(DataType::Number { precision: 38, scale: *scale }),
            (_, data_type) => Self::Inferred(data_type.clone()),
        }
    }

    /// The type that a value has to be converted to, if it is of another one.
    pub fn conversion_of(&self, value: &Constant) -> Option<&DataType> {
        let is_number =
            |data_type: &DataType| matches!(data_type, DataType::Number { .. } | DataType::Integer | DataType::Float);
        match self {
            Self::Unknown => None,
            Self::Inferred(wanted) if is_number(wanted) && is_number(&value.data_type) => None,
            Self::Declared(wanted) | Self::Inferred(wanted) => {
                Some(wanted).filter(|wanted| !holds_as_it_is(wanted, &value.data_type))
            }
        }
    }
}

fn holds_as_it_is(wanted: &DataType, given: &DataType) -> bool {
    match (wanted, given) {
        (DataType::Integer, DataType::Number { scale: 0, .. })
        | (DataType::Varchar { length: None }, DataType::Varchar { .. }) => true,
        _ => wanted == given,
    }
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

    /// The value of a variable with a declared type, in that type, where an expression is its name alone.
    pub fn declared_value(&self, expression: &str) -> Option<Constant> {
        let name = expression.trim();
        let is_plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        match self.find(&name.to_ascii_uppercase()).filter(|_| is_plain)? {
            Named::Variable { data_type: VariableType::Declared(data_type), value } => {
                Some(Constant { data_type: data_type.clone(), text: value.text.clone() })
            }
            _ => None,
        }
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
        self.find_value(name).map(Cow::into_owned)
    }

    /// As `value`, for a statement that it is put into.
    pub fn value_for(&self, memory: &StatementMemory<'_>, name: &str) -> Result<Option<Constant>, Failure> {
        let Some(value) = self.find_value(name) else { return Ok(None) };
        memory.take_value(&value)?;
        Ok(Some(value.into_owned()))
    }

    fn find_value(&self, name: &str) -> Option<Cow<'_, Constant>> {
        match self.find(name) {
            Some(Named::Variable { value, .. }) => return Some(Cow::Borrowed(value)),
            Some(_) => return None,
            None => {}
        }
        if let Some((row, column)) = name.split_once('.')
            && let Some(Named::Row { columns, values }) = self.find(row)
        {
            let index = columns.iter().position(|(name, _)| name == column)?;
            return values.get(index).map(Cow::Borrowed);
        }
        let of_handler = self.inner_last.iter().rev().find_map(|scope| scope.built_in.get(name));
        let built_in = of_handler.or_else(|| self.built_in.get(name)).map(Cow::Borrowed);
        built_in.or_else(|| before_any_statement(name).map(Cow::Owned))
    }
}

/// The value of a built-in variable before the block's first statement.
fn before_any_statement(name: &str) -> Option<Constant> {
    match name {
        "SQLROWCOUNT" => Some(Constant::null(DataType::Integer)),
        "SQLFOUND" | "SQLNOTFOUND" => Some(Constant::null(DataType::Boolean)),
        "SQLID" => Some(Constant::null(DataType::Varchar { length: None })),
        _ => None,
    }
}
