//! `firn status`: whether the server answers, who one is there, and what runs.

use std::error::Error;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::connection::ConnectionOptions;
use crate::examples::examples;
use crate::output::cells::on_one_line;
use crate::output::outln;
use crate::server::Server;

const EXAMPLES: &str = examples!("firn status", "firn status --json");

/// CURRENT_VERSION tells the release of the dialect, and behind it firn's own.
const WHO: &str = "SELECT SPLIT_PART(CURRENT_VERSION(), ' firn-', -1), CURRENT_USER(), CURRENT_ROLE(), \
                   CURRENT_WAREHOUSE(), CURRENT_DATABASE(), CURRENT_SCHEMA(), CURRENT_ACCOUNT()";

/// A server that takes longer is not well.
const ANSWER_WAIT: Duration = Duration::from_secs(10);

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// As JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    connection: ConnectionOptions,
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let server = Server::with_answer_wait(arguments.connection, ANSWER_WAIT)?;
    // The first request opens the connection; the second one tells how long an answer takes.
    let who = server.rows(WHO)?;
    let begun = Instant::now();
    server.rows("SELECT 1")?;
    let latency_ms = (begun.elapsed().as_secs_f64() * 10_000.0).round() / 10.0;
    let running = running_statements(&server)?;
    let row = who.rows.first().cloned().unwrap_or_default();
    let value = |place: usize| row.get(place).cloned().flatten();
    let names = ["version", "user", "role", "warehouse", "database", "schema", "account"];
    if arguments.json {
        let mut status = json!({"url": server.http().url(), "profile": server.target().profile,
            "latencyMs": latency_ms, "running": running});
        for (place, name) in names.iter().enumerate() {
            status[name] = json!(value(place));
        }
        outln!("{status:#}");
        return Ok(());
    }
    outln!("server     {}", server.http().url());
    for (place, name) in names.iter().enumerate() {
        outln!("{name:<9}  {}", on_one_line(&value(place).unwrap_or_else(|| "none".to_owned())));
    }
    outln!("latency    {latency_ms:.1} ms");
    outln!("running    {running} statements");
    Ok(())
}

/// Statements that run on the warehouses that the role may see, but for the one that asks.
fn running_statements(server: &Server) -> Result<u64, Box<dyn Error>> {
    let warehouses = server.rows("SHOW WAREHOUSES")?;
    let place = |column: &str| warehouses.columns.iter().position(|name| name == column);
    let (running, current) = (place("running"), place("is_current"));
    let mut sum = 0;
    for row in &warehouses.rows {
        let cell = |place: Option<usize>| row.get(place?)?.as_deref();
        let count: u64 = cell(running).and_then(|count| count.parse().ok()).unwrap_or_default();
        sum += if cell(current) == Some("Y") { count.saturating_sub(1) } else { count };
    }
    Ok(sum)
}
