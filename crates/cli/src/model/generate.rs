//! A first semantic model from what the tables say of themselves.

use std::error::Error;

use firn_analyst::semantic_model::{
    Dimension, Fact, LogicalTable, Relationship, RelationshipColumns, SemanticModel, TableSource, TimeDimension,
};
use firn_sql::names::{display_identifier, quote_identifier, quote_literal};

use super::personal_values::are_personal;
use super::{found_references, guessed_keys, role_references};
use crate::failure::Failure;
use crate::server::{Server, Table};

/// A column with up to this many values is an enumeration.
const ENUM_VALUES_MAX: usize = 12;
const SAMPLE_VALUES: usize = 5;
const SAMPLE_CHARACTERS_MAX: usize = 60;

/// Which values of the data a model shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleValues {
    All,
    /// All but those that look personal.
    Impersonal,
}

pub fn generate(
    server: &Server,
    name: Option<String>,
    only: &[String],
    samples: SampleValues,
) -> Result<SemanticModel, Box<dyn Error>> {
    let database = folded(server.database().ok_or_else(|| Failure::usage("a database is missing; give --database"))?);
    let schema = folded(server.schema().unwrap_or("PUBLIC"));
    let place = format!("{}.{}", quote_identifier(&database), quote_identifier(&schema));
    let columns = server.rows_in(&format!(
        "SELECT C.TABLE_NAME, C.COLUMN_NAME, C.DATA_TYPE, C.COMMENT, T.COMMENT FROM {}.INFORMATION_SCHEMA.COLUMNS C \
         JOIN {}.INFORMATION_SCHEMA.TABLES T ON T.TABLE_SCHEMA = C.TABLE_SCHEMA AND T.TABLE_NAME = C.TABLE_NAME \
         WHERE C.TABLE_SCHEMA = {} ORDER BY C.TABLE_NAME, C.ORDINAL_POSITION",
        quote_identifier(&database),
        quote_identifier(&database),
        quote_literal(&schema)
    ), None, None)?;
    let primary = Keys::of(
        &server.rows_in(&format!("SHOW PRIMARY KEYS IN SCHEMA {place}"), None, None)?,
        "table_name",
        "column_name",
    );
    let imported = server.rows_in(&format!("SHOW IMPORTED KEYS IN SCHEMA {place}"), None, None)?;
    let mut model = SemanticModel { name: name.unwrap_or_else(|| logical_name(&database)), ..SemanticModel::default() };
    let mut at = None;
    for row in &columns.rows {
        let [Some(table), Some(column), Some(data_type), comment, table_comment] = row.as_slice() else { continue };
        if !only.is_empty() && !only.iter().any(|name| name.eq_ignore_ascii_case(table)) {
            continue;
        }
        if at != Some(table) {
            at = Some(table);
            model.tables.push(LogicalTable {
                name: unused(logical_name(table), |name| model.tables.iter().any(|other| other.name == name)),
                description: filled(table_comment.as_ref()),
                source: TableSource::BaseTable {
                    database: Some(display_identifier(&database)),
                    schema: Some(display_identifier(&schema)),
                    table: display_identifier(table),
                },
                primary_key: primary.columns_of(table).iter().map(|name| logical_name(name)).collect(),
                ..LogicalTable::default()
            });
        }
        let is_key = primary.columns_of(table).contains(column) || is_imported(&imported, table, column);
        let column = Column { table, column, data_type, comment: filled(comment.as_ref()), is_key };
        if let Some(logical) = model.tables.last_mut() {
            column.add_to(logical, server, &place, samples);
        }
    }
    if model.tables.is_empty() && only.is_empty() {
        return Err(format!("{database}.{schema} has no tables that this role can see").into());
    }
    let is_there = |name: &&String| columns.rows.iter().any(|row| is_named(row.first(), name));
    if let Some(missing) = only.iter().find(|name| !is_there(name)) {
        return Err(format!("{database}.{schema} has no table {missing} that this role can see").into());
    }
    guessed_keys::add_keys(server, &mut model);
    model.relationships = relationships(&imported, &model);
    role_references::add(server, &mut model);
    found_references::add(server, &mut model);
    number_names(&mut model.relationships);
    Ok(model)
}

fn is_named(cell: Option<&Option<String>>, name: &str) -> bool {
    cell.is_some_and(|cell| cell.as_ref().is_some_and(|cell| cell.eq_ignore_ascii_case(name)))
}

/// A name as SQL would take it: in quotes as it is, else in capitals where it needs no quotes.
fn folded(name: &str) -> String {
    let is_plain = name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    match name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inside) => inside.replace("\"\"", "\""),
        None if is_plain => name.to_uppercase(),
        None => name.to_owned(),
    }
}

/// A name for the model: small letters, digits and underscores.
fn logical_name(name: &str) -> String {
    let words = name.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    let joined = words.collect::<Vec<_>>().join("_").to_lowercase();
    match joined.chars().next() {
        Some(first) if first.is_alphabetic() => joined,
        _ => format!("_{joined}"),
    }
}

/// The name, with a number behind it where it is taken.
fn unused(name: String, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    std::iter::once(name.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(name)
}

fn filled(text: Option<&String>) -> Option<String> {
    text.filter(|text| !text.is_empty()).cloned()
}

struct Column<'a> {
    table: &'a str,
    column: &'a str,
    data_type: &'a str,
    comment: Option<String>,
    is_key: bool,
}

impl Column<'_> {
    fn add_to(self, logical: &mut LogicalTable, server: &Server, place: &str, samples: SampleValues) {
        let name = unused(logical_name(self.column), |name| logical.column_expression(name).is_some());
        let expr = display_identifier(self.column);
        let data_type = Some(self.data_type.to_owned());
        let is_number = ["NUMBER", "FLOAT", "DECIMAL", "INT"].iter().any(|word| self.data_type.starts_with(word));
        let is_id = self.is_key || self.column.ends_with("_ID") || self.column == "ID";
        let is_time = self.data_type == "DATE" || self.data_type.starts_with("TIMESTAMP");
        if is_time {
            logical.time_dimensions.push(TimeDimension {
                name,
                expr,
                data_type,
                description: self.comment,
                ..TimeDimension::default()
            });
            return;
        }
        if is_number && !is_id {
            let description = self.comment;
            logical.facts.push(Fact { name, expr, data_type, description, ..Fact::default() });
            return;
        }
        let unique = logical.primary_key.len() == 1 && logical.primary_key.first() == Some(&name);
        let (sample_values, is_enum) = match self.data_type {
            "TEXT" | "VARCHAR" => {
                let (values, is_enum) = self.values(server, place);
                let is_hidden = samples == SampleValues::Impersonal && are_personal(self.table, self.column, &values);
                if is_hidden { (Vec::new(), false) } else { (values, is_enum) }
            }
            _ => (Vec::new(), false),
        };
        logical.dimensions.push(Dimension {
            name,
            expr,
            data_type,
            description: self.comment,
            unique,
            sample_values,
            is_enum,
            ..Dimension::default()
        });
    }

    /// Some values, and whether they are all.
    fn values(&self, server: &Server, place: &str) -> (Vec<String>, bool) {
        let (table, column) = (quote_identifier(self.table), quote_identifier(self.column));
        let sql = format!(
            "SELECT DISTINCT {column} FROM {place}.{table} WHERE {column} IS NOT NULL ORDER BY 1 LIMIT {}",
            ENUM_VALUES_MAX + 1
        );
        let Ok(found) = server.rows_in(&sql, None, None) else { return (Vec::new(), false) };
        let mut values: Vec<String> = found.rows.into_iter().flatten().flatten().collect();
        if values.iter().any(|value| value.chars().count() > SAMPLE_CHARACTERS_MAX) {
            return (Vec::new(), false);
        }
        let is_enum = !values.is_empty() && values.len() <= ENUM_VALUES_MAX;
        if !is_enum {
            values.truncate(SAMPLE_VALUES);
        }
        (values, is_enum)
    }
}

/// The columns of each table's key, in order.
struct Keys(Vec<(String, String)>);

impl Keys {
    fn of(table: &Table, owner: &str, column: &str) -> Self {
        let (owner, column) = (position(table, owner), position(table, column));
        let pair = |row: &Vec<Option<String>>| Some((row.get(owner?)?.clone()?, row.get(column?)?.clone()?));
        Self(table.rows.iter().filter_map(pair).collect())
    }

    fn columns_of(&self, table: &str) -> Vec<String> {
        self.0.iter().filter(|(owner, _)| owner == table).map(|(_, column)| column.clone()).collect()
    }
}

fn position(table: &Table, column: &str) -> Option<usize> {
    table.columns.iter().position(|name| name.eq_ignore_ascii_case(column))
}

fn cell<'t>(table: &Table, row: &'t [Option<String>], column: &str) -> Option<&'t str> {
    row.get(position(table, column)?)?.as_deref()
}

fn is_imported(imported: &Table, table: &str, column: &str) -> bool {
    imported.rows.iter().any(|row| {
        cell(imported, row, "fk_table_name") == Some(table) && cell(imported, row, "fk_column_name") == Some(column)
    })
}

/// Those that keys declare, and those that equal names suggest: `ORDERS.CUSTOMER_ID` and the key of `CUSTOMERS`.
fn relationships(imported: &Table, model: &SemanticModel) -> Vec<Relationship> {
    let mut found: Vec<Relationship> = Vec::new();
    for row in &imported.rows {
        let read = |column: &str| cell(imported, row, column).map(logical_name);
        let (Some(left), Some(right)) = (read("fk_table_name"), read("pk_table_name")) else { continue };
        let (Some(left_column), Some(right_column)) = (read("fk_column_name"), read("pk_column_name")) else {
            continue;
        };
        if model.table(&left).is_none() || model.table(&right).is_none() {
            continue;
        }
        let name = read("fk_name").unwrap_or_else(|| format!("{left}_to_{right}"));
        let pair = RelationshipColumns { left_column, right_column };
        match found.iter_mut().find(|join| join.name == name && join.left_table == left) {
            Some(join) => join.columns.push(pair),
            None => found.push(Relationship {
                name,
                left_table: left,
                right_table: right,
                columns: vec![pair],
                ..Relationship::default()
            }),
        }
    }
    let suggested = guessed_keys::relationships(model, &found);
    found.extend(suggested);
    found
}

/// Names of relationships are unique.
fn number_names(relationships: &mut [Relationship]) {
    for index in 0..relationships.len() {
        let (before, rest) = relationships.split_at_mut(index);
        if let Some(join) = rest.first_mut()
            && before.iter().any(|other| other.name == join.name)
        {
            join.name = format!("{}_{index}", join.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_folded_and_made_plain() {
        for (given, expected) in [("demo", "DEMO"), ("My Schema", "My Schema"), ("\"a\"", "a")] {
            assert_eq!(folded(given), expected);
        }
        for (given, expected) in [("Order Lines", "order_lines"), ("2nd", "_2nd"), ("_X__Y (m)", "x_y_m"), ("É", "é")]
        {
            assert_eq!(logical_name(given), expected);
        }
        assert_eq!(unused("a".to_owned(), |name| name == "a" || name == "a_2"), "a_3");
    }
}
