//! Locations of external stages: `s3://bucket/path/`, and `s3compat://bucket/path/` with the endpoint of the bucket. An
//! address is validated once, here, as paths on stages are.

use crate::Failure;

/// Schemes of other clouds, which are refused by name.
const OTHER_SCHEMES: [&str; 8] = ["gcs", "azure", "s3gov", "s3china", "http", "https", "file", "abfss"];

const BUCKET_BYTES_MAX: usize = 255;
const ENDPOINT_BYTES_MAX: usize = 255;

/// Where the objects of an external stage are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StorageUrl {
    pub scheme: StorageScheme,
    pub bucket: String,
    /// What the names of the objects begin with; empty for all of the bucket.
    pub prefix: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StorageScheme {
    S3,
    /// Needs an endpoint.
    S3Compatible,
}

/// `CREDENTIALS = (AWS_KEY_ID = … AWS_SECRET_KEY = … [AWS_TOKEN = …])`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Credentials {
    pub key_id: String,
    pub secret_key: String,
    pub token: Option<String>,
}

/// Redacted: credentials must not appear in logs.
impl std::fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Credentials")
    }
}

/// Server-side encryption of objects in the bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ServerSideEncryption {
    /// The bucket's default.
    OfBucket,
    /// `AWS_SSE_S3`.
    Aes256,
}

impl StorageUrl {
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let refuse = |way_out: &str| Failure::invalid_value("URL", text, way_out);
        let (scheme, rest) = text.split_once("://").ok_or_else(|| refuse("write s3://bucket/path/"))?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "s3" => StorageScheme::S3,
            "s3compat" => StorageScheme::S3Compatible,
            other if OTHER_SCHEMES.contains(&other) => {
                return Err(Failure::unsupported(&format!("external stage on {other}://; s3:// and s3compat:// are")));
            }
            _ => return Err(refuse("write s3://bucket/path/")),
        };
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if !is_bucket(bucket) {
            return Err(refuse("a bucket's name has letters, digits, `.`, `-` and `_`"));
        }
        crate::stage_paths::check_prefix(prefix)?;
        Ok(Self { scheme, bucket: bucket.to_owned(), prefix: prefix.to_owned() })
    }

    /// The address of the bucket, with a slash at its end.
    pub fn root(&self) -> String {
        let scheme = match self.scheme {
            StorageScheme::S3 => "s3",
            StorageScheme::S3Compatible => "s3compat",
        };
        format!("{scheme}://{}/", self.bucket)
    }

    /// The beginning of objects' names that a path on the stage means.
    pub fn key(&self, path: &str) -> String {
        let between = if self.prefix.is_empty() || self.prefix.ends_with('/') || path.is_empty() { "" } else { "/" };
        format!("{}{between}{path}", self.prefix)
    }
}

impl std::fmt::Display for StorageUrl {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}{}", self.root(), self.prefix)
    }
}

/// Whether a name can be a bucket's.
pub fn is_bucket(name: &str) -> bool {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte));
    plain && !name.is_empty() && name.len() <= BUCKET_BYTES_MAX && name.bytes().any(|byte| byte != b'.')
}

/// `host` or `host:port`, in lower case.
pub fn endpoint(text: &str) -> Result<String, Failure> {
    let (host, port) = text.rsplit_once(':').unwrap_or((text, "443"));
    let is_host = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte)) && !host.is_empty();
    if !is_host || port.parse::<u16>().is_err() || text.len() > ENDPOINT_BYTES_MAX {
        return Err(Failure::invalid_value("ENDPOINT", text, "write host or host:port, without a scheme"));
    }
    Ok(text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;

    #[test]
    fn addresses_are_read() {
        for (text, path, key) in [
            ("s3://b", "", ""),
            ("s3://b/", "x.csv", "x.csv"),
            ("S3://my.bucket/a/b/", "c/", "a/b/c/"),
            ("s3compat://b_1/a", "", "a"),
            ("s3compat://b_1/a", "x", "a/x"),
        ] {
            assert_eq!(StorageUrl::parse(text).unwrap().key(path), key, "{text}");
        }
        assert_eq!(StorageUrl::parse("S3://b/a/").unwrap().to_string(), "s3://b/a/");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for (text, part) in [
            ("", "invalid value"),
            ("/etc", "invalid value"),
            ("s3:b", "invalid value"),
            ("s3:///x", "bucket's name"),
            ("s3://../x", "bucket's name"),
            ("s3://user@host/x", "bucket's name"),
            ("s3://b/../x", "path on a stage"),
            ("s3://b//x", "path on a stage"),
            ("gcs://b/x", "gcs://"),
            ("file:///etc", "file://"),
            ("http://169.254.169.254/x", "http://"),
        ] {
            let refusal = StorageUrl::parse(text).unwrap_err().message;
            assert!(refusal.contains(part), "{text} gave {refusal}");
        }
        for text in ["", "http://h", "h:x", "h:70000", "a@b", "h/x", "[::1]:80"] {
            assert!(endpoint(text).is_err(), "{text}");
        }
        assert_eq!(endpoint("Minio.Example.com:9000").unwrap(), "minio.example.com:9000");
    }
}
