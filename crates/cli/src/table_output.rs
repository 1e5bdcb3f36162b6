//! Lists that commands print: a table for people, or JSON.

use std::borrow::Cow;
use std::error::Error;
use std::io::{self, Write};

use serde_json::value::RawValue;

use crate::output::format::{Controls, Expanded, Format, Header, Layout};
use crate::output::sink::Sink;
use crate::output::terminal::{self, ColorChoice};
use crate::server::Table;
use crate::server::statements::Column;

/// Columns that are texts on the wire, and say true or false.
const TRUTHS: [&str; 3] = ["disabled", "has_password", "must_change_password"];

/// The columns that are named, in this order; as JSON all there are.
pub fn print_table(table: &Table, chosen: &[&str], json: bool) -> Result<(), Box<dyn Error>> {
    let place_of = |name: &&str| table.columns.iter().position(|column| column == *name);
    let places: Vec<usize> =
        if json { (0..table.columns.len()).collect() } else { chosen.iter().filter_map(place_of).collect() };
    let column = |place: &usize| {
        let name = table.columns.get(*place).cloned().unwrap_or_default();
        let kind = table.types.get(*place).cloned().unwrap_or_default();
        Column { kind: if TRUTHS.contains(&name.as_str()) { "boolean".to_owned() } else { kind }, name }
    };
    let columns: Vec<Column> = places.iter().map(column).collect();
    let mut sink = Sink::standard();
    write(table, &columns, &places, if json { Format::Json } else { Format::Table }, &mut sink)?;
    Ok(sink.finish()?)
}

/// All rows as an array of objects.
pub fn json_rows(table: &Table) -> Result<Box<RawValue>, Box<dyn Error>> {
    let columns = table.columns.iter().zip(&table.types);
    let columns: Vec<Column> = columns.map(|(name, kind)| Column { name: name.clone(), kind: kind.clone() }).collect();
    let places: Vec<usize> = (0..columns.len()).collect();
    let mut written = Vec::new();
    write(table, &columns, &places, Format::Json, &mut written)?;
    // On one line: the values have no ends of lines.
    let text = String::from_utf8(written)?.replace('\n', "");
    Ok(RawValue::from_string(text)?)
}

fn write(
    table: &Table,
    columns: &[Column],
    places: &[usize],
    format: Format,
    mut out: &mut dyn Write,
) -> io::Result<()> {
    let layout = Layout {
        format,
        header: Header::Shown,
        null: Some("-".to_owned()),
        colors: ColorChoice::Auto.colors(),
        controls: Controls::Written,
        expanded: Expanded::Never,
        screen_width: terminal::size().1,
    };
    let mut writer = layout.writer();
    writer.begin(columns, &mut out)?;
    for row in &table.rows {
        let cell = |place: &usize| row.get(*place).and_then(Option::as_deref).map(Cow::Borrowed);
        writer.row(&places.iter().map(cell).collect::<Vec<_>>(), &mut out)?;
    }
    writer.end(&mut out)
}
