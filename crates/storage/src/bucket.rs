//! One bucket of a storage: its objects listed, fetched, put and removed. Nothing is followed anywhere: a redirect is a
//! refusal, and a name that leads to an address on the link is not found.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use chrono::Utc;
use firn_sql::external_storage::{Credentials, ServerSideEncryption};
use firn_sql::stage_addresses::encoded;
use firn_sql::stages::StagePath;
use sha2::{Digest, Sha256};
use ureq::http::Response;
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Body, SendBody};

use crate::allowed::AllowedPlace;
use crate::list_pages::ListPages;
use crate::resolver::CarefulResolver;
use crate::signature::{self, NO_CONTENT, Signable};
use crate::{StorageError, listing};

/// More objects than this are not listed for one location.
const OBJECTS_MAX: usize = 200_000;
const PAGE_BYTES_MAX: u64 = 16 << 20;
const REFUSAL_BYTES_MAX: u64 = 64 << 10;
const PIECE_BYTES: usize = 128 << 10;

/// How long to wait before a storage that is busy is asked again.
const PAUSES_WHILE_BUSY_MS: [u64; 3] = [100, 300, 900];

/// The largest object that can be put at once.
const PUT_BYTES_MAX: u64 = 5 << 30;

/// An object as it was listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredObject {
    pub path: StagePath,
    pub bytes: u64,
    pub modified_ms: i64,
    /// What changes when the content does.
    pub etag: String,
}

pub struct Bucket {
    agent: Agent,
    place: AllowedPlace,
    name: String,
    credentials: Option<Credentials>,
}

/// A request before it is signed and sent.
struct Request<'a> {
    method: &'a str,
    /// Without it, the request is about the bucket.
    object: Option<&'a StagePath>,
    query: &'a [(&'a str, &'a str)],
    headers: Vec<(&'a str, String)>,
    content_sha256: &'a str,
}

impl Bucket {
    pub(crate) fn new(
        place: &AllowedPlace,
        name: &str,
        credentials: Option<Credentials>,
        silence_max: Duration,
    ) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(concat!("firn/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(silence_max))
            .timeout_connect(Some(silence_max))
            .timeout_per_read(Some(silence_max))
            .timeout_per_write(Some(silence_max));
        let config = if place.scheme == "http" { config.proxy(None) } else { config };
        let agent = Agent::with_parts(config.build(), DefaultConnector::default(), CarefulResolver::default());
        Self { agent, place: place.clone(), name: name.to_owned(), credentials }
    }

    /// Ends, from any thread, what is under way; the bucket is of no use afterwards.
    pub fn stopper(&self) -> impl Fn() + Send + Sync + 'static {
        let agent = self.agent.clone();
        move || agent.clone().shutdown()
    }

    /// The objects whose names begin with `key`, in the order of their names.
    pub fn list(&self, key: &str) -> Result<Vec<StoredObject>, StorageError> {
        self.check(key)?;
        let mut objects = Vec::new();
        let mut pages = ListPages::default();
        let mut token: Option<String> = None;
        loop {
            let mut query = vec![("list-type", "2"), ("max-keys", "1000"), ("prefix", key)];
            query.extend(token.as_deref().map(|token| ("continuation-token", token)));
            let mut response = self.send(&Request::of("GET", None, &query))?;
            let text = response.body_mut().with_config().limit(PAGE_BYTES_MAX).read_to_string();
            let text = text.map_err(|error| self.unreachable(&error))?;
            let page = listing::page(&text).map_err(|cause| self.malformed(cause))?;
            token = pages.next(&page).map_err(|cause| self.malformed(cause))?;
            for object in page.objects {
                objects.push(object.map_err(StorageError::OddName)?);
            }
            if objects.len() > OBJECTS_MAX {
                let root = &self.name;
                let why =
                    format!("there are more than {OBJECTS_MAX} objects below '{root}/{key}'; name a folder of it");
                return Err(StorageError::TooMuch(why));
            }
            if token.is_none() {
                break;
            }
        }
        objects.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(objects)
    }

    /// Writes a listed object into a file; one that is another by now is not taken.
    pub fn fetch(&self, object: &StoredObject, file: &Path) -> Result<(), StorageError> {
        self.check(object.path.as_str())?;
        let changed = || StorageError::Changed(object.path.to_string());
        let mut response = self.send(&Request::of("GET", Some(&object.path), &[]))?;
        if etag(&response).is_some_and(|etag| etag != object.etag && !object.etag.is_empty()) {
            return Err(changed());
        }
        let mut content = response.body_mut().as_reader();
        let mut written = File::create(file)?;
        let mut piece = vec![0; PIECE_BYTES];
        let mut bytes = 0;
        loop {
            let length = match content.read(&mut piece) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.unreachable(&error)),
            };
            bytes += length as u64;
            if bytes > object.bytes {
                return Err(changed());
            }
            written.write_all(&piece[..length])?;
        }
        if bytes == object.bytes { Ok(()) } else { Err(changed()) }
    }

    /// Puts a file in the place of an object.
    pub fn put(&self, path: &StagePath, file: &Path, encryption: ServerSideEncryption) -> Result<(), StorageError> {
        self.check(path.as_str())?;
        let bytes = file.metadata()?.len();
        if bytes > PUT_BYTES_MAX {
            let why = format!("the file '{path}' would have {bytes} bytes; a storage takes {PUT_BYTES_MAX} at once");
            return Err(StorageError::TooMuch(why));
        }
        let sum = sha256(file)?;
        let mut request = Request::of("PUT", Some(path), &[]);
        request.content_sha256 = &sum;
        if encryption == ServerSideEncryption::Aes256 {
            request.headers.push(("x-amz-server-side-encryption", "AES256".to_owned()));
        }
        let content = SendBody::from_owned_reader(File::open(file)?);
        let prepared = self.prepared(&request).header("content-length", bytes.to_string());
        self.answered(prepared.body(content).map_err(|error| self.unreachable(&error))?).map(drop)
    }

    pub fn has(&self, path: &StagePath) -> Result<bool, StorageError> {
        self.check(path.as_str())?;
        match self.send(&Request::of("HEAD", Some(path), &[])) {
            Ok(_) => Ok(true),
            Err(StorageError::Refused { status: 404, .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub fn remove(&self, path: &StagePath) -> Result<(), StorageError> {
        self.check(path.as_str())?;
        self.send(&Request::of("DELETE", Some(path), &[])).map(drop)
    }

    /// Every name lies in the folder that the configuration allows.
    fn check(&self, key: &str) -> Result<(), StorageError> {
        match key.starts_with(&self.place.folder) {
            true => Ok(()),
            false => Err(StorageError::NotAllowed(format!("{}/{key}", self.name))),
        }
    }

    /// Sends a request without content; a storage that is busy is asked again.
    fn send(&self, request: &Request<'_>) -> Result<Response<Body>, StorageError> {
        for pause_ms in PAUSES_WHILE_BUSY_MS {
            match self.send_once(request) {
                Err(StorageError::Refused { status: 500 | 502..=504, .. }) => {
                    std::thread::sleep(Duration::from_millis(pause_ms));
                }
                answer => return answer,
            }
        }
        self.send_once(request)
    }

    fn send_once(&self, request: &Request<'_>) -> Result<Response<Body>, StorageError> {
        let prepared = self.prepared(request).body(SendBody::none()).map_err(|error| self.unreachable(&error))?;
        self.answered(prepared)
    }

    fn prepared(&self, request: &Request<'_>) -> ureq::http::request::Builder {
        let host = self.place.authority();
        let object = request.object.map(|path| format!("/{}", encoded(path.as_str()).replace("%2F", "/")));
        let path = format!("/{}{}", encoded(&self.name), object.unwrap_or_default());
        let query = signature::query_text(request.query);
        let mark = if query.is_empty() { "" } else { "?" };
        let builder = ureq::http::Request::builder()
            .method(request.method)
            .uri(format!("{}://{host}{path}{mark}{query}", self.place.scheme));
        let headers = match &self.credentials {
            None => request.headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
            Some(credentials) => {
                let signable = Signable {
                    method: request.method,
                    host: &host,
                    path: &path,
                    query: request.query,
                    headers: &request.headers,
                    content_sha256: request.content_sha256,
                };
                signature::headers(&signable, &self.place.region, credentials, Utc::now())
            }
        };
        headers.into_iter().fold(builder, |builder, (name, value)| builder.header(name, value))
    }

    fn answered(&self, request: ureq::http::Request<SendBody<'static>>) -> Result<Response<Body>, StorageError> {
        let mut response = self.agent.run(request).map_err(|error| self.unreachable(&error))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let text = response.body_mut().with_config().limit(REFUSAL_BYTES_MAX).read_to_string().unwrap_or_default();
        let (code, message) = listing::refusal(&text).unwrap_or_else(|| {
            let message = status.canonical_reason().unwrap_or("refused").to_owned();
            (message.replace(' ', ""), message)
        });
        Err(StorageError::Refused { status: status.as_u16(), code, message })
    }

    fn unreachable(&self, cause: &dyn std::fmt::Display) -> StorageError {
        StorageError::Unreachable { place: self.place.authority(), cause: cause.to_string() }
    }

    fn malformed(&self, cause: String) -> StorageError {
        StorageError::Malformed { place: self.place.authority(), cause }
    }
}

impl<'a> Request<'a> {
    fn of(method: &'a str, object: Option<&'a StagePath>, query: &'a [(&'a str, &'a str)]) -> Self {
        Self { method, object, query, headers: Vec::new(), content_sha256: NO_CONTENT }
    }
}

fn etag(response: &Response<Body>) -> Option<&str> {
    let etag = response.headers().get("etag")?.to_str().ok()?;
    Some(listing::bare_etag(etag))
}

fn sha256(file: &Path) -> io::Result<String> {
    let mut sum = Sha256::new();
    io::copy(&mut File::open(file)?, &mut sum)?;
    Ok(signature::hexadecimal(&sum.finalize()))
}
