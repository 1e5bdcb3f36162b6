//! Reads a semantic model from YAML. Strict about what would make a model unusable, with the line and column of the
//! mistake; lenient about what is merely unknown, which is stated as a warning.

mod addition;
mod document;
mod fields;
mod items;
mod places;
mod tables;
mod top_level;

use std::collections::{HashMap, HashSet};

use super::{LogicalTable, SemanticModel};
pub use addition::{with_query, with_verified_query};
use document::documents;
use fields::Fields;
pub use places::{ModelPart, ModelPlaces};

/// The largest text taken for a model.
pub const MODEL_BYTES_MAX: usize = 2 << 20;

const TABLES_MAX: usize = 500;
const RELATIONSHIPS_MAX: usize = 2_000;
const ITEMS_MAX: usize = 20_000;
/// More mistakes are not reported at once.
const ERRORS_MAX: usize = 100;

/// Why a text is no usable model. Lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ModelError {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

/// A model, and what its author should know.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadModel {
    pub model: SemanticModel,
    pub warnings: Vec<String>,
}

/// Reads and validates a model; of several mistakes the first is reported.
pub fn read_yaml(text: &str) -> Result<ReadModel, ModelError> {
    read_or_errors(text).map_err(|mut errors| errors.swap_remove(0))
}

/// As `read_yaml`, with every mistake that does not follow from another, in the order of their places. There is at least one.
pub fn read_or_errors(text: &str) -> Result<ReadModel, Vec<ModelError>> {
    let mut reading = Reading::default();
    let read = read(text, &mut reading);
    let Reading { mut errors, warnings, .. } = reading;
    match read {
        Ok(model) if errors.is_empty() => return Ok(ReadModel { model, warnings }),
        Ok(_) => {}
        Err(error) => errors.push(error),
    }
    errors.sort_by_key(|error| (error.line, error.column));
    errors.truncate(ERRORS_MAX);
    Err(errors)
}

fn read(text: &str, reading: &mut Reading) -> Result<SemanticModel, ModelError> {
    if text.len() > MODEL_BYTES_MAX {
        return Err(error_at_start(&format!("the model has {} bytes; {MODEL_BYTES_MAX} are allowed", text.len())));
    }
    let documents = documents(text)?;
    let nothing = || error_at_start("the model is empty; a model has a name and tables");
    let [document] = documents.as_slice() else {
        return Err(match documents.len() {
            0 => nothing(),
            _ => error_at_start("there are several documents; a model is one"),
        });
    };
    if document.is_null() {
        return Err(nothing());
    }
    let model = top_level::read(Fields::of(top_level::within(document), "the model")?, reading)?;
    check_size(&model)?;
    Ok(model)
}

/// Reading a question takes memory and time by the number of tables squared, and by that of items.
fn check_size(model: &SemanticModel) -> Result<(), ModelError> {
    let items = |table: &LogicalTable| {
        table.dimensions.len()
            + table.time_dimensions.len()
            + table.facts.len()
            + table.metrics.len()
            + table.filters.len()
    };
    for (what, count, most) in [
        ("tables", model.tables.len(), TABLES_MAX),
        ("relationships", model.relationships.len(), RELATIONSHIPS_MAX),
        ("dimensions, facts, metrics and filters", model.tables.iter().map(items).sum(), ITEMS_MAX),
    ] {
        if count > most {
            return Err(error_at_start(&format!("the model has {count} {what}; {most} are allowed")));
        }
    }
    Ok(())
}

/// Line, column and message of a warning about one place of the text.
pub fn place_of_warning(warning: &str) -> Option<(usize, usize, &str)> {
    let (place, message) = warning.strip_prefix("line ")?.split_once(": ")?;
    let (line, column) = place.split_once(", column ")?;
    Some((line.parse().ok()?, column.parse().ok()?, message))
}

/// What is gathered on the way.
#[derive(Default)]
struct Reading {
    warnings: Vec<String>,
    errors: Vec<ModelError>,
    /// Tables may be missing, as they could not be read.
    lacks_tables: bool,
    /// Tables of which something could not be read, in lower case.
    incomplete_tables: HashSet<String>,
    /// Every synonym so far, in lower case, with what it stands for.
    synonyms: HashMap<String, String>,
}

impl Reading {
    /// Goes on after a mistake, so that the others are found, too.
    fn noted<T>(&mut self, read: Result<T, ModelError>) -> Option<T> {
        read.map_err(|error| self.errors.push(error)).ok()
    }

    fn warn(&mut self, place: Place, message: &str) {
        self.warnings.push(format!("line {}, column {}: {message}", place.line, place.column));
    }
}

/// Where something stands in the text.
#[derive(Debug, Clone, Copy)]
struct Place {
    line: usize,
    column: usize,
}

impl Place {
    fn error(self, message: impl Into<String>) -> ModelError {
        ModelError { line: self.line, column: self.column, message: message.into() }
    }
}

fn error_at_start(message: &str) -> ModelError {
    Place { line: 1, column: 1 }.error(message)
}

#[cfg(test)]
mod tests;
