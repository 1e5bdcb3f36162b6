//! Rows below each other, a column a line.

use std::io::{self, Write};

use nu_ansi_term::Style;
use unicode_width::UnicodeWidthStr;

use super::cells::on_one_line;
use super::format::{Colors, Layout, Row, RowWriter};
use crate::server::statements::Column;

pub struct Vertical {
    null: String,
    colors: Colors,
    names: Vec<String>,
    rows_written: u64,
}

impl Vertical {
    pub fn new(layout: &Layout) -> Self {
        Self { null: layout.null_or("NULL").to_owned(), colors: layout.colors, names: Vec::new(), rows_written: 0 }
    }
}

impl RowWriter for Vertical {
    fn begin(&mut self, columns: &[Column], _out: &mut dyn Write) -> io::Result<()> {
        let names: Vec<String> = columns.iter().map(|column| on_one_line(&column.name).into_owned()).collect();
        let width = names.iter().map(|name| name.width()).max().unwrap_or(0);
        self.names = names.into_iter().map(|name| format!("{name}{}", " ".repeat(width - name.width()))).collect();
        Ok(())
    }

    fn row(&mut self, cells: &Row<'_>, out: &mut dyn Write) -> io::Result<()> {
        self.rows_written += 1;
        let heading = format!("-- row {}", self.rows_written);
        match self.colors {
            Colors::On => writeln!(out, "{}", Style::new().bold().paint(heading))?,
            Colors::Off => writeln!(out, "{heading}")?,
        }
        for (name, cell) in self.names.iter().zip(cells) {
            match cell {
                Some(text) => writeln!(out, "{name}  {}", on_one_line(text))?,
                None if self.colors == Colors::On => {
                    writeln!(out, "{name}  {}", Style::new().dimmed().paint(&self.null))?
                }
                None => writeln!(out, "{name}  {}", self.null)?,
            }
        }
        Ok(())
    }

    fn end(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
