//! A table of Markdown.

use std::io::{self, Write};

use super::cells::{is_numeric, on_one_line};
use super::format::{Layout, Row, RowWriter};
use crate::server::statements::Column;

pub struct Markdown {
    null: String,
}

impl Markdown {
    pub fn new(layout: &Layout) -> Self {
        Self { null: layout.null_or("NULL").to_owned() }
    }
}

impl RowWriter for Markdown {
    fn begin(&mut self, columns: &[Column], out: &mut dyn Write) -> io::Result<()> {
        let names: Vec<String> = columns.iter().map(|column| escaped(&column.name)).collect();
        let marks: Vec<&str> =
            columns.iter().map(|column| if is_numeric(&column.kind) { "---:" } else { "---" }).collect();
        writeln!(out, "| {} |\n| {} |", names.join(" | "), marks.join(" | "))
    }

    fn row(&mut self, cells: &Row<'_>, out: &mut dyn Write) -> io::Result<()> {
        let cells: Vec<String> =
            cells.iter().map(|cell| cell.as_deref().map_or_else(|| self.null.clone(), escaped)).collect();
        writeln!(out, "| {} |", cells.join(" | "))
    }

    fn end(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

fn escaped(text: &str) -> String {
    let lines: Vec<String> =
        text.split('\n').map(|line| on_one_line(line.trim_end_matches('\r')).replace('|', "\\|")).collect();
    lines.join("<br>")
}
