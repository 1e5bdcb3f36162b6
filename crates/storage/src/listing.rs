//! The XML that a storage answers with: lists of objects, and refusals.

use firn_sql::stages::StagePath;
use roxmltree::{Document, Node};

use crate::bucket::StoredObject;

/// Storages use sums of 32 to 128 characters, some with a number behind.
const ETAG_BYTES_MAX: usize = 1_024;

/// One page of a list.
pub(crate) struct Page {
    /// `Err` is a name that no path on a stage can have.
    pub(crate) objects: Vec<Result<StoredObject, String>>,
    /// Where the next page begins.
    pub(crate) next: Option<String>,
}

pub(crate) fn page(text: &str) -> Result<Page, String> {
    let document = Document::parse(text).map_err(|error| error.to_string())?;
    let root = document.root_element();
    if root.tag_name().name() != "ListBucketResult" {
        return Err("it is no list of objects".to_owned());
    }
    let contents = root.children().filter(|node| node.tag_name().name() == "Contents");
    let mut objects = Vec::new();
    for node in contents {
        let key = child(node, "Key").ok_or("an object has no name")?;
        if key.ends_with('/') {
            continue;
        }
        let Ok(path) = StagePath::parse(key) else {
            objects.push(Err(key.to_owned()));
            continue;
        };
        let bytes = child(node, "Size").and_then(|size| size.parse().ok()).ok_or("an object has no size")?;
        let etag = bare_etag(child(node, "ETag").unwrap_or_default());
        if etag.len() > ETAG_BYTES_MAX {
            return Err(format!("an object has an ETag of more than {ETAG_BYTES_MAX} bytes"));
        }
        let modified = child(node, "LastModified").and_then(|time| chrono::DateTime::parse_from_rfc3339(time).ok());
        objects.push(Ok(StoredObject {
            path,
            bytes,
            modified_ms: modified.map_or(0, |time| time.timestamp_millis()),
            etag: etag.to_owned(),
        }));
    }
    let next = child(root, "NextContinuationToken").filter(|_| child(root, "IsTruncated") == Some("true"));
    Ok(Page { objects, next: next.map(str::to_owned) })
}

/// Without its quotes and the mark of a weak one.
pub(crate) fn bare_etag(etag: &str) -> &str {
    etag.strip_prefix("W/").unwrap_or(etag).trim_matches('"')
}

/// The code and the message of a refusal.
pub(crate) fn refusal(text: &str) -> Option<(String, String)> {
    let document = Document::parse(text).ok()?;
    let plain = |name: &str| {
        let text = child(document.root_element(), name)?;
        Some(text.chars().filter(|character| !character.is_control()).take(300).collect::<String>())
    };
    Some((plain("Code")?, plain("Message").unwrap_or_default()))
}

fn child<'a>(node: Node<'a, 'a>, name: &str) -> Option<&'a str> {
    node.children().find(|child| child.tag_name().name() == name)?.text()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;

    #[test]
    fn lists_are_read() {
        let text = r#"<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
            <IsTruncated>true</IsTruncated><NextContinuationToken>n</NextContinuationToken>
            <Contents><Key>a/</Key><Size>0</Size></Contents>
            <Contents><Key>a/b &amp; c.csv</Key><Size>7</Size><ETag>&quot;e-2&quot;</ETag>
              <LastModified>1970-01-01T00:00:01.000Z</LastModified></Contents>
            <Contents><Key>a/../b</Key><Size>1</Size></Contents></ListBucketResult>"#;
        let page = page(text).unwrap();
        assert_eq!(page.next.as_deref(), Some("n"));
        let [Ok(object), Err(odd)] = page.objects.as_slice() else { panic!("{:?}", page.objects) };
        assert_eq!((object.path.as_str(), object.bytes, object.modified_ms), ("a/b & c.csv", 7, 1_000));
        assert_eq!((object.etag.as_str(), odd.as_str()), ("e-2", "a/../b"));
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for text in
            ["", "<html/>", "<ListBucketResult><Contents/></ListBucketResult>", "<!DOCTYPE x [<!ENTITY a 'b'>]><x/>"]
        {
            assert!(page(text).is_err(), "{text}");
        }
        let tagged = |etag: &str| {
            let object = format!("<Key>a</Key><Size>1</Size><ETag>{etag}</ETag>");
            page(&format!("<ListBucketResult><Contents>{object}</Contents></ListBucketResult>")).map(drop)
        };
        assert_eq!(tagged(&"e".repeat(ETAG_BYTES_MAX)), Ok(()));
        assert!(tagged(&"e".repeat(ETAG_BYTES_MAX + 1)).is_err_and(|cause| cause.contains("ETag")));
        let found = refusal("<Error><Code>NoSuchBucket</Code><Message>gone</Message></Error>");
        assert_eq!(found, Some(("NoSuchBucket".to_owned(), "gone".to_owned())));
        assert_eq!(refusal("<html>"), None);
    }
}
