//! Which statements go together in one request. Those of a request share a session, with its temporary objects and its
//! transaction; a request holds as much as the server's limits allow by default.

use std::ops::Range;

use super::script::{Boundary, Kind, Planned};

/// Less than the limits of the server: what restores the session may go along.
const TEXT_BYTES_MAX: usize = 900 << 10;
const STATEMENTS_MAX: usize = 800;

#[derive(Debug, PartialEq, Eq)]
pub enum Batch {
    Request(Range<usize>),
    /// A statement that cannot be sent, and why.
    Refused(usize, &'static str),
}

const TOO_LONG: &str = "the transaction that begins here is too long for one request; split it";
const SECRET: &str = "the answer of this statement is a secret, which is not given in a transaction; end it before";

/// The next request of `planned`, from a statement on. A transaction is never cut. One with a statement that is not known goes
/// by itself: the server refuses it as a whole, so that nothing of it is done.
pub fn next(planned: &[Planned], from: usize) -> Batch {
    if planned.get(from).is_some_and(Planned::goes_alone) {
        return Batch::Request(from..from + 1);
    }
    let (mut bytes, mut open_since, mut has_unknown) = (0, None, false);
    for (index, statement) in planned.iter().enumerate().skip(from) {
        bytes += statement.source.text.len() + 2;
        let is_full = index > from && (bytes > TEXT_BYTES_MAX || index - from >= STATEMENTS_MAX);
        match (is_full || statement.goes_alone(), open_since) {
            (true, None) => return Batch::Request(from..index),
            (true, Some(begun)) if begun > from => return Batch::Request(from..begun),
            (true, Some(_)) if statement.kind == Kind::Secret => return Batch::Refused(index, SECRET),
            (true, Some(begun)) if is_full => return Batch::Refused(begun, TOO_LONG),
            _ => {}
        }
        has_unknown |= statement.kind == Kind::Unknown;
        match statement.kind {
            Kind::Transaction(Boundary::Begin) => open_since = open_since.or(Some(index)),
            Kind::Transaction(Boundary::End) if has_unknown => return Batch::Request(from..index + 1),
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
                Batch::Refused(..) => planned.len(),
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
        assert_eq!(batches(&long), [Batch::Refused(0, TOO_LONG)]);
        let secret = "select 1; begin; insert into t values (1); alter user u add programmatic access token t; commit";
        assert_eq!(batches(secret), [Batch::Request(0..1), Batch::Refused(3, SECRET)]);
    }

    #[test]
    fn a_transaction_with_an_unknown_statement_goes_by_itself() {
        assert_eq!(
            batches("select 1; begin; selec 2; select 3; rollback; select 4"),
            [Batch::Request(0..1), Batch::Request(1..5), Batch::Request(5..6)]
        );
        assert_eq!(batches("begin; selec 2; select 3"), [Batch::Request(0..3)]);
        assert_eq!(batches("begin; select 2; comit; select 3; select 4"), [Batch::Request(0..5)]);
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
