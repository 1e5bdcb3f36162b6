//! `firn console`: opens the console in the browser, with a token of one day.

use std::error::Error;
use std::process::{Command, Stdio};

use firn_sql::names::display_identifier;

use crate::connection::ConnectionOptions;
use crate::examples::examples;
use crate::output::{outln, sayln};
use crate::server::{Server, Table};
use crate::token;

const EXAMPLES: &str = examples!("firn console", "firn console --no-open");
const TOKEN_PREFIX: &str = "FIRN_CONSOLE_";
/// A user has a limited number of tokens; those that the console had before make room.
const TOKENS_KEPT: usize = 2;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Print the address, and open no browser
    #[arg(long)]
    no_open: bool,

    #[command(flatten)]
    connection: ConnectionOptions,
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let server = Server::new(arguments.connection)?;
    let user = token::own_name(&server)?;
    for name in outdated(&token::list(&server, &user)?) {
        token::revoke(&server, &user, &display_identifier(&name))?;
    }
    let name = format!("{TOKEN_PREFIX}{}", chrono::Utc::now().timestamp_millis());
    let secret = token::create(&server, &user, &name, Some(1), None)?;
    let url = format!("{}/#token={secret}", server.http().url());
    // Behind `#` nothing is sent to any server. The address is for the one who asks alone, and good for a day.
    outln!("{url}");
    if !arguments.no_open && !is_opened(&url) {
        sayln!("no browser could be opened; the address is good for a day");
    }
    Ok(())
}

/// Tokens of the console that have expired or are too many, the oldest first.
fn outdated(tokens: &Table) -> Vec<String> {
    let place = |name: &str| tokens.columns.iter().position(|column| column == name);
    let (Some(name), Some(status), Some(created)) = (place("name"), place("status"), place("created_on")) else {
        return Vec::new();
    };
    let cell = |row: &Vec<Option<String>>, place: usize| row.get(place).cloned().flatten().unwrap_or_default();
    let own = tokens.rows.iter().filter(|row| cell(row, name).starts_with(TOKEN_PREFIX));
    let (mut active, mut gone): (Vec<_>, Vec<_>) = own.partition(|row| cell(row, status) == "ACTIVE");
    active.sort_by_key(|row| cell(row, created));
    let surplus = active.len().saturating_sub(TOKENS_KEPT);
    gone.extend(active.into_iter().take(surplus));
    gone.into_iter().map(|row| cell(row, name)).collect()
}

fn is_opened(url: &str) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let has_screen = cfg!(target_os = "macos")
        || ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    if !has_screen {
        return false;
    }
    let opened =
        Command::new(program).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    opened.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_tokens_of_the_console_make_room() {
        let row = |name: &str, status: &str, created: &str| {
            vec![Some(name.to_owned()), Some(status.to_owned()), Some(created.to_owned())]
        };
        let tokens = Table {
            columns: ["name", "status", "created_on"].map(str::to_owned).to_vec(),
            types: Vec::new(),
            rows: vec![
                row("MINE", "EXPIRED", "1"),
                row("FIRN_CONSOLE_3", "ACTIVE", "3"),
                row("FIRN_CONSOLE_2", "ACTIVE", "2"),
                row("FIRN_CONSOLE_4", "ACTIVE", "4"),
                row("FIRN_CONSOLE_1", "EXPIRED", "1"),
            ],
        };
        assert_eq!(outdated(&tokens), ["FIRN_CONSOLE_1", "FIRN_CONSOLE_2"]);
    }
}
