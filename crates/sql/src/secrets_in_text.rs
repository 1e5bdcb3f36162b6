//! Statement texts as they are stored and shown: with the secrets of some statements redacted.

use std::borrow::Cow;

/// Properties whose values are secret.
const SECRETS: [&str; 13] = [
    "AWS_KEY_ID",
    "AWS_SECRET_KEY",
    "AWS_TOKEN",
    "AZURE_SAS_TOKEN",
    "MASTER_KEY",
    "PASSWORD",
    "ADMIN_PASSWORD",
    "API_KEY",
    "CLIENT_SECRET",
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
    let mut hidden = String::new();
    let mut copied_until = 0;
    let mut position = 0;
    while let Some(value) = next_secret(text, position) {
        hidden.push_str(&text[copied_until..value.start]);
        hidden.push_str(HIDDEN);
        copied_until = value.end;
        position = value.end;
    }
    if copied_until == 0 {
        return Cow::Borrowed(text);
    }
    hidden.push_str(&text[copied_until..]);
    Cow::Owned(hidden)
}

/// A message about the text, without the secrets that are in the text.
pub fn hidden_in_message(text: &str, message: String) -> String {
    let mut hidden = message;
    let mut position = 0;
    while let Some(value) = next_secret(text, position) {
        position = value.end;
        let secret = &text[value];
        if !secret.is_empty() && hidden.contains(secret) {
            hidden = hidden.replace(secret, HIDDEN);
        }
    }
    hidden
}

/// Where the next value lies, without its quotes.
fn next_secret(text: &str, from: usize) -> Option<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let mut position = from;
    while position < bytes.len() {
        // Texts are long and secrets are rare.
        let may_begin = b"ACDEMOPST".contains(&bytes[position].to_ascii_uppercase());
        let begun = |names: &[&str]| {
            let found = names.iter().find(|name| may_begin && begins_with_word(bytes, position, name));
            found.map(|name| position + name.len())
        };
        let value = begun(&SECRETS).and_then(|end| value_behind(text, end));
        match value.or_else(|| begun(&SECRET_CALLS).and_then(|end| arguments_behind(text, end))) {
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

/// The value behind a property's name: up to the quotes that end it, or to the end of the text. Within another text,
/// quotes are doubled.
fn value_behind(text: &str, from: usize) -> Option<std::ops::Range<usize>> {
    let rest = &text[from..];
    let begun = behind_signs(rest);
    if let Some(quoted) = begun.strip_prefix("$$") {
        let start = text.len() - quoted.len();
        return Some(start..quoted.find("$$").map_or(text.len(), |end| start + end));
    }
    let quotes = begun.bytes().take_while(|byte| *byte == b'\'').count();
    if quotes == 0 {
        let is_assigned = rest[..rest.len() - begun.len()].contains('=');
        let start = text.len() - begun.len();
        let length = begun.find(|c: char| c.is_whitespace() || ",();".contains(c)).unwrap_or(begun.len());
        return (is_assigned && length > 0).then_some(start..start + length);
    }
    let start = text.len() - begun.len() + quotes;
    let mut end = quoted_end(text.as_bytes(), start, quotes);
    while let Some(next) = joined_value(text, end + quotes, quotes) {
        end = quoted_end(text.as_bytes(), next, quotes);
    }
    Some(start..end)
}

/// Where a text begins that `||` joins to the one before.
fn joined_value(text: &str, from: usize, quotes: usize) -> Option<usize> {
    let joined = text.get(from..)?.trim_start().strip_prefix("||")?.trim_start();
    let begun = joined.bytes().take_while(|byte| *byte == b'\'').count();
    (begun >= quotes).then(|| text.len() - joined.len() + quotes)
}

/// The arguments of a call, up to the parenthesis that ends it or to the end of the text.
fn arguments_behind(text: &str, from: usize) -> Option<std::ops::Range<usize>> {
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
fn behind_signs(mut rest: &str) -> &str {
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "=:>\"".contains(c));
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
            ("alter user u set password = 'x' || 'secret' || 'y' z", "alter user u set password = '****' z"),
            ("alter user u set password 'p'", "alter user u set password '****'"),
            (
                "execute immediate 'alter user u set password = ''a''''b'''",
                "execute immediate 'alter user u set password = ''****'''",
            ),
            ("create user u must_change_password = true", "create user u must_change_password = true"),
            ("select password from t where x = 'y'", "select password from t where x = 'y'"),
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
        ] {
            assert_eq!(hidden(text), expected);
        }
    }

    #[test]
    fn messages_do_not_show_what_the_text_hides() {
        let hidden = |text: &str, message: &str| hidden_in_message(text, message.to_owned());
        assert_eq!(hidden("alter user u set password 'p4ss'", "unexpected ''p4ss''."), "unexpected ''****''.");
        assert_eq!(hidden("select 1", "unexpected '1'."), "unexpected '1'.");
    }
}
