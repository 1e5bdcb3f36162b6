//! Splits a JSON file into its documents: one after another, on lines of their own or not, or the elements of one outer
//! array.

use std::collections::BTreeMap;
use std::io;

use firn_sql::file_formats::JsonFormat;
use serde_json::value::RawValue;

use super::content::Content;
use super::records::{Place, RecordError};

/// The longest document.
const DOCUMENT_BYTES_MAX: usize = 128 << 20;

pub(super) struct Document {
    pub(super) place: Place,
    pub(super) text: Result<String, RecordError>,
}

pub(super) struct Documents<'format> {
    content: Content,
    format: &'format JsonFormat,
    line: u64,
    row: u64,
    in_array: bool,
    ended: bool,
}

impl<'format> Documents<'format> {
    pub(super) fn new(mut content: Content, format: &'format JsonFormat) -> io::Result<Self> {
        if format.skip_byte_order_mark {
            content.skip_byte_order_mark()?;
        }
        let mut documents = Self { content, format, line: 1, row: 0, in_array: false, ended: false };
        documents.skip_blank()?;
        if format.strip_outer_array && documents.content.peek()? == Some(b'[') {
            documents.content.advance(1);
            documents.in_array = true;
        }
        Ok(documents)
    }

    pub(super) fn next(&mut self) -> io::Result<Option<Document>> {
        loop {
            self.skip_blank()?;
            match self.content.peek()? {
                None => return Ok(None),
                Some(_) if self.ended => return Ok(None),
                Some(b']') if self.in_array => {
                    self.content.advance(1);
                    self.in_array = false;
                    self.skip_blank()?;
                    if self.format.strip_outer_array && self.content.peek()? == Some(b'[') {
                        self.content.advance(1);
                        self.in_array = true;
                    }
                }
                Some(b',') if self.in_array => self.content.advance(1),
                Some(_) => break,
            }
        }
        self.row += 1;
        let place = Place { row: self.row, line: self.line, offset: self.content.offset() };
        let text = self.document()?;
        // The end of a malformed document is not known, so nothing after it can be read.
        self.ended = text.is_err();
        Ok(Some(Document { place, text }))
    }

    fn document(&mut self) -> io::Result<Result<String, RecordError>> {
        let mut bytes = Vec::new();
        let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
        while let Some(byte) = self.content.peek()? {
            if depth == 0 && !in_string && !bytes.is_empty() && ends_scalar(byte, &bytes) {
                break;
            }
            bytes.push(byte);
            self.content.advance(1);
            match byte {
                b'\n' => self.line += 1,
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                b'{' | b'[' if !in_string => depth += 1,
                b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
                _ => {}
            }
            if bytes.len() > DOCUMENT_BYTES_MAX {
                return Ok(Err(error("the document is longer than 128 MiB", 0)));
            }
            if depth == 0 && !in_string && matches!(byte, b'}' | b']' | b'"') {
                break;
            }
        }
        Ok(self.checked(bytes))
    }

    fn checked(&self, bytes: Vec<u8>) -> Result<String, RecordError> {
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) if self.format.replace_invalid_characters => {
                String::from_utf8_lossy(error.as_bytes()).into_owned()
            }
            Err(_) => return Err(error("invalid UTF8", 0)),
        };
        if let Err(reason) = serde_json::from_str::<serde::de::IgnoredAny>(&text) {
            let what = reason.to_string();
            let what = what.split(" at line ").next().unwrap_or_default();
            return Err(error(what, reason.column() as u64));
        }
        Ok(if self.format.strip_null_values { without_nulls(&text) } else { text })
    }

    fn skip_blank(&mut self) -> io::Result<()> {
        while let Some(byte @ (b' ' | b'\t' | b'\n' | b'\r')) = self.content.peek()? {
            self.line += u64::from(byte == b'\n');
            self.content.advance(1);
        }
        Ok(())
    }
}

/// A number or a word ends before a blank, and before what belongs to the array around it.
fn ends_scalar(byte: u8, so_far: &[u8]) -> bool {
    let is_scalar = !matches!(so_far.first(), Some(b'{' | b'[' | b'"'));
    is_scalar && matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b']')
}

fn error(what: &str, character: u64) -> RecordError {
    RecordError { code: "100069", sql_state: "22P02", message: format!("Error parsing JSON: {what}"), character }
}

/// Removes the fields of objects that hold null, however deep. The text is known to be JSON.
fn without_nulls(text: &str) -> String {
    let text = text.trim();
    if text.starts_with('{')
        && let Ok(fields) = serde_json::from_str::<BTreeMap<String, &RawValue>>(text)
    {
        let fields = fields.iter().filter(|(_, value)| value.get() != "null");
        let fields: Vec<String> = fields
            .map(|(key, value)| format!("{}:{}", serde_json::Value::from(key.as_str()), without_nulls(value.get())))
            .collect();
        return format!("{{{}}}", fields.join(","));
    }
    if text.starts_with('[')
        && let Ok(elements) = serde_json::from_str::<Vec<&RawValue>>(text)
    {
        let elements: Vec<String> = elements.iter().map(|element| without_nulls(element.get())).collect();
        return format!("[{}]", elements.join(","));
    }
    text.to_owned()
}

/// The names of a document's own fields.
pub(super) fn field_names(text: &str) -> Vec<String> {
    serde_json::from_str::<BTreeMap<String, &RawValue>>(text)
        .map(|fields| fields.into_keys().collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use firn_sql::command::{Property, PropertyValue};
    use firn_sql::file_formats::FileFormat;

    use super::*;

    fn check(text: &str, options: &[&str], expected: &[&str]) {
        let mut given = vec![Property { name: "TYPE".into(), value: PropertyValue::Text("JSON".into()) }];
        given.extend(
            options
                .iter()
                .map(|&name| Property { name: name.to_owned(), value: PropertyValue::Text("TRUE".to_owned()) }),
        );
        let FileFormat::Json(format) = FileFormat::of(&given).unwrap() else { panic!("no JSON") };
        let content = Content::of(Box::new(io::Cursor::new(text.as_bytes().to_vec())));
        let mut documents = Documents::new(content, &format).unwrap();
        let mut found = Vec::new();
        while let Some(document) = documents.next().unwrap() {
            found.push(match document.text {
                Ok(text) => text,
                Err(error) => format!("{}@{}", error.code, document.place.line),
            });
        }
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_file_is_split_into_documents() {
        check("{\"a\":1}\n{\"a\":2}\n", &[], &["{\"a\":1}", "{\"a\":2}"]);
        check("{\"a\":1}{\"a\":\"}\"} 5 \"x\" null", &[], &["{\"a\":1}", "{\"a\":\"}\"}", "5", "\"x\"", "null"]);
        check("{\n\"a\": [1,\n2]}\n[3]", &[], &["{\n\"a\": [1,\n2]}", "[3]"]);
        check("[{\"a\":1}, 2, [3]]", &[], &["[{\"a\":1}, 2, [3]]"]);
        check("[{\"a\":1}, 2, [3]]\n", &["STRIP_OUTER_ARRAY"], &["{\"a\":1}", "2", "[3]"]);
        check("{\"a\":1}\n{\"a\":}\n{\"a\":2}", &[], &["{\"a\":1}", "100069@2"]);
        check("", &[], &[]);
    }

    #[test]
    fn nulls_are_stripped_where_asked() {
        check(
            "{\"a\":null,\"b\":{\"c\":null,\"d\":1.50},\"e\":[null,{\"f\":null}]}",
            &["STRIP_NULL_VALUES"],
            &["{\"b\":{\"d\":1.50},\"e\":[null,{}]}"],
        );
    }
}
