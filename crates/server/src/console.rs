//! The console: files that the binary brings along. They are served from memory, and nothing of them is of another origin.

use std::sync::OnceLock;

use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use uuid::Uuid;

use crate::compression::gzip_small;
use crate::request::headers::{GzipWish, gzip_wish};

/// The page that every address of the console gives; its scripts read the address.
const PAGE: &str = "index.html";

/// Where the page takes the number from that its style sheets need.
const NONCE_PLACE: &str = "__CSP_NONCE__";

const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Names of assets change with their content.
const FOREVER: &str = "public, max-age=31536000, immutable";

const MISSING: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>firn</title>\
    <p>This firn was built without its console. <code>make run</code> builds it; npm is needed. \
    The API is described at <a href=\"/api/v2/docs\">/api/v2/docs</a>.</p></html>";

/// A file of the built console.
pub struct ConsoleFile {
    /// Its path below the console's folder, such as `assets/index-1a2b3c.js`.
    pub path: &'static str,
    pub bytes: &'static [u8],
}

/// Answers with the console's files; compresses each once.
pub struct Console {
    files: &'static [ConsoleFile],
    compressed: Vec<OnceLock<Option<Bytes>>>,
}

impl Console {
    pub fn new(files: &'static [ConsoleFile]) -> Self {
        Self { files, compressed: files.iter().map(|_| OnceLock::new()).collect() }
    }

    /// The page, with a policy that lets run nothing but the console's own scripts. Style sheets that these make need the
    /// number that is new with every answer.
    pub fn page(&self) -> Response {
        let text = match self.files.iter().find(|file| file.path == PAGE) {
            Some(file) => String::from_utf8_lossy(file.bytes),
            None => MISSING.into(),
        };
        let nonce = Uuid::new_v4().simple().to_string();
        let mut response = text.replace(NONCE_PLACE, &nonce).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Ok(policy) = HeaderValue::from_str(&policy(&nonce)) {
            headers.insert(CONTENT_SECURITY_POLICY, policy);
        }
        response
    }

    /// A file by its path. `None` if there is none.
    pub fn file(&self, path: &str, headers: &HeaderMap) -> Option<Response> {
        let (index, file) = self.files.iter().enumerate().find(|(_, file)| file.path == path && path != PAGE)?;
        let mut response = match self.compressed_for(index, headers) {
            Some(compressed) => ([(CONTENT_ENCODING, HeaderValue::from_static("gzip"))], compressed).into_response(),
            None => Bytes::from_static(file.bytes).into_response(),
        };
        let caching = if path.starts_with("assets/") { FOREVER } else { "no-cache" };
        for (name, value) in [
            (CONTENT_TYPE, media_type(path)),
            (CACHE_CONTROL, caching),
            (VARY, "accept-encoding"),
            (RESOURCE_POLICY, "same-origin"),
        ] {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        Some(response)
    }

    fn compressed_for(&self, index: usize, headers: &HeaderMap) -> Option<Bytes> {
        if gzip_wish(headers, &ACCEPT_ENCODING) != GzipWish::Wanted {
            return None;
        }
        let plain = self.files.get(index)?.bytes;
        self.compressed.get(index)?.get_or_init(|| gzip_small(plain).map(Bytes::from)).clone()
    }
}

fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("json" | "map" | "webmanifest") => "application/json",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    static FILES: [ConsoleFile; 2] = [
        ConsoleFile { path: "index.html", bytes: b"<meta name=\"csp-nonce\" content=\"__CSP_NONCE__\">" },
        ConsoleFile { path: "assets/a-1.js", bytes: &[b'a'; 4_000] },
    ];

    async fn text_of(response: Response) -> String {
        String::from_utf8(axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap().to_vec()).unwrap()
    }

    #[tokio::test]
    async fn every_page_has_its_own_nonce() {
        let console = Console::new(&FILES);
        let mut pages = Vec::new();
        for _ in 0..2 {
            let page = console.page();
            let policy = page.headers()[CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
            let text = text_of(page).await;
            let nonce = text.split('"').nth(3).unwrap().to_owned();
            assert!(policy.contains(&format!("style-src 'self' 'nonce-{nonce}'")), "{policy} {text}");
            assert!(!policy.contains("unsafe"), "{policy}");
            pages.push(text);
        }
        assert_ne!(pages[0], pages[1]);
    }

    #[tokio::test]
    async fn files_are_compressed_where_that_is_wanted() {
        let console = Console::new(&FILES);
        let plain = console.file("assets/a-1.js", &HeaderMap::new()).unwrap();
        assert_eq!(text_of(plain).await.len(), 4_000);
        let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("gzip"))]);
        let compressed = console.file("assets/a-1.js", &headers).unwrap();
        assert_eq!(compressed.headers()[CONTENT_ENCODING], "gzip");
        assert!(axum::body::to_bytes(compressed.into_body(), usize::MAX).await.unwrap().len() < 400);
        for missing in ["assets/../index.html", "index.html", "assets/b.js", ""] {
            assert!(console.file(missing, &HeaderMap::new()).is_none(), "{missing}");
        }
    }

    #[tokio::test]
    async fn a_binary_without_the_console_says_how_to_build_it() {
        assert!(text_of(Console::new(&[]).page()).await.contains("make run"));
    }
}
