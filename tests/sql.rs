//! The sqllogictest files of `tests/sql/`, each in a database of its own. `FIRN_SLT=name` runs those files alone whose names
//! contain it.

use firn_tests::Server;
use firn_tests::sqllogic::{Connection, files};
use sqllogictest::Runner;

#[test]
fn every_file_holds() {
    check_all(&Server::start());
}

#[test]
fn every_file_holds_on_one_thread_and_little_memory() {
    check_all(&Server::start_with(&[("FIRN_THREADS", "1"), ("FIRN_MEMORY_LIMIT", "200MB")]));
}

fn check_all(server: &Server) {
    let mut failures = Vec::new();
    let wanted = std::env::var("FIRN_SLT").unwrap_or_default().to_uppercase();
    for path in files() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().to_uppercase();
        if !name.contains(&wanted) {
            continue;
        }
        let database = format!("SLT_{name}");
        server.admin().rows(&format!("CREATE DATABASE {database}"));
        let mut runner =
            Runner::new(|| async { Ok(Connection { client: server.admin(), database: database.clone() }) });
        let mut failed = 0;
        for record in sqllogictest::parse_file(&path).unwrap() {
            if let Err(error) = runner.run(record) {
                failures.push(error.display(false).to_string());
                failed += 1;
            }
        }
        println!("{name}: {failed} records fail");
    }
    assert!(failures.is_empty(), "{} records fail\n\n{}", failures.len(), failures.join("\n\n"));
}
