//! `firn token`: access tokens of a user. The secret of a new one is shown this once.

use std::error::Error;

use clap::Subcommand;
use firn_sql::names::escaped_literal;
use serde_json::json;

use crate::connection::{ConnectionOptions, stored_name};
use crate::examples::examples;
use crate::output::{outln, sayln};
use crate::server::{Server, Table};
use crate::table_output::print_table;
use crate::user::identifier;

const LIST_EXAMPLES: &str = examples!("firn token list", "firn token list --user anna --json");
const CREATE_EXAMPLES: &str = examples!(
    "firn token create ci --user anna --days 30",
    "firn token create nightly --user anna --restrict-to analyst > token.txt"
);
const REVOKE_EXAMPLES: &str = examples!("firn token revoke ci --user anna", "firn token revoke nightly --user anna");
const EXAMPLES: &str = examples!("firn token list", "firn token create ci --user anna --days 30");

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// Whose tokens [default: one's own]
    #[arg(long, value_name = "NAME", global = true)]
    user: Option<String>,

    #[command(flatten)]
    connection: ConnectionOptions,
}

#[derive(Subcommand)]
enum Command {
    /// List tokens, without their secrets
    #[command(after_help = LIST_EXAMPLES)]
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Create a token; its secret is written to the standard output, and nowhere else
    #[command(after_help = CREATE_EXAMPLES)]
    Create {
        /// Name of the token
        name: String,

        /// Days until it expires, 365 at most [default: 15]
        #[arg(long, value_parser = clap::value_parser!(u16).range(1..=365))]
        days: Option<u16>,

        /// The only role that may be used with it
        #[arg(long, value_name = "ROLE")]
        restrict_to: Option<String>,

        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Withdraw a token at once
    #[command(after_help = REVOKE_EXAMPLES)]
    Revoke {
        /// Name of the token
        name: String,
    },
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let server = Server::new(arguments.connection)?;
    let user = match &arguments.user {
        Some(user) => identifier(user)?,
        None => own_name(&server)?,
    };
    match arguments.command {
        Command::List { json } => {
            const COLUMNS: [&str; 6] = ["name", "user_name", "role_restriction", "status", "created_on", "expires_at"];
            print_table(&list(&server, &user)?, &COLUMNS, json)
        }
        Command::Create { name, days, restrict_to, json } => {
            let secret = create(&server, &user, &name, days, restrict_to.as_deref())?;
            if json {
                outln!("{:#}", json!({"name": stored_name(&name), "user": stored_name(&user), "token": secret}));
            } else {
                sayln!("token {} of {user}, shown only this once:", identifier(&name)?);
                outln!("{secret}");
            }
            Ok(())
        }
        Command::Revoke { name } => {
            revoke(&server, &user, &identifier(&name)?)?;
            outln!("token {} of {user} revoked", identifier(&name)?);
            Ok(())
        }
    }
}

/// The caller's own name, as SQL has it.
pub fn own_name(server: &Server) -> Result<String, Box<dyn Error>> {
    let table = server.rows("SELECT CURRENT_USER()")?;
    let name = table.rows.first().and_then(|row| row.first().cloned().flatten());
    Ok(firn_sql::names::display_identifier(&name.ok_or("the server does not say who one is")?))
}

pub fn list(server: &Server, user: &str) -> Result<Table, Box<dyn Error>> {
    server.rows(&format!("SHOW USER PROGRAMMATIC ACCESS TOKENS FOR USER {user}"))
}

/// The secret of a new token.
pub fn create(
    server: &Server,
    user: &str,
    name: &str,
    days: Option<u16>,
    restricted_to: Option<&str>,
) -> Result<String, Box<dyn Error>> {
    let mut statement = format!("ALTER USER {user} ADD PROGRAMMATIC ACCESS TOKEN {}", identifier(name)?);
    if let Some(role) = restricted_to {
        statement.push_str(&format!(" ROLE_RESTRICTION = {}", escaped_literal(&stored_name(role))));
    }
    if let Some(days) = days {
        statement.push_str(&format!(" DAYS_TO_EXPIRY = {days}"));
    }
    let made = server.rows(&statement)?;
    let place = made.columns.iter().position(|column| column == "token_secret");
    let secret = place.and_then(|place| made.rows.first()?.get(place)?.clone());
    Ok(secret.ok_or("the server's answer has no token")?)
}

pub fn revoke(server: &Server, user: &str, name: &str) -> Result<(), Box<dyn Error>> {
    server.rows(&format!("ALTER USER {user} REMOVE PROGRAMMATIC ACCESS TOKEN {name}")).map(drop)
}
