//! What the file of a result is called: as whoever asks for it says, else after the kind and the time of the statement.

use chrono::DateTime;

/// With the extension and what a browser adds to a second file, names stay below the 255 bytes of file systems.
const BYTES_MAX: usize = 160;
/// Names that Windows keeps for devices, also with an extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// `select-2026-11-19-103048`, in UTC.
pub fn stem_of(query_type: &str, created_on_ms: i64) -> String {
    let kind = query_type.to_ascii_lowercase().replace('_', "-");
    let time = DateTime::from_timestamp_millis(created_on_ms).unwrap_or_default();
    format!("{kind}-{}", time.format("%Y-%m-%d-%H%M%S"))
}

/// A name that every file system takes; `None` if nothing is left of it.
pub fn safe_stem(wanted: &str) -> Option<String> {
    let replaced: String = wanted.chars().map(|one| if is_allowed(one) { one } else { ' ' }).collect();
    let mut stem = String::new();
    for one in replaced.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        if stem.len() + one.len_utf8() > BYTES_MAX {
            break;
        }
        stem.push(one);
    }
    let stem = stem.trim_matches(['.', ' ']);
    match stem {
        "" => None,
        _ if is_device(stem) => Some(format!("{stem}_")),
        _ => Some(stem.to_owned()),
    }
}

/// The value of `Content-Disposition` (RFC 6266): the name in ASCII, and beside it as it is where that is another one.
pub fn attachment(stem: &str, extension: &str) -> String {
    let plain: String = stem.chars().map(|one| if is_plain(one) { one } else { '_' }).collect();
    let head = format!("attachment; filename=\"{plain}.{extension}\"");
    if plain == stem { head } else { format!("{head}; filename*=UTF-8''{}.{extension}", percent_encoded(stem)) }
}

/// Neither a separator of folders, nor a sign that some system forbids, nor one that hides or turns what stands beside it.
fn is_allowed(one: char) -> bool {
    let is_hidden =
        matches!(one, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    !one.is_control() && !is_hidden && !matches!(one, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|')
}

fn is_device(stem: &str) -> bool {
    let first = stem.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let is_port = |word: &str| first.strip_prefix(word).is_some_and(|rest| matches!(rest.as_bytes(), [b'0'..=b'9']));
    DEVICES.contains(&first.as_str()) || is_port("com") || is_port("lpt")
}

/// Stands in a quoted text of a header as it is. Some clients decode what follows a percent sign.
fn is_plain(one: char) -> bool {
    one == ' ' || one.is_ascii_graphic() && !matches!(one, '"' | '\\' | '%')
}

fn percent_encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_for_file_systems() {
        let long = "ж".repeat(300);
        let cases = [
            ("Monthly report", Some("Monthly report")),
            ("  a/b\\c:d*e?\"f<g>h|i\r\n\tj ", Some("a b c d e f g h i j")),
            ("../../etc/passwd", Some("etc passwd")),
            ("report.", Some("report")),
            (".hidden", Some("hidden")),
            ("nul", Some("nul_")),
            ("Com1.old", Some("Com1.old_")),
            ("company", Some("company")),
            ("invoice\u{202e}fdp", Some("invoice fdp")),
            ("Umsätze 売上", Some("Umsätze 売上")),
            ("/", None),
            ("", None),
            (&long, Some(&long[..160])),
        ];
        for (wanted, expected) in cases {
            assert_eq!(safe_stem(wanted).as_deref(), expected, "{wanted}");
        }
    }

    #[test]
    fn a_name_beyond_ascii_is_written_twice() {
        assert_eq!(attachment("Report 1", "csv"), "attachment; filename=\"Report 1.csv\"");
        assert_eq!(
            attachment("Umsätze 5%", "jsonl"),
            "attachment; filename=\"Ums_tze 5_.jsonl\"; filename*=UTF-8''Ums%C3%A4tze%205%25.jsonl"
        );
    }

    #[test]
    fn without_a_name_kind_and_time_are_told() {
        assert_eq!(stem_of("CREATE_TABLE", 1_795_084_248_123), "create-table-2026-11-19-103048");
    }
}
