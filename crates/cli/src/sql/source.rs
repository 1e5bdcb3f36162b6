//! Where a text comes from, for messages that name the place of an error in it.

use super::script::{Kind, Planned, place_in};
use crate::output::cells::on_one_line;
use crate::output::sayln;

/// Longer lines are not repeated in messages.
const LINE_SHOWN_MAX: usize = 200;

const ELSEWHERE: [&str; 2] = ["Uncaught exception of type ", "Failure during expansion of "];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The argument or the prompt.
    Typed,
    /// A file, or the standard input.
    File(String),
}

impl Source {
    /// Shows a failure, with the place that its message names.
    pub fn report(&self, message: &str, code: &str, sql_state: &str, statement: Option<&Planned>) {
        sayln!("{}", self.text(message, code, sql_state, statement));
    }

    fn text(&self, message: &str, code: &str, sql_state: &str, statement: Option<&Planned>) -> String {
        let is_block = statement.is_some_and(|statement| statement.kind == Kind::Block);
        // Of routines, files and views, places count in other texts.
        let is_elsewhere = ELSEWHERE.iter().any(|words| message.contains(words)) && !is_block;
        let place = if is_elsewhere { None } else { place_in(message) };
        let message = message.replace('\n', " ");
        let message = on_one_line(&message);
        let mut text = match self.place(place, statement) {
            Some(place) => format!("firn: {place}: {message} ({code}, {sql_state})"),
            None => format!("firn: {message} ({code}, {sql_state})"),
        };
        let shown = place.zip(statement).and_then(|((line, position), statement)| marked(statement, line, position));
        if let Some(marked) = shown {
            text.push('\n');
            text.push_str(&marked);
        }
        text
    }

    /// `file:line`, counted in the file.
    fn place(&self, place: Option<(u64, u64)>, statement: Option<&Planned>) -> Option<String> {
        let Self::File(name) = self else { return None };
        let line = match (statement, place) {
            (Some(statement), Some((line, _))) => statement.source.line + line.saturating_sub(1),
            (Some(statement), None) => statement.source.line,
            (None, Some((line, _))) => line,
            (None, None) => return Some(name.clone()),
        };
        Some(format!("{name}:{line}"))
    }
}

/// The line of the statement, with a mark below the position.
fn marked(statement: &Planned, line: u64, position: u64) -> Option<String> {
    let line = statement.source.text.lines().nth(usize::try_from(line).ok()?.checked_sub(1)?)?;
    let position = usize::try_from(position).ok()?;
    if line.len() > LINE_SHOWN_MAX || position > line.chars().count() {
        return None;
    }
    Some(format!("  {}\n  {}^", on_one_line(line), " ".repeat(position)))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::super::script::plan;
    use super::*;

    #[test]
    fn a_failure_is_shown_at_its_place() {
        let planned = plan("select 1;\nselect a,\n  b\nfrom t").unwrap();
        let file = Source::File("x.sql".to_owned());
        let message = "SQL compilation error: error line 2 at position 2\ninvalid identifier 'B'";
        assert_eq!(
            file.text(message, "000904", "42000", planned.last()),
            "firn: x.sql:3: SQL compilation error: error line 2 at position 2 invalid identifier 'B' (000904, 42000)\n    b\n    ^"
        );
        assert_eq!(
            file.text("Division by zero", "100051", "22012", planned.last()),
            "firn: x.sql:2: Division by zero (100051, 22012)"
        );
        assert_eq!(Source::Typed.text("No", "1", "2", None), "firn: No (1, 2)");
        let uncaught = "Uncaught exception of type 'X' on line 2 at position 1 : a\u{1b}]0;b";
        let place = |text: &str| file.text(uncaught, "1", "2", plan(text).unwrap().last());
        assert!(place("select 1;\n\ncall p()").starts_with("firn: x.sql:3: Uncaught"));
        assert!(place("select 1;\n\ncall p()").ends_with(" : a\\u{1b}]0;b (1, 2)"));
        assert!(place("select 1;\n\nbegin\n f;\nend").ends_with("\n   f;\n   ^"));
    }
}
