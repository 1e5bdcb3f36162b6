//! Which messages and texts of the trail may show values of what a statement read. Who reads the trail need not be allowed to.

use crate::reads::{ReadKind, Reads};

/// Of names and privileges: the messages quote names of the statement's text, and those of views and functions have other codes.
const CODES_OF_NAMES: [&str; 3] = ["000904", "002003", "003001"];
/// Classes of SQL states: want of resources, and interruptions.
const STATES_OF_RESOURCES: [&str; 2] = ["53", "57"];
/// With one of these words a name may be the value of an expression, or the message one of a statement inside of the statement.
const COMPUTING_WORDS: [&str; 9] =
    ["IDENTIFIER", "TABLE", "CALL", "EXECUTE", "BEGIN", "DECLARE", "PROCEDURE", "PIVOT", "GETVARIABLE"];

/// A failure as it is recorded.
pub struct RecordedFailure<'a> {
    pub code: &'a str,
    pub sql_state: &'a str,
    pub reads: Option<&'a str>,
    pub text: &'a str,
}

/// Whether the message of a failure may quote a value.
pub fn may_quote_values(failure: &RecordedFailure<'_>) -> bool {
    let Some(recorded) = failure.reads else { return false };
    let Some(reads) = Reads::parse(recorded) else { return true };
    if reads.is_empty() {
        return false;
    }
    let is_routine = |kind: ReadKind| matches!(kind, ReadKind::Function | ReadKind::Procedure);
    let has_routines = reads.objects.iter().any(|read| is_routine(read.kind));
    let quotes_names = CODES_OF_NAMES.contains(&failure.code)
        || STATES_OF_RESOURCES.iter().any(|class| failure.sql_state.starts_with(class));
    !quotes_names || has_routines || reads.in_text || may_compute_names(failure.text)
}

/// Whether the text of a statement was computed from values.
pub fn is_computed_text(reads: Option<&str>) -> bool {
    let is_computed = |recorded| Reads::parse(recorded).is_none_or(|reads| reads.in_text && !reads.is_empty());
    reads.is_some_and(is_computed)
}

/// By variables of the session or of a block, IDENTIFIER, or statements that run others.
fn may_compute_names(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    text.contains('$')
        || text.replace("::", "").contains(':')
        || words.any(|word| COMPUTING_WORDS.iter().any(|computing| computing.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const READS: &str =
        r#"{"objects":[{"kind":"relation","database":1,"id":2,"schema":"S","name":"T","needs":"SELECT"}]}"#;

    fn quotes(code: &str, sql_state: &str, reads: Option<&str>, text: &str) -> bool {
        may_quote_values(&RecordedFailure { code, sql_state, reads, text })
    }

    #[test]
    fn messages_are_shown_if_they_quote_the_text_alone() {
        assert!(!quotes("000904", "42000", Some(READS), "SELECT NOT_THERE::INT FROM T"));
        assert!(!quotes("300010", "53200", Some(READS), "SELECT * FROM T ORDER BY A"));
        assert!(!quotes("100038", "22018", None, "SELECT 'a'::INT"));
        assert!(!quotes("100038", "22018", Some("{}"), "SELECT 'a'::INT"));
    }

    #[test]
    fn messages_are_not_shown_if_names_may_be_values() {
        assert!(quotes("100038", "22018", Some(READS), "SELECT A::INT FROM T"));
        assert!(quotes("001079", "22023", Some(READS), "SELECT COLLATE('a', A) FROM T"));
        for text in ["SELECT * FROM IDENTIFIER($x)", "drop view identifier(:c)", "CALL P()", "SELECT * FROM Table(F())"]
        {
            assert!(quotes("002003", "42S02", Some(READS), text), "{text}");
        }
        assert!(quotes("002003", "42S02", Some("not reads"), "SELECT 1"));
        assert!(quotes("002003", "42S02", Some(&READS.replace("relation", "function")), "SELECT F()"));
    }

    #[test]
    fn texts_are_not_shown_if_they_were_computed_from_values() {
        let computed = format!("{},\"in_text\":true}}", &READS[..READS.len() - 1]);
        assert!(is_computed_text(Some(&computed)) && !is_computed_text(Some(READS)) && !is_computed_text(None));
        assert!(!is_computed_text(Some(r#"{"in_text":true}"#)));
        assert!(quotes("002003", "42S02", Some(&computed), "SELECT * FROM X"));
    }
}
