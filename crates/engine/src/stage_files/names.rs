//! How paths are written on disk: plain characters as they are, all others as `%` and two digits, and
//! a `%` behind every folder's name, so that `a` and `a/b` can both be files.

use std::fmt::Write;
use std::io;

use firn_sql::stages::StagePath;

/// The longest name of one part that file systems take.
const PART_BYTES_MAX: usize = 255;

pub fn encoded(path: &StagePath) -> io::Result<String> {
    let mut out = String::new();
    let mut parts = path.as_str().split('/').peekable();
    while let Some(part) = parts.next() {
        let start = out.len();
        for (index, byte) in part.bytes().enumerate() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'=' => out.push(char::from(byte)),
                b'.' if index > 0 => out.push('.'),
                _ => {
                    // Writing into a string cannot fail.
                    let _ = write!(out, "%{byte:02X}");
                }
            }
        }
        if parts.peek().is_some() {
            out.push('%');
        }
        if out.len() - start > PART_BYTES_MAX {
            return Err(io::Error::new(io::ErrorKind::InvalidFilename, "a part of the file's path is too long"));
        }
        if parts.peek().is_some() {
            out.push('/');
        }
    }
    Ok(out)
}

/// The part of a path that a written form stands for.
pub(super) fn decoded_part(written: &str) -> Option<String> {
    let written = written.strip_suffix('%').unwrap_or(written).as_bytes();
    let mut out = Vec::with_capacity(written.len());
    let mut index = 0;
    while let Some(&byte) = written.get(index) {
        if byte == b'%' {
            let digits = std::str::from_utf8(written.get(index + 1..index + 3)?).ok()?;
            out.push(u8::from_str_radix(digits, 16).ok()?);
            index += 3;
        } else {
            out.push(byte);
            index += 1;
        }
    }
    String::from_utf8(out).ok()
}
