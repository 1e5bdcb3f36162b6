//! `firn mcp`: tools for agents over the standard input and output.

use std::error::Error;
use std::sync::Arc;

use firn_mcp::{Answer, Api, Method, Options, Request, Unreachable, Writes};

use crate::connection::ConnectionOptions;
use crate::examples::examples;
use crate::server::Server;

const EXAMPLES: &str = examples!(
    "An agent starts this command by itself; docs/agents.md has the lines for its configuration.";
    "firn mcp --help",
    "firn mcp < /dev/null"
);

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Let a tool change data, definitions and privileges where its call says so
    #[arg(long)]
    allow_writes: bool,

    #[command(flatten)]
    connection: ConnectionOptions,
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let server = Server::new(arguments.connection)?;
    let names = server.target().names.clone();
    let options = Options {
        writes: if arguments.allow_writes { Writes::OnRequest } else { Writes::Refused },
        names: firn_mcp::Names {
            role: names.role,
            warehouse: names.warehouse,
            database: names.database,
            schema: names.schema,
        },
        version: env!("CARGO_PKG_VERSION"),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(firn_mcp::serve(OverHttp(Arc::new(server)), options));
    // Who has left waits for no answer.
    runtime.shutdown_background();
    Ok(served?)
}

struct OverHttp(Arc<Server>);

impl Api for OverHttp {
    async fn send(&self, request: Request) -> Result<Answer, Unreachable> {
        let server = self.0.clone();
        let exchange =
            tokio::task::spawn_blocking(move || exchange(&server, &request).map_err(|error| error.to_string()));
        match exchange.await {
            Ok(answered) => answered.map_err(Unreachable),
            Err(error) => Err(Unreachable(error.to_string())),
        }
    }
}

fn exchange(server: &Server, request: &Request) -> Result<Answer, Box<dyn Error>> {
    let body = match request.method {
        Method::Get => None,
        Method::Post => Some(request.body.as_ref().unwrap_or(&serde_json::Value::Null)),
    };
    let answer = server.exchange(&request.path, &request.headers, body)?;
    Ok(Answer { status: answer.status, body: answer.body.into() })
}
