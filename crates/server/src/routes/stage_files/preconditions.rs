//! `If-Match` and `If-None-Match` of requests that change a file.

use axum::http::HeaderMap;
use axum::http::header::{IF_MATCH, IF_NONE_MATCH};
use firn_engine::Precondition;

pub fn precondition(headers: &HeaderMap) -> Precondition {
    let wants_absence = headers.get(IF_NONE_MATCH).is_some_and(|value| value == "*");
    if headers.contains_key(IF_MATCH) {
        let values = headers.get_all(IF_MATCH).iter().filter_map(|value| value.to_str().ok());
        let tags: Vec<&str> = values.flat_map(|value| value.split(',')).map(str::trim).collect();
        return match tags.contains(&"*") {
            // Both cannot hold.
            _ if wants_absence => Precondition::Sum(Vec::new()),
            true => Precondition::Present,
            // A weak tag matches nothing here, nor does what is none.
            false => Precondition::Sum(tags.into_iter().filter_map(sum_of).collect()),
        };
    }
    match wants_absence {
        true => Precondition::Absent,
        false => Precondition::None,
    }
}

fn sum_of(tag: &str) -> Option<String> {
    Some(tag.strip_prefix('"')?.strip_suffix('"')?.to_owned())
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn tags_are_read_from_either_header() {
        let check = |name: HeaderName, value: &'static str, expected: Precondition| {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static(value));
            assert_eq!(precondition(&headers), expected, "{value}");
        };
        let sums = |sums: &[&str]| Precondition::Sum(sums.iter().map(|sum| (*sum).to_owned()).collect());
        check(IF_MATCH, "*", Precondition::Present);
        check(IF_MATCH, "\"ab\"", sums(&["ab"]));
        check(IF_MATCH, "\"ab\", \"cd\"", sums(&["ab", "cd"]));
        check(IF_MATCH, "W/\"ab\"", sums(&[]));
        check(IF_MATCH, "ab", sums(&[]));
        check(IF_NONE_MATCH, "*", Precondition::Absent);
        check(IF_NONE_MATCH, "\"ab\"", Precondition::None);
    }
}
