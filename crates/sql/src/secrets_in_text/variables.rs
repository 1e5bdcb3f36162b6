//! Variables that have a secret: their names say so, as in `SET db_password = '…'` and `LET token VARCHAR := '…'`, or the value of a
//! secret property is made of them, as in `'… PASSWORD = ''' || p || ''''`.

use std::collections::HashSet;
use std::ops::Range;

use super::{arguments_behind, begins_with_word, behind_signs, quoted_end, quoted_value, value_behind};

const IN_NAMES: [&str; 6] = ["PASSWORD", "PASSWD", "PWD", "SECRET", "TOKEN", "CREDENTIAL"];
const NAMES: [&str; 3] = ["PW", "PASS", "PASSPHRASE"];

/// That of the statement, if it is SET, and those of the variables of a block.
pub(super) fn values(text: &str) -> Vec<Range<usize>> {
    let mut found = of_set(text);
    found.extend(of_declarations(text));
    found
}

/// The variables that a secret value is made of, in upper case: `:p`, or what is joined to the quotes of the property.
pub(super) fn names_in(text: &str, value: &Range<usize>) -> Vec<String> {
    let written = text[value.clone()].split(';').next().unwrap_or_default();
    let is_quoted = text[..value.start].ends_with(['\'', '"']) || text[..value.start].ends_with("$$");
    let is_joined = written.trim_start().starts_with("||") || written.trim_start().starts_with(',');
    if is_quoted && !is_joined {
        return Vec::new();
    }
    let outside_of_literals = written.split('\'').step_by(2);
    let words = outside_of_literals.flat_map(|part| part.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words
        .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        .map(str::to_ascii_uppercase)
        .collect()
}

/// The literals that the text gives to variables of these names, by assignments and by `SELECT … INTO`.
pub(super) fn assigned(text: &str, names: &HashSet<String>) -> Vec<Range<usize>> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut position = 0;
    while let Some(start) = text[position..].find(is_part).map(|start| position + start) {
        position = start + text[start..].find(|c| !is_part(c)).unwrap_or(text.len() - start);
        if !names.contains(&text[start..position].to_ascii_uppercase()) {
            continue;
        }
        if let Some(open) = assigned_value(text, position) {
            let value = quoted_value(text, open);
            position = value.end;
            found.push(value);
        } else if let Some(query) = assigned_query(text, position).or_else(|| selected_into(text, start)) {
            position = position.max(query.end);
            found.extend(literals(text, query));
        }
    }
    found.retain(|value| !value.is_empty());
    found
}

/// The query in parentheses that a variable gets.
fn assigned_query(text: &str, behind_name: usize) -> Option<Range<usize>> {
    let rest = text[behind_name..].trim_start();
    let value = rest.strip_prefix(":=").or_else(|| rest.strip_prefix('='))?.trim_start();
    let query = value.strip_prefix('(').filter(|query| begins_with_word(query.trim_start().as_bytes(), 0, "SELECT"))?;
    arguments_behind(text, text.len() - query.len() - 1)
}

/// What a statement selects into the variable that begins at `name`, alone or in a list.
fn selected_into(text: &str, name: usize) -> Option<Range<usize>> {
    let is_listed = |c: char| c.is_whitespace() || c.is_alphanumeric() || "_:,".contains(c);
    let list = text[..name].trim_end_matches(is_listed).len();
    let into = (list..name).find(|position| begins_with_word(text.as_bytes(), *position, "INTO"))?;
    let select = (0..into).rev().find(|position| begins_with_word(text.as_bytes(), *position, "SELECT"))?;
    (!text[select..into].contains(';')).then_some(select..into)
}

/// The contents of the literals in a part of the text.
pub(super) fn literals(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut position = part.start;
    while let Some(open) = text[position..part.end].find('\'').map(|open| position + open) {
        let end = quoted_end(text.as_bytes(), open + 1, 1).min(part.end);
        found.push(open + 1..end);
        position = (end + 1).min(part.end);
    }
    found
}

/// Where the literal is that a variable gets, with or without a type before it.
fn assigned_value(text: &str, behind_name: usize) -> Option<usize> {
    let rest = text[behind_name..].trim_start();
    let is_default = begins_with_word(rest.as_bytes(), 0, "DEFAULT");
    let untyped = match is_default {
        true => rest.get("DEFAULT".len()..),
        false => rest.strip_prefix(":=").or_else(|| rest.strip_prefix('=')),
    };
    match untyped.map(str::trim_start).filter(|value| value.starts_with('\'')) {
        Some(value) => Some(text.len() - value.len()),
        None => declared_value(text, behind_name),
    }
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
    fn values_of_variables_in_secrets_are_hidden() {
        for (text, expected) in [
            (
                "declare p varchar default 'Secret1'; begin execute immediate 'alter user u set password = ''' || p || ''''; end",
                "declare p varchar default '****'; begin execute immediate 'alter user u set password = ''' || p || ''''; end",
            ),
            (
                "begin let p := 'Secret1'; let q := 'x'; alter user u set password = :p; end",
                "begin let p := '****'; let q := 'x'; alter user u set password = :****; end",
            ),
            (
                "set x = 'Secret1'; set y = 'a'; alter user u set password = $x",
                "set x = '****'; set y = 'a'; alter user u set password = ****",
            ),
            (
                "begin let p varchar(9) := 'it''s'; execute immediate concat('alter user u set password = ''', p, ''''); end",
                "begin let p varchar(9) := '****'; execute immediate concat('alter user u set password = ''', p, ''''); end",
            ),
            (
                "begin let p varchar; select 'Secret1', 2 into :p, :q; select 'a' into :r; alter user u set password = :p; end",
                "begin let p varchar; select '****', 2 into :p, :q; select 'a' into :r; alter user u set password = :****; end",
            ),
            (
                "begin let p varchar; select 'Secret1', 2 into :q, p from t where a = 'b'; alter user u set password = :p; end",
                "begin let p varchar; select '****', 2 into :q, p from t where a = 'b'; alter user u set password = :****; end",
            ),
            (
                "begin let p := (select 'Sec' || 'ret1' from t); alter user u set password = :p; end",
                "begin let p := (select '****' || '****' from t); alter user u set password = :****; end",
            ),
            (
                "set x = (select 'Secret1'); alter user u set password = $x",
                "set x = (select '****'); alter user u set password = ****",
            ),
            (
                "begin let p1 := 'x'; alter user u set password = 'p1'; end",
                "begin let p1 := 'x'; alter user u set password = '****'; end",
            ),
        ] {
            assert_eq!(hidden(text), expected);
        }
    }

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
