//! Lists that commands print: a table for people, or JSON.

use std::borrow::Cow;
use std::error::Error;

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
    let layout = Layout {
        format: if json { Format::Json } else { Format::Table },
        header: Header::Shown,
        null: Some("-".to_owned()),
        colors: ColorChoice::Auto.colors(),
        controls: Controls::Written,
        expanded: Expanded::Never,
        screen_width: terminal::size().1,
    };
    let (mut sink, mut writer) = (Sink::standard(), layout.writer());
    writer.begin(&columns, &mut sink)?;
    for row in &table.rows {
        let cell = |place: &usize| row.get(*place).and_then(Option::as_deref).map(Cow::Borrowed);
        writer.row(&places.iter().map(cell).collect::<Vec<_>>(), &mut sink)?;
    }
    writer.end(&mut sink)?;
    Ok(sink.finish()?)
}
