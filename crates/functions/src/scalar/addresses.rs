//! PARSE_URL and PARSE_IP: the parts of an address, as JSON.

use std::net::IpAddr;

use serde_json::{Map, Value, json};

use super::native::{Evaluated, Native, Row};
use crate::definition::{Answer, Kind};
use Kind::{Integer, Object, Text};

pub(super) const FUNCTIONS: &[Native] = &[
    Native::new(c"firn_parse_url", &[Text, Integer], Object, |row| {
        parts_or_error(row, 1, "URL", parse_url(row.text(0)))
    }),
    Native::new(c"firn_parse_ip", &[Text, Text, Integer], Object, parse_ip),
];

/// A permissive call returns an object that holds the error.
fn parts_or_error(row: &Row<'_>, permissive: usize, what: &str, parsed: Result<Value, String>) -> Evaluated {
    match parsed {
        Ok(value) => Ok(Answer::Text(value.to_string())),
        Err(error) if row.integer(permissive) == 1 => Ok(Answer::Text(json!({ "error": error }).to_string())),
        Err(error) => Err(format!("firn:100139:Error parsing {what}: {error}")),
    }
}

fn parse_url(text: &str) -> Result<Value, String> {
    let (scheme, rest) = text.split_once(':').ok_or("scheme not specified")?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|character| character.is_ascii_alphanumeric() || "+-.".contains(character));
    if !is_scheme {
        return Err("scheme not specified".to_owned());
    }
    let (rest, fragment) = cut(rest, '#');
    let (rest, query) = cut(rest, '?');
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => match rest.split_once('/') {
            Some((authority, path)) => (Some(authority), path),
            None => (Some(rest), ""),
        },
        None => (None, rest),
    };
    let (host, port) = match authority.and_then(|authority| authority.rsplit_once(':')) {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (Some(host), Some(port)),
        _ => (authority, None),
    };
    let parameters = query.map(|query| {
        let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (key, value) = cut(pair, '=');
            (key.to_owned(), value.map_or(Value::Null, Value::from))
        });
        Value::Object(pairs.collect::<Map<_, _>>())
    });
    Ok(json!({
        "fragment": fragment,
        "host": host,
        "parameters": parameters,
        "path": path,
        "port": port,
        "query": query,
        "scheme": scheme,
    }))
}

fn cut(text: &str, mark: char) -> (&str, Option<&str>) {
    match text.split_once(mark) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

fn parse_ip(row: &Row<'_>) -> Evaluated {
    if !row.text(1).eq_ignore_ascii_case("INET") {
        return Err(format!("firn:100048:Invalid type '{}' for PARSE_IP; use INET", row.text(1)));
    }
    parts_or_error(row, 2, "IP address", address(row.text(0).trim()))
}

fn address(text: &str) -> Result<Value, String> {
    let refused = || format!("the IP address '{text}' is not recognized");
    let (host, prefix) = cut(text, '/');
    let address: IpAddr = host.parse().map_err(|_| refused())?;
    let bits = if address.is_ipv4() { 32 } else { 128 };
    let prefix = prefix.map(|prefix| prefix.parse::<u32>().ok().filter(|length| *length <= bits).ok_or_else(refused));
    let prefix = prefix.transpose()?;
    let mut object = Map::new();
    object.insert("family".to_owned(), json!(if address.is_ipv4() { 4 } else { 6 }));
    object.insert("host".to_owned(), json!(host));
    object.insert("ip_type".to_owned(), json!("inet"));
    object.insert("netmask_prefix_length".to_owned(), json!(prefix));
    object.insert("snowflake$type".to_owned(), json!("ip_address"));
    match address {
        IpAddr::V4(address) => {
            let number = u32::from(address);
            object.insert("ip_fields".to_owned(), json!([number, 0, 0, 0]));
            object.insert("ipv4".to_owned(), json!(number));
            if let Some(length) = prefix {
                let hosts = u32::MAX.checked_shr(length).unwrap_or(0);
                object.insert("ipv4_range_start".to_owned(), json!(number & !hosts));
                object.insert("ipv4_range_end".to_owned(), json!(number | hosts));
            }
        }
        IpAddr::V6(address) => {
            let number = u128::from(address);
            let fields: Vec<u32> = (0..4).map(|field| (number >> (96 - 32 * field)) as u32).collect();
            object.insert("ip_fields".to_owned(), json!(fields));
            object.insert("hex_ipv6".to_owned(), json!(format!("{number:032X}")));
            if let Some(length) = prefix {
                let hosts = u128::MAX.checked_shr(length).unwrap_or(0);
                object.insert("hex_ipv6_range_start".to_owned(), json!(format!("{:032X}", number & !hosts)));
                object.insert("hex_ipv6_range_end".to_owned(), json!(format!("{:032X}", number | hosts)));
            }
        }
    }
    Ok(Value::Object(object))
}
