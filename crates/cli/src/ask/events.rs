//! The events that an answer arrives in.

use std::error::Error;
use std::io::{BufRead, BufReader, Read};

use serde_json::Value;

/// Hands every event with its data to `take`, as they come.
pub fn each(
    stream: impl Read,
    mut take: impl FnMut(&str, &Value) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let (mut name, mut data) = (String::new(), String::new());
    for line in BufReader::new(stream).lines() {
        let line = line.map_err(|error| format!("the answer broke off ({error})"))?;
        if line.is_empty() {
            if !data.is_empty() {
                take(&name, &serde_json::from_str(&data)?)?;
            }
            name.clear();
            data.clear();
        } else if let Some(text) = line.strip_prefix("event:") {
            text.trim().clone_into(&mut name);
        } else if let Some(text) = line.strip_prefix("data:") {
            data.push_str(text.trim_start());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn events_have_a_name_and_data() {
        let stream = ": still at work\n\nevent: status\ndata: {\"a\":1}\n\nevent: done\ndata: {}\n\n";
        let mut seen = Vec::new();
        each(stream.as_bytes(), |name, data| {
            seen.push(format!("{name} {data}"));
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, ["status {\"a\":1}", "done {}"]);
    }
}
