//! Which statements go together in one request. Those of a request share a session, with its temporary objects and its
//! transaction; a request holds as much as the server's limits allow by default.

use std::ops::Range;

use super::script::{Boundary, Kind, Planned};

/// Less than the limits of the server: what keeps the session goes along.
const TEXT_BYTES_MAX: usize = 900 << 10;
const STATEMENTS_MAX: usize = 800;

#[derive(Debug, PartialEq, Eq)]
pub enum Batch {
    Request(Range<usize>),
    /// A transaction that begins here and is too long for one request.
    TooLong(usize),
}

/// The next request of `planned`, from a statement on.
pub fn next(planned: &[Planned], from: usize) -> Batch {
    if planned.get(from).is_some_and(Planned::goes_alone) {
        return Batch::Request(from..from + 1);
    }
    let (mut bytes, mut open_since) = (0, None);
    for (index, statement) in planned.iter().enumerate().skip(from) {
        if statement.goes_alone() {
            return Batch::Request(from..index);
        }
        bytes += statement.source.text.len() + 2;
        let is_full = index > from && (bytes > TEXT_BYTES_MAX || index - from >= STATEMENTS_MAX);
        match (is_full, open_since) {
            (true, None) => return Batch::Request(from..index),
            (true, Some(begun)) if begun == from => return Batch::TooLong(from),
            (true, Some(begun)) => return Batch::Request(from..begun),
            (false, _) => {}
        }
        match statement.kind {
            Kind::Transaction(Boundary::Begin) => open_since = Some(index),
            Kind::Transaction(Boundary::End) => open_since = None,
            _ => {}
        }
    }
    Batch::Request(from..planned.len())
}

/// Where to go on behind a statement that failed: behind the end of its transaction, if it was in one of this request.
pub fn behind_failure(planned: &[Planned], batch: &Range<usize>, failed: usize) -> usize {
    let begun = planned[batch.start..=failed].iter().rev().find_map(|statement| match statement.kind {
        Kind::Transaction(boundary) => Some(boundary == Boundary::Begin),
        _ => None,
    });
    if begun != Some(true) {
        return failed + 1;
    }
    let end = planned[failed..].iter().position(|statement| statement.kind == Kind::Transaction(Boundary::End));
    end.map_or(planned.len(), |distance| failed + distance + 1)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::super::script::plan;
    use super::*;

    fn batches(text: &str) -> Vec<Batch> {
        let planned = plan(text).unwrap();
        let (mut found, mut from) = (Vec::new(), 0);
        while from < planned.len() {
            let batch = next(&planned, from);
            from = match &batch {
                Batch::Request(range) => range.end,
                Batch::TooLong(_) => planned.len(),
            };
            found.push(batch);
        }
        found
    }

    #[test]
    fn statements_share_a_request_as_far_as_they_can() {
        assert_eq!(batches("select 1; set x = 2; select $x"), [Batch::Request(0..3)]);
        assert_eq!(
            batches("select 1; selec 2; select 3"),
            [Batch::Request(0..1), Batch::Request(1..2), Batch::Request(2..3)]
        );
        let many = "select 1;".repeat(801);
        assert_eq!(batches(&many), [Batch::Request(0..800), Batch::Request(800..801)]);
    }

    #[test]
    fn a_transaction_is_never_cut() {
        let insert = "insert into t values (1);";
        let behind = format!("{}begin; {} commit;", insert.repeat(700), insert.repeat(200));
        assert_eq!(batches(&behind), [Batch::Request(0..700), Batch::Request(700..902)]);
        let long = format!("begin; {} commit;", insert.repeat(900));
        assert_eq!(batches(&long), [Batch::TooLong(0)]);
    }

    #[test]
    fn what_is_left_of_a_failed_transaction_is_not_run() {
        let check = |text: &str, failed: usize, expected: usize| {
            let planned = plan(text).unwrap();
            assert_eq!(behind_failure(&planned, &(0..planned.len()), failed), expected, "{text}");
        };
        check("select 1; select 2; select 3", 1, 2);
        check("begin; select 1; select 2; commit; select 3", 1, 4);
        check("begin; select 1; commit; select 2; select 3", 3, 4);
        check("begin; select 1; select 2", 1, 3);
    }
}
