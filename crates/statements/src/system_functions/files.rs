//! TO_FILE and TRY_TO_FILE: what is known of a staged file, as an object.

use firn_sql::Failure;
use firn_sql::stage_addresses::{file_address, file_at};
use firn_sql::stages::{StageLocation, StageName, StagePath};
use serde_json::{Value, json};

use super::CallContext;
use crate::authorise::authorise;
use crate::run_error::RunError;
use crate::stage_access::{StageAccess, uses};

/// Content types by the last part of a file's name.
const CONTENT_TYPES: [(&str, &str); 41] = [
    ("7z", "application/x-7z-compressed"),
    ("avi", "video/x-msvideo"),
    ("bmp", "image/bmp"),
    ("bz2", "application/x-bzip2"),
    ("csv", "text/csv"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("epub", "application/epub+zip"),
    ("flac", "audio/flac"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("mkv", "video/x-matroska"),
    ("mov", "video/quicktime"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("odt", "application/vnd.oasis.opendocument.text"),
    ("ogg", "audio/ogg"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("ppt", "application/vnd.ms-powerpoint"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("rtf", "application/rtf"),
    ("svg", "image/svg+xml"),
    ("tar", "application/x-tar"),
    ("tif", "image/tiff"),
    ("tiff", "image/tiff"),
    ("txt", "text/plain"),
    ("wav", "audio/wav"),
    ("webm", "video/webm"),
    ("webp", "image/webp"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("xml", "application/xml"),
    ("zip", "application/zip"),
    ("zst", "application/zstd"),
];

/// Required fields of an object that describes a file.
const NEEDED: [&str; 4] = ["CONTENT_TYPE", "ETAG", "LAST_MODIFIED", "SIZE"];

/// A mistake of the caller's is no file.
pub(super) fn or_nothing(found: Result<String, RunError>) -> Result<Option<String>, RunError> {
    match found {
        Ok(file) => Ok(Some(file)),
        Err(RunError::Failed(_)) => Ok(None),
        Err(other) => Err(other),
    }
}

impl CallContext<'_> {
    /// `@stage/path`, `@stage` and a path, a file's address, or an object that describes a file.
    pub(super) fn file(&self, file: &str, path: Option<&str>) -> Result<String, RunError> {
        if file.trim_start().starts_with('{') && path.is_none() {
            return described(file);
        }
        let (stage, whole) = match file_at(file).filter(|_| path.is_none()) {
            Some(found) => found,
            None => {
                let mut location = StageLocation::parse(file)?;
                location.stage.qualify(&self.state.namespace)?;
                (location.stage, format!("{}{}", location.path, path.unwrap_or_default()))
            }
        };
        self.staged(&stage, &StagePath::parse(&whole)?)
    }

    fn staged(&self, stage: &StageName, path: &StagePath) -> Result<String, RunError> {
        authorise(self.services, &*self.session, &self.state.role, &uses(stage, StageAccess::Read))?;
        let missing = || {
            let message = format!("File '{}{path}' does not exist or not authorized.", stage.prefix());
            RunError::from(Failure::new("253006", "22000", message))
        };
        let folder = self.state.stage_folder(&*self.session, stage)?.ok_or_else(missing)?;
        let files = self.services.engine.stage_files();
        let broken = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => missing(),
            _ => RunError::from(error),
        };
        let found = files.find(&folder, path).map_err(broken)?.ok_or_else(missing)?;
        let etag = files.md5(&folder, &found).map_err(broken)?;
        let mut object = json!({
            "CONTENT_TYPE": content_type(path.as_str()),
            "ETAG": etag,
            "LAST_MODIFIED": http_date(found.modified_ms),
            "RELATIVE_PATH": path.as_str(),
            "SIZE": found.bytes,
            "STAGE": format!("@{stage}"),
        });
        if let (Some(address), Value::Object(fields)) = (file_address(stage, path.as_str()), &mut object) {
            fields.insert("STAGE_FILE_URL".to_owned(), address.into());
        }
        Ok(object.to_string())
    }
}

fn described(text: &str) -> Result<String, RunError> {
    let malformed = |way_out: &str| RunError::from(Failure::invalid_value("TO_FILE", text, way_out));
    let file: Value = serde_json::from_str(text).map_err(|_| malformed("give an object"))?;
    let has = |field: &str| file.get(field).is_some_and(|value| !value.is_null());
    let has_place = (has("STAGE") && has("RELATIVE_PATH")) || has("STAGE_FILE_URL") || has("SCOPED_FILE_URL");
    match NEEDED.iter().find(|field| !has(field)) {
        Some(field) => Err(malformed(&format!("the field {field} is missing"))),
        None if !has_place => Err(malformed("the location is missing: STAGE and RELATIVE_PATH")),
        None => Ok(file.to_string()),
    }
}

fn content_type(path: &str) -> &'static str {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default();
    let known = CONTENT_TYPES.binary_search_by_key(&extension.as_str(), |(known, _)| known);
    known.map_or("application/octet-stream", |place| CONTENT_TYPES[place].1)
}

/// `Wed, 11 Dec 2024 20:24:00 GMT`.
fn http_date(milliseconds: i64) -> String {
    const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let seconds = milliseconds.div_euclid(1_000);
    let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let weekday = WEEKDAYS[usize::try_from(days.rem_euclid(7)).unwrap_or_default()];
    let date = firn_sql::calendar_date(days).unwrap_or_default();
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next(), parts.next(), parts.next());
    let month = month.and_then(|month| month.parse::<usize>().ok()).and_then(|month| MONTHS.get(month.checked_sub(1)?));
    format!(
        "{weekday}, {} {} {} {:02}:{:02}:{:02} GMT",
        day.unwrap_or_default(),
        month.copied().unwrap_or_default(),
        year.unwrap_or_default(),
        of_day / 3_600,
        of_day / 60 % 60,
        of_day % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_http() {
        assert_eq!(http_date(1_733_948_640_999), "Wed, 11 Dec 2024 20:24:00 GMT");
        assert_eq!(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
    }

    #[test]
    fn content_types_follow_the_name() {
        assert!(CONTENT_TYPES.is_sorted());
        assert_eq!(content_type("a/b.PNG"), "image/png");
        assert_eq!(content_type("a.b/c"), "application/octet-stream");
    }
}
