//! The places that the configuration names, and no others: `https://host[:port]/bucket[/folder/]`, with `*` for every
//! bucket of a host. Whether a connection is encrypted is the configuration's to say, not a statement's.

use std::net::IpAddr;
use std::str::FromStr;
use std::time::Duration;

use firn_sql::external_storage::{Credentials, StorageScheme, StorageUrl, endpoint, is_bucket};

use crate::{Bucket, StorageError};

const REGION_DEFAULT: &str = "us-east-1";
const AWS: &str = ".amazonaws.com";

/// One place that statements may reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedPlace {
    pub(crate) scheme: &'static str,
    host: String,
    port: u16,
    /// `None` for every bucket.
    bucket: Option<String>,
    /// With a slash at its end; empty for all of the bucket.
    pub(crate) folder: String,
    pub(crate) region: String,
}

/// All that may be reached, and how long one waits for it.
#[derive(Clone, Debug)]
pub struct Storage {
    places: Vec<AllowedPlace>,
    silence_max: Duration,
}

impl Storage {
    /// `silence_max` is how long a storage may take to say or take anything.
    pub fn new(places: Vec<AllowedPlace>, silence_max: Duration) -> Self {
        Self { places, silence_max }
    }

    /// The bucket of an address, for objects whose names begin with `key`. The first place that has it counts.
    pub fn bucket(
        &self,
        url: &StorageUrl,
        endpoint: Option<&str>,
        key: &str,
        credentials: Option<Credentials>,
    ) -> Result<Bucket, StorageError> {
        let place = self.places.iter().find(|place| {
            place.has_endpoint(url.scheme, endpoint) && place.has_bucket(&url.bucket) && key.starts_with(&place.folder)
        });
        let place = place.ok_or_else(|| {
            let at = endpoint.map(|endpoint| format!(" at {endpoint}")).unwrap_or_default();
            StorageError::NotAllowed(format!("{}{key}{at}", url.root()))
        })?;
        Ok(Bucket::new(place, &url.bucket, credentials, self.silence_max))
    }
}

impl AllowedPlace {
    /// The host as requests name it: without the port where it is the usual one.
    pub(crate) fn authority(&self) -> String {
        match self.port == usual_port(self.scheme) {
            true => self.host.clone(),
            false => format!("{}:{}", self.host, self.port),
        }
    }

    fn has_endpoint(&self, scheme: StorageScheme, endpoint: Option<&str>) -> bool {
        match (scheme, endpoint) {
            (StorageScheme::S3, None) => true,
            (StorageScheme::S3Compatible, Some(endpoint)) => {
                endpoint == self.authority() || endpoint == format!("{}:{}", self.host, self.port)
            }
            _ => false,
        }
    }

    fn has_bucket(&self, bucket: &str) -> bool {
        self.bucket.as_deref().is_none_or(|own| own == bucket)
    }
}

impl FromStr for AllowedPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| format!("`{text}` is no place of external_stages: {why}");
        let form = || wrong("write https://host[:port]/bucket[/folder/]");
        let (scheme, rest) = text.split_once("://").ok_or_else(form)?;
        let scheme = ["https", "http"].into_iter().find(|known| *known == scheme).ok_or_else(form)?;
        let (rest, region) = match rest.split_once("?region=") {
            Some((rest, region)) => (rest, Some(region)),
            None => (rest, None),
        };
        let (authority, path) = rest.split_once('/').ok_or_else(form)?;
        let authority = endpoint(authority).map_err(|_| form())?;
        let (host, port) = match authority.split_once(':') {
            Some((host, port)) => (host, port.parse().map_err(|_| form())?),
            None => (authority.as_str(), usual_port(scheme)),
        };
        if host.parse::<IpAddr>().is_ok_and(|address| !may_be_reached(address)) {
            return Err(wrong("this address is no storage's"));
        }
        let (bucket, folder) = path.split_once('/').unwrap_or((path, ""));
        if bucket != "*" && !is_bucket(bucket) {
            return Err(wrong("name a bucket, or * for every one"));
        }
        let folder = folder.trim_end_matches('/');
        let region = region.map(str::to_owned).or_else(|| region_of(host)).unwrap_or_else(|| REGION_DEFAULT.to_owned());
        if !region.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            return Err(wrong("a region has letters, digits and `-`"));
        }
        Ok(Self {
            scheme,
            host: host.to_owned(),
            port,
            bucket: (bucket != "*").then(|| bucket.to_owned()),
            folder: if folder.is_empty() { String::new() } else { format!("{folder}/") },
            region,
        })
    }
}

/// Link-local addresses are not reached: clouds serve instance credentials there.
pub(crate) fn may_be_reached(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !(address.is_link_local() || address.is_unspecified() || address.is_broadcast()),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(mapped) => may_be_reached(IpAddr::V4(mapped)),
            None => !(address.is_unicast_link_local() || address.is_unspecified() || address.is_multicast()),
        },
    }
}

fn usual_port(scheme: &str) -> u16 {
    if scheme == "https" { 443 } else { 80 }
}

/// The region in `s3.eu-central-1.amazonaws.com`.
fn region_of(host: &str) -> Option<String> {
    let name = host.strip_suffix(AWS).or_else(|| host.strip_suffix(".amazonaws.com.cn"))?;
    let (_, region) = name.rsplit_once('.')?;
    Some(region.to_owned())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;

    fn storage(places: &[&str]) -> Storage {
        Storage::new(places.iter().map(|place| place.parse().unwrap()).collect(), Duration::from_secs(1))
    }

    #[test]
    fn places_are_read() {
        let check = |text: &str, authority: &str, folder: &str, region: &str| {
            let place: AllowedPlace = text.parse().unwrap();
            assert_eq!((place.authority().as_str(), place.folder.as_str()), (authority, folder), "{text}");
            assert_eq!(place.region, region, "{text}");
        };
        check("https://s3.eu-central-1.amazonaws.com/b", "s3.eu-central-1.amazonaws.com", "", "eu-central-1");
        check("https://s3.amazonaws.com:443/b/a/c", "s3.amazonaws.com", "a/c/", REGION_DEFAULT);
        check("http://127.0.0.1:9000/*", "127.0.0.1:9000", "", REGION_DEFAULT);
        check("https://minio.example.com/b?region=local", "minio.example.com", "", "local");
        for text in [
            "",
            "b",
            "s3://b",
            "https://h",
            "https://u:p@h/b",
            "https://h/",
            "https://h/b c",
            "ftp://h/b",
            "http://169.254.169.254/*",
            "http://0.0.0.0/*",
            "https://h/b?region=a/b",
        ] {
            assert!(text.parse::<AllowedPlace>().is_err(), "{text}");
        }
    }

    #[test]
    fn nothing_else_is_reached() {
        let storage =
            storage(&["http://127.0.0.1:9000/open", "https://h.example.com/b/in/", "https://any.example.com/*"]);
        let check = |url: &str, endpoint: Option<&str>, key: &str, allowed: bool| {
            let url = StorageUrl::parse(url).unwrap();
            assert_eq!(storage.bucket(&url, endpoint, key, None).is_ok(), allowed, "{url} {endpoint:?} {key}");
        };
        check("s3compat://open", Some("127.0.0.1:9000"), "", true);
        check("s3compat://open", Some("127.0.0.1:9001"), "", false);
        check("s3compat://open", Some("localhost:9000"), "", false);
        check("s3compat://open", Some("169.254.169.254"), "", false);
        check("s3compat://open", None, "", false);
        check("s3compat://closed", Some("127.0.0.1:9000"), "", false);
        check("s3compat://b", Some("h.example.com"), "in/x", true);
        check("s3compat://b", Some("h.example.com:443"), "in/", true);
        check("s3compat://b", Some("h.example.com"), "in", false);
        check("s3compat://b", Some("h.example.com"), "inside/", false);
        check("s3compat://b", Some("h.example.com:80"), "in/", false);
        check("s3://open", None, "", true);
        check("s3://anything", None, "", true);
        check("s3://open", Some("127.0.0.1:9000"), "", false);
    }

    #[test]
    fn addresses_on_the_link_are_never_reached() {
        for (text, allowed) in [
            ("127.0.0.1", true),
            ("10.0.0.1", true),
            ("169.254.169.254", false),
            ("::ffff:169.254.169.254", false),
            ("fe80::1", false),
            ("0.0.0.0", false),
            ("::", false),
            ("2001:db8::1", true),
        ] {
            assert_eq!(may_be_reached(text.parse().unwrap()), allowed, "{text}");
        }
    }
}
