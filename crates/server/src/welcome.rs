//! What a person sees on standard output when the server starts.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::config::ConsoleSwitch;

/// How the first start came by the administrator's token.
pub enum FirstToken<'token> {
    /// Made by the server: this is the only time it is shown.
    Generated(&'token str),
    /// Given by the operator, who knows it.
    Given,
}

/// `console` says whether there is one to point to.
pub fn first_start(data_dir: &Path, url: &str, token: &FirstToken<'_>, console: ConsoleSwitch) -> String {
    let folder = data_dir.display();
    let link = match (token, console) {
        (FirstToken::Generated(token), ConsoleSwitch::On) => {
            format!("\nThis link opens the console with it:\n\n    {url}/#token={token}\n")
        }
        _ => String::new(),
    };
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
        r#"{opening}{link}
Try it:

    curl {url}/api/v2/statements \
      -H "Authorization: Bearer {shown}" \
      -H "Content-Type: application/json" \
      -d '{{"statement": "select 1 + 1 as two"}}'

The API is described at {url}/api/v2/docs
"#
    )
}

pub fn ready(url: &str, took: Duration, console: ConsoleSwitch) -> String {
    let ready = format!("firn {} is ready in {} ms, listening on {url}", env!("CARGO_PKG_VERSION"), took.as_millis());
    match console {
        ConsoleSwitch::On => format!("The console is at {url}/\n{ready}"),
        ConsoleSwitch::Off => ready,
    }
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
        let shown = |token, console| first_start(Path::new("data"), "http://127.0.0.1:8090", &token, console);
        let given = shown(FirstToken::Given, ConsoleSwitch::On);
        assert!(given.contains("Bearer $FIRN_ADMIN_TOKEN") && !given.contains("#token"));
        let generated = shown(FirstToken::Generated("secret"), ConsoleSwitch::On);
        assert!(generated.contains("Bearer secret") && generated.contains("-d '{\"statement\": "));
        assert!(generated.contains("    http://127.0.0.1:8090/#token=secret\n"));
        let without_console = shown(FirstToken::Generated("secret"), ConsoleSwitch::Off);
        assert!(without_console.contains("Bearer secret") && !without_console.contains("#token"));
    }

    #[test]
    fn every_start_names_the_console_unless_it_is_off() {
        let shown = |console| ready("http://127.0.0.1:8090", Duration::from_millis(7), console);
        assert!(shown(ConsoleSwitch::On).contains("console is at http://127.0.0.1:8090/\n"));
        assert!(!shown(ConsoleSwitch::Off).contains("console"));
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
