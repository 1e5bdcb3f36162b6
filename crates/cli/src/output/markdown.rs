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
    let text = text.replace("\r\n", "\n");
    let lines: Vec<String> = text.split('\n').map(|line| without_bars(&on_one_line(line))).collect();
    lines.join("<br>")
}

/// A bar would end the cell. A backslash before one is doubled, as it would be the one that escapes it.
fn without_bars(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut backslashes = 0;
    for character in line.chars() {
        if character == '|' {
            out.extend(std::iter::repeat_n('\\', backslashes + 1));
        }
        backslashes = if character == '\\' { backslashes + 1 } else { 0 };
        out.push(character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_what_they_were_once_they_are_shown() {
        let check = |text: &str, expected: &str| assert_eq!(escaped(text), expected, "{text:?}");
        check("a|b", "a\\|b");
        check("a\\|b", "a\\\\\\|b");
        check("a\\b", "a\\b");
        check("a\r\nb\nc", "a<br>b<br>c");
        check("\r", "\\r");
    }
}
