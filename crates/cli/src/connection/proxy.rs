//! Which proxy requests to a server go through, if any: the one that was asked for, else that of the variables which most
//! programs know. By these no address of this machine goes through a proxy, nor one that NO_PROXY names.

use std::error::Error;
use std::fmt;
use std::net::IpAddr;

use ureq::ProxyProtocol;
use ureq::http::Uri;

use super::variable;
use crate::failure::Failure;

/// In the place of an address: no proxy, whatever the variables say.
const NONE: &str = "none";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxy {
    pub proxy: ureq::Proxy,
    /// What it was named by.
    pub source: String,
}

impl fmt::Display for Proxy {
    /// Without a password.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = self.proxy.uri().scheme_str().unwrap_or("http");
        write!(formatter, "the proxy {scheme}://{}:{} (of {})", self.proxy.host(), self.proxy.port(), self.source)
    }
}

impl Proxy {
    pub fn of(url: &str, asked: Option<&str>) -> Result<Option<Self>, Box<dyn Error>> {
        Self::chosen(url, asked, &variable)
    }

    fn chosen(
        url: &str,
        asked: Option<&str>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, Box<dyn Error>> {
        if let Some(asked) = asked {
            return if asked == NONE {
                Ok(None)
            } else {
                Self::parse(asked, "--proxy, FIRN_PROXY or the profile").map(Some)
            };
        }
        let Some(place) = Place::of(url) else { return Ok(None) };
        let excepted = variable("no_proxy").or_else(|| variable("NO_PROXY")).unwrap_or_default();
        if place.is_this_machine() || excepted.split([',', ' ']).any(|entry| place.is_in(entry)) {
            return Ok(None);
        }
        let names = match url.starts_with("https:") {
            true => ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
            false => ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
        };
        let named = names.iter().find_map(|name| variable(name).map(|value| (*name, value)));
        named.map(|(name, value)| Self::parse(&value, name)).transpose()
    }

    fn parse(address: &str, source: &str) -> Result<Self, Box<dyn Error>> {
        let proxy = ureq::Proxy::new(address).ok();
        let spoken = proxy.filter(|proxy| matches!(proxy.protocol(), ProxyProtocol::Http | ProxyProtocol::Https));
        let refused = || {
            // A password may be in it.
            let shown = address.rsplit_once('@').map_or(address, |(_, host)| host);
            Failure::usage(format!(
                "the proxy `{shown}` of {source} cannot be used: its address begins with http:// or https://; NO_PROXY names \
                 servers that are reached without it"
            ))
        };
        Ok(Self { proxy: spoken.ok_or_else(refused)?, source: source.to_owned() })
    }
}

/// Where a server is.
struct Place {
    host: String,
    ip: Option<IpAddr>,
    port: u16,
}

impl Place {
    fn of(url: &str) -> Option<Self> {
        let uri: Uri = url.parse().ok()?;
        let host = uri.host()?.trim_start_matches('[').trim_end_matches([']', '.']).to_ascii_lowercase();
        let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
        Some(Self { ip: host.parse().ok(), host, port })
    }

    fn is_this_machine(&self) -> bool {
        match self.ip {
            Some(ip) => ip.to_canonical().is_loopback(),
            None => self.host == "localhost" || self.host.ends_with(".localhost"),
        }
    }

    /// Whether an entry of NO_PROXY names it: `*`, a name with all below it, an address or a network, each also with a port.
    fn is_in(&self, entry: &str) -> bool {
        let entry = entry.trim().to_ascii_lowercase();
        let (name, port) = with_port(&entry);
        if port.is_some_and(|port| port != self.port) {
            return false;
        }
        match (name, self.ip) {
            ("", _) => false,
            ("*", _) => true,
            (name, Some(ip)) => is_in_network(ip, name),
            (name, None) => {
                let name = name.trim_start_matches('*').trim_start_matches('.').trim_end_matches('.');
                let before = self.host.strip_suffix(name);
                !name.is_empty() && before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
            }
        }
    }
}

fn with_port(entry: &str) -> (&str, Option<u16>) {
    if let Some((address, rest)) = entry.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return (address, rest.strip_prefix(':').and_then(|port| port.parse().ok()));
    }
    match entry.split_once(':') {
        // More than one is of an address of version 6.
        Some((name, port)) if !port.contains(':') => (name, port.parse().ok()),
        _ => (entry, None),
    }
}

fn is_in_network(ip: IpAddr, network: &str) -> bool {
    let (address, length) =
        network.split_once('/').map_or((network, None), |(address, length)| (address, Some(length)));
    let bits = |ip: IpAddr| match ip.to_canonical() {
        IpAddr::V4(ip) => (u128::from(ip.to_bits()) << 96, 32),
        IpAddr::V6(ip) => (ip.to_bits(), 128),
    };
    let Ok(address) = address.parse::<IpAddr>() else { return false };
    let ((own, width), (other, other_width)) = (bits(ip), bits(address));
    let length = match length.map(str::parse::<u32>) {
        None => width,
        Some(Ok(length)) if length <= width => length,
        Some(_) => return false,
    };
    width == other_width && (own ^ other).checked_shr(128 - length).unwrap_or(0) == 0
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn chosen(url: &str, asked: Option<&str>, variables: &[(&str, &str)]) -> Option<String> {
        let find =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Proxy::chosen(url, asked, &find).unwrap().map(|proxy| proxy.to_string())
    }

    #[test]
    fn the_proxy_is_that_of_the_scheme() {
        let all = [("HTTP_PROXY", "http://h:1"), ("https_proxy", "user:secret@s:2"), ("ALL_PROXY", "https://a:3")];
        let check = |url: &str, variables: &[(&str, &str)], expected: Option<&str>| {
            assert_eq!(chosen(url, None, variables).as_deref(), expected, "{url} {variables:?}");
        };
        check("http://firn.example.com", &all, Some("the proxy http://h:1 (of HTTP_PROXY)"));
        check("https://firn.example.com", &all, Some("the proxy http://s:2 (of https_proxy)"));
        check("http://firn.example.com", &all[2..], Some("the proxy https://a:3 (of ALL_PROXY)"));
        check("http://firn.example.com", &all[1..2], None);
        for url in
            ["http://127.0.0.1:8090", "http://127.9.9.9", "http://localhost:1", "http://a.localhost", "http://[::1]:1"]
        {
            check(url, &all, None);
            assert!(chosen(url, Some("http://p:1"), &[]).is_some(), "{url}: asked for");
        }
        assert_eq!(chosen("http://firn.example.com", Some("none"), &all), None);
    }

    #[test]
    fn exceptions_are_names_addresses_and_networks() {
        let check = |url: &str, exceptions: &str, is_excepted: bool| {
            let found = chosen(url, None, &[("ALL_PROXY", "http://p:1"), ("NO_PROXY", exceptions)]);
            assert_eq!(found.is_none(), is_excepted, "{url} {exceptions}");
        };
        check("http://firn.example.com", "*", true);
        check("http://firn.example.com", "other.org, Example.com", true);
        check("http://firn.example.com", ".example.com", true);
        check("http://firn.example.com", "*.example.com", true);
        check("http://example.com", ".example.com", true);
        check("http://firnexample.com", "example.com", false);
        check("http://firn.example.com", "example", false);
        check("http://firn.example.com", "", false);
        check("http://firn.example.com", ",.,", false);
        check("http://firn.example.com:8090", "example.com:8090", true);
        check("http://firn.example.com:8090", "example.com:80", false);
        check("http://10.1.2.3", "10.1.2.3", true);
        check("http://10.1.2.3", "10.1.0.0/16", true);
        check("http://10.1.2.3", "0.0.0.0/0", true);
        check("http://10.1.2.3", "10.2.0.0/16", false);
        check("http://10.1.2.3", "10.1.0.0/33", false);
        check("http://10.1.2.3", "2.3", false);
        check("http://[2001:db8::1]:9", "2001:db8::/32", true);
        check("http://[2001:db8::1]:9", "[2001:db8::1]:9", true);
        check("http://[2001:db8::1]:9", "2001:db9::/32", false);
    }

    #[test]
    fn what_is_no_proxy_is_refused_without_its_password() {
        for address in ["socks5h://user:secret@p:1", "ftp://user:secret@p", "http://"] {
            let refused = Proxy::chosen("http://a.example.com", Some(address), &|_| None).unwrap_err().to_string();
            assert!(!refused.contains("secret") && refused.contains("--proxy"), "{address}: {refused}");
        }
    }
}
