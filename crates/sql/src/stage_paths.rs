//! Paths on a stage.

use crate::Failure;

pub const PATH_BYTES_MAX: usize = 1_024;

pub(crate) fn check_prefix(path: &str) -> Result<(), Failure> {
    let refuse = |way_out: &str| Err(Failure::invalid_value("path on a stage", &shortened(path), way_out));
    if path.len() > PATH_BYTES_MAX {
        return refuse(&format!("at most {PATH_BYTES_MAX} bytes are allowed"));
    }
    if path.chars().any(char::is_control) {
        return refuse("control characters are not allowed");
    }
    let mut parts = path.split('/').rev();
    let last = parts.next().unwrap_or_default();
    if parts.any(str::is_empty) {
        return refuse("it begins with a slash or has two in a row");
    }
    if path.split('/').any(|part| part == "." || part == "..") || last.contains('\\') {
        return refuse("`.`, `..` and backslashes are not allowed");
    }
    if path.contains('\\') { refuse("backslashes are not allowed") } else { Ok(()) }
}

/// A path whose parts may be written as quoted names: `"a b"/c`.
pub(crate) fn unquoted(path: &str) -> String {
    let mut quoted = false;
    let parts = path.split(|next: char| {
        quoted ^= next == '"';
        next == '/' && !quoted
    });
    let unquoted = parts.map(|part| match part.strip_prefix('"').and_then(|inside| inside.strip_suffix('"')) {
        Some(inside) if !inside.is_empty() && !inside.contains('"') => inside,
        _ => part,
    });
    unquoted.collect::<Vec<_>>().join("/")
}

fn shortened(text: &str) -> String {
    text.chars().take(100).collect()
}
