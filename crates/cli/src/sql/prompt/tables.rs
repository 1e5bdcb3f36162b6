//! Answers of the prompt's own commands, written like results.

use std::borrow::Cow;
use std::error::Error;

use super::super::runner::{Runner, unless_closed};
use crate::server::Table;
use crate::server::statements::Column;

/// Shows columns of a table, those that it has of the ones named; all, if none are named.
pub fn show(runner: &Runner<'_>, table: &Table, chosen: &[&str]) -> Result<(), Box<dyn Error>> {
    let places: Vec<usize> = match chosen.is_empty() {
        true => (0..table.columns.len()).collect(),
        false => chosen.iter().filter_map(|name| place_of(table, name)).collect(),
    };
    let column = |place: &usize| Column {
        name: table.columns.get(*place).cloned().unwrap_or_default(),
        kind: table.types.get(*place).cloned().unwrap_or_default(),
    };
    let columns: Vec<Column> = places.iter().map(column).collect();
    let mut sink = runner.destination.open()?;
    let mut writer = runner.layout.writer();
    let mut write = || -> Result<(), Box<dyn Error>> {
        writer.begin(&columns, &mut sink)?;
        for row in &table.rows {
            let cell = |place: &usize| row.get(*place).and_then(Option::as_deref).map(Cow::Borrowed);
            writer.row(&places.iter().map(cell).collect::<Vec<_>>(), &mut sink)?;
        }
        Ok(writer.end(&mut sink)?)
    };
    let written = write();
    let finished = sink.finish();
    unless_closed(written.and_then(|()| Ok(finished?)), runner.mode)
}

fn place_of(table: &Table, name: &str) -> Option<usize> {
    table.columns.iter().position(|column| column.eq_ignore_ascii_case(name))
}
