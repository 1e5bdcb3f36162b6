//! The Link header of a result: where its other partitions are.

use std::fmt::Write;

use axum::http::HeaderValue;
use firn_statements::StatementHandle;
use uuid::Uuid;

/// One line, entries joined by commas, each URL with a request id of its own.
pub fn link_header(handle: StatementHandle, partition: u32, partitions: usize) -> Option<HeaderValue> {
    HeaderValue::try_from(link(handle, partition, partitions, Uuid::new_v4)).ok()
}

fn link(handle: StatementHandle, partition: u32, partitions: usize, mut request_id: impl FnMut() -> Uuid) -> String {
    let current = partition as usize;
    let last = partitions.saturating_sub(1);
    let targets = [
        ("first", Some(0)),
        ("prev", current.checked_sub(1)),
        ("next", (current < last).then_some(current + 1)),
        ("last", Some(last)),
    ];
    let mut header = String::with_capacity(512);
    for (relation, target) in targets {
        let Some(target) = target else { continue };
        let comma = if header.is_empty() { "" } else { "," };
        let id = request_id();
        // Writing to a string cannot fail.
        let _ = write!(
            header,
            r#"{comma}</api/v2/statements/{handle}?requestId={id}&partition={target}>; rel="{relation}""#
        );
    }
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(partition: u32, partitions: usize, expected: &[(&str, usize)]) {
        let handle = StatementHandle(Uuid::from_u128(1));
        let mut count = 1;
        let header = link(handle, partition, partitions, || {
            count += 1;
            Uuid::from_u128(count)
        });
        let entries: Vec<String> = expected
            .iter()
            .zip(2..)
            .map(|((relation, target), id)| {
                let id = Uuid::from_u128(id);
                format!(r#"</api/v2/statements/{handle}?requestId={id}&partition={target}>; rel="{relation}""#)
            })
            .collect();
        assert_eq!(header, entries.join(","));
    }

    #[test]
    fn points_to_the_neighbours_there_are() {
        check(0, 1, &[("first", 0), ("last", 0)]);
        check(0, 0, &[("first", 0), ("last", 0)]);
        check(0, 3, &[("first", 0), ("next", 1), ("last", 2)]);
        check(1, 3, &[("first", 0), ("prev", 0), ("next", 2), ("last", 2)]);
        check(2, 3, &[("first", 0), ("prev", 1), ("last", 2)]);
    }
}
