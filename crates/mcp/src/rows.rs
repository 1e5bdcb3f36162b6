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
/// As written in JSON, where a character takes up to six bytes. What has no more is not cut for its bytes.
const CELL_BYTES_MIN: usize = 400;

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
    let cell = CellLimits {
        characters: fair_share.clamp(CELL_CHARACTERS_MIN, CELL_CHARACTERS_MAX),
        bytes: fair_share.max(CELL_BYTES_MIN),
    };
    serde_json::Deserializer::from_str(data).deserialize_seq(Rows { wanted, taken, cell })
}

/// The longest cell that is shown as a whole.
#[derive(Clone, Copy)]
struct CellLimits {
    characters: usize,
    bytes: usize,
}

impl CellLimits {
    /// What is shown of a text that is too long; `None` of any other.
    fn beginning(self, text: &str) -> Option<&str> {
        if text.len() <= self.characters.min(self.bytes / JSON_BYTES_OF_CHARACTER_MAX) {
            return None;
        }
        let mut bytes = 0;
        let mut is_beyond = |(index, (_, character)): &(usize, (usize, char))| {
            bytes += json_bytes(*character);
            *index >= self.characters || bytes > self.bytes
        };
        text.char_indices().enumerate().find(|place| is_beyond(place)).map(|(_, (end, _))| &text[..end])
    }
}

const JSON_BYTES_OF_CHARACTER_MAX: usize = 6;

fn json_bytes(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        '\0'..='\x1f' => JSON_BYTES_OF_CHARACTER_MAX,
        _ => character.len_utf8(),
    }
}

struct Rows<'wanted, 'taken> {
    wanted: &'wanted Wanted<'wanted>,
    taken: &'taken mut Taken,
    cell: CellLimits,
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
                Some(text) => match self.cell.beginning(text) {
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
    fn cells_of_many_columns_are_cut_by_their_bytes() {
        let columns = vec![(0, CellKind::Text); 1_000];
        let check = |cell: &str, characters: usize| {
            let mut taken = Taken::default();
            let wanted = Wanted { skipped: 0, rows_max: 1, bytes_max: 64 << 10, columns: &columns };
            take(&serde_json::to_string(&[[cell]]).unwrap(), &wanted, &mut taken).unwrap();
            let shown: String = serde_json::from_str(taken.rows[0][0].get()).unwrap();
            assert_eq!(shown.chars().filter(|character| *character != '…').count(), characters);
            assert!(taken.bytes < 1_000 * (CELL_BYTES_MIN + 10), "{}", taken.bytes);
        };
        check(&"x".repeat(5_000), 100);
        check(&"x".repeat(100), 100);
        check(&"\u{1}".repeat(5_000), 66);
        check(&"\u{1}".repeat(66), 66);
        check(&"😀".repeat(5_000), 100);
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
