//! `firn stage`: brings files to stages of a running server, fetches, lists and removes them.

mod client;
mod transfer;

use std::error::Error;
use std::path::PathBuf;

use clap::Subcommand;
use firn_sql::stages::StageLocation;
use serde_json::json;

use client::{Client, RemoteFile};

use crate::connection::ConnectionOptions;
use crate::examples::examples;
use crate::failure::Failure;
use crate::output::outln;
use crate::server::Server;

const EXAMPLES: &str = examples!("firn stage put orders.csv @~/in/", "firn stage ls @~");
const PUT_EXAMPLES: &str =
    examples!("firn stage put orders.csv @~/in/", "firn stage put --compress orders.csv @~/packed/");
const GET_EXAMPLES: &str = examples!("firn stage get @~/in/orders.csv", "firn stage get @~/in/ ./here");
const LS_EXAMPLES: &str = examples!("firn stage ls @~", "firn stage ls @~/in/ --json");
const RM_EXAMPLES: &str = examples!("firn stage rm @~/packed/orders.csv.gz", "firn stage rm @~/in/");

/// Where stages lie that are named without a database or a schema.
const DEFAULT_DATABASE: &str = "FIRN";
const DEFAULT_SCHEMA: &str = "PUBLIC";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// Show no progress
    #[arg(long, short, global = true)]
    quiet: bool,

    #[command(flatten)]
    connection: ConnectionOptions,
}

#[derive(Subcommand)]
enum Command {
    /// Bring files to a stage: firn stage put data.csv @my_stage/2024/
    #[command(after_help = PUT_EXAMPLES)]
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
    #[command(after_help = GET_EXAMPLES)]
    Get {
        /// A file, or the beginning of the paths of several
        stage: String,
        /// The folder they go to
        #[arg(default_value = ".")]
        folder: PathBuf,
    },
    /// List the files of a stage
    #[command(after_help = LS_EXAMPLES)]
    Ls {
        /// @stage, or @stage/path for those whose paths begin so
        stage: String,

        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove files from a stage
    #[command(after_help = RM_EXAMPLES)]
    Rm {
        /// A file, or with a slash at the end all files below
        stage: String,
    },
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let quiet = arguments.quiet;
    let server = Server::new(arguments.connection)?;
    let names = server.target().names.clone();
    let database = names.database.unwrap_or_else(|| DEFAULT_DATABASE.to_owned());
    let schema = names.schema.unwrap_or_else(|| DEFAULT_SCHEMA.to_owned());
    let client = Client::new(server.http(), &server.token()?, names.role, database, schema);
    match arguments.command {
        Command::Put { mut arguments, compress, no_overwrite } => {
            let stage = arguments.pop().and_then(|last| last.to_str().map(str::to_owned)).unwrap_or_default();
            let options = transfer::PutOptions { compress, overwrite: !no_overwrite, quiet };
            transfer::put(&client, &arguments, &location(&stage)?, &options)
        }
        Command::Get { stage, folder } => transfer::get(&client, &location(&stage)?, &folder, quiet),
        Command::Ls { stage, json } => {
            list(&client, &location(&stage)?, if json { Listing::Json } else { Listing::Lines })
        }
        Command::Rm { stage } => remove(&client, &location(&stage)?),
    }
}

fn location(text: &str) -> Result<StageLocation, Box<dyn Error>> {
    StageLocation::parse(text).map_err(|_| {
        Failure::usage(format!("`{text}` is not a stage; write @stage, @database.schema.stage/path, @%table or @~"))
    })
}

/// How files are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listing {
    Lines,
    Json,
}

fn list(client: &Client<'_>, location: &StageLocation, listing: Listing) -> Result<(), Box<dyn Error>> {
    let files = client.list(location)?;
    if listing == Listing::Json {
        let file = |file: &RemoteFile| json!({"path": file.path, "size": file.size, "md5": file.md5});
        outln!("{:#}", json!(files.iter().map(file).collect::<Vec<_>>()));
        return Ok(());
    }
    for file in files {
        outln!("{:>12}  {}  {}", file.size, file.md5, file.path);
    }
    Ok(())
}

fn remove(client: &Client<'_>, location: &StageLocation) -> Result<(), Box<dyn Error>> {
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
