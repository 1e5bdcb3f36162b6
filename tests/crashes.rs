//! kill -9 at random points of all kinds of statements. Each worker has a model of what it changes: an acknowledged change
//! is in the model; of the one that the kill interrupted, the retry of its request says after the restart whether it
//! happened, and the data must agree. `FIRN_SEED` and `FIRN_ROUNDS` repeat or lengthen a run; `make soak` runs a thousand.

#[path = "crashes/account.rs"]
mod account;
#[path = "crashes/databases.rs"]
mod databases;
#[path = "crashes/model.rs"]
mod model;
#[path = "crashes/objects.rs"]
mod objects;
#[path = "crashes/results.rs"]
mod results;
#[path = "crashes/rows.rs"]
mod rows;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use firn_tests::{Client, Server};

use model::{DATABASE, Seeded, Worker, statement};
use results::Results;

const ROUNDS: u64 = 8;
const LAST_KILL_MS: u64 = 1_500;
/// Rounds after which a new server on a new folder takes over, so that checks stay short.
const ROUNDS_PER_FOLDER: u64 = 100;

fn number_from(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

struct Workers {
    rows: Vec<Worker<rows::Rows>>,
    objects: Worker<objects::Objects>,
    databases: Worker<databases::Databases>,
    account: Worker<account::Account>,
    results: Results,
}

impl Workers {
    fn new(admin: &Client, seed: u64) -> Self {
        admin.rows(&format!("CREATE DATABASE {DATABASE}"));
        let rows = (0..2).map(|number| Worker::new(rows::Rows::prepare(admin, number), seed + number));
        let rows = rows.collect();
        let done = admin
            .send(&statement("CREATE TABLE NUMBERS AS SELECT SEQ4() AS N FROM TABLE(GENERATOR(ROWCOUNT => 20000))"));
        assert_eq!(done.status, 200, "{done}");
        Self {
            rows,
            objects: Worker::new(objects::Objects::default(), seed + 10),
            databases: Worker::new(databases::Databases::default(), seed + 11),
            account: Worker::new(account::Account::default(), seed + 12),
            results: Results::new(seed + 13),
        }
    }

    fn work_until_killed(&mut self, server: &mut Server, after: Duration) {
        let admin = server.admin();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for worker in &mut self.rows {
                scope.spawn(|| worker.work(&admin, &stop));
            }
            scope.spawn(|| self.objects.work(&admin, &stop));
            scope.spawn(|| self.databases.work(&admin, &stop));
            scope.spawn(|| self.account.work(&admin, &stop));
            scope.spawn(|| self.results.work(&admin, &stop));
            std::thread::sleep(after);
            stop.store(true, Ordering::Relaxed);
            server.kill();
        });
    }

    fn check(&mut self, admin: &Client) {
        self.rows.iter_mut().for_each(|worker| worker.check(admin));
        self.objects.check(admin);
        self.databases.check(admin);
        self.account.check(admin);
        self.results.check(admin);
    }

    fn acknowledged(&self) -> u64 {
        let rows: u64 = self.rows.iter().map(|worker| worker.acknowledged).sum();
        rows + self.objects.acknowledged
            + self.databases.acknowledged
            + self.account.acknowledged
            + self.results.acknowledged
    }
}

/// Copies the data folder of a failed round to the folder that `FIRN_FAILED_DATA` names.
fn keep_data(server: &Server) {
    let Some(folder) = std::env::var_os("FIRN_FAILED_DATA") else { return };
    let copied = Command::new("cp").arg("-r").arg(server.data_dir()).arg(&folder).status();
    eprintln!("the data folder was copied to {}: {copied:?}", folder.display());
}

#[test]
fn every_acknowledged_change_is_there_once_after_every_kill() {
    let (seed, rounds) = (number_from("FIRN_SEED", 20_261_117), number_from("FIRN_ROUNDS", ROUNDS));
    eprintln!("FIRN_SEED={seed} FIRN_ROUNDS={rounds}");
    let mut random = Seeded::new(seed);
    let (mut acknowledged, mut slowest_start) = (0, Duration::ZERO);
    for first in (0..rounds).step_by(ROUNDS_PER_FOLDER as usize) {
        let mut server = Server::start_with(&[("FIRN_LOG_LEVEL", "warn")]);
        let mut workers = Workers::new(&server.admin(), seed.wrapping_add(first));
        for round in first..rounds.min(first + ROUNDS_PER_FOLDER) {
            let after = Duration::from_millis(random.below(LAST_KILL_MS));
            workers.work_until_killed(&mut server, after);
            let begun = Instant::now();
            server = server.kill_and_restart();
            slowest_start = slowest_start.max(begun.elapsed());
            let checked = catch_unwind(AssertUnwindSafe(|| workers.check(&server.admin())));
            if let Err(failure) = checked {
                eprintln!("round {} failed; repeat it with FIRN_SEED={seed} FIRN_ROUNDS={rounds}", round + 1);
                keep_data(&server);
                resume_unwind(failure);
            }
            if round % 10 == 9 {
                let changes = acknowledged + workers.acknowledged();
                eprintln!("round {} of {rounds}: {changes} changes, slowest start {slowest_start:?}", round + 1);
            }
        }
        acknowledged += workers.acknowledged();
    }
    println!("{acknowledged} changes were acknowledged; the slowest start took {slowest_start:?}");
    assert!(acknowledged > rounds, "hardly anything was acknowledged: {acknowledged}");
}
