//! Logical tables.

use super::document::{Content, Node};
use super::fields::{Fields, text_of};
use super::{ModelError, Place, Reading, items};
use crate::semantic_model::expressions::check_query;
use crate::semantic_model::{LogicalTable, TableSource};

/// Columns beyond this number make answers worse; a warning says so.
const COLUMNS_RECOMMENDED: usize = 10;

pub(super) fn table(node: &Node, reading: &mut Reading) -> Result<LogicalTable, ModelError> {
    let mut fields = items::named(node, "table")?;
    let errors_before = reading.errors.len();
    let name = fields.required_text("name")?;
    let synonyms = items::synonyms(&mut fields, &name, reading)?;
    let description = fields.text("description")?;
    let found = source(&mut fields, reading);
    // Nobody sees the place of a source that could not be read.
    let source = reading.noted(found).unwrap_or_else(|| TableSource::Definition(String::new()));
    let primary_key = match fields.take(&["primary_key"])? {
        Some(node) => key(node, reading)?,
        None => Vec::new(),
    };
    let unique_keys = fields.list(&["unique_keys"])?;
    let unique_keys = unique_keys.into_iter().map(|node| key(node, reading)).collect::<Result<_, _>>()?;
    let mut names = Names::default();
    let mut table = LogicalTable {
        dimensions: each(&mut fields, &["dimensions"], &mut names, reading, items::dimension, |d| &d.name)?,
        time_dimensions: each(&mut fields, &["time_dimensions"], &mut names, reading, items::time_dimension, |d| {
            &d.name
        })?,
        facts: each(&mut fields, &["facts", "measures"], &mut names, reading, items::fact, |f| &f.name)?,
        metrics: each(&mut fields, &["metrics"], &mut names, reading, items::metric, |m| &m.name)?,
        filters: each(&mut fields, &["filters"], &mut names, reading, items::filter, |f| &f.name)?,
        name,
        synonyms,
        description,
        source,
        primary_key,
        unique_keys,
    };
    for node in fields.list(&["columns"])? {
        let read = column(node, &mut table, &mut names, reading);
        reading.noted(read);
    }
    let columns = table.dimensions.len() + table.time_dimensions.len() + table.facts.len();
    if columns > COLUMNS_RECOMMENDED {
        reading.warnings.push(format!(
            "Table '{}' has {columns} columns, which is more than the recommended maximum of {COLUMNS_RECOMMENDED}.",
            table.name
        ));
    }
    fields.pass_over(&["tags", "labels"]);
    fields.finish(reading);
    if reading.errors.len() > errors_before {
        reading.incomplete_tables.insert(table.name.to_lowercase());
    }
    Ok(table)
}

/// An item of the old list `columns`, whose `kind` says what it is.
fn column(node: &Node, table: &mut LogicalTable, names: &mut Names, reading: &mut Reading) -> Result<(), ModelError> {
    let kind = items::named(node, "column")?.text("kind")?.unwrap_or_default().to_lowercase();
    let name = match kind.as_str() {
        "dimension" => {
            table.dimensions.push(items::dimension(node, reading)?);
            table.dimensions.last().map(|column| &column.name)
        }
        "time_dimension" => {
            table.time_dimensions.push(items::time_dimension(node, reading)?);
            table.time_dimensions.last().map(|column| &column.name)
        }
        "measure" | "fact" => {
            table.facts.push(items::fact(node, reading)?);
            table.facts.last().map(|column| &column.name)
        }
        _ => {
            let kinds = items::COLUMN_KINDS.join(", ");
            return Err(node.place.error(format!("`kind` of a column is '{kind}'; it can be {kinds}")));
        }
    };
    names.take(name.map_or("", String::as_str), node.place)
}

/// Names that are taken within a table.
#[derive(Default)]
pub(super) struct Names(Vec<String>);

impl Names {
    pub(super) fn take(&mut self, name: &str, place: Place) -> Result<(), ModelError> {
        let key = name.to_lowercase();
        if self.0.contains(&key) {
            return Err(place.error(format!("the name `{name}` is used twice")));
        }
        self.0.push(key);
        Ok(())
    }
}

/// Reads each entry of a list, whose names must not repeat. Those that cannot be read are left out, and their mistakes noted.
pub(super) fn each<T>(
    fields: &mut Fields<'_>,
    list: &[&str],
    names: &mut Names,
    reading: &mut Reading,
    read: impl Fn(&Node, &mut Reading) -> Result<T, ModelError>,
    name_of: impl Fn(&T) -> &String,
) -> Result<Vec<T>, ModelError> {
    let mut all = Vec::new();
    for node in fields.list(list)? {
        let item = read(node, reading).and_then(|item| names.take(name_of(&item), node.place).map(|()| item));
        all.extend(reading.noted(item));
    }
    Ok(all)
}

fn source(fields: &mut Fields<'_>, reading: &mut Reading) -> Result<TableSource, ModelError> {
    if let Some(definition) = fields.text("definition")? {
        return definition_of(&definition, fields.place);
    }
    let Some(node) = fields.take(&["base_table"])? else {
        let message = format!("{} has no `base_table`; give its database, schema and table", fields.what);
        return Err(fields.place.error(message));
    };
    let mut base = Fields::of(node, &format!("`base_table` of {}", fields.what))?;
    let source = match base.text("definition")? {
        Some(definition) => definition_of(&definition, base.place)?,
        None => TableSource::BaseTable {
            database: base.text("database")?,
            schema: base.text("schema")?,
            table: base.required_text("table")?,
        },
    };
    base.finish(reading);
    Ok(source)
}

fn definition_of(text: &str, place: Place) -> Result<TableSource, ModelError> {
    let text = text.trim().trim_end_matches(';').trim();
    check_query(text).map_err(|problem| place.error(format!("`definition` is no query: {problem}")))?;
    Ok(TableSource::Definition(text.to_owned()))
}

/// `{columns: [a, b]}`, the list alone, or one column alone.
fn key(node: &Node, reading: &mut Reading) -> Result<Vec<String>, ModelError> {
    if let Content::Sequence(columns) = &node.content {
        return columns.iter().map(|column| text_of(column, "a column of a key")).collect();
    }
    if node.text().is_some() {
        return Ok(vec![text_of(node, "a column of a key")?]);
    }
    let mut fields = Fields::of(node, "a key")?;
    let columns = fields.texts("columns")?;
    fields.finish(reading);
    Ok(columns)
}
