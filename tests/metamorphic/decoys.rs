//! Tables that have the names of a file's queries as columns, of types that nobody expects there.

use std::fmt::Write as _;

use firn_tests::sqllogic::Connection;
use sqlparser::dialect::SnowflakeDialect;
use sqlparser::tokenizer::Tokenizer;

use crate::script::{Script, distinct, names_of};

/// Apart from the databases of the files, so that nothing of theirs lists it.
pub const DATABASE: &str = "DECOYS";

/// Each group is one variant: one name with one other type, and with several.
pub const GROUPS: &[&[&str]] = &[
    &["VARIANT"],
    &["VARCHAR(7)", "NUMBER(30,7)"],
    &["TIMESTAMP_TZ(3)", "GEOGRAPHY", "VARCHAR COLLATE 'en-ci'", "VECTOR(FLOAT, 3)", "OBJECT(A NUMBER)", "DATE"],
];

pub struct Decoys {
    file: String,
    /// The columns of the tables.
    names: Vec<String>,
}

impl Decoys {
    pub fn create<'sql>(connection: &Connection, file: &str, queries: impl Iterator<Item = &'sql str>) -> Self {
        let tokens = queries.filter_map(|sql| Tokenizer::new(&SnowflakeDialect, sql).tokenize().ok());
        let names = distinct(tokens.flat_map(|tokens| names_of(&tokens)).collect());
        let decoys = Self { file: file.to_owned(), names };
        for (group, types) in GROUPS.iter().enumerate() {
            for (place, data_type) in types.iter().enumerate() {
                let columns: Vec<String> =
                    decoys.names.iter().map(|name| format!("{} {data_type}", quoted(name))).collect();
                let table = decoys.table(group, place);
                if !columns.is_empty() {
                    connection.client.rows(&format!("CREATE TABLE {table} ({})", columns.join(", ")));
                }
            }
        }
        decoys
    }

    fn table(&self, group: usize, place: usize) -> String {
        format!("{DATABASE}.PUBLIC.{}_{group}_{place}", self.file)
    }

    /// `(SELECT names FROM decoys)`, one of each type of the group.
    pub fn queries(&self, group: usize, script: &Script) -> Vec<String> {
        let names = script.names.iter().filter(|name| self.names.contains(name));
        let names: Vec<String> = names.map(|name| quoted(name)).collect();
        let types = GROUPS[group].iter().enumerate();
        types.map(|(place, _)| format!("SELECT {} FROM {}", names.join(", "), self.table(group, place))).collect()
    }
}

/// The same names, given to values of no table.
pub fn aliases(script: &Script) -> String {
    let mut items = String::new();
    for (place, name) in script.names.iter().enumerate() {
        let comma = if place == 0 { "" } else { ", " };
        let _ = write!(items, "{comma}PARSE_JSON('1.5') AS {}", quoted(name));
    }
    format!("SELECT {items}")
}

pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
