//! CSV as RFC 4180 has it, and TSV with backslashes. NULL and an empty text differ: the text is in quotes where NULL is nothing.

use std::io::{self, Write};

use super::cells::without_steering;
use super::format::{Controls, Header, Layout, Row, RowWriter};
use crate::server::statements::Column;

pub struct Delimited {
    kind: Kind,
    header: Header,
    null: String,
    controls: Controls,
    line: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Csv,
    Tsv,
}

impl Delimited {
    pub fn csv(layout: &Layout) -> Self {
        // A NULL that would be several cells is one in quotes.
        let mut null = String::new();
        push_quoted(&mut null, layout.null_or(""), None);
        Self::new(Kind::Csv, layout, null)
    }

    pub fn tsv(layout: &Layout) -> Self {
        Self::new(Kind::Tsv, layout, layout.null_or("\\N").to_owned())
    }

    fn new(kind: Kind, layout: &Layout, null: String) -> Self {
        Self { kind, header: layout.header, null, controls: layout.controls, line: String::new() }
    }

    fn write_line<'a>(&mut self, cells: impl Iterator<Item = Option<&'a str>>, out: &mut dyn Write) -> io::Result<()> {
        self.line.clear();
        for (index, cell) in cells.enumerate() {
            if index > 0 {
                self.line.push(if self.kind == Kind::Csv { ',' } else { '\t' });
            }
            match (cell, self.kind) {
                (None, _) => self.line.push_str(&self.null),
                (Some(text), Kind::Csv) => push_quoted(&mut self.line, text, Some(&self.null)),
                (Some(text), Kind::Tsv) => push_escaped(&mut self.line, text),
            }
        }
        self.line.push('\n');
        match self.controls {
            Controls::Written => out.write_all(self.line.as_bytes()),
            Controls::Escaped => out.write_all(without_steering(&self.line).as_bytes()),
        }
    }
}

impl RowWriter for Delimited {
    fn begin(&mut self, columns: &[Column], out: &mut dyn Write) -> io::Result<()> {
        match self.header {
            Header::Shown => self.write_line(columns.iter().map(|column| Some(column.name.as_str())), out),
            Header::Hidden => Ok(()),
        }
    }

    fn row(&mut self, cells: &Row<'_>, out: &mut dyn Write) -> io::Result<()> {
        self.write_line(cells.iter().map(Option::as_deref), out)
    }

    fn end(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

fn push_quoted(line: &mut String, text: &str, null: Option<&str>) {
    let needs_quotes = Some(text) == null || text.contains([',', '"', '\n', '\r']);
    if !needs_quotes {
        line.push_str(text);
        return;
    }
    line.push('"');
    line.push_str(&text.replace('"', "\"\""));
    line.push('"');
}

fn push_escaped(line: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '\\' => line.push_str("\\\\"),
            '\t' => line.push_str("\\t"),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            other => line.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::tests::{layout, written};
    use super::super::format::{Controls, Format, Header, Layout};

    #[test]
    fn null_and_empty_texts_differ() {
        let check = |layout: &Layout, expected: &str| {
            assert_eq!(
                written(layout, &[("A", "text"), ("B", "text")], &[&[None, Some("")], &[Some("-"), Some("\\")]]),
                expected
            );
        };
        check(&layout(Format::Csv), "A,B\n,\"\"\n-,\\\n");
        check(&layout(Format::Tsv), "A\tB\n\\N\t\n-\t\\\\\n");
        let other = Layout { header: Header::Hidden, null: Some("-".to_owned()), ..layout(Format::Csv) };
        check(&other, "-,\n\"-\",\\\n");
    }
    #[test]
    fn null_is_one_cell() {
        let layout = Layout { header: Header::Hidden, null: Some("a,b".to_owned()), ..layout(Format::Csv) };
        assert_eq!(written(&layout, &[("A", "text"), ("B", "text")], &[&[None, Some("x")]]), "\"a,b\",x\n");
    }

    #[test]
    fn nothing_steers_a_terminal() {
        let of = |controls| Layout { header: Header::Hidden, controls, ..layout(Format::Csv) };
        let row: &[Option<&str>] = &[Some("a\u{1b}]0;b\u{7}\n")];
        assert_eq!(written(&of(Controls::Escaped), &[("A", "text")], &[row]), "\"a\\u{1b}]0;b\\u{7}\n\"\n");
        assert_eq!(written(&of(Controls::Written), &[("A", "text")], &[row]), "\"a\u{1b}]0;b\u{7}\n\"\n");
    }
}
