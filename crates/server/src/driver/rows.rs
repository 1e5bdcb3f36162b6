//! Rows as drivers read them: booleans are `"1"` and `"0"`, where stored rows have words. Rows are rewritten as they pass, and
//! those without booleans not at all.

use serde_json::Value;

/// Rewrites the booleans of rows that come piece by piece.
pub struct BooleanRewriter {
    /// Whether each column is boolean.
    columns: Vec<bool>,
    state: State,
    column: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    BetweenRows,
    BetweenCells,
    Text,
    /// Behind a backslash.
    Escaped,
    /// In the word of a boolean.
    Word,
}

impl BooleanRewriter {
    /// For rows of these types; `None` where there is nothing to rewrite.
    pub fn of(row_type: &str) -> Option<Self> {
        if !row_type.contains(r#""type":"boolean""#) {
            return None;
        }
        let types: Vec<Value> = serde_json::from_str(row_type).ok()?;
        let columns = types.iter().map(|column| column["type"] == "boolean").collect();
        Some(Self { columns, state: State::BetweenRows, column: 0 })
    }

    /// Appends a piece of the rows to `out`.
    pub fn rewrite(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        out.reserve(piece.len());
        for &byte in piece {
            self.state = match (self.state, byte) {
                (State::BetweenRows, b'[') => {
                    self.column = 0;
                    out.push(byte);
                    State::BetweenCells
                }
                (State::BetweenCells, b',') => {
                    self.column += 1;
                    out.push(byte);
                    State::BetweenCells
                }
                // The outer bracket of all rows.
                (State::BetweenCells, b'[') => {
                    out.push(byte);
                    State::BetweenCells
                }
                (State::BetweenCells, b']') => {
                    out.push(byte);
                    State::BetweenRows
                }
                (State::BetweenCells, b'"') => {
                    out.push(byte);
                    if self.columns.get(self.column) == Some(&true) { State::Word } else { State::Text }
                }
                (State::Word, b'"') => {
                    out.push(byte);
                    State::BetweenCells
                }
                (State::Word, b't' | b'f') => {
                    out.push(if byte == b't' { b'1' } else { b'0' });
                    State::Word
                }
                (State::Word, _) => State::Word,
                (State::Text, b'\\') => {
                    out.push(byte);
                    State::Escaped
                }
                (State::Text, b'"') => {
                    out.push(byte);
                    State::BetweenCells
                }
                (State::Escaped, _) => {
                    out.push(byte);
                    State::Text
                }
                (state, _) => {
                    out.push(byte);
                    state
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(rows: &str, piece: usize) -> String {
        let row_type = r#"[{"type":"text"},{"type":"boolean"},{"type":"boolean"}]"#;
        let mut rewriter = BooleanRewriter::of(row_type).unwrap_or_else(|| panic!("it has booleans"));
        let mut out = Vec::new();
        rows.as_bytes().chunks(piece).for_each(|piece| rewriter.rewrite(piece, &mut out));
        String::from_utf8(out).unwrap_or_default()
    }

    #[test]
    fn booleans_become_digits_wherever_the_pieces_end() {
        let rows = r#"[["true","true","false"],["[\"],\\",null,"true"],[null,"false",null]]"#;
        let expected = r#"[["true","1","0"],["[\"],\\",null,"1"],[null,"0",null]]"#;
        for piece in 1..rows.len() {
            assert_eq!(rewritten(rows, piece), expected, "pieces of {piece}");
        }
        assert_eq!(rewritten("[]", 8), "[]");
        let (rows, expected) = (&rows[1..rows.len() - 1], &expected[1..expected.len() - 1]);
        assert_eq!(rewritten(rows, 7), expected, "without the outer brackets");
    }

    #[test]
    fn rows_without_booleans_stay_as_they_are() {
        assert!(BooleanRewriter::of(r#"[{"type":"text"}]"#).is_none());
    }
}
