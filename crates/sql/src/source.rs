//! The text of statements, before anything of it is read.

#[derive(Clone, Debug)]
pub struct ParseLimits {
    pub text_bytes_max: usize,
    pub statements_max: usize,
    pub nesting_depth_max: usize,
}

/// One statement's text and where it begins in the request: lines from 1, positions from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceStatement {
    pub text: String,
    pub line: u64,
    pub position: u64,
}

impl SourceStatement {
    /// The text without comments and blanks before the statement.
    pub fn code(&self) -> &str {
        without_comments_before(&self.text)
    }

    /// The statement without comments and blanks before it.
    pub(crate) fn of_code(&self) -> Self {
        let text = self.code();
        let before = &self.text[..self.text.len() - text.len()];
        let lines = before.matches('\n').count() as u64;
        let on_last = before.rsplit('\n').next().unwrap_or_default().chars().count() as u64;
        let position = if lines == 0 { self.position + on_last } else { on_last };
        Self { text: text.to_owned(), line: self.line + lines, position }
    }
}

pub(crate) fn without_comments_before(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let after = if is_line_comment(rest) {
            rest.split_once('\n').map(|(_, after)| after)
        } else if rest.starts_with("/*") {
            rest.split_once("*/").map(|(_, after)| after)
        } else {
            None
        };
        match after {
            Some(after) => rest = after.trim_start(),
            None => return rest,
        }
    }
}

/// Whether the text begins with a comment that ends with its line.
pub(crate) fn is_line_comment(text: &str) -> bool {
    text.starts_with("--") || text.starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::SourceStatement;

    #[test]
    fn comments_and_blanks_are_before_the_code() {
        for (text, code, line, position) in [
            ("select 1", "select 1", 1, 0),
            ("  select 1", "select 1", 1, 2),
            ("/* a */ select 1 -- b", "select 1 -- b", 1, 8),
            ("-- a\n\n // b\n select /* c */ 1", "select /* c */ 1", 4, 1),
            ("/* a /* b **/\n(select 1)", "(select 1)", 2, 0),
        ] {
            let source = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
            let expected = SourceStatement { text: code.to_owned(), line, position };
            assert_eq!(source.of_code(), expected, "{text}");
        }
    }
}
