//! `firn stage`: brings files to stages of a running server, fetches, lists and removes them.

mod client;
mod transfer;

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

use clap::Subcommand;
use firn_sql::stages::StageLocation;

use client::Client;

use crate::output::outln;

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    connection: Connection,

    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Args)]
struct Connection {
    /// Where the server is
    #[arg(long, env = "FIRN_URL", value_name = "URL", default_value = "http://127.0.0.1:8090", global = true)]
    url: String,

    /// Access token, or another token the server takes
    #[arg(long, env = "FIRN_TOKEN", value_name = "TOKEN", hide_env_values = true, global = true)]
    token: Option<String>,

    /// Database of a stage that is named without one
    #[arg(long, env = "FIRN_DATABASE", value_name = "NAME", default_value = "FIRN", global = true)]
    database: String,

    /// Schema of a stage that is named without one
    #[arg(long, env = "FIRN_SCHEMA", value_name = "NAME", default_value = "PUBLIC", global = true)]
    schema: String,

    /// Role to use [default: the user's own]
    #[arg(long, env = "FIRN_ROLE", value_name = "NAME", global = true)]
    role: Option<String>,

    /// Show no progress
    #[arg(long, short, global = true)]
    quiet: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Bring files to a stage: firn stage put data.csv @my_stage/2024/
    Put {
        /// The files, then the stage: @stage, @stage/folder/, @%table or @~
        #[arg(required = true, num_args = 2.., value_names = ["FILE", "STAGE"])]
        arguments: Vec<PathBuf>,

        /// Compress on the way, and add .gz to the names
        #[arg(long)]
        compress: bool,

        /// Leave files alone that are on the stage already
        #[arg(long)]
        no_overwrite: bool,
    },
    /// Fetch files from a stage: firn stage get @my_stage/2024/ ./here
    Get {
        /// A file, or the beginning of the paths of several
        stage: String,
        /// The folder they go to
        #[arg(default_value = ".")]
        folder: PathBuf,
    },
    /// List the files of a stage
    Ls {
        /// @stage, or @stage/path for those whose paths begin so
        stage: String,
    },
    /// Remove files from a stage
    Rm {
        /// A file, or with a slash at the end all files below
        stage: String,
    },
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let connection = arguments.connection;
    let quiet = connection.quiet;
    let token = connection.token.ok_or("a token is missing; give --token or set FIRN_TOKEN")?;
    let client = Client::new(&connection.url, &token, connection.role, connection.database, connection.schema);
    match arguments.command {
        Command::Put { mut arguments, compress, no_overwrite } => {
            let stage = arguments.pop().and_then(|last| last.to_str().map(str::to_owned)).unwrap_or_default();
            let options = transfer::PutOptions { compress, overwrite: !no_overwrite, quiet };
            transfer::put(&client, &arguments, &location(&stage)?, &options)
        }
        Command::Get { stage, folder } => transfer::get(&client, &location(&stage)?, &folder, quiet),
        Command::Ls { stage } => list(&client, &location(&stage)?),
        Command::Rm { stage } => remove(&client, &location(&stage)?),
    }
}

fn location(text: &str) -> Result<StageLocation, Box<dyn Error>> {
    StageLocation::parse(text).map_err(|_| {
        format!("`{text}` is not a stage; write @stage, @database.schema.stage/path, @%table or @~").into()
    })
}

fn list(client: &Client, location: &StageLocation) -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    for file in client.list(location)? {
        writeln!(out, "{:>12}  {}  {}", file.size, file.md5, file.path)?;
    }
    Ok(())
}

fn remove(client: &Client, location: &StageLocation) -> Result<(), Box<dyn Error>> {
    let whole = location.path.is_empty() || location.path.ends_with('/');
    let chosen = client.list(location)?.into_iter().filter(|file| whole || file.path == location.path);
    let mut count = 0;
    for file in chosen {
        client.remove(location, &file.path)?;
        outln!("removed {}", file.path);
        count += 1;
    }
    if count == 0 { Err(format!("there is no file at {location}").into()) } else { Ok(()) }
}
