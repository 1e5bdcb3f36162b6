//! Session variables whose names say that they have a secret: `SET db_password = '…'`.

use std::ops::Range;

use super::{arguments_behind, begins_with_word, behind_signs, value_behind};

const IN_NAMES: [&str; 6] = ["PASSWORD", "PASSWD", "PWD", "SECRET", "TOKEN", "CREDENTIAL"];
const NAMES: [&str; 3] = ["PW", "PASS", "PASSPHRASE"];

/// That of the statement, if it is SET.
pub(super) fn values(text: &str) -> Vec<Range<usize>> {
    let statement = behind_signs(text);
    if !begins_with_word(statement.as_bytes(), 0, "SET") {
        return Vec::new();
    }
    let names = behind_signs(&statement["SET".len()..]);
    let start = text.len() - names.len();
    let Some(equals) = names.find('=') else { return Vec::new() };
    let is_secret = names[..equals].split(|c: char| !c.is_alphanumeric() && c != '_').any(is_secret_name);
    let end = start + names[..equals].trim_end().len();
    let value = match names.starts_with('(') {
        true => arguments_behind(text, start + equals + 1),
        false => value_behind(text, start..end),
    };
    value.filter(|_| is_secret).into_iter().collect()
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    NAMES.contains(&name.as_str()) || IN_NAMES.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::super::hidden;

    #[test]
    fn values_of_variables_named_as_secrets_are_hidden() {
        for (text, expected) in [
            ("set pw = 'p4ss'", "set pw = '****'"),
            ("/* a */ SET Db_Password='it''s'", "/* a */ SET Db_Password='****'"),
            ("set (a, api_token) = ('x', 'y')", "set (a, api_token) = (****)"),
            ("set pwr = 'x'", "set pwr = 'x'"),
            ("set a = (select max(token) from t)", "set a = (select max(token) from t)"),
            ("select 1 as pw", "select 1 as pw"),
            ("set pw", "set pw"),
        ] {
            assert_eq!(hidden(text), expected);
        }
    }
}
