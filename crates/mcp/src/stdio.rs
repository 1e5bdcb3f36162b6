//! The protocol over the standard input and output.

use std::sync::Arc;

use rmcp::serve_server;
use rmcp::service::ServerInitializeError;

use crate::api::Api;
use crate::handler::{Handler, Options};
use crate::lines::Lines;

/// Of a line of the input.
const MESSAGE_BYTES_MAX: usize = 16 << 20;

/// Answers until the input ends. `Err` is why it could not, in words.
pub async fn serve(api: impl Api, options: Options) -> Result<(), String> {
    let lines = Lines::new(tokio::io::stdin(), tokio::io::stdout(), MESSAGE_BYTES_MAX);
    let running = serve_server(Handler { api: Arc::new(api), options }, lines).await;
    let running = match running {
        Ok(running) => running,
        // Whoever says nothing and leaves wants nothing.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(format!("the client did not introduce itself: {error}")),
    };
    running.waiting().await.map(drop).map_err(|error| error.to_string())
}
