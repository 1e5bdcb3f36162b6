//! `firn mcp`: tools for agents over the standard input and output.

use std::error::Error;
use std::sync::Arc;

use firn_mcp::{Answer, Api, CANCEL_IF_LEFT, Method, Options, Request, Unreachable, Writes};
use tokio::runtime::Handle;
use uuid::Uuid;

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
    async fn send(&self, mut request: Request) -> Result<Answer, Unreachable> {
        let left = LeftStatement::of(&self.0, &mut request);
        let server = self.0.clone();
        let exchange =
            tokio::task::spawn_blocking(move || exchange(&server, &request).map_err(|error| error.to_string()));
        let exchanged = exchange.await;
        if let Some(left) = left {
            left.answered();
        }
        match exchanged {
            Ok(answered) => answered.map_err(Unreachable),
            Err(error) => Err(Unreachable(error.to_string())),
        }
    }
}

/// A statement that is cancelled unless its answer is waited for: a connection that waits cannot be closed from outside.
struct LeftStatement {
    server: Arc<Server>,
    /// The same request once more, which is answered with the statement's handle.
    again: Option<Request>,
}

impl LeftStatement {
    fn of(server: &Arc<Server>, request: &mut Request) -> Option<Self> {
        if !request.headers.iter().any(|(name, _)| *name == CANCEL_IF_LEFT) {
            return None;
        }
        request.path = format!("{}?requestId={}", request.path, Uuid::new_v4());
        let again = Request { path: format!("{}&retry=true&async=true", request.path), ..request.clone() };
        Some(Self { server: server.clone(), again: Some(again) })
    }

    fn answered(mut self) {
        self.again = None;
    }
}

impl Drop for LeftStatement {
    fn drop(&mut self) {
        let (Some(again), Ok(runtime)) = (self.again.take(), Handle::try_current()) else { return };
        let server = self.server.clone();
        runtime.spawn_blocking(move || {
            // Whoever has left hears of no failure.
            let Ok(answer) = exchange(&server, &again) else { return };
            if let Some(handle) = answer.json()["statementHandle"].as_str() {
                let _ = server.cancel(handle);
            }
        });
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
