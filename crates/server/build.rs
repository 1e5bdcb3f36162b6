//! Links like the engine does.

#[path = "../duckdb/build.rs"]
mod duckdb;

fn main() {
    duckdb::main();
}
