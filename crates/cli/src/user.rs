//! `firn user`: people and programs that may call. A password is asked for, or read from the standard input, and never an
//! argument, which others on the machine could read.

use std::error::Error;

use clap::Subcommand;
use firn_sql::names::{display_identifier, escaped_literal};

use crate::connection::{ConnectionOptions, stored_name};
use crate::examples::examples;
use crate::failure::{Failure, report};
use crate::output::outln;
use crate::password_input::new_password;
use crate::server::Server;
use crate::table_output::print_table;

const LIST_EXAMPLES: &str = examples!("firn user list", "firn user list --json");
const CREATE_EXAMPLES: &str =
    examples!("firn user create anna --grant analyst", "firn user create robot --grant analyst --service");
const DISABLE_EXAMPLES: &str = examples!("firn user disable anna", "firn user disable anna robot");
const ENABLE_EXAMPLES: &str = examples!("firn user enable anna", "firn user enable anna robot");
const PASSWORD_EXAMPLES: &str =
    examples!("firn user password anna --must-change < password.txt", "firn user password anna -c prod < password.txt");
const EXAMPLES: &str = examples!("firn user list", "firn user create anna --grant analyst");

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    connection: ConnectionOptions,
}

#[derive(Subcommand)]
enum Command {
    /// List the users
    #[command(after_help = LIST_EXAMPLES)]
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Create a user, and grant the roles that are named
    #[command(after_help = CREATE_EXAMPLES)]
    Create(Create),
    /// Shut users out, with their tokens and sessions
    #[command(after_help = DISABLE_EXAMPLES)]
    Disable {
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
    /// Let users in again
    #[command(after_help = ENABLE_EXAMPLES)]
    Enable {
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
    /// Set a user's password, which is asked for or read from the standard input
    #[command(after_help = PASSWORD_EXAMPLES)]
    Password {
        name: String,

        /// The user has to replace it at the first login
        #[arg(long)]
        must_change: bool,
    },
}

#[derive(clap::Args)]
struct Create {
    /// Name of the user; in quotes if letter case or signs count
    name: String,

    /// Role to grant; the first one is the default. Repeatable
    #[arg(long = "grant", value_name = "ROLE")]
    roles: Vec<String>,

    /// Give a password, which is asked for or read from the standard input
    #[arg(long)]
    password: bool,

    /// The user has to replace the password at the first login
    #[arg(long, requires = "password")]
    must_change: bool,

    /// Warehouse of requests that name none
    #[arg(long, value_name = "NAME")]
    default_warehouse: Option<String>,

    /// Database, or database.schema, of requests that name none
    #[arg(long, value_name = "NAME")]
    default_namespace: Option<String>,

    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,

    /// A program, which never has a password
    #[arg(long, conflicts_with = "password")]
    service: bool,
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let server = Server::new(arguments.connection)?;
    match arguments.command {
        Command::List { json } => {
            const COLUMNS: [&str; 6] =
                ["name", "type", "default_role", "disabled", "has_password", "last_success_login"];
            print_table(&server.rows("SHOW USERS")?, &COLUMNS, json)
        }
        Command::Create(create) => self::create(&server, &create),
        Command::Disable { names } => set_disabled(&server, &names, "TRUE", "disabled"),
        Command::Enable { names } => set_disabled(&server, &names, "FALSE", "enabled"),
        Command::Password { name, must_change } => {
            let password = new_password()?;
            let must_change = if must_change { "TRUE" } else { "FALSE" };
            let name = identifier(&name)?;
            let password = escaped_literal(&password);
            server
                .rows(&format!("ALTER USER {name} SET PASSWORD = {password} MUST_CHANGE_PASSWORD = {must_change}"))?;
            outln!("password of {name} set");
            Ok(())
        }
    }
}

fn create(server: &Server, create: &Create) -> Result<(), Box<dyn Error>> {
    let name = identifier(&create.name)?;
    let roles = create.roles.iter().map(|role| identifier(role)).collect::<Result<Vec<_>, _>>()?;
    let mut statement = format!("CREATE USER {name}");
    let mut set =
        |property: &str, value: &str| statement.push_str(&format!(" {property} = {}", escaped_literal(value)));
    if create.password {
        set("PASSWORD", &new_password()?);
    }
    if let Some(role) = create.roles.first() {
        set("DEFAULT_ROLE", &stored_name(role));
    }
    for (property, value) in [
        ("DEFAULT_WAREHOUSE", &create.default_warehouse),
        ("DEFAULT_NAMESPACE", &create.default_namespace),
        ("EMAIL", &create.email),
    ] {
        if let Some(value) = value {
            set(property, value);
        }
    }
    if create.must_change {
        statement.push_str(" MUST_CHANGE_PASSWORD = TRUE");
    }
    if create.service {
        statement.push_str(" TYPE = SERVICE");
    }
    server.rows(&statement)?;
    for role in &roles {
        if let Err(error) = server.rows(&format!("GRANT ROLE {role} TO USER {name}")) {
            return Err(undone(server, &name, error));
        }
    }
    outln!("user {name} created");
    roles.iter().for_each(|role| outln!("role {role} granted"));
    Ok(())
}

/// A user without all their roles is not left behind.
fn undone(server: &Server, name: &str, error: Box<dyn Error>) -> Box<dyn Error> {
    match server.rows(&format!("DROP USER {name}")) {
        Ok(_) => error,
        Err(kept) => format!("{error}; user {name} was created, and cannot be dropped again: {kept}").into(),
    }
}

fn set_disabled(server: &Server, names: &[String], value: &str, done: &str) -> Result<(), Box<dyn Error>> {
    let names = names.iter().map(|name| identifier(name)).collect::<Result<Vec<_>, _>>()?;
    let mut failed = None;
    for name in names {
        // One that is not there is no reason to leave the others as they are.
        match server.rows(&format!("ALTER USER {name} SET DISABLED = {value}")) {
            Ok(_) => outln!("user {name} {done}"),
            Err(error) => {
                if let Some(earlier) = failed.replace(error) {
                    report(earlier.as_ref());
                }
            }
        }
    }
    failed.map_or(Ok(()), Err)
}

/// A name as SQL has it.
pub fn identifier(name: &str) -> Result<String, Box<dyn Error>> {
    if name.is_empty() { Err(Failure::usage("a name is empty")) } else { Ok(display_identifier(&stored_name(name))) }
}
