//! A worker: one change after the other, and a model of what they have done.

use std::sync::atomic::{AtomicBool, Ordering};

use firn_tests::client::STATEMENTS;
use firn_tests::{Client, Request, Response};
use serde_json::json;
use uuid::Uuid;

pub const DATABASE: &str = "CRASHES";

/// Sixty-four bits of xorshift: the same choices for the same seed.
pub struct Seeded(u64);

impl Seeded {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    pub fn of<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len() as u64) as usize]
    }
}

/// What is there as far as the worker's own changes go.
pub trait Model: Clone + Send {
    /// A change that must succeed in this state.
    fn next(&self, random: &mut Seeded) -> Change<Self>;

    /// Compares the model with what the server has.
    fn compare(&self, admin: &Client) -> Result<(), String>;
}

pub struct Change<M> {
    pub request: Request,
    pub after: M,
    pub known: Known,
}

/// How it is found out whether an interrupted change happened.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// The outcome of the request says so, and the data must agree.
    ByOutcome,
    /// The change is not of one transaction with its outcome: it happened as a whole or not at all.
    ByLooking,
}

impl<M> Change<M> {
    pub fn sql(sql: &str, after: M) -> Self {
        Self { request: statement(sql), after, known: Known::ByOutcome }
    }

    pub fn looked_for(sql: &str, after: M) -> Self {
        Self { request: statement(sql), after, known: Known::ByLooking }
    }
}

pub fn statement(sql: &str) -> Request {
    Request::statement(sql, json!({"database": DATABASE, "schema": "PUBLIC"}))
}

pub fn statements(sql: &str, count: usize) -> Request {
    let parameters = json!({"MULTI_STATEMENT_COUNT": count.to_string()});
    Request::statement(sql, json!({"database": DATABASE, "schema": "PUBLIC", "parameters": parameters}))
}

pub struct Worker<M> {
    model: M,
    random: Seeded,
    interrupted: Option<Change<M>>,
    pub acknowledged: u64,
}

impl<M: Model> Worker<M> {
    pub fn new(model: M, seed: u64) -> Self {
        Self { model, random: Seeded::new(seed), interrupted: None, acknowledged: 0 }
    }

    pub fn work(&mut self, admin: &Client, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            let mut change = self.model.next(&mut self.random);
            if change.request.path == STATEMENTS {
                change.request = change.request.request_id(Uuid::new_v4());
            }
            match admin.try_send(&change.request) {
                Ok(response) if response.status == 200 => {
                    self.model = change.after;
                    self.acknowledged += 1;
                }
                // A database got another name since its transaction began; nothing of the transaction stays.
                Ok(response) if is_to_be_repeated(&response) => {}
                Ok(response) => panic!("{}\n{response}", shown(&change)),
                Err(_) => {
                    self.interrupted = Some(change);
                    return;
                }
            }
        }
    }

    /// Finds out what became of the interrupted change, and compares.
    pub fn check(&mut self, admin: &Client) {
        let interrupted = self.interrupted.take();
        let text = interrupted.as_ref().map(shown).unwrap_or_default();
        match interrupted {
            Some(change) if change.known == Known::ByLooking => {
                if let Err(error) = self.model.compare(admin) {
                    let after = change.after.compare(admin);
                    after.unwrap_or_else(|after| panic!("{text}\nneither before: {error}\nnor after: {after}"));
                    self.model = change.after;
                }
            }
            Some(change) => {
                let response = admin.send_until_done(&change.request.clone().query("retry", "true"));
                match response.status {
                    // It happened before the crash, or the request had not arrived and was run now.
                    200 => self.model = change.after,
                    422 if response.code() == "000603" || is_to_be_repeated(&response) => {}
                    _ => panic!("{text}\n{response}"),
                }
                self.model.compare(admin).unwrap_or_else(|error| panic!("{text}\nwas said to be {response}\n{error}"));
            }
            None => self.model.compare(admin).unwrap_or_else(|error| panic!("{error}")),
        }
    }
}

fn is_to_be_repeated(response: &Response) -> bool {
    response.text().contains("repeat the transaction")
}

fn shown<M>(change: &Change<M>) -> String {
    format!("{} {} {}", change.request.method, change.request.path, String::from_utf8_lossy(&change.request.body))
}

/// All rows of a query as text, or the code of its failure.
pub fn rows(admin: &Client, sql: &str) -> Result<Vec<Vec<String>>, String> {
    let response = admin.send_until_done(&statement(sql));
    if response.status != 200 {
        return Err(response.code());
    }
    let partitions = response.json()["resultSetMetaData"]["partitionInfo"].as_array().map_or(0, Vec::len);
    let mut found = response.rows();
    for partition in 1..partitions {
        let path = format!("{STATEMENTS}/{}", response.handle());
        let next = admin.send_until_done(&Request::get(&path).query("partition", &partition.to_string()));
        if next.status != 200 {
            return Err(next.code());
        }
        found.extend(next.rows());
    }
    let cells = |row: Vec<Option<String>>| row.into_iter().map(Option::unwrap_or_default).collect();
    Ok(found.into_iter().map(cells).collect())
}

pub fn expect<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: found {found:?}, expected {expected:?}")) }
}
