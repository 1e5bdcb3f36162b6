//! Variables whose names say that they have a secret: `SET db_password = '…'`, `LET token VARCHAR := '…'`.

use std::ops::Range;

use super::{arguments_behind, begins_with_word, behind_signs, quoted_value, value_behind};

const IN_NAMES: [&str; 6] = ["PASSWORD", "PASSWD", "PWD", "SECRET", "TOKEN", "CREDENTIAL"];
const NAMES: [&str; 3] = ["PW", "PASS", "PASSPHRASE"];

/// That of the statement, if it is SET, and those of the variables of a block.
pub(super) fn values(text: &str) -> Vec<Range<usize>> {
    let mut found = of_set(text);
    found.extend(of_declarations(text));
    found
}

/// `name VARCHAR(10) := '…'` and `name VARCHAR DEFAULT '…'`. Without a type the name is a property like any other.
fn of_declarations(text: &str) -> Vec<Range<usize>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let is_default = |bytes: &[u8]| bytes.eq_ignore_ascii_case(b"DEFAULT");
    // Long texts seldom declare anything.
    if !text.contains(":=") && !text.as_bytes().windows("DEFAULT".len()).any(is_default) {
        return found;
    }
    let mut position = 0;
    while let Some(start) = text[position..].find(is_part).map(|start| position + start) {
        let length = text[start..].find(|c| !is_part(c)).unwrap_or(text.len() - start);
        position = start + length;
        if is_secret_name(&text[start..position])
            && let Some(open) = declared_value(text, position)
        {
            let value = quoted_value(text, open);
            position = value.end;
            found.push(value);
        }
    }
    found
}

/// Where the literal is that a declaration gives behind the type of the variable.
fn declared_value(text: &str, behind_name: usize) -> Option<usize> {
    let data_type = text[behind_name..].trim_start();
    let word = data_type.find(|c: char| !c.is_ascii_alphabetic()).filter(|length| *length > 0)?;
    let mut rest = data_type[word..].trim_start();
    if let Some(arguments) = rest.strip_prefix('(') {
        rest = arguments.split_once(')')?.1.trim_start();
    }
    let is_default = begins_with_word(rest.as_bytes(), 0, "DEFAULT");
    let value = rest.strip_prefix(":=").or_else(|| rest.get("DEFAULT".len()..).filter(|_| is_default))?.trim_start();
    value.starts_with('\'').then(|| text.len() - value.len())
}

fn of_set(text: &str) -> Vec<Range<usize>> {
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
            ("declare password varchar default 'p'; begin end", "declare password varchar default '****'; begin end"),
            ("begin let pw varchar(10) := 'p'; return 'x'; end", "begin let pw varchar(10) := '****'; return 'x'; end"),
            ("create table t (token varchar, a int default 1)", "create table t (token varchar, a int default 1)"),
            ("select token from t where a = 'b'", "select token from t where a = 'b'"),
        ] {
            assert_eq!(hidden(text), expected);
        }
    }
}
