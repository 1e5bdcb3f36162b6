//! What a person sees on standard output when the server starts.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

/// How the first start came by the administrator's token.
pub enum FirstToken<'token> {
    /// Made by the server: this is the only time it is shown.
    Generated(&'token str),
    /// Given by the operator, who knows it.
    Given,
}

pub fn first_start(data_dir: &Path, url: &str, token: &FirstToken<'_>) -> String {
    let folder = data_dir.display();
    let (opening, shown) = match token {
        FirstToken::Generated(token) => (
            format!(
                "This is the first start on `{folder}`. The access token of user ADMIN, shown only this once:\n\n    {token}\n"
            ),
            *token,
        ),
        FirstToken::Given => (
            format!("This is the first start on `{folder}`. User ADMIN has the access token that was given.\n"),
            "$FIRN_ADMIN_TOKEN",
        ),
    };
    format!(
        r#"{opening}
Try it:

    curl {url}/api/v2/statements \
      -H "Authorization: Bearer {shown}" \
      -H "Content-Type: application/json" \
      -d '{{"statement": "select 1 + 1 as two"}}'

The API is described at {url}/api/v2/docs
"#
    )
}

pub fn ready(url: &str, took: Duration) -> String {
    format!("firn {} is ready in {} ms, listening on {url}", env!("CARGO_PKG_VERSION"), took.as_millis())
}

/// One line for the program that started the server. A given token is known to it.
pub fn machine_readable(url: &str, account: &str, token: &FirstToken<'_>) -> String {
    let mut line = json!({
        "url": url,
        "account": account,
        "user": "ADMIN",
        "version": env!("CARGO_PKG_VERSION"),
        "process": std::process::id(),
    });
    if let FirstToken::Generated(token) = token {
        line["token"] = json!(token);
    }
    line.to_string()
}

/// An address to paste: a server on all interfaces is reached on this machine by its loopback one.
pub fn base_url(address: SocketAddr, scheme: &str) -> String {
    if address.ip().is_unspecified() {
        format!("{scheme}://localhost:{}", address.port())
    } else {
        format!("{scheme}://{address}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_token_is_not_shown() {
        let given = first_start(Path::new("data"), "http://127.0.0.1:8090", &FirstToken::Given);
        assert!(given.contains("Bearer $FIRN_ADMIN_TOKEN"));
        let generated = first_start(Path::new("data"), "http://127.0.0.1:8090", &FirstToken::Generated("secret"));
        assert!(generated.contains("Bearer secret") && generated.contains("-d '{\"statement\": "));
    }

    #[test]
    fn the_url_can_be_pasted() {
        let check = |address: &str, url: &str| {
            assert_eq!(address.parse().map(|address| base_url(address, "http")), Ok(url.to_owned()));
        };
        check("127.0.0.1:8090", "http://127.0.0.1:8090");
        check("0.0.0.0:80", "http://localhost:80");
        check("[::1]:80", "http://[::1]:80");
    }
}
