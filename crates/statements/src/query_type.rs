//! The kinds of statements, as histories show them.

use firn_sql::SourceStatement;

/// `SELECT`, `INSERT`, `CREATE_TABLE`: from the first words behind comments.
pub fn query_type(text: &str) -> String {
    const FILLERS: [&str; 9] =
        ["OR", "REPLACE", "SCOPED", "TRANSIENT", "TEMPORARY", "TEMP", "SECURE", "RECURSIVE", "VOLATILE"];
    let source = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
    let words = source.code().split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let mut words = words.map(str::to_ascii_uppercase);
    match words.next().as_deref() {
        Some("WITH" | "SELECT" | "VALUES") => "SELECT".to_owned(),
        Some("DESC") => "DESCRIBE".to_owned(),
        Some("TRUNCATE") => "TRUNCATE_TABLE".to_owned(),
        Some(verb @ ("CREATE" | "ALTER" | "DROP")) => {
            let kind = words.find(|word| !FILLERS.contains(&word.as_str()));
            format!("{verb}_{}", kind.as_deref().unwrap_or("OBJECT"))
        }
        Some(word) => word.to_owned(),
        None => "UNKNOWN".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::query_type;

    #[test]
    fn a_statement_is_named_by_its_first_words() {
        let cases = [
            ("select 1", "SELECT"),
            ("with a as (select 1) select * from a", "SELECT"),
            ("create or replace transient table t (a int)", "CREATE_TABLE"),
            ("insert into t values (1)", "INSERT"),
            ("alter table t add a int", "ALTER_TABLE"),
            ("-- all of them\n/* of DELETE */ select 1", "SELECT"),
            ("", "UNKNOWN"),
        ];
        for (text, expected) in cases {
            assert_eq!(query_type(text), expected, "{text}");
        }
    }
}
