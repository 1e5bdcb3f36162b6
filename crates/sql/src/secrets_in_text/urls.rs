//! Secrets in addresses: `https://user:password@host/` and the signature of `azure://host/path?sv=…&sig=…`.

use std::ops::Range;

use super::HIDDEN;

/// Parameters of addresses that give access.
const PARAMETERS: [&str; 6] =
    ["sig", "token", "access_token", "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token"];

/// In the order of the text.
pub(super) fn values(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut position = 0;
    while let Some(scheme) = text[position..].find("://") {
        let start = position + scheme + "://".len();
        let length = text[start..].find(|c: char| c.is_whitespace() || "'\"<>()$".contains(c));
        let end = start + length.unwrap_or(text.len() - start);
        found.extend(password(text, start..end));
        found.extend(parameters(text, start..end));
        position = end;
    }
    found
}

/// The message without the secret, where the message has it behind the same sign.
pub(super) fn hidden_in_message(text: &str, value: &Range<usize>, message: String) -> String {
    let sign = text[..value.start].chars().next_back().unwrap_or(':');
    message.replace(&format!("{sign}{}", &text[value.clone()]), &format!("{sign}{HIDDEN}"))
}

fn password(text: &str, address: Range<usize>) -> Option<Range<usize>> {
    let authority = text[address.clone()].split(['/', '?', '#']).next().unwrap_or_default();
    let (user, _) = authority.rsplit_once('@')?;
    let colon = user.find(':')?;
    let password = address.start + colon + 1..address.start + user.len();
    (!password.is_empty()).then_some(password)
}

fn parameters(text: &str, address: Range<usize>) -> Vec<Range<usize>> {
    let Some((path, query)) = text[address.clone()].split_once('?') else { return Vec::new() };
    let mut start = address.start + path.len() + 1;
    let mut found = Vec::new();
    for parameter in query.split('&') {
        if let Some((name, value)) = parameter.split_once('=')
            && !value.is_empty()
            && PARAMETERS.iter().any(|secret| secret.eq_ignore_ascii_case(name))
        {
            found.push(start + name.len() + 1..start + parameter.len());
        }
        start += parameter.len() + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::hidden;

    #[test]
    fn secrets_of_addresses_are_hidden() {
        for (text, expected) in [
            ("create stage s url = 's3://k:sec@b/x'", "create stage s url = 's3://k:****@b/x'"),
            ("select 'https://u:p@x@h/a:b@c', 'http://h:80/@x'", "select 'https://u:****@h/a:b@c', 'http://h:80/@x'"),
            (
                "create stage s url = 'azure://a/b?sv=1&sig=abc%3D&se=2' comment = 'c'",
                "create stage s url = 'azure://a/b?sv=1&sig=****&se=2' comment = 'c'",
            ),
            ("select 'https://h/?sigma=1&sig='", "select 'https://h/?sigma=1&sig='"),
        ] {
            assert_eq!(hidden(text), expected);
        }
    }
}
