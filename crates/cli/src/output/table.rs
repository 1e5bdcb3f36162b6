//! A table for people. Columns are as wide as the widest cell of the first thousand rows; what comes later may stand out, and
//! nothing is cut off.

use std::borrow::Cow;
use std::io::{self, Write};

use nu_ansi_term::Style;
use unicode_width::UnicodeWidthStr;

use super::cells::{is_numeric, on_one_line};
use super::format::{Colors, Expanded, Header, Layout, Row, RowWriter};
use super::vertical::Vertical;
use crate::server::statements::Column;

const MEASURED_ROWS: usize = 1_000;
const GAP: &str = "  ";

pub struct TableWriter {
    layout: Layout,
    columns: Vec<Column>,
    widths: Vec<usize>,
    /// The first rows, until the widths are known.
    waiting: Option<Vec<Vec<Option<String>>>>,
    /// Stands in the place of a table that would be too wide.
    vertical: Option<Vertical>,
}

impl TableWriter {
    pub fn new(layout: &Layout) -> Self {
        Self {
            layout: layout.clone(),
            columns: Vec::new(),
            widths: Vec::new(),
            waiting: Some(Vec::new()),
            vertical: None,
        }
    }

    /// Writes the rows that have waited; from then on rows are written as they come.
    fn write_waiting(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Some(rows) = self.waiting.take() else { return Ok(()) };
        let width = self.widths.iter().sum::<usize>() + GAP.len() * self.widths.len().saturating_sub(1);
        if self.layout.expanded == Expanded::WhenWide && width > self.layout.screen_width {
            let mut vertical = Vertical::new(&self.layout);
            vertical.begin(&self.columns, out)?;
            self.vertical = Some(vertical);
        } else if self.layout.header == Header::Shown {
            self.write_header(out)?;
        }
        for row in rows {
            let cells: Vec<_> = row.iter().map(|cell| cell.as_deref().map(Cow::Borrowed)).collect();
            self.write_row(&cells, out)?;
        }
        Ok(())
    }

    fn write_header(&self, out: &mut dyn Write) -> io::Result<()> {
        let names: Vec<_> = self.columns.iter().map(|column| Some(on_one_line(&column.name))).collect();
        let names = self.line(&names);
        match self.layout.colors {
            Colors::On => writeln!(out, "{}", Style::new().bold().paint(names))?,
            Colors::Off => writeln!(out, "{names}")?,
        }
        let dashes: Vec<String> = self.widths.iter().map(|width| "-".repeat(*width)).collect();
        writeln!(out, "{}", dashes.join(GAP))
    }

    fn write_row(&mut self, cells: &Row<'_>, out: &mut dyn Write) -> io::Result<()> {
        match &mut self.vertical {
            Some(vertical) => vertical.row(cells, out),
            None => writeln!(out, "{}", self.line(cells)),
        }
    }

    fn line(&self, cells: &Row<'_>) -> String {
        let mut line = String::new();
        for (index, (cell, column)) in cells.iter().zip(&self.columns).enumerate() {
            let shown = cell.as_deref().map_or(Cow::Borrowed(self.null()), on_one_line);
            let padding = " ".repeat(self.widths.get(index).map_or(0, |width| width.saturating_sub(shown.width())));
            let shown = match cell {
                None if self.layout.colors == Colors::On => Cow::Owned(Style::new().dimmed().paint(shown).to_string()),
                _ => shown,
            };
            if index > 0 {
                line.push_str(GAP);
            }
            let (before, after) =
                if is_numeric(&column.kind) { (padding.as_str(), "") } else { ("", padding.as_str()) };
            line.push_str(before);
            line.push_str(&shown);
            line.push_str(after);
        }
        line.truncate(line.trim_end_matches(' ').len());
        line
    }

    fn null(&self) -> &str {
        self.layout.null_or("NULL")
    }
}

impl RowWriter for TableWriter {
    fn begin(&mut self, columns: &[Column], _out: &mut dyn Write) -> io::Result<()> {
        self.columns = columns.to_vec();
        let is_shown = self.layout.header == Header::Shown;
        let width = |column: &Column| if is_shown { on_one_line(&column.name).width() } else { 0 };
        self.widths = columns.iter().map(width).collect();
        Ok(())
    }

    fn row(&mut self, cells: &Row<'_>, out: &mut dyn Write) -> io::Result<()> {
        let Some(waiting) = &mut self.waiting else { return self.write_row(cells, out) };
        let null_width = self.layout.null_or("NULL").width();
        for (width, cell) in self.widths.iter_mut().zip(cells) {
            let shown = cell.as_deref().map_or(null_width, |text| on_one_line(text).width());
            *width = (*width).max(shown);
        }
        waiting.push(cells.iter().map(|cell| cell.as_deref().map(str::to_owned)).collect());
        if waiting.len() >= MEASURED_ROWS { self.write_waiting(out) } else { Ok(()) }
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.write_waiting(out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::tests::{layout, written};
    use super::super::format::{Expanded, Format, Layout};

    #[test]
    fn wide_letters_take_two_places() {
        let table = written(&layout(Format::Table), &[("A", "text"), ("B", "text")], &[&[Some("東京"), Some("x")]]);
        assert_eq!(table, "A     B\n----  -\n東京  x\n");
    }

    #[test]
    fn a_table_wider_than_the_screen_is_expanded_if_asked() {
        let wide = "x".repeat(50);
        let layout = Layout { expanded: Expanded::WhenWide, ..layout(Format::Table) };
        assert_eq!(written(&layout, &[("A", "text")], &[&[Some(&wide)]]), format!("-- row 1\nA  {wide}\n"));
        assert_eq!(written(&layout, &[("A", "text")], &[&[Some("x")]]), "A\n-\nx\n");
    }

    #[test]
    fn rows_after_the_measured_ones_are_written_as_they_come() {
        let narrow: &[Option<&str>] = &[Some("x"), Some("1")];
        let mut rows = vec![narrow; 1_000];
        rows.push(&[Some("wider than before"), Some("1")]);
        let table = written(&layout(Format::Table), &[("A", "text"), ("N", "fixed")], &rows);
        assert!(table.ends_with("x  1\nwider than before  1\n"));
    }
}
