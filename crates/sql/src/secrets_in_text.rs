//! Statement texts as they are stored and shown: with the secrets of some statements redacted.

use std::borrow::Cow;

/// Properties whose values are secret.
const SECRETS: [&str; 5] = ["AWS_KEY_ID", "AWS_SECRET_KEY", "AWS_TOKEN", "AZURE_SAS_TOKEN", "MASTER_KEY"];

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

/// Where the next value lies, without its quotes.
fn next_secret(text: &str, from: usize) -> Option<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let mut position = from;
    while position < bytes.len() {
        // Texts are long and secrets are rare.
        let may_begin = matches!(bytes[position].to_ascii_uppercase(), b'A' | b'M');
        let found = SECRETS.iter().find(|name| may_begin && begins_with_word(bytes, position, name));
        match found.and_then(|name| value_behind(text, position + name.len())) {
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
    let begun = rest.trim_start_matches(|c: char| c.is_whitespace() || "=:>\"".contains(c));
    let quotes = begun.bytes().take_while(|byte| *byte == b'\'').count();
    if let Some(quoted) = begun.strip_prefix("$$") {
        let start = text.len() - quoted.len();
        return Some(start..quoted.find("$$").map_or(text.len(), |end| start + end));
    }
    if quotes == 0 {
        let is_assigned = rest[..rest.len() - begun.len()].contains('=');
        let start = text.len() - begun.len();
        let length = begun.find(|c: char| c.is_whitespace() || ",();".contains(c)).unwrap_or(begun.len());
        return (is_assigned && length > 0).then_some(start..start + length);
    }
    let start = text.len() - begun.len() + quotes;
    let end = text[start..].find(&"'".repeat(quotes)).map_or(text.len(), |end| start + end);
    Some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_wherever_they_stand() {
        for (text, expected) in [
            ("select 1", "select 1"),
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
        ] {
            assert_eq!(hidden(text), expected);
        }
    }
}
