//! Statement texts as they are stored and shown: with the secrets of some statements redacted.

mod columns;
mod joined_literals;
pub mod known_values;
mod lexemes;
mod unknown_properties;
mod urls;
mod variables;

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::HashSet;
use std::ops::Range;

use columns::Columns;
use lexemes::Lexemes;

/// Properties whose values are secret.
const SECRETS: [&str; 15] = [
    "AWS_KEY_ID",
    "AWS_SECRET_KEY",
    "AWS_TOKEN",
    "AZURE_SAS_TOKEN",
    "BEARER_TOKEN",
    "MASTER_KEY",
    "PASSWORD",
    "ADMIN_PASSWORD",
    "API_KEY",
    "CLIENT_SECRET",
    "HEADERS",
    "OAUTH_CLIENT_SECRET",
    "OAUTH_REFRESH_TOKEN",
    "PRIVATE_KEY",
    "SECRET_STRING",
];

/// Functions whose arguments are secret: a passphrase, and what it hides.
const SECRET_CALLS: [&str; 6] = ["ENCRYPT", "ENCRYPT_RAW", "DECRYPT", "DECRYPT_RAW", "TRY_DECRYPT", "TRY_DECRYPT_RAW"];

const HIDDEN: &str = "****";

/// The text with `****` in the place of every secret. It searches for property names without parsing, so that secrets
/// are also redacted in statements that do not parse or are nested in the text of another one.
pub fn hidden(text: &str) -> Cow<'_, str> {
    replaced(text, secrets(text))
}

fn replaced(text: &str, secrets: Vec<Range<usize>>) -> Cow<'_, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut hidden = String::new();
    let mut copied_until = 0;
    for value in secrets {
        hidden.push_str(&text[copied_until..value.start]);
        hidden.push_str(HIDDEN);
        copied_until = value.end;
    }
    hidden.push_str(&text[copied_until..]);
    Cow::Owned(hidden)
}

/// As `hidden`, of a statement that sets a variable: what the variable is for is not known yet, so none of its literals is shown.
pub fn hidden_assignment(text: &str) -> Cow<'_, str> {
    let found = variables::literals(text, 0..text.len());
    replaced(text, apart(found.into_iter().chain(secrets(text)).collect()))
}

/// Whether the text begins with SET.
pub fn is_assignment(text: &str) -> bool {
    begins_with_word(behind_signs(text).as_bytes(), 0, "SET")
}

/// A message about the text, in which a secret of the text that stands there as a quoted value is redacted. Words of the message
/// that merely look like the secret stay.
pub fn hidden_in_message(text: &str, message: String) -> String {
    let mut redacted = message;
    for value in urls::values(text) {
        redacted = urls::hidden_in_message(text, &value, redacted);
    }
    for value in secrets(text) {
        let written = &text[value];
        for secret in [written, &written.replace("''", "'")] {
            if !secret.is_empty() && redacted.contains(secret) {
                redacted = hidden_in_quotes(redacted, secret);
            }
        }
    }
    redacted
}

/// A part of the text, for an error that quotes it, with `****` in the place of what is secret there.
pub(crate) fn hidden_part(text: &str, part: Range<usize>) -> String {
    let mut hidden = String::new();
    let mut copied_until = part.start;
    for value in secrets(text) {
        if value.end <= part.start || value.start >= part.end {
            continue;
        }
        hidden.push_str(&text[copied_until..value.start.max(copied_until)]);
        hidden.push_str(HIDDEN);
        copied_until = value.end.min(part.end);
    }
    hidden.push_str(&text[copied_until..part.end]);
    hidden
}

fn hidden_in_quotes(message: String, secret: &str) -> String {
    [("'", "'"), ("\"", "\""), ("[", "]"), ("`", "`")].iter().fold(message, |message, (open, close)| {
        message.replace(&format!("{open}{secret}{close}"), &format!("{open}{HIDDEN}{close}"))
    })
}

/// Where secrets lie, without their quotes, in the order of the text. None overlaps another.
fn secrets(text: &str) -> Vec<Range<usize>> {
    secrets_and_variables(text).0
}

/// Also the names of the variables that secrets are made of, in upper case.
fn secrets_and_variables(text: &str) -> (Vec<Range<usize>>, HashSet<String>) {
    let candidates = candidates(text);
    if candidates.is_empty() {
        return (apart(joined_literals::values(text, written_secrets)), HashSet::new());
    }
    let names: HashSet<String> = candidates.iter().flat_map(|value| variables::names_in(text, value)).collect();
    let mut found = clipped(text, candidates);
    found.extend(joined_literals::values(text, written_secrets));
    if !names.is_empty() {
        found.extend(variables::assigned(text, &names));
    }
    (apart(found), names)
}

fn apart(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.sort_unstable_by_key(|value| value.start);
    let mut apart: Vec<Range<usize>> = Vec::new();
    for value in found {
        match apart.last_mut().filter(|before| value.start < before.end) {
            Some(before) => before.end = before.end.max(value.end),
            None => apart.push(value),
        }
    }
    apart
}

fn written_secrets(text: &str) -> Vec<Range<usize>> {
    clipped(text, candidates(text))
}

/// The parts of values that can be ones.
fn clipped(text: &str, mut values: Vec<Range<usize>>) -> Vec<Range<usize>> {
    if values.is_empty() {
        return values;
    }
    let lexemes = Lexemes::of(text);
    values.iter_mut().for_each(|value| *value = lexemes.clipped(value.clone()));
    values.retain(|value| !value.is_empty());
    values
}

/// What follows the names of secrets, be it a value or not.
fn candidates(text: &str) -> Vec<Range<usize>> {
    // Most texts have no name that looks like a secret's.
    let columns = LazyCell::new(|| Columns::of(text));
    let mut found = unknown_properties::values(text);
    found.extend(urls::values(text));
    found.extend(variables::values(text).into_iter().filter(|value| !columns.has_default(value)));
    let is_column = |name: &Range<usize>| columns.has(text, name);
    let lexemes = LazyCell::new(|| Lexemes::of(text));
    let mut next = next_secret(text, 0, &is_column);
    while let Some(value) = next {
        next = next_secret(text, lexemes.clipped(value.clone()).end, &is_column);
        found.push(value);
    }
    found
}

/// Where the next value lies, without its quotes.
fn next_secret(text: &str, from: usize, is_column: &dyn Fn(&Range<usize>) -> bool) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut position = from;
    while position < bytes.len() {
        // Texts are long and secrets are rare.
        if !b"ABCDEHMOPST".contains(&bytes[position].to_ascii_uppercase()) {
            position += 1;
            continue;
        }
        let begun = |names: &[&str]| {
            let found = names.iter().find(|name| begins_with_word(bytes, position, name));
            found.map(|name| position..position + name.len())
        };
        let assigned = begun(&SECRETS).filter(|name| !is_column(name));
        let value = assigned.and_then(|name| value_behind(text, name));
        match value.or_else(|| begun(&SECRET_CALLS).and_then(|name| arguments_behind(text, name.end))) {
            Some(value) => return Some(value),
            None => position += 1,
        }
    }
    None
}

fn begins_with_word(bytes: &[u8], position: usize, word: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let end = position + word.len();
    bytes.get(position..end).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
        && !bytes.get(end).is_some_and(is_part)
        && !position.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(is_part)
}

/// The value behind a property's name: up to the quotes that end it and what follows them as a part of the value, or to the end of
/// the text.
fn value_behind(text: &str, name: Range<usize>) -> Option<Range<usize>> {
    let is_quoted_name = text[..name.start].ends_with('"') && text[name.end..].starts_with('"');
    let rest = &text[name.end + usize::from(is_quoted_name)..];
    let value = behind_signs(rest);
    let start = text.len() - value.len();
    let signs = &rest[..rest.len() - value.len()];
    let is_assigned = signs.contains('=');
    if let Some(quoted) = value.strip_prefix("$$") {
        return Some(start + 2..quoted.find("$$").map_or(text.len(), |end| start + 2 + end));
    }
    if value.starts_with('\'') {
        // In `'password', 1` the name is the end of a literal.
        let may_end_literal = signs.is_empty() && !begins_definition(text);
        return (!may_end_literal).then(|| quoted_value(text, start));
    }
    if value.starts_with('"') {
        let is_value = is_assigned || signs.contains(':') || begins_definition(text);
        return is_value.then(|| start + 1..double_quoted_end(text, start + 1));
    }
    if value.starts_with('(') && is_assigned {
        return arguments_behind(text, start);
    }
    let length = value.find(|c: char| c.is_whitespace() || ",();".contains(c)).unwrap_or(value.len());
    let is_value =
        is_assigned || (defines_user(&text[..name.start]) && !value[..length].eq_ignore_ascii_case("POLICY"));
    (is_value && length > 0).then_some(start..start + length)
}

/// The value that begins with single quotes, which are doubled within another text. Literals that follow it are parts of it, though no
/// statement may say so; and where a quote within the value was not doubled, nobody knows where the value ends.
fn quoted_value(text: &str, open: usize) -> Range<usize> {
    let quotes = text[open..].bytes().take_while(|byte| *byte == b'\'').count();
    let start = open + quotes;
    let mut end = quoted_end(text.as_bytes(), start, quotes);
    let mut behind = text.get(end + quotes..).unwrap_or_default();
    loop {
        if behind.starts_with(|c: char| c.is_alphanumeric() || "_!@#$%^&*?~\\".contains(c)) {
            return start..text.len();
        }
        match following_literal(text, behind, quotes) {
            Some(next) => (end, behind) = next,
            None => return start..end,
        }
    }
}

/// Where the value of the literal ends that follows, maybe behind `||` or a comma, and what is behind its quotes.
fn following_literal<'a>(text: &'a str, behind: &str, quotes: usize) -> Option<(usize, &'a str)> {
    let literal = behind_signs_of(behind, "|,");
    let start = text.len() - literal.len();
    let (end, closing) = if let Some(quoted) = literal.strip_prefix("$$") {
        (quoted.find("$$").map_or(text.len(), |end| start + 2 + end), 2)
    } else if literal.bytes().take_while(|byte| *byte == b'\'').count() >= quotes {
        (quoted_end(text.as_bytes(), start + quotes, quotes), quotes)
    } else {
        return None;
    };
    Some((end, text.get(end + closing..).unwrap_or_default()))
}

fn double_quoted_end(text: &str, start: usize) -> usize {
    let mut position = start;
    while let Some(found) = text[position..].find('"') {
        let end = position + found;
        if !text[end + 1..].starts_with('"') {
            return end;
        }
        position = end + 2;
    }
    text.len()
}

/// Whether the statement defines something, so that a name in double quotes behind a property is its value and no alias.
fn begins_definition(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    ["CREATE", "ALTER"].iter().any(|word| first.eq_ignore_ascii_case(word))
}

/// Whether CREATE or ALTER USER begins the text.
fn defines_user(text: &str) -> bool {
    begins_definition(text) && text.split_whitespace().take(4).any(|word| word.eq_ignore_ascii_case("USER"))
}

/// The arguments of a call, up to the parenthesis that ends it or to the end of the text.
fn arguments_behind(text: &str, from: usize) -> Option<Range<usize>> {
    let arguments = text[from..].trim_start().strip_prefix('(')?;
    let start = text.len() - arguments.len();
    let (mut depth, mut is_quoted) = (1_u32, false);
    for (index, byte) in arguments.bytes().enumerate() {
        match byte {
            b'\'' => is_quoted = !is_quoted,
            b'(' if !is_quoted => depth += 1,
            b')' if !is_quoted => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (index > 0).then_some(start..start + index);
        }
    }
    (start < text.len()).then_some(start..text.len())
}

/// What follows the signs, whitespace and comments behind a name.
fn behind_signs(rest: &str) -> &str {
    behind_signs_of(rest, "=:>")
}

fn behind_signs_of<'a>(mut rest: &'a str, signs: &str) -> &'a str {
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || signs.contains(c));
        let end = if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2)
        } else if rest.starts_with("--") || rest.starts_with("//") {
            rest.find('\n')
        } else {
            return rest;
        };
        rest = &rest[end.unwrap_or(rest.len())..];
    }
}

/// Where a value ends that `quotes` quotes began: twice as many of them, and those behind a backslash, are part of it.
fn quoted_end(bytes: &[u8], start: usize, quotes: usize) -> usize {
    let mut position = start;
    while position < bytes.len() {
        let run = bytes[position..].iter().take_while(|byte| **byte == b'\'').count();
        if run == 0 {
            position += 1;
            continue;
        }
        let backslashes = bytes[start..position].iter().rev().take_while(|byte| **byte == b'\\').count();
        // How backslashes count within another text depends on its own quotes: rather too much is hidden there.
        let is_escaped = if quotes == 1 { backslashes % 2 == 1 } else { backslashes > 0 };
        let behind_doubled = run % (2 * quotes);
        if is_escaped {
            position += 1;
        } else if behind_doubled >= quotes {
            return position + run - behind_doubled;
        } else {
            position += run;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_wherever_they_stand() {
        for (text, expected) in [
            ("select 1", "select 1"),
            ("create user u password = 'p1' comment = 'c'", "create user u password = '****' comment = 'c'"),
            ("alter user u set PASSWORD='it''s' x", "alter user u set PASSWORD='****' x"),
            (r"alter user u set password = 'a\'b' x", "alter user u set password = '****' x"),
            (r"alter user u set password = 'a\\' x", "alter user u set password = '****' x"),
            (
                "alter user u set password /* = 'n' */ = -- 'c'\n 'p' x",
                "alter user u set password /* = 'n' */ = -- 'c'\n '****' x",
            ),
            ("set \"PASSWORD\" = 'p'", "set \"PASSWORD\" = '****'"),
            ("/* password=' */ drop table t", "/* password='*****/ drop table t"),
            ("-- password=' \ndrop table t", "-- password='****\ndrop table t"),
            ("/* password='p' */ drop table t", "/* password='****' */ drop table t"),
            ("/* password=' */ alter user u set password='p'", "/* password='*****/ alter user u set password='****'"),
            ("select 'password=' a, max(v) from t", "select 'password=' a, max(v) from t"),
            (
                "select 'password=', x; alter user u set password = 'p'",
                "select 'password=', x; alter user u set password = '****'",
            ),
            ("alter user u set password='' 'p'", "alter user u set password=''****"),
            ("alter user u set password = 'x' || 'secret' || 'y' z", "alter user u set password = '****' z"),
            ("alter user u set password 'p'", "alter user u set password '****'"),
            ("alter user u set password = 'a' 'b' email = 'c'", "alter user u set password = '****' email = 'c'"),
            ("alter user u set password 'a' /* 'n' */ $$b$$ x", "alter user u set password '****$$ x"),
            ("create user u password = 'a', 'b'", "create user u password = '****'"),
            ("create user u password = 'it's mine' comment = 'c'", "create user u password = '****"),
            ("create user u password = ('a', 'b') comment = 'c'", "create user u password = (****) comment = 'c'"),
            ("create user u password = \"a b\" comment = 'c'", "create user u password = \"****\" comment = 'c'"),
            ("alter user u set password \"a\"\"b\" x", "alter user u set password \"****\" x"),
            ("alter user u set password bare x", "alter user u set password **** x"),
            ("alter user u set password policy p", "alter user u set password policy p"),
            ("alter user u unset password, comment", "alter user u unset password, comment"),
            ("select password \"alias\" from t", "select password \"alias\" from t"),
            ("select '{\"password\": \"a b\", \"n\": 1}'", "select '{\"password\": \"****\", \"n\": 1}'"),
            (
                "execute immediate 'alter user u set password = ''a'' ''b'' x'",
                "execute immediate 'alter user u set password = ''****'' x'",
            ),
            (
                "execute immediate 'alter user u set password = ''a''''b'''",
                "execute immediate 'alter user u set password = ''****'''",
            ),
            ("create user u must_change_password = true", "create user u must_change_password = true"),
            ("select password from t where x = 'y'", "select password from t where x = 'y'"),
            ("select 'password', a from t where a = 'b'", "select 'password', a from t where a = 'b'"),
            ("select 1 where n = 'a PASSWORD' and m = 'USERS'", "select 1 where n = 'a PASSWORD' and m = 'USERS'"),
            ("alter user u set password'p'", "alter user u set password'****'"),
            (
                "create stage s url='s3://b' credentials=(aws_key_id='AK' AWS_SECRET_KEY = 'S/e+c' aws_token='t') comment='c'",
                "create stage s url='s3://b' credentials=(aws_key_id='****' AWS_SECRET_KEY = '****' aws_token='****') comment='c'",
            ),
            (
                "credentials = (AWS_KEY_ID\n=\n'A' ,AWS_SECRET_KEY='B')",
                "credentials = (AWS_KEY_ID\n=\n'****' ,AWS_SECRET_KEY='****')",
            ),
            (
                "execute immediate 'alter stage s set credentials = (aws_secret_key = ''x'')'",
                "execute immediate 'alter stage s set credentials = (aws_secret_key = ''****'')'",
            ),
            ("aws_secret_key 'no sign", "aws_secret_key '****"),
            ("aws_secret_key = $$x$$)", "aws_secret_key = $$****$$)"),
            ("(aws_secret_key = bare, x)", "(aws_secret_key = ****, x)"),
            ("(aws_secret_key =", "(aws_secret_key ="),
            ("select aws_secret_key from t", "select aws_secret_key from t"),
            ("select my_aws_token = 'x'", "select my_aws_token = 'x'"),
            ("ä aws_token='ä' ä", "ä aws_token='****' ä"),
            (
                "create secret s type = generic_string secret_string = 'x'",
                "create secret s type = generic_string secret_string = '****'",
            ),
            ("select encrypt('a)b', f('it''s')), 'c' from t", "select encrypt(****), 'c' from t"),
            ("select decrypt ( x , 'pass", "select decrypt (****"),
            ("select encrypted('a'), decrypt()", "select encrypted('a'), decrypt()"),
            (
                "create external function f() returns int api_integration = i headers = ('k' = 'v') as 'https://h'",
                "create external function f() returns int api_integration = i headers = (****) as 'https://h'",
            ),
            (
                "create secret s type = oauth2 api_authentication = 'a' comment = 'c'",
                "create secret s type = oauth2 api_authentication = '****' comment = 'c'",
            ),
            ("create share s secret = 'x' comment = 'c'", "create share s secret = '****' comment = 'c'"),
            ("alter warehouse w set client_token = 'x'", "alter warehouse w set client_token = '****'"),
            (
                "create view v as select * from t where token = 'x'",
                "create view v as select * from t where token = 'x'",
            ),
        ] {
            assert_eq!(hidden(text), expected);
        }
    }

    #[test]
    fn an_assignment_shows_no_literal() {
        assert_eq!(hidden_assignment("set a = 'it''s'"), "set a = '****'");
        assert_eq!(
            hidden_assignment("set (a, b) = ('x', (select max(c) || 'y' from t))"),
            "set (a, b) = ('****', (select max(c) || '****' from t))"
        );
        assert_eq!(hidden_assignment("set api_token = 'x'"), "set api_token = '****'");
        assert_eq!(hidden_assignment("set a = 1"), "set a = 1");
    }

    #[test]
    fn messages_do_not_show_what_the_text_hides() {
        let hidden = |text: &str, message: &str| hidden_in_message(text, message.to_owned());
        assert_eq!(hidden("alter user u set password 'p4ss'", "unexpected ''p4ss''."), "unexpected ''****''.");
        assert_eq!(hidden("select 1", "unexpected '1'."), "unexpected '1'.");
        assert_eq!(hidden("create user u password = 'it''s'", "invalid value [it's]"), "invalid value [****]");
        assert_eq!(hidden("create user u password = 'a'", "a value 'b' of a user"), "a value 'b' of a user");
        assert_eq!(
            hidden("create stage s url = 's3://u:p@h/b'", "invalid 's3://u:p@h/b'"),
            "invalid 's3://u:****@h/b'"
        );
        assert_eq!(hidden("list 'https://h?sig=p'", "no [https://h?sig=p], p"), "no [https://h?sig=****], p");
    }

    #[test]
    fn a_part_of_the_text_shows_what_is_not_secret() {
        let text = "create user u password = 'a' 'b' comment = 'a'";
        let part = |from: &str| hidden_part(text, text.find(from).unwrap_or(0)..text.len());
        assert_eq!(part("'b'"), "****' comment = 'a'");
        assert_eq!(part("'a'"), "'****' comment = 'a'");
        assert_eq!(part("comment"), "comment = 'a'");
        assert_eq!(hidden_part(text, 0..6), "create");
        assert_eq!(hidden_part(text, 29..32), "****'");
    }
}
