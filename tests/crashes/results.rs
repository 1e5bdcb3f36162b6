//! Asynchronous queries: an announced result is served whole after a crash, a running statement is reported as failed.

use std::sync::atomic::{AtomicBool, Ordering};

use firn_tests::client::STATEMENTS;
use firn_tests::{Client, Request};

use crate::model::{Seeded, statement};

pub struct Results {
    random: Seeded,
    /// Handles whose end was seen, with the number of their rows.
    announced: Vec<(String, u64)>,
    /// Handles whose end was not seen.
    open: Vec<(String, u64)>,
    pub acknowledged: u64,
}

impl Results {
    pub fn new(seed: u64) -> Self {
        Self { random: Seeded::new(seed), announced: Vec::new(), open: Vec::new(), acknowledged: 0 }
    }

    pub fn work(&mut self, admin: &Client, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            let rows = 1 + self.random.below(20_000);
            let sql = format!("SELECT N, 'text of row ' || N AS S FROM NUMBERS ORDER BY N LIMIT {rows}");
            let Ok(response) = admin.try_send(&statement(&sql).query("async", "true")) else { return };
            assert_eq!(response.status, 202, "{response}");
            let handle = response.handle();
            self.open.push((handle.clone(), rows));
            loop {
                let Ok(response) = admin.try_send(&Request::get(&format!("{STATEMENTS}/{handle}"))) else { return };
                match response.status {
                    202 => {}
                    200 => break,
                    _ => panic!("{sql}\n{response}"),
                }
            }
            self.announced.extend(self.open.pop());
            self.acknowledged += 1;
        }
    }

    pub fn check(&mut self, admin: &Client) {
        for (handle, rows) in self.open.drain(..) {
            let response = admin.status(&handle);
            match response.status {
                200 => self.announced.push((handle, rows)),
                422 => assert_eq!(response.code(), "000603", "{response}"),
                _ => panic!("{response}"),
            }
        }
        // What was served once after a crash is served after the next one too; once is enough.
        for (handle, rows) in self.announced.drain(..) {
            let first = admin.status(&handle);
            assert_eq!(first.status, 200, "{first}");
            let parts = first.json()["resultSetMetaData"]["partitionInfo"].as_array().map_or(0, Vec::len);
            let mut next_row = 0;
            for partition in 0..parts {
                let request =
                    Request::get(&format!("{STATEMENTS}/{handle}")).query("partition", &partition.to_string());
                for row in admin.send(&request).rows() {
                    assert_eq!(row[0], Some(next_row.to_string()), "partition {partition} of {handle}");
                    next_row += 1;
                }
            }
            assert_eq!(next_row, rows, "{handle} lost rows");
        }
    }
}
