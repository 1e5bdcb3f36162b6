//! Columns that are named like secrets: `UPDATE t SET password = 'x'` and `SELECT password = 'x'` assign and compare values of rows.
//! Which statement a name belongs to follows from the words that begin statements, also within blocks, the bodies of routines and
//! the texts of EXECUTE IMMEDIATE. Where one cannot tell, the name counts as a property.

use std::ops::Range;

use super::lexemes::literal_end;
use super::quoted_end;

/// Statements that read and change rows.
const OF_ROWS: [&str; 6] = ["SELECT", "WITH", "UPDATE", "DELETE", "INSERT", "MERGE"];
/// A statement of a block follows these words.
const BEFORE_STATEMENTS: [&str; 6] = ["BEGIN", "THEN", "ELSE", "LOOP", "DO", "REPEAT"];
/// Statements of blocks whose values may be queries.
const OF_BLOCKS: [&str; 8] = ["DECLARE", "LET", "RETURN", "IF", "ELSEIF", "FOR", "WHILE", "EXPLAIN"];
/// Words before the kind of what is created.
const MODIFIERS: [&str; 11] = [
    "OR",
    "REPLACE",
    "ALTER",
    "SECURE",
    "SCOPED",
    "TEMPORARY",
    "TEMP",
    "TRANSIENT",
    "RECURSIVE",
    "VOLATILE",
    "MATERIALIZED",
];
/// Kinds that are defined by a query, an expression or a block.
const WITH_BODIES: [&str; 6] = ["TABLE", "VIEW", "FUNCTION", "PROCEDURE", "MASKING", "ROW"];

/// The parts of a text in which names are columns.
#[derive(Default)]
pub(super) struct Columns {
    /// Queries and changes of rows, in the order of the text.
    of_rows: Vec<Range<usize>>,
    /// The columns that CREATE TABLE and ALTER TABLE define.
    of_tables: Vec<Range<usize>>,
}

impl Columns {
    pub(super) fn of(text: &str) -> Self {
        let mut columns = Self::default();
        columns.scan(text, 0..text.len(), 1);
        columns.of_rows.sort_unstable_by_key(|range| range.start);
        columns.of_tables.sort_unstable_by_key(|range| range.start);
        columns
    }

    /// Whether a name is a column that a statement compares or assigns.
    pub(super) fn has(&self, text: &str, name: &Range<usize>) -> bool {
        let sign = text[name.end..].trim_start_matches('"').trim_start();
        sign.starts_with('=') && !sign.starts_with("=>") && is_within(&self.of_rows, name.start)
    }

    /// Whether a value is the default of a table's column.
    pub(super) fn has_default(&self, value: &Range<usize>) -> bool {
        is_within(&self.of_tables, value.start)
    }

    /// Looks for statements in a part of the text, whose literals begin with so many quotes.
    fn scan(&mut self, text: &str, part: Range<usize>, quotes: usize) {
        let bytes = &text.as_bytes()[..part.end];
        let mut segment = Segment::default();
        let mut position = part.start;
        while position < part.end {
            let rest = &bytes[position..];
            let word = word_length(rest);
            if word > 0 {
                segment.word(&text[position..position + word], position, self);
                position += word;
                continue;
            }
            let Some(end) = lexeme_end(bytes, position, quotes) else {
                // What begins here has no end: nothing is known of it.
                return;
            };
            match rest[0] {
                b'\'' if quotes == 1 => {
                    segment.skip(position..end, self);
                    self.scan(text, position + 1..end - 1, 2);
                }
                b'$' if rest.starts_with(b"$$") => {
                    segment.skip(position..end, self);
                    self.scan(text, position + 2..end - 2, quotes);
                }
                b';' => segment.end(position, self),
                b'-' if rest.starts_with(b"->") => segment.arrow(position),
                _ => {}
            }
            if !is_space_or_comment(rest) && rest[0] != b'(' {
                segment.other();
            }
            position = end;
        }
        segment.end(part.end, self);
    }
}

/// Whether one of the ranges, which are in order, contains the position.
fn is_within(ranges: &[Range<usize>], position: usize) -> bool {
    let begun = ranges.partition_point(|range| range.start <= position);
    ranges[..begun].last().is_some_and(|range| range.contains(&position))
}

/// What the words before say of those that follow.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Expected {
    /// A statement.
    #[default]
    Statement,
    /// The kind that CREATE or ALTER names.
    Kind,
    /// A definition with a body, which AS or an arrow begins.
    Body,
    /// What AS begins: a query, a block, or the parameters of a policy.
    AfterAs,
    /// The columns of a query or a change.
    Columns,
    /// The table of UPDATE.
    Updated,
    /// A query in a statement of a block.
    Query,
    Properties,
}

/// The part of a text between two semicolons.
#[derive(Default)]
struct Segment {
    expected: Expected,
    /// Where the query or change begins.
    rows_from: Option<usize>,
    /// Where the definition of a table begins.
    table_from: Option<usize>,
}

impl Segment {
    fn word(&mut self, word: &str, position: usize, columns: &mut Columns) {
        let is_one_of = |known: &[&str]| known.iter().any(|known| word.eq_ignore_ascii_case(known));
        let is = |known: &str| word.eq_ignore_ascii_case(known);
        // No query or change has these words.
        if is_one_of(&["CREATE", "ALTER", "COPY"]) && self.expected != Expected::Kind {
            self.end(position, columns);
            self.expected = if is("COPY") { Expected::Properties } else { Expected::Kind };
            return;
        }
        self.expected = match self.expected {
            Expected::Statement | Expected::AfterAs if is_one_of(&OF_ROWS) => {
                self.table_ends(position, columns);
                self.rows_from = Some(position);
                if is("UPDATE") { Expected::Updated } else { Expected::Columns }
            }
            Expected::Statement | Expected::AfterAs if is_one_of(&BEFORE_STATEMENTS) => Expected::Statement,
            Expected::Statement | Expected::AfterAs if is_one_of(&OF_BLOCKS) => Expected::Query,
            Expected::AfterAs => Expected::Body,
            Expected::Statement => Expected::Properties,
            Expected::Kind if is_one_of(&MODIFIERS) => Expected::Kind,
            Expected::Kind if is_one_of(&WITH_BODIES) => {
                self.table_from = is("TABLE").then_some(position);
                Expected::Body
            }
            Expected::Kind => Expected::Properties,
            Expected::Body if is("AS") => Expected::AfterAs,
            // Somebody who means ALTER USER.
            Expected::Updated if is("USER") => {
                self.rows_from = None;
                Expected::Properties
            }
            Expected::Updated => Expected::Columns,
            Expected::Query | Expected::Properties if is_one_of(&BEFORE_STATEMENTS) => Expected::Statement,
            Expected::Query if is("SELECT") => {
                self.rows_from = Some(position);
                Expected::Columns
            }
            other => other,
        };
    }

    fn arrow(&mut self, position: usize) {
        if self.expected == Expected::Body {
            self.rows_from = Some(position);
            self.expected = Expected::Columns;
        }
    }

    /// Something else than a word or a parenthesis.
    fn other(&mut self) {
        self.expected = match self.expected {
            Expected::AfterAs => Expected::Body,
            Expected::Kind => Expected::Properties,
            Expected::Updated => Expected::Columns,
            other => other,
        };
    }

    /// A literal is a text of its own.
    fn skip(&mut self, literal: Range<usize>, columns: &mut Columns) {
        if let Some(from) = self.rows_from {
            self.rows_from = Some(literal.end);
            columns.of_rows.push(from..literal.start);
        }
    }

    fn table_ends(&mut self, position: usize, columns: &mut Columns) {
        columns.of_tables.extend(self.table_from.take().map(|from| from..position));
    }

    fn end(&mut self, position: usize, columns: &mut Columns) {
        self.table_ends(position, columns);
        columns.of_rows.extend(self.rows_from.take().map(|from| from..position));
        self.expected = Expected::Statement;
    }
}

fn word_length(bytes: &[u8]) -> usize {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_' || !byte.is_ascii();
    bytes.iter().take_while(is_part).count()
}

fn is_space_or_comment(rest: &[u8]) -> bool {
    rest[0].is_ascii_whitespace()
        || rest[0] == b';'
        || [&b"--"[..], b"//", b"/*"].iter().any(|sign| rest.starts_with(sign))
}

/// Where the comment, literal, quoted name or sign ends that begins here; `None` if it has no end.
fn lexeme_end(bytes: &[u8], position: usize, quotes: usize) -> Option<usize> {
    let rest = &bytes[position..];
    let behind = |sign: &[u8], from: usize| {
        let found = bytes.get(from..)?.windows(sign.len()).position(|window| window == sign)?;
        Some(from + found + sign.len())
    };
    match rest {
        [b'-', b'-', ..] | [b'/', b'/', ..] => Some(behind(b"\n", position).unwrap_or(bytes.len())),
        [b'/', b'*', ..] => behind(b"*/", position + 2),
        [b'$', b'$', ..] => behind(b"$$", position + 2),
        [b'\'', ..] if quotes == 1 => literal_end(bytes, position + 1).map(|end| end + 1),
        [b'\'', b'\'', ..] => {
            let end = quoted_end(bytes, position + quotes, quotes) + quotes;
            (end <= bytes.len()).then_some(end)
        }
        [b'\'', ..] => None,
        [b'"', ..] => behind(b"\"", position + 1),
        _ => Some(position + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::super::hidden;

    #[test]
    fn columns_of_queries_and_changes_are_shown() {
        for text in [
            "select * from t where password='a'",
            "select * from t where (password = 'a' and t.api_key = 'b') or not \"PASSWORD\" = 'c'",
            "with c as (select 1) select * from c join t on t.\"PASSWORD\" = 'x'",
            "delete from t where password = 'a'",
            "update t set password = 'a' where password = 'b'",
            "select password = 'a', iff(api_key = 'b', 1, 2) from t",
            "merge into t using s on t.k = s.k when matched then update set password = 'a'",
            "/* c */ update users set a = 1, password = 'p' -- ;\n where password = 'q'",
            "create view v as select * from t where password = 'a'",
            "create or replace secure view v (a, b) comment = 'c' as (select * from t where password = 'a')",
            "create table t as select password = 'x' as p from s",
            "create table t (token varchar default 'none', password varchar(10) default 'x')",
            "alter table t add column token varchar default 'none'",
            "create function f() returns boolean as 'select password = ''a'' from t'",
            "create function f() returns boolean as $$ select max(password = 'a') from t $$",
            "create procedure p() returns text as $$ begin update t set password = 'a'; return 'b'; end $$",
            "create procedure p() returns text as 'begin if (true) then update t set password = ''a''; end if; return 1; end'",
            "create masking policy m as (v text) returns text -> case when password = 'a' then v end",
            "begin let c cursor for select * from t where password = 'a'; return 1; end",
            "execute immediate 'update t set password = ''a'''",
            "select 1; update t set password = 'a'",
            "explain select * from t where password = 'a'",
        ] {
            assert_eq!(hidden(text), text);
        }
    }

    #[test]
    fn properties_are_hidden() {
        for (text, expected) in [
            ("select f(password => 'a')", "select f(password => '****')"),
            ("select 'x where password = ''a'''", "select 'x where password = ''****'''"),
            ("select 1; alter user u set password = 'a'", "select 1; alter user u set password = '****'"),
            ("select 1 alter user u set password = 'a'", "select 1 alter user u set password = '****'"),
            ("alter user u where password = 'a'", "alter user u where password = '****'"),
            (
                "alter user u set comment = 'select' password = 'a'",
                "alter user u set comment = 'select' password = '****'",
            ),
            ("alter user \"select\" set password = 'a'", "alter user \"select\" set password = '****'"),
            ("/* select */ alter user u set password = 'a'", "/* select */ alter user u set password = '****'"),
            ("update user u set password = 'a'", "update user u set password = '****'"),
            ("set password = 'a'", "set password = '****'"),
            (
                "begin if (exists (select 1)) then alter user u set password = 'a'; end if; end",
                "begin if (exists (select 1)) then alter user u set password = '****'; end if; end",
            ),
            (
                "begin for r in (select 1) do alter user u set password = 'a'; end for; end",
                "begin for r in (select 1) do alter user u set password = '****'; end for; end",
            ),
            (
                "copy into t from (select $1 from 's3://b') credentials = (aws_secret_key = 'a')",
                "copy into t from (select $1 from 's3://b') credentials = (aws_secret_key = '****')",
            ),
            (
                "create procedure p() returns text as $$ begin select 1; alter user u set password = 'a'; end $$",
                "create procedure p() returns text as $$ begin select 1; alter user u set password = '****'; end $$",
            ),
            (
                "select 1 where 'a' = 'alter user u set password = ''b'''",
                "select 1 where 'a' = 'alter user u set password = ''****'''",
            ),
            ("select 'it''s; update t set password = ''a", "select 'it''s; update t set password = ''****"),
        ] {
            assert_eq!(hidden(text), expected);
        }
    }

    #[test]
    fn a_long_text_is_read_in_one_pass() {
        for part in ["select password = 'a';", "update t set password = 'x' where ", "'select ", "begin then "] {
            let text = part.repeat(10_000);
            assert!(hidden(&text).len() <= text.len() + 4 * 10_000, "{part}");
        }
    }
}
