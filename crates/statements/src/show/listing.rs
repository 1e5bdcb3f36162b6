//! The rows of a SHOW, what they are read from, and how their cells are written.

use firn_engine::{Session, WireColumn};
use firn_sql::Failure;
use firn_sql::command::Show;

use crate::authorise::Authority;
use crate::clock::now_ms;
use crate::local_rows::LocalRows;
use crate::services::Services;
use crate::session_state::SessionState;

pub(crate) const MINUTE_MS: i64 = 60_000;
pub(crate) const DAY_MS: i64 = 86_400_000;

/// Rows of a SHOW before LIKE, STARTS WITH and LIMIT.
pub(super) struct Listing {
    pub(super) columns: Vec<WireColumn>,
    pub(super) rows: Vec<Vec<Option<String>>>,
}

/// What every kind's function is given.
pub(super) struct Viewer<'a> {
    pub(super) authority: Authority<'a>,
    pub(super) services: &'a Services,
    pub(super) session: &'a dyn Session,
    pub(super) state: &'a SessionState,
}

impl Listing {
    /// Columns are named with a space between them, `rows:integer created_on:instant name`; those that
    /// say nothing else are text.
    pub(super) fn of(columns: &str) -> Self {
        let columns = columns.split_whitespace().map(|column| match column.split_once(':') {
            Some((name, "integer" | "number")) => WireColumn::integer(name),
            Some((name, _)) => WireColumn::instant(name),
            None => WireColumn::text(column),
        });
        Self { columns: columns.collect(), rows: Vec::new() }
    }

    pub(super) fn add<const CELLS: usize>(&mut self, row: [Option<String>; CELLS]) {
        self.rows.push(row.into());
    }

    pub(super) fn narrowed(mut self, command: &Show) -> Result<LocalRows, Failure> {
        let name_column = self.columns.iter().position(|column| is_name_column(&column.name)).unwrap_or(0);
        let name = |row: &Vec<Option<String>>| row.get(name_column).cloned().flatten().unwrap_or_default();
        self.rows.retain(|row| has_wanted_name(&name(row), command));
        if let Some(limit) = command.limit {
            self.rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        }
        if command.terse {
            self = self.terse();
        }
        Ok(LocalRows::new(self.columns, self.rows))
    }

    /// TERSE has the same columns for every kind; what a kind does not have is null.
    fn terse(self) -> Self {
        let mut listing = Self::of("created_on:instant name kind database_name schema_name");
        let places: Vec<Option<usize>> = listing
            .columns
            .iter()
            .map(|wanted| self.columns.iter().position(|column| column.name == wanted.name))
            .collect();
        let cell = |row: &[Option<String>], place: &Option<usize>| row.get((*place)?).cloned().flatten();
        listing.rows = self.rows.iter().map(|row| places.iter().map(|place| cell(row, place)).collect()).collect();
        listing
    }
}

/// LIKE ignores case, STARTS WITH does not; FROM continues after the name it gives.
pub(super) fn has_wanted_name(name: &str, command: &Show) -> bool {
    let is_like = |pattern: &String| matches_pattern(&name.to_uppercase(), &pattern.to_uppercase());
    command.like.as_ref().is_none_or(is_like)
        && command.starts_with.as_ref().is_none_or(|start| name.starts_with(start.as_str()))
        && command.from.as_ref().is_none_or(|from| name > from.as_str())
}

fn is_name_column(name: &str) -> bool {
    matches!(name, "name" | "column_name" | "key" | "constraint_name" | "fk_name")
}

/// SQL's `%` and `_`, with `\` before either for itself.
fn matches_pattern(text: &str, pattern: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let pattern: Vec<char> = pattern.chars().collect();
    // After each pattern character: which lengths of the text it can have used up.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    let mut characters = pattern.iter();
    while let Some(&character) = characters.next() {
        let mut next = vec![false; text.len() + 1];
        match character {
            '%' => {
                let mut open = false;
                for (length, slot) in next.iter_mut().enumerate() {
                    open |= reached[length];
                    *slot = open;
                }
            }
            '_' => next[1..].copy_from_slice(&reached[..text.len()]),
            _ => {
                let literal = if character == '\\' { characters.next().copied().unwrap_or('\\') } else { character };
                for length in 0..text.len() {
                    next[length + 1] = reached[length] && text[length] == literal;
                }
            }
        }
        reached = next;
    }
    reached[text.len()]
}

/// SHOW has a code of its own for a schema or database that it cannot look into; clients take that for an empty listing.
pub(super) fn missing_scope(missing: Failure) -> Failure {
    Failure { code: "002043", sql_state: "02000", ..missing }
}

pub(super) fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

/// An instant of the contract: seconds since 1970 with three digits behind the point.
pub(crate) fn instant(milliseconds: i64) -> Option<String> {
    Some(format!("{}.{:03}", milliseconds.div_euclid(1_000), milliseconds.rem_euclid(1_000)))
}

/// How many units are left until then, begun ones included; nothing once it has come.
pub(crate) fn units_left(until_ms: Option<i64>, unit_ms: i64) -> Option<String> {
    let left_ms = until_ms?.saturating_sub(now_ms());
    (left_ms > 0).then(|| left_ms.unsigned_abs().div_ceil(unit_ms.unsigned_abs()).to_string())
}

pub(super) fn yes_no(value: bool) -> Option<String> {
    text(if value { "Y" } else { "N" })
}

pub(super) fn comment(value: Option<&str>) -> Option<String> {
    text(value.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::matches_pattern;

    #[test]
    fn like_patterns() {
        let cases = [
            ("ORDERS", "ORDERS", true),
            ("ORDERS", "ORD%", true),
            ("ORDERS", "%ER%", true),
            ("ORDERS", "O_DERS", true),
            ("ORDERS", "O_DER", false),
            ("A%B", "A\\%B", true),
            ("AXB", "A\\%B", false),
            ("", "%", true),
            ("", "_", false),
        ];
        for (text, pattern, expected) in cases {
            assert_eq!(matches_pattern(text, pattern), expected, "{text} LIKE {pattern}");
        }
    }
}
