//! Addresses of Spark Connect servers: `sc://host:port`, and `sc://host:port/;use_ssl=true` for TLS.

use std::fmt;
use std::net::IpAddr;

const DEFAULT_PORT: u16 = 15002;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Endpoint {
    pub host: String,
    pub port: u16,
    pub tls: bool,
}

impl Endpoint {
    /// `None` for what is no such address. Tokens and other parameters have no place in it.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.trim().strip_prefix("sc://")?;
        let (authority, parameters) = rest.split_once('/').unwrap_or((rest, ""));
        let mut tls = false;
        for parameter in parameters.split(';').filter(|parameter| !parameter.is_empty()) {
            tls = match parameter {
                "use_ssl=true" => true,
                "use_ssl=false" => false,
                _ => return None,
            };
        }
        let (host, port) = match authority.strip_prefix('[') {
            Some(bracketed) => {
                let (host, after) = bracketed.split_once(']')?;
                host.parse::<std::net::Ipv6Addr>().ok()?;
                (host, after.strip_prefix(':').or(after.is_empty().then_some(""))?)
            }
            None => authority.split_once(':').unwrap_or((authority, "")),
        };
        let is_host = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':');
        if host.is_empty() || !host.bytes().all(is_host) {
            return None;
        }
        let port = if port.is_empty() { DEFAULT_PORT } else { port.parse().ok().filter(|port| *port > 0)? };
        Some(Self { host: host.to_ascii_lowercase(), port, tls })
    }

    /// Whether what is sent there can be read on its way.
    pub fn is_private(&self) -> bool {
        self.tls || self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }

    pub(crate) fn authority(&self) -> String {
        match self.host.contains(':') {
            true => format!("[{}]:{}", self.host, self.port),
            false => format!("{}:{}", self.host, self.port),
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "sc://{}{}", self.authority(), if self.tls { "/;use_ssl=true" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        for (text, expected) in [
            ("sc://spark.internal:15002", Some("sc://spark.internal:15002")),
            ("sc://Spark", Some("sc://spark:15002")),
            ("sc://10.0.0.1:7/", Some("sc://10.0.0.1:7")),
            ("sc://h:7/;use_ssl=true", Some("sc://h:7/;use_ssl=true")),
            ("sc://[::1]:7", Some("sc://[::1]:7")),
            ("sc://[::1]", Some("sc://[::1]:15002")),
            ("sc://h:7/;token=abc", None),
            ("sc://user@h:7", None),
            ("sc://h:0", None),
            ("sc://h:99999", None),
            ("sc://", None),
            ("http://h:7", None),
        ] {
            assert_eq!(Endpoint::parse(text).map(|endpoint| endpoint.to_string()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn only_tls_and_this_machine_are_private() {
        for (text, expected) in
            [("sc://h:7", false), ("sc://h:7/;use_ssl=true", true), ("sc://127.0.0.1", true), ("sc://localhost", true)]
        {
            assert_eq!(Endpoint::parse(text).map(|endpoint| endpoint.is_private()), Some(expected), "{text}");
        }
    }
}
