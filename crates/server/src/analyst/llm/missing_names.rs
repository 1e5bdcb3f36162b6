//! Names that neither the model nor the data have. A language model may know that they stand for a value of the data; SQL that
//! leaves them out, or compares with what no row has, is no answer.

/// The first of the missing names, where the SQL compares with no text but what the question says.
pub fn left_out<'n>(question: &str, missing: &'n [String], sql: &str) -> Option<&'n str> {
    let name = missing.first()?;
    let asked = question.to_lowercase();
    let is_translated = literals(sql).iter().any(|literal| !asked.contains(literal.as_str()));
    (!is_translated).then_some(name.as_str())
}

/// The texts in single quotes that stand for words, in lower case.
fn literals(sql: &str) -> Vec<String> {
    let quoted = sql.split('\'').skip(1).step_by(2).map(str::to_lowercase);
    quoted.filter(|text| text.chars().any(char::is_alphabetic) && !is_unit(text)).collect()
}

/// Texts that functions of time take.
fn is_unit(text: &str) -> bool {
    matches!(text, "year" | "quarter" | "month" | "week" | "day" | "hour" | "minute")
}

#[cfg(test)]
mod tests {
    use super::{left_out, literals};

    #[test]
    fn a_name_may_be_translated_and_not_left_out() {
        let missing = ["zeppelins".to_owned()];
        let check = |sql: &str, expected: Option<&str>| {
            assert_eq!(left_out("rentals of zeppelins", &missing, sql), expected, "{sql}");
        };
        check("SELECT COUNT(*) FROM __rentals", Some("zeppelins"));
        check("SELECT COUNT(*) FROM __rentals WHERE kind = 'zeppelins'", Some("zeppelins"));
        check("SELECT COUNT(*) FROM __rentals WHERE kind = 'Airship'", None);
        assert_eq!(left_out("rentals", &[], "SELECT 1"), None);
    }

    #[test]
    fn literals_are_texts_in_quotes() {
        let sql = "SELECT DATE_TRUNC('MONTH', d) FROM t WHERE kind = 'Airship' AND day > '2024-01-01'";
        assert_eq!(literals(sql), ["airship"]);
        assert!(literals("SELECT 1").is_empty());
    }
}
