#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use super::*;

fn property(name: &str, value: &str) -> Property {
    Property { name: name.to_owned(), value: PropertyValue::Text(value.to_owned()) }
}

fn csv_of(given: &[Property]) -> CsvFormat {
    match FileFormat::of(given).unwrap() {
        FileFormat::Csv(csv) => csv,
        other => panic!("{other:?}"),
    }
}

#[test]
fn csv_has_the_dialects_defaults() {
    let csv = csv_of(&[]);
    assert_eq!((csv.field_delimiter.as_deref(), csv.enclosed_by, csv.escape), (Some(","), None, None));
    assert_eq!((csv.escape_unenclosed, csv.null_if.as_slice()), (Some('\\'), &["\\N".to_owned()][..]));
    assert!(csv.empty_field_as_null && csv.error_on_column_count_mismatch && !csv.trim_space);
}

#[test]
fn delimiters_may_be_escaped() {
    for (text, expected) in [("\\t", "\t"), ("\t", "\t"), ("0x7c", "|"), ("\\x7C", "|"), ("\\174", "|"), ("||", "||")] {
        assert_eq!(csv_of(&[property("FIELD_DELIMITER", text)]).field_delimiter.as_deref(), Some(expected), "{text}");
    }
    assert_eq!(csv_of(&[property("FIELD_DELIMITER", "NONE")]).field_delimiter, None);
}

#[test]
fn what_is_not_offered_is_refused() {
    for (name, value, code) in [
        ("TYPE", "AVRO", "000002"),
        ("TYPE", "XML", "000002"),
        ("TYPE", "TOML", "001007"),
        ("COMPRESSION", "BROTLI", "000002"),
        ("ENCODING", "UTF32", "000002"),
        ("NO_SUCH_OPTION", "1", "001007"),
        ("STRIP_OUTER_ARRAY", "TRUE", "001007"),
        ("SKIP_HEADER", "many", "001007"),
        ("FIELD_OPTIONALLY_ENCLOSED_BY", "|", "001007"),
    ] {
        assert_eq!(FileFormat::of(&[property(name, value)]).unwrap_err().code, code, "{name} = {value}");
    }
}

#[test]
fn every_property_is_described_with_its_default() {
    let format = FileFormat::of(&[property("TYPE", "CSV"), property("SKIP_HEADER", "1")]).unwrap();
    let skip = described(&format).into_iter().find(|property| property.name == "SKIP_HEADER").unwrap();
    assert_eq!((skip.value.as_str(), skip.default.as_str()), ("1", "0"));
    let quote = described(&format).into_iter().find(|property| property.name == "ESCAPE_UNENCLOSED_FIELD").unwrap();
    assert_eq!(quote.value, "\\\\");
}
