#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use firn_sql::command::{Property, PropertyValue};
use firn_sql::file_formats::FileFormat;

use super::*;

fn format(options: &[(&str, &str)]) -> CsvFormat {
    let options: Vec<Property> = options
        .iter()
        .map(|(name, value)| Property { name: (*name).to_owned(), value: PropertyValue::Text((*value).to_owned()) })
        .collect();
    match FileFormat::of(&options).unwrap() {
        FileFormat::Csv(csv) => csv,
        other => panic!("{other:?}"),
    }
}

fn shown(text: &str, options: &[(&str, &str)]) -> String {
    let format = format(options);
    let content = Content::of(Box::new(io::Cursor::new(text.as_bytes().to_vec())));
    let mut records = Records::new(content, &format).unwrap();
    let mut out = Vec::new();
    while let Some(record) = records.next().unwrap() {
        out.push(match record.fields {
            Ok(fields) => {
                let fields: Vec<String> =
                    fields.into_iter().map(|field| field.map_or("-".to_owned(), |text| format!("[{text}]"))).collect();
                fields.join("")
            }
            Err(error) => format!("{}@{}:{}", error.code, record.place.line, error.character),
        });
    }
    out.join(" ")
}

#[test]
fn plain_records() {
    for (text, expected) in [
        ("a,b\nc,d\n", "[a][b] [c][d]"),
        ("a,b\r\nc,d", "[a][b] [c][d]"),
        ("a,\n,b\n", "[a]- -[b]"),
        ("\\N,x\\,y\n", "-[x,y]"),
        ("a\\tb\\\\c\n", "[a\tb\\c]"),
        ("\"a\",b\n", "[\"a\"][b]"),
        ("a\n\nb\n", "[a] - [b]"),
        ("", ""),
    ] {
        assert_eq!(shown(text, &[]), expected, "{text:?}");
    }
}

#[test]
fn enclosed_fields() {
    let quoted = [("FIELD_OPTIONALLY_ENCLOSED_BY", "\"")];
    for (text, expected) in [
        ("\"a,b\",\"c\"\"d\"\n", "[a,b][c\"d]"),
        ("\"\",\n", "[]-"),
        ("\"a\nb\",c\nd,e\n", "[a\nb][c] [d][e]"),
        ("\"a\\tb\"\n", "[a\\tb]"),
        ("a\"b\n", "[a\"b]"),
        ("x\n\"a\"b,c\nd\n", "[x] 100016@2:3 [d]"),
        ("x\n\"a", "[x] 100065@2:2"),
    ] {
        assert_eq!(shown(text, &quoted), expected, "{text:?}");
    }
    let escaped = [("FIELD_OPTIONALLY_ENCLOSED_BY", "'"), ("ESCAPE", "\\")];
    assert_eq!(shown("'a\\'b\\n',c\n", &escaped), "[a'b\n][c]");
}

#[test]
fn options_change_what_is_read() {
    assert_eq!(shown("h\na|b\n", &[("SKIP_HEADER", "1"), ("FIELD_DELIMITER", "|")]), "[a][b]");
    assert_eq!(shown("a||b\n", &[("FIELD_DELIMITER", "||")]), "[a][b]");
    assert_eq!(shown("a,b\n", &[("FIELD_DELIMITER", "NONE")]), "[a,b]");
    assert_eq!(shown("a;b;", &[("RECORD_DELIMITER", ";")]), "[a] [b]");
    assert_eq!(shown("a\n\nb\n", &[("SKIP_BLANK_LINES", "TRUE")]), "[a] [b]");
    assert_eq!(shown(" a , b c \n", &[("TRIM_SPACE", "TRUE")]), "[a][b c]");
    let both = [("TRIM_SPACE", "TRUE"), ("FIELD_OPTIONALLY_ENCLOSED_BY", "\"")];
    assert_eq!(shown(" \" a \" ,b\n", &both), "[ a ][b]");
    assert_eq!(shown("NULL,x\n", &[("NULL_IF", "NULL")]), "-[x]");
    assert_eq!(shown("a,,\n", &[("EMPTY_FIELD_AS_NULL", "FALSE")]), "[a][][]");
    assert_eq!(shown("a\\b\n", &[("ESCAPE_UNENCLOSED_FIELD", "NONE")]), "[a\\b]");
    assert_eq!(shown("\u{feff}a\n", &[]), "[a]");
}
