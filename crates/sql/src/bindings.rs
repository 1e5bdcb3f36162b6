//! Values for the placeholders of a statement.

pub(crate) mod calendar;
mod described;
mod rows;
mod staged;
mod values;

use std::collections::HashMap;
use std::ops::ControlFlow;

use sqlparser::tokenizer::Token;

use crate::ast::{self, Expr, Select, SelectItem, VisitorMut};
use crate::normalize::pivots::{name_bound, unbound};
use crate::query_parts::placeholder;
use crate::source::SourceStatement;
use crate::tokens::tokenize;
use crate::tree::outcome;
use crate::{Failure, Statement};

pub use described::{bound_keys, takes_rows};

/// By position (`"1"`) or name, as the request gave them.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    by_key: HashMap<String, Binding>,
    /// The first key for each one in upper case: a name may be written in any letter case.
    by_upper: HashMap<String, String>,
    /// Where the files are that have the values instead.
    stage: Option<String>,
}

impl FromIterator<(String, Binding)> for Bindings {
    fn from_iter<I: IntoIterator<Item = (String, Binding)>>(given: I) -> Self {
        let by_key: HashMap<String, Binding> = given.into_iter().collect();
        let mut keys: Vec<&String> = by_key.keys().collect();
        keys.sort_unstable_by(|one, other| other.cmp(one));
        let by_upper = keys.into_iter().map(|key| (key.to_uppercase(), key.clone())).collect();
        Self { by_key, by_upper, stage: None }
    }
}

impl Bindings {
    /// Values of many rows, which a driver has brought to a location such as `@stage/path` as CSV files.
    pub fn in_stage(location: &str) -> Self {
        Self { stage: Some(location.to_owned()), ..Self::default() }
    }

    /// What is bound to this key, or to the same in other letters' case.
    pub fn get(&self, key: &str) -> Option<&Binding> {
        self.by_key.get(key).or_else(|| self.by_key.get(self.by_upper.get(&key.to_uppercase())?))
    }

    /// What a statement finds that comes behind so many `?`.
    pub fn behind(&self, question_marks: usize) -> Self {
        let key_there = |key: &str| match key.parse::<usize>() {
            Ok(position) => {
                position.checked_sub(question_marks).filter(|there| *there > 0).map(|there| there.to_string())
            }
            Err(_) => Some(key.to_owned()),
        };
        self.iter().filter_map(|(key, binding)| Some((key_there(key)?, binding.clone()))).collect()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Binding)> {
        self.by_key.iter().map(|(key, binding)| (key.as_str(), binding))
    }

    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty() && self.stage.is_none()
    }
}

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

/// Puts the values in the place of the placeholders. Values bound as arrays make one row each of an
/// `INSERT … VALUES`. Bindings without a placeholder are ignored.
pub fn bind(statement: &mut Statement, bindings: &Bindings) -> Result<(), Failure> {
    if let Some(location) = &bindings.stage {
        return staged::bind(statement, location);
    }
    if let Some(size) = batch_size(statement, bindings)? {
        return rows::bind(statement, bindings, size);
    }
    outcome(statement.command.visit_tree_mut(&mut Substitution { bindings, row: 0 }))
}

/// How many `?` a text has.
pub fn question_marks(text: &str) -> usize {
    let source = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
    // A text that has no tokens fails when it is parsed.
    let tokens = tokenize(&source).unwrap_or_default();
    tokens.iter().filter(|token| matches!(&token.token, Token::Placeholder(name) if name == "?")).count()
}

/// The key of a placeholder among the bindings, and what the contract calls it in messages.
fn key_of(placeholder: &str) -> (&str, &str) {
    match placeholder.strip_prefix('?') {
        Some(position) => (position, "?"),
        None => (placeholder.trim_start_matches(':'), placeholder),
    }
}

fn find<'b>(bindings: &'b Bindings, placeholder: &str) -> Result<&'b Binding, Failure> {
    let (key, shown) = key_of(placeholder);
    let unset = || Failure::new("002049", "42601", format!("Bind variable {shown} not set."));
    bindings.get(key).ok_or_else(unset)
}

/// The text bound to a placeholder that names an object.
pub(crate) fn bound_text(bindings: &Bindings, placeholder: &str) -> Result<String, Failure> {
    match &find(bindings, placeholder)?.value {
        BindingValue::One(Some(text)) => Ok(text.clone()),
        BindingValue::One(None) | BindingValue::Many(_) => {
            Err(Failure::invalid_value("the name of an object", "NULL or array", "bind one text"))
        }
    }
}

/// The type and the text of the one value that is bound to a placeholder, if there is one.
pub(crate) fn bound_literal(bindings: &Bindings, placeholder: &str) -> Option<(String, String)> {
    match bindings.get(key_of(placeholder).0)? {
        Binding { type_name, value: BindingValue::One(Some(text)) } => Some((type_name.clone(), text.clone())),
        _ => None,
    }
}

/// The expression for what is bound to a placeholder.
pub(crate) fn bound_expression(bindings: &Bindings, placeholder: &str) -> Result<Expr, Failure> {
    let binding = find(bindings, placeholder)?;
    match &binding.value {
        BindingValue::One(value) => values::expression(&binding.type_name, value.as_deref()),
        BindingValue::Many(_) => Err(Failure::unsupported("array binding outside INSERT … VALUES")),
    }
}

/// How many rows the bindings of this statement make, if one of them is an array. All of them must
/// have the same size; a single value has size one.
fn batch_size(statement: &Statement, bindings: &Bindings) -> Result<Option<usize>, Failure> {
    if !bindings.iter().any(|(_, binding)| matches!(binding.value, BindingValue::Many(_))) {
        return Ok(None);
    }
    let mut found: Option<usize> = None;
    let mut any_array = false;
    for (index, placeholder) in placeholders(statement).iter().enumerate() {
        let (size, is_array) = match &find(bindings, placeholder)?.value {
            BindingValue::One(_) => (1, false),
            BindingValue::Many(values) => (values.len(), true),
        };
        if size == 0 {
            let message = format!("Batch size of 0 for bind variable {}; bind one row or more.", index + 1);
            return Err(Failure::new("002099", "42601", message));
        }
        any_array |= is_array;
        let expected = *found.get_or_insert(size);
        if size != expected {
            let message = format!(
                "Batch size of {size} for bind variable {} not the same as previous size of {expected}.",
                index + 1
            );
            return Err(Failure::new("002099", "42601", message));
        }
    }
    Ok(found.filter(|_| any_array))
}

/// The placeholders of a statement in the order of its text.
fn placeholders(statement: &Statement) -> Vec<String> {
    let mut found = Vec::new();
    // The visitor never breaks.
    let _ = statement.command.visit_tree(&mut Collection(&mut found));
    found.sort_by_key(|name: &String| name.strip_prefix('?').and_then(|position| position.parse::<usize>().ok()));
    found
}

struct Collection<'a>(&'a mut Vec<String>);

impl ast::Visitor for Collection<'_> {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Self::Break> {
        if let Some(name) = placeholder(expr) {
            self.0.push(name.to_owned());
        }
        ControlFlow::Continue(())
    }
}

/// Replaces placeholders by the values bound for one row.
struct Substitution<'a> {
    bindings: &'a Bindings,
    row: usize,
}

impl VisitorMut for Substitution<'_> {
    type Break = Failure;

    /// The columns of a pivot have the names of its values.
    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Failure> {
        for item in &mut select.projection {
            if let SelectItem::ExprWithAlias { alias, .. } = item
                && let Some(name) = unbound(alias)
            {
                match self.value_of(name) {
                    Ok(value) => name_bound(alias, &value),
                    Err(failure) => return ControlFlow::Break(failure),
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let Some(name) = placeholder(expr) else { return ControlFlow::Continue(()) };
        match self.value_of(name) {
            Ok(value) => *expr = value,
            Err(failure) => return ControlFlow::Break(failure),
        }
        ControlFlow::Continue(())
    }
}

impl Substitution<'_> {
    fn value_of(&self, placeholder: &str) -> Result<Expr, Failure> {
        let binding = find(self.bindings, placeholder)?;
        let value = match &binding.value {
            BindingValue::One(value) => value.as_deref(),
            BindingValue::Many(values) => values.get(self.row).and_then(Option::as_deref),
        };
        values::expression(&binding.type_name, value)
    }
}

#[cfg(test)]
mod tests;
