//! SEARCH and SEARCH_IP: words and addresses in texts. What is neither a text nor semi-structured is passed over.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use firn_values::running_call::{reserve, work};

use super::arguments::Arguments;
use crate::columns::{Column, Values};
use crate::definition::{Answer, Definition, Kind};

const DELIMITERS: &str = " []<>(){}|!,'\"*&?+/:=@.-$%\\_;\n\r\t";

pub(super) const DEFINITIONS: &[Definition] = &[
    // What is searched for, the analyzer and the mode; then what is searched.
    Definition::new(c"firn_search", &[Kind::Text, Kind::Text, Kind::Text], Kind::Boolean, search).with_rest(Kind::Any),
    Definition::new(c"firn_search_ip", &[Kind::Text], Kind::Boolean, search_ip).with_rest(Kind::Any),
];

/// The texts among the columns from `first` on; an error when none of them can hold any.
fn texts(arguments: Arguments<'_>, columns: &[Column<'_>], first: usize) -> Result<Vec<String>, String> {
    let searched = columns.iter().enumerate().skip(first);
    let mut able = searched.filter(|(_, column)| matches!(column.values, Values::Text(_) | Values::Json(_))).peekable();
    if able.peek().is_none() {
        return Err(
            "firn:001173:SQL compilation error:\nExpected non-empty set of columns supporting full-text search."
                .to_owned(),
        );
    }
    Ok(able.filter_map(|(index, _)| arguments.text(index)).collect())
}

fn search<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let arguments = Arguments { columns, row };
    let texts = texts(arguments, columns, 3)?;
    let Some(wanted) = arguments.text(0).filter(|_| !texts.is_empty()) else { return Ok(Answer::Null) };
    let mode = arguments.text(2).unwrap_or_else(|| "OR".to_owned()).to_ascii_uppercase();
    let analyzer = arguments.text(1).unwrap_or_else(|| "DEFAULT_ANALYZER".to_owned()).to_ascii_uppercase();
    if !matches!(mode.as_str(), "OR" | "AND" | "PHRASE" | "EXACT") {
        return Err(format!("firn:001007:Invalid SEARCH_MODE '{mode}'; use OR, AND, PHRASE or EXACT"));
    }
    let found = match analyzer.as_str() {
        "NO_OP_ANALYZER" => texts.contains(&wanted),
        "DEFAULT_ANALYZER" => texts.iter().any(|text| matches(&text.to_lowercase(), &wanted.to_lowercase(), &mode)),
        other => {
            return Err(format!("firn:001007:Invalid ANALYZER '{other}'; use DEFAULT_ANALYZER or NO_OP_ANALYZER"));
        }
    };
    Ok(Answer::Boolean(found))
}

fn is_delimiter(character: char) -> bool {
    DELIMITERS.contains(character)
}

fn tokens(text: &str) -> Vec<&str> {
    let count = |piece: &&str| {
        work(piece.len());
        reserve(size_of::<&str>());
    };
    text.split(is_delimiter).inspect(count).filter(|token| !token.is_empty()).collect()
}

/// Both texts are in lower case.
fn matches(text: &str, wanted: &str, mode: &str) -> bool {
    let (present, wanted_tokens) = (tokens(text), tokens(wanted));
    if wanted_tokens.is_empty() {
        return false;
    }
    let is_present = |token: &&str| {
        work(size_of_val(present.as_slice()));
        present.contains(token)
    };
    match mode {
        "OR" => wanted_tokens.iter().any(is_present),
        "AND" => wanted_tokens.iter().all(is_present),
        "PHRASE" => present.windows(wanted_tokens.len()).any(|window| window == wanted_tokens),
        _ => stands_alone(text, wanted),
    }
}

/// Whether a text occurs between delimiters, which its own ends may be.
fn stands_alone(text: &str, wanted: &str) -> bool {
    let is_end = |neighbour: Option<char>, own: Option<char>| {
        neighbour.is_none_or(is_delimiter) || own.is_some_and(is_delimiter)
    };
    text.match_indices(wanted).any(|(place, _)| {
        let (before, after) = (&text[..place], &text[place + wanted.len()..]);
        is_end(before.chars().next_back(), wanted.chars().next())
            && is_end(after.chars().next(), wanted.chars().next_back())
    })
}

fn search_ip<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let arguments = Arguments { columns, row };
    let texts = texts(arguments, columns, 1)?;
    let Some(wanted) = arguments.text(0) else { return Ok(Answer::Null) };
    let range = Range::read(&wanted).ok_or_else(|| {
        format!("firn:001007:Invalid IP address '{wanted}'; give one complete address, with or without a CIDR range")
    })?;
    if texts.is_empty() {
        return Ok(Answer::Null);
    }
    Ok(Answer::Boolean(texts.iter().any(|text| addresses(text).any(|address| range.holds(address)))))
}

/// The addresses whose first bits are the same.
struct Range {
    address: IpAddr,
    prefix: u32,
}

impl Range {
    fn read(text: &str) -> Option<Self> {
        let (address, prefix) = text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)));
        let address = read_address(address)?;
        let bits = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Some(bits), |prefix| prefix.parse().ok().filter(|prefix| *prefix <= bits))?;
        Some(Self { address, prefix })
    }

    fn holds(&self, other: IpAddr) -> bool {
        let (one, other, bits) = match (self.address, other) {
            (IpAddr::V4(one), IpAddr::V4(other)) => (u32::from(one).into(), u32::from(other).into(), 32),
            (IpAddr::V6(one), IpAddr::V6(other)) => (u128::from(one), u128::from(other), 128),
            _ => return false,
        };
        let differing: u128 = one ^ other;
        differing.checked_shr(bits - self.prefix).unwrap_or(0) == 0
    }
}

fn addresses(text: &str) -> impl Iterator<Item = IpAddr> {
    let is_part = |character: char| character.is_ascii_hexdigit() || matches!(character, ':' | '.');
    text.split(move |character| !is_part(character))
        .filter_map(|piece| read_address(piece).or_else(|| read_address(piece.trim_matches(['.', ':']))))
}

/// Parts may have zeros before them: up to three digits in each of IPv4, up to four of IPv6.
fn read_address(text: &str) -> Option<IpAddr> {
    if let Some(address) = read_ipv4(text) {
        return Some(IpAddr::V4(address));
    }
    let plain = match text.rsplit_once(':') {
        Some((before, last)) if last.contains('.') => format!("{before}:{}", read_ipv4(last)?),
        _ => text.to_owned(),
    };
    plain.parse::<Ipv6Addr>().ok().map(IpAddr::V6)
}

fn read_ipv4(text: &str) -> Option<Ipv4Addr> {
    let part = |part: &str| {
        let is_plain = (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<u8>().ok().filter(|_| is_plain)
    };
    let parts: Option<Vec<u8>> = text.split('.').map(part).collect();
    <[u8; 4]>::try_from(parts?).ok().map(Ipv4Addr::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_between_delimiters() {
        for (text, wanted, mode, expected) in [
            ("king henry iv", "king queen", "OR", true),
            ("king henry iv", "king queen", "AND", false),
            ("5.1.33", "32", "OR", false),
            ("blue,yellow,red,green", "blue,red,green", "PHRASE", false),
            ("x blue red-green", "blue,red,green", "PHRASE", true),
            ("-blue,red,green;", "blue,red,green", "EXACT", true),
            ("blue%red%green", "blue,red,green", "EXACT", false),
            ("darkblue,red,green", "blue,red,green", "EXACT", false),
            ("foo [blue] bar", "[blue]", "EXACT", true),
            ("[[blue]]", "[blue]", "EXACT", true),
            ("(blue)", "[blue]", "EXACT", false),
            ("a b", " ", "OR", false),
        ] {
            assert_eq!(matches(text, wanted, mode), expected, "{wanted} in {text} ({mode})");
        }
    }

    #[test]
    fn addresses_are_found_in_texts() {
        for (text, wanted, expected) in [
            ("192.000.002.146", "192.0.2.146", true),
            ("203.0.113.5", "203.000.113.005", true),
            ("2001:0db8:85a3:0000:0000:8a2e:0370:7334", "2001:db8:85a3::8a2e:370:7334", true),
            ("192.0.2.111", "192.0.2.1/20", true),
            ("203.0.113.5", "192.0.2.1/20", false),
            ("from 192.0.2.1, to 10.0.0.1.", "10.0.0.1", true),
            ("192.0.2.10", "192.0.2.1", false),
            ("1.2.3.4.5", "1.2.3.4", false),
            ("2001:db8:85a3::192.0.2.1", "2001:db8:85a3::c000:201", true),
        ] {
            let found = Range::read(wanted).is_some_and(|range| addresses(text).any(|address| range.holds(address)));
            assert_eq!(found, expected, "{wanted} in {text}");
        }
        assert!(Range::read("192.0.2").is_none() && Range::read("192.0.2.1/33").is_none() && Range::read("").is_none());
    }
}
