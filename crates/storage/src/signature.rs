//! Requests signed as S3 wants them: AWS Signature Version 4, in the header `Authorization`.

use chrono::{DateTime, Utc};
use firn_sql::external_storage::Credentials;
use firn_sql::stage_addresses::encoded;
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

/// The sum of no content.
pub(crate) const NO_CONTENT: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// What is signed of a request.
pub(crate) struct Signable<'a> {
    pub(crate) method: &'a str,
    pub(crate) host: &'a str,
    /// As it stands in the request, encoded.
    pub(crate) path: &'a str,
    pub(crate) query: &'a [(&'a str, &'a str)],
    /// Besides the host, the time, the sum and the token; names in lower case.
    pub(crate) headers: &'a [(&'a str, String)],
    pub(crate) content_sha256: &'a str,
}

/// The headers that make a request signed.
pub(crate) fn headers(
    request: &Signable<'_>,
    region: &str,
    credentials: &Credentials,
    now: DateTime<Utc>,
) -> Vec<(String, String)> {
    let time = now.format("%Y%m%dT%H%M%SZ").to_string();
    let scope = format!("{}/{region}/s3/aws4_request", &time[..8]);
    let mut signed: Vec<(&str, &str)> =
        vec![("host", request.host), ("x-amz-content-sha256", request.content_sha256), ("x-amz-date", &time)];
    signed.extend(credentials.token.as_deref().map(|token| ("x-amz-security-token", token)));
    signed.extend(request.headers.iter().map(|(name, value)| (*name, value.as_str())));
    signed.sort_unstable();
    let names = signed.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
    let lines: String = signed.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
    let canonical = format!(
        "{}\n{}\n{}\n{lines}\n{names}\n{}",
        request.method,
        request.path,
        query_text(request.query),
        request.content_sha256
    );
    let to_sign = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", hexadecimal(&Sha256::digest(canonical)));
    let key = [&time[..8], region, "s3", "aws4_request"]
        .iter()
        .fold(format!("AWS4{}", credentials.secret_key).into_bytes(), |key, part| keyed_hash(&key, part));
    let signature = hexadecimal(&keyed_hash(&key, &to_sign));
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={}/{scope},SignedHeaders={names},Signature={signature}",
        credentials.key_id
    );
    let mut sent: Vec<(String, String)> = signed
        .iter()
        .filter(|(name, _)| *name != "host")
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    sent.push(("authorization".to_owned(), authorization));
    sent
}

/// Parameters in the order of their names, as they stand in the request and in what is signed.
pub(crate) fn query_text(query: &[(&str, &str)]) -> String {
    let mut pairs: Vec<(String, String)> = query.iter().map(|(name, value)| (encoded(name), encoded(value))).collect();
    pairs.sort_unstable();
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn keyed_hash(key: &[u8], text: &str) -> Vec<u8> {
    // Keys of any length are taken.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return Vec::new() };
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use chrono::TimeZone;

    use super::*;

    /// The examples of the service's own documentation.
    #[test]
    fn signatures_are_those_of_the_documentation() {
        let credentials = Credentials {
            key_id: "AKIAIOSFODNN7EXAMPLE".to_owned(),
            secret_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned(),
            token: None,
        };
        let now = Utc.with_ymd_and_hms(2013, 5, 24, 0, 0, 0).unwrap();
        let check = |path: &str, query: &[(&str, &str)], headers: &[(&str, String)], expected: &str| {
            let host = "examplebucket.s3.amazonaws.com";
            let request = Signable { method: "GET", host, path, query, headers, content_sha256: NO_CONTENT };
            let signed = self::headers(&request, "us-east-1", &credentials, now);
            let (_, authorization) = signed.last().unwrap();
            assert!(authorization.ends_with(&format!("Signature={expected}")), "{path}: {authorization}");
        };
        let range = ("range", "bytes=0-9".to_owned());
        check("/test.txt", &[], &[range], "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
        let listed = [("prefix", "J"), ("max-keys", "2")];
        check("/", &listed, &[], "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
        let lifecycle = [("lifecycle", "")];
        check("/", &lifecycle, &[], "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
    }
}
