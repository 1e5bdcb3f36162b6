//! Reads rows of a partition from one of them on, up to a number of rows and of bytes. Others are passed over, and never all
//! of a partition are in memory as values.

use std::borrow::Cow;
use std::fmt;

use firn_values::cells::json_text::compact;
use firn_values::cells::shown::CellKind;
use serde::de::{Deserialize, Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::{RawValue, to_raw_value};

/// A longer cell is cut; of many columns, a shorter one too.
const CELL_CHARACTERS_MAX: usize = 4_000;
const CELL_CHARACTERS_MIN: usize = 100;

/// A value as the tools show it: numbers and JSON as such, all else as text.
pub type ShownCell = Box<RawValue>;

/// Which rows and columns are wanted, and how much of them.
pub struct Wanted<'a> {
    /// Rows of the partition before the first wanted one.
    pub skipped: u64,
    pub rows_max: usize,
    pub bytes_max: usize,
    /// Of each column its place in a row and how its cells are written.
    pub columns: &'a [(usize, CellKind)],
}

#[derive(Default)]
pub struct Taken {
    pub rows: Vec<Vec<ShownCell>>,
    pub bytes: usize,
    pub cut_cells: usize,
}

/// Adds the wanted rows of `data`, a JSON array of rows.
pub fn take(data: &str, wanted: &Wanted<'_>, taken: &mut Taken) -> Result<(), serde_json::Error> {
    let fair_share = wanted.bytes_max / wanted.columns.len().max(1);
    let cell_characters_max = fair_share.clamp(CELL_CHARACTERS_MIN, CELL_CHARACTERS_MAX);
    serde_json::Deserializer::from_str(data).deserialize_seq(Rows { wanted, taken, cell_characters_max })
}

struct Rows<'wanted, 'taken> {
    wanted: &'wanted Wanted<'wanted>,
    taken: &'taken mut Taken,
    cell_characters_max: usize,
}

impl Rows<'_, '_> {
    /// One row is always taken: a caller that asks on would come to no end otherwise.
    fn is_full(&self) -> bool {
        let taken = &*self.taken;
        taken.rows.len() >= self.wanted.rows_max || (taken.bytes >= self.wanted.bytes_max && !taken.rows.is_empty())
    }

    fn take(&mut self, row: &[Cell<'_>]) {
        let mut taken = Vec::with_capacity(self.wanted.columns.len());
        for (place, kind) in self.wanted.columns {
            let cell = match row.get(*place).and_then(|cell| cell.0.as_deref()) {
                None => RawValue::NULL.to_owned(),
                Some(text) => match beginning(text, self.cell_characters_max) {
                    None => shown(text, *kind),
                    Some(beginning) => {
                        self.taken.cut_cells += 1;
                        as_text(&format!("{beginning}…"))
                    }
                },
            };
            self.taken.bytes += cell.get().len() + 1;
            taken.push(cell);
        }
        self.taken.rows.push(taken);
    }
}

impl<'de> Visitor<'de> for Rows<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut rows: A) -> Result<(), A::Error> {
        for _ in 0..self.wanted.skipped {
            if rows.next_element::<IgnoredAny>()?.is_none() {
                return Ok(());
            }
        }
        while !self.is_full() {
            let Some(row) = rows.next_element::<Vec<Cell<'de>>>()? else { return Ok(()) };
            self.take(&row);
        }
        while rows.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Cell<'text>(#[serde(borrow, deserialize_with = "cell_text")] Option<Cow<'text, str>>);

/// `Option<Cow>` alone would copy every cell.
fn cell_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cow<'de, str>>, D::Error> {
    #[derive(serde::Deserialize)]
    struct Text<'text>(#[serde(borrow)] Cow<'text, str>);
    Ok(Option::<Text<'de>>::deserialize(deserializer)?.map(|text| text.0))
}

/// What is shown of a text that is too long; `None` of any other.
fn beginning(text: &str, characters_max: usize) -> Option<&str> {
    if text.len() <= characters_max {
        return None;
    }
    text.char_indices().nth(characters_max).map(|(end, _)| &text[..end])
}

fn shown(text: &str, kind: CellKind) -> ShownCell {
    let as_json = match kind {
        CellKind::Number | CellKind::Float | CellKind::Boolean => RawValue::from_string(text.to_owned()).ok(),
        CellKind::SemiStructured => {
            String::from_utf8(compact(text)).ok().and_then(|text| RawValue::from_string(text).ok())
        }
        _ => None,
    };
    as_json.unwrap_or_else(|| {
        let mut written = Vec::with_capacity(text.len() + 16);
        kind.write_shown(text, &mut written);
        as_text(&String::from_utf8_lossy(&written))
    })
}

fn as_text(text: &str) -> ShownCell {
    to_raw_value(text).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn taken(data: &str, skipped: u64, rows_max: usize, bytes_max: usize) -> (String, usize) {
        let columns = [(0, CellKind::Number), (2, CellKind::Text), (1, CellKind::Date)];
        let mut taken = Taken::default();
        take(data, &Wanted { skipped, rows_max, bytes_max, columns: &columns }, &mut taken).unwrap();
        (serde_json::to_string(&taken.rows).unwrap(), taken.cut_cells)
    }

    #[test]
    fn the_wanted_rows_are_taken() {
        let data = r#"[["1","0","a"],["123456789012345678901234567890.50",null,"b\""],["3","1","c"]]"#;
        let check = |wanted: (u64, usize, usize), expected: &str| {
            assert_eq!(taken(data, wanted.0, wanted.1, wanted.2).0, expected, "{wanted:?}");
        };
        check((0, 1, 1000), r#"[[1,"a","1970-01-01"]]"#);
        check((1, 9, 1000), r#"[[123456789012345678901234567890.50,"b\"",null],[3,"c","1970-01-02"]]"#);
        check((0, 9, 1), r#"[[1,"a","1970-01-01"]]"#);
        check((5, 9, 1000), "[]");
    }

    #[test]
    fn long_cells_are_cut() {
        let data = format!(r#"[["1",null,"{}"]]"#, "ä".repeat(CELL_CHARACTERS_MAX + 1));
        let (rows, cut_cells) = taken(&data, 0, 9, 100_000);
        assert_eq!(cut_cells, 1);
        assert_eq!(rows, format!(r#"[[1,"{}…",null]]"#, "ä".repeat(CELL_CHARACTERS_MAX)));
    }

    #[test]
    fn cells_are_shown_as_what_they_are() {
        let check = |kind, text, expected: &str| assert_eq!(shown(text, kind).get(), expected, "{text}");
        check(CellKind::Float, "NaN", r#""NaN""#);
        check(CellKind::Float, "1e100", "1e100");
        check(CellKind::Boolean, "true", "true");
        check(CellKind::SemiStructured, "{\n  \"a\": [1, \"x y\"]\n}", r#"{"a":[1,"x y"]}"#);
        check(CellKind::SemiStructured, "undefined", r#""undefined""#);
        check(CellKind::Text, "1", r#""1""#);
    }
}
